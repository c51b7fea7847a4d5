//! Where a model call goes, as far as prompt caches tell providers apart.

/// The provider's endpoint that a request is made for.
///
/// Name what the request really goes to. A server that only speaks a provider's protocol
/// (a router, a gateway, a local model) is none of these: it may refuse a field that the
/// provider itself takes, so for it no patch is made at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheTarget<'a> {
    /// OpenAI's `POST /v1/chat/completions` with this model, named as in the request.
    OpenAiChat(&'a str),
    /// OpenAI's `POST /v1/responses` with this model, named as in the request.
    OpenAiResponses(&'a str),
    /// Anthropic's `POST /v1/messages`, with the lifetime to ask for.
    Anthropic(AnthropicTtl),
    /// Gemini's `generateContent` and `streamGenerateContent`. Nothing is ever sent: Gemini
    /// caches by itself, and a request has no field for how long.
    Gemini,
}

/// How long Anthropic keeps a prefix after it was last used. There are these two.
///
/// Prices are multiples of the model's price for input that is not cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnthropicTtl {
    /// 5 minutes: a write costs 1.25, a read usually 0.1. One read pays for the write. Right
    /// when a user's turns follow each other closely, because each read starts the 5 minutes
    /// again for free.
    FiveMinutes,
    /// 1 hour: a write costs 2, a read usually 0.1. Two reads pay for the write. The longest
    /// there is, and so the nearest to the `24h` that the service recommends: a user's memory
    /// stays the same from one conversation to the next.
    #[default]
    OneHour,
}
