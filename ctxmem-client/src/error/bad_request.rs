//! Recognises our own server's words about a request that is not valid.
//!
//! They name a field of the interface and what was expected there, and hold nothing of the request.
//! Another deployment may quote the request in its text, so a text is printed only if it consists of
//! known words: one of these fields, and one of these expectations.

/// The fields of requests, and the headers that the server checks. `[]` stands for an index.
const FIELDS: [&str; 16] = [
    "body",
    "userId",
    "basePrompt",
    "agentId",
    "userMessage",
    "agentResponse",
    "scopes",
    "scopes[]",
    "expiresAt",
    "parts",
    "message",
    "at",
    "query",
    "limit",
    "Content-Type",
    "Idempotency-Key",
];

/// What may be wrong with a field. `#` stands for a number.
const PROBLEMS: [&str; 18] = [
    "a required field is missing",
    "the field is there twice",
    "expected a string, found {kind}",
    "expected an object, found {kind}",
    "expected a list, found {kind}",
    "expected true or false, found {kind}",
    "expected a positive whole number, found {kind}",
    "expected JSON, broken at line # column #",
    "expected a time in the future",
    "expected an ISO 8601 timestamp such as #-#-#T#:#:#Z",
    "expected when the exchange was, not a time in the future",
    "expected # to # characters",
    "expected a number from # to #",
    "expected # to # bytes of text without NUL, other than `.` and `..`",
    "expected application/json",
    "expected # to # visible ASCII characters, once",
    "expected # to # visible ASCII characters",
    "it was used with a different request; expected a new key for each request, and the same one \
     only to send a request again",
];

const KINDS: [&str; 7] = [
    "a string",
    "a number",
    "a boolean",
    "null",
    "an object",
    "a list",
    "something else",
];

/// The text without its full stop, if it is one of our server's.
pub(super) fn ours(text: &str) -> Option<&str> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let (field, problem) = text.split_once(": ")?;
    let is_known = FIELDS.contains(&&*without_index(field)) && is_problem(problem);
    is_known.then_some(text)
}

/// `scopes[]` for `scopes[12]`.
fn without_index(field: &str) -> String {
    match field
        .strip_suffix(']')
        .and_then(|field| field.split_once('['))
    {
        Some((list, index)) if is_number(index) => format!("{list}[]"),
        _ => field.to_owned(),
    }
}

fn is_problem(problem: &str) -> bool {
    let kind = problem.rsplit_once(", found ").map(|(_, kind)| kind);
    let problem = match kind {
        Some(kind) if KINDS.contains(&kind) => {
            format!("{}{{kind}}", &problem[..problem.len() - kind.len()])
        }
        _ => problem.to_owned(),
    };
    PROBLEMS.contains(&&*without_numbers(&problem))
}

/// Each number is replaced by `#`. Long ones stay: they might be somebody's.
fn without_numbers(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, digits) = rest.split_at(start);
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        plain.push_str(before);
        plain.push_str(if is_number(&digits[..end]) {
            "#"
        } else {
            &digits[..end]
        });
        rest = &digits[end..];
    }
    // The number of the standard is no variable.
    plain.push_str(rest);
    plain.replace("ISO # ", "ISO 8601 ")
}

fn is_number(text: &str) -> bool {
    (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_servers_words_are_known() {
        for text in [
            "basePrompt: expected a string, found a number",
            "scopes[1]: expected a string, found null",
            "body: expected JSON, broken at line 1 column 17",
            "expiresAt: expected an ISO 8601 timestamp such as 2026-03-01T09:30:00Z",
            "Idempotency-Key: expected 1 to 255 visible ASCII characters, once.",
            "at: expected when the exchange was, not a time in the future",
            "query: expected 1 to 1000 characters",
            "limit: expected a number from 1 to 100",
        ] {
            assert_eq!(ours(text), Some(text.trim_end_matches('.')), "{text}");
        }
        assert_eq!(
            ours(&format!("userId: {}", ctxmem_types::InvalidUserId)),
            Some(&*format!("userId: {}", ctxmem_types::InvalidUserId))
        );
    }

    #[test]
    fn other_words_are_not() {
        for text in [
            "canary",
            "canary: expected a string, found a number",
            "scopes[canary]: expected a string, found null",
            "basePrompt: expected a canary, found a number",
            "basePrompt: expected a string, found canary",
            "body: expected JSON, broken at line 1 column 4915112345678",
            "userId: canary: a required field is missing",
        ] {
            assert_eq!(ours(text), None, "{text}");
        }
    }
}
