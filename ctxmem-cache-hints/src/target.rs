//! The endpoints whose prompt caches differ.

/// The provider's endpoint that a request goes to.
///
/// Name the endpoint that really gets the request. A server that only speaks a provider's
/// protocol (a gateway, a local model) is none of these: it may reject a field that the provider
/// accepts. [`OtherChat`](Self::OtherChat) is for such servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheTarget<'a> {
    /// OpenAI's `POST /v1/chat/completions` with this model, as named in the request.
    OpenAiChat(&'a str),
    /// OpenAI's `POST /v1/responses` with this model, as named in the request.
    OpenAiResponses(&'a str),
    /// Chat Completions of Azure OpenAI with this model: the name of the model, such as
    /// `gpt-5.6-sol`, not that of your deployment. For a Standard (pay as you go) deployment;
    /// provisioned ones don't take breakpoints.
    AzureOpenAiChat(&'a str),
    /// Responses of Azure OpenAI, with the model as in [`AzureOpenAiChat`](Self::AzureOpenAiChat).
    AzureOpenAiResponses(&'a str),
    /// Anthropic's `POST /v1/messages`, with this lifetime, of every model. Also for the Messages
    /// API of Claude Platform on AWS and of Microsoft Foundry.
    Anthropic(AnthropicTtl),
    /// Claude on Google Cloud (Vertex AI): `rawPredict` and `streamRawPredict` of a model of
    /// Anthropic's, with this lifetime.
    VertexAnthropic(AnthropicTtl),
    /// Amazon Bedrock's `Converse` and `ConverseStream` with this model, by its id or the id of
    /// an inference profile (`us.anthropic.claude-opus-5`). An application inference profile has
    /// a name of its own: name the model behind it. Where the model takes only 5 minutes, they
    /// are sent whatever the lifetime.
    BedrockConverse(&'a str, AnthropicTtl),
    /// Amazon Bedrock's `InvokeModel` and `InvokeModelWithResponseStream` with a body of
    /// Anthropic's Messages API, with the model and the lifetime as in
    /// [`BedrockConverse`](Self::BedrockConverse).
    BedrockInvoke(&'a str, AnthropicTtl),
    /// OpenRouter's `POST /api/v1/chat/completions` with this model, as named in the request
    /// (`anthropic/claude-opus-5`). The lifetime counts for Claude only.
    OpenRouter(&'a str, AnthropicTtl),
    /// xAI's `POST /v1/chat/completions`. The key is an HTTP header: see
    /// [`CachePatch::headers`](crate::CachePatch::headers).
    XaiChat,
    /// xAI's `POST /v1/responses`.
    XaiResponses,
    /// Gemini's `generateContent` and `streamGenerateContent`, on Google Cloud as well. Nothing
    /// is ever sent: Gemini caches by itself, and requests have no field for the lifetime.
    Gemini,
    /// Any other server of the Chat Completions protocol: DeepSeek, Groq, Fireworks, a model of
    /// your own. Nothing is ever sent: many of them cache by themselves, and they may reject a
    /// field that they don't know.
    OtherChat,
}

/// How long the caches of Claude models keep a prefix after its last use.
///
/// Prices are multiples of the model's price for uncached input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnthropicTtl {
    /// 5 minutes. A write costs 1.25, a read usually 0.1, so one read pays for the write. Each
    /// read restarts the 5 minutes for free.
    #[default]
    FiveMinutes,
    /// 1 hour. A write costs 2, a read usually 0.1, so two reads pay for the write. It pays for
    /// users whose turns are 5 to 60 minutes apart.
    OneHour,
}
