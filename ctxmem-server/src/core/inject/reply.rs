//! The answer to an inject, as bytes.
//!
//! All but the base prompt is the same for every request until the context changes, so it is
//! rendered once as JSON, cut where the base prompt belongs, and kept ([`CachedAnswer`]). A
//! request then copies two slices and escapes its own prompt. That exists for speed; it saves
//! building and serialising an [`InjectResponse`] for each request.

use std::sync::Arc;

use ctxmem_types::{CacheHint, InjectReason, InjectResponse, ScopeSet};

use super::InjectOutcome;
use crate::core::access::CachedAnswer;
use crate::core::audit_buffer::Event;
use crate::core::{Error, json, render};
use crate::store::{Action, Outcome, StoreError, StoredFact, scopes};

/// How the JSON of every answer begins.
const OPEN: &str = "{\"injectedPrompt\":\"";

/// [`render::SEPARATOR`] in JSON.
const ESCAPED_SEPARATOR: &[u8] = b"\\n\\n";

/// An enriched prompt.
pub struct InjectReply {
    pub(super) answer: Arc<CachedAnswer>,
    pub(super) base_prompt: String,
    /// Whether the answer also has the prompt's parts.
    pub(super) parts: bool,
    /// The facts that bear on the request's message.
    pub(super) relevant: Option<String>,
}

impl InjectReply {
    /// The answer as JSON: an [`InjectResponse`].
    pub fn to_json(&self) -> Vec<u8> {
        let CachedAnswer { head, tail, .. } = &*self.answer;
        // Escaping makes most prompts only a little longer.
        let spare = self.base_prompt.len() / 16 + 64;
        let prompt = head.len() + self.base_prompt.len() + spare;
        let times = if self.parts { 2 } else { 1 };
        let mut json = Vec::with_capacity(prompt * times + tail.len());
        json.extend_from_slice(head);
        push_escaped(&mut json, &self.base_prompt);
        json.extend_from_slice(tail);
        if self.parts {
            self.push_parts(&mut json);
        }
        if let Some(relevant) = &self.relevant {
            json.pop();
            json.extend_from_slice(b",\"relevant\":\"");
            push_escaped(&mut json, relevant);
            json.extend_from_slice(b"\"}");
        }
        json
    }

    /// The answer as the type that it has, for callers in this process. It is kept as JSON only.
    pub fn to_response(&self) -> Result<InjectResponse, StoreError> {
        let corrupt = |_| StoreError::corrupt("inject", "answer");
        serde_json::from_slice(&self.to_json()).map_err(corrupt)
    }

    /// Appends the prompt's parts to the fields of an answer.
    fn push_parts(&self, json: &mut Vec<u8>) {
        json.pop();
        if let Some(context) = escaped_block(&self.answer) {
            json.extend_from_slice(b",\"context\":\"");
            json.extend_from_slice(context);
            json.push(b'"');
        }
        json.extend_from_slice(b",\"basePrompt\":\"");
        push_escaped(json, &self.base_prompt);
        json.extend_from_slice(b"\"}");
    }
}

/// The block of an answer; `None` where it has none.
pub(super) fn block(answer: &CachedAnswer) -> Option<String> {
    let quoted = [b"\"", escaped_block(answer)?, b"\""].concat();
    serde_json::from_slice(&quoted).ok()
}

fn escaped_block(answer: &CachedAnswer) -> Option<&[u8]> {
    let before = answer.head.get(OPEN.len()..)?;
    before.strip_suffix(ESCAPED_SEPARATOR)
}

/// Renders the answer. `facts` are all facts of the user, `consent_url` is the page where the user
/// can allow the agent.
pub(super) fn render_answer(
    outcome: InjectOutcome,
    facts: &[StoredFact],
    effective: Option<ScopeSet>,
    consent_url: &str,
) -> Result<CachedAnswer, StoreError> {
    let event = event(&outcome, facts, effective.unwrap_or_default());
    let leaves_out = matches!(&outcome, InjectOutcome::Block(block) if block.leaves_out);
    let mut response = response(outcome, consent_url);
    let before = std::mem::take(&mut response.injected_prompt);
    let mut head = OPEN.as_bytes().to_vec();
    push_escaped(&mut head, &before);
    let json = json(&response)?;
    let tail = json
        .strip_prefix(OPEN)
        .ok_or_else(|| StoreError::corrupt("inject", "answer"))?;
    Ok(CachedAnswer {
        effective,
        event,
        leaves_out,
        head: head.into(),
        tail: tail.as_bytes().into(),
    })
}

