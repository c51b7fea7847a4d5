//! The endpoints whose prompt caches differ.

/// The provider's endpoint that a request goes to.
///
/// Name the endpoint that really gets the request. A server that only speaks a provider's
/// protocol (a router, a gateway, a local model) is none of these: it may reject a field that
/// the provider accepts, so don't apply a patch for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheTarget<'a> {
    /// OpenAI's `POST /v1/chat/completions` with this model, as named in the request.
    OpenAiChat(&'a str),
    /// OpenAI's `POST /v1/responses` with this model, as named in the request.
    OpenAiResponses(&'a str),
    /// Anthropic's `POST /v1/messages`, with this lifetime.
    Anthropic(AnthropicTtl),
    /// Gemini's `generateContent` and `streamGenerateContent`. Nothing is ever sent: Gemini
    /// caches by itself, and requests have no field for the lifetime.
    Gemini,
}

/// How long Anthropic keeps a prefix after its last use.
///
/// Prices are multiples of the model's price for uncached input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnthropicTtl {
    /// 5 minutes. A write costs 1.25, a read usually 0.1, so one read pays for the write. It
    /// suits users whose turns follow each other closely, because each read restarts the 5
    /// minutes for free.
    FiveMinutes,
    /// 1 hour. A write costs 2, a read usually 0.1, so two reads pay for the write. It is the
    /// longest lifetime, and so the nearest to the `24h` that the service recommends because a
    /// user's memory often stays the same from one conversation to the next.
    #[default]
    OneHour,
}