/// The answer to an empty base prompt.
fn response(outcome: InjectOutcome, consent_url: &str) -> InjectResponse {
    match outcome {
        InjectOutcome::MustAsk => {
            let mut answer = unchanged(
                InjectReason::NoGrant,
                "This user has not allowed this agent yet. Send them to consent_url, where they \
                 can allow it, signed in.",
            );
            answer.consent_url = Some(consent_url.to_owned());
            answer
        }
        InjectOutcome::NoGrant => unchanged(
            InjectReason::NoGrant,
            "This user has revoked this agent's access or erased their data, or the grant has \
             expired. The user can allow access again, signed in.",
        ),
        InjectOutcome::NoScopes => unchanged(InjectReason::NoScopes, Error::NO_SCOPES_TEXT),
        InjectOutcome::Demo(block) => {
            let mut answer = reasoned(
                InjectReason::SeededDemo,
                "These are demo facts, shown until an update stores the first real one. Call \
                 update with an interaction.",
                "Demo facts were merged: they vanish at the first stored fact.",
            );
            answer.injected_prompt = block.map(render::before_prompt).unwrap_or_default();
            answer.seeded = Some(true);
            answer
        }
        InjectOutcome::Empty => unchanged(
            InjectReason::Empty,
            "Nothing is stored about this user yet. Call update with an interaction first.",
        ),
        InjectOutcome::OutOfScope => unchanged(
            InjectReason::EmptyCapsule,
            "Something is stored about this user, but nothing in the scopes that this agent is \
             granted.",
        ),
        InjectOutcome::Block(block) => {
            let mut answer = InjectResponse::unchanged(render::before_prompt(block.text));
            answer.cache_hint = Some(CacheHint::new(
                true,
                "Stored context was merged: the prompt's beginning stays the same until the \
                 context changes.",
            ));
            answer
        }
    }
}

fn unchanged(reason: InjectReason, notice: &str) -> InjectResponse {
    reasoned(reason, notice, "No stored context was merged.")
}

/// An answer that is not worth caching, and why.
fn reasoned(reason: InjectReason, notice: &str, cache_reason: &str) -> InjectResponse {
    let mut answer = InjectResponse::unchanged("");
    answer.cache_hint = Some(CacheHint::new(false, cache_reason));
    answer.reason = Some(reason);
    answer.notice = Some(notice.to_owned());
    answer
}

/// What the audit log notes. Its scopes are those whose facts are in the prompt.
fn event(outcome: &InjectOutcome, facts: &[StoredFact], effective: ScopeSet) -> Option<Event> {
    Some(match outcome {
        // Anybody can make up user ids, so nothing is written about them.
        InjectOutcome::MustAsk => return None,
        InjectOutcome::Block(_) => Event {
            scopes: scopes(facts).intersection(effective),
            ..Event::new(Action::Inject, Outcome::Done)
        },
        InjectOutcome::NoGrant | InjectOutcome::NoScopes => {
            Event::new(Action::Inject, Outcome::Denied)
        }
        InjectOutcome::Demo(_) | InjectOutcome::Empty | InjectOutcome::OutOfScope => {
            Event::new(Action::Inject, Outcome::Nothing)
        }
    })
}

/// Appends a text as it is written between the quotes of a JSON string.
fn push_escaped(json: &mut Vec<u8>, text: &str) {
    // serde_json writes the quotes too. The first one takes the place of the last byte of `json`,
    // which is restored afterwards; that moves fewer bytes than removing the quote.
    let last = json.pop();
    let at = json.len();
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut *json, text);
    json.pop();
    if let (Some(byte), Some(last)) = (json.get_mut(at), last) {
        *byte = last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::inject::outcome::Block;

    const PAGE: &str = "https://memory.example.com/consent/1";

    fn json(outcome: InjectOutcome, base_prompt: &str, parts: bool) -> Vec<u8> {
        let answer = render_answer(outcome, &[], None, PAGE).unwrap();
        let mut reply = InjectReply {
            answer: Arc::new(answer),
            base_prompt: base_prompt.to_owned(),
            parts,
            relevant: None,
        };
        let without = reply.to_json();
        let mut whole: InjectResponse = serde_json::from_slice(&without).unwrap();
        whole.relevant = Some("- \"é\"".to_owned());
        let with = serde_json::to_vec(&whole).unwrap();
        reply.relevant = whole.relevant;
        assert_eq!(reply.to_json(), with);
        without
    }

    #[test]
    fn the_answer_is_that_of_the_interface_to_the_byte() {
        let odd = "a \"quoted\" \\ line\nand \u{1} \u{2028} é 🦀 </script>";
        for base_prompt in ["", "x", odd, &odd.repeat(100)] {
            for outcome in [
                || InjectOutcome::MustAsk,
                || InjectOutcome::NoGrant,
                || InjectOutcome::NoScopes,
                || InjectOutcome::Demo(None),
                || InjectOutcome::Demo(Some("a \"demo\"".to_owned())),
                || InjectOutcome::Empty,
                || InjectOutcome::OutOfScope,
                || {
                    InjectOutcome::Block(Block {
                        text: "System:\n\"é\"".to_owned(),
                        shown: 1,
                        leaves_out: true,
                    })
                },
            ] {
                let mut whole = response(outcome(), PAGE);
                let context = whole.injected_prompt.strip_suffix(render::SEPARATOR);
                let context = context.map(str::to_owned);
                let answer = render_answer(outcome(), &[], None, PAGE).unwrap();
                assert_eq!(block(&answer), context);
                whole.injected_prompt.push_str(base_prompt);
                let without = serde_json::to_vec(&whole).unwrap();
                assert_eq!(json(outcome(), base_prompt, false), without);
                whole.context = context;
                whole.base_prompt = Some(base_prompt.to_owned());
                let with = serde_json::to_vec(&whole).unwrap();
                assert_eq!(json(outcome(), base_prompt, true), with);
            }
        }
    }
}
