//! Tokens that begin as their issuer wants it, so that scanners find them.

use std::sync::LazyLock;

use super::tokens::{LISTS, is_name};
use crate::sections::section;

/// How many characters of a token are looked at: more than the longest has to have. To look at all of a long word
/// from each place where one may begin would take time that grows with the square of its length.
const LOOKED_AT: usize = 256;

/// How tokens of an issuer look.
struct Known {
    prefix: &'static str,
    alphabet: Alphabet,
    /// How many characters follow the prefix at least.
    least: usize,
    /// How many follow it in a whole token, which may do without a digit.
    whole: Option<usize>,
    /// Not one character more than `least`.
    is_exact: bool,
    /// The prefix is a word of its own: only what is no name counts.
    is_random: bool,
}

/// Whether a byte is of an alphabet.
type Alphabet = fn(u8) -> bool;

/// The alphabet of this name in the list.
fn alphabet(name: &str) -> Option<Alphabet> {
    Some(match name {
        "hex" => |byte| byte.is_ascii_hexdigit(),
        "hex-" => |byte| byte.is_ascii_hexdigit() || byte == b'-',
        "lower" => |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit(),
        "upper" => |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        "upper-" => |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
        "alnum" => |byte| byte.is_ascii_alphanumeric(),
        "word" => |byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte),
        "word." => |byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte),
        "base64" => |byte| byte.is_ascii_alphanumeric() || b"-_.+/=".contains(&byte),
        _ => return None,
    })
}

impl Known {
    fn of(line: &'static str) -> Option<Self> {
        let mut parts = line.split(' ');
        let prefix = parts.next()?;
        let alphabet = alphabet(parts.next()?)?;
        let least = parts.next()?.parse().ok()?;
        let rest: Vec<&str> = parts.collect();
        Some(Self {
            prefix,
            alphabet,
            least,
            whole: rest.first().and_then(|whole| whole.parse().ok()),
            is_exact: rest.contains(&"exact"),
            is_random: rest.contains(&"random"),
        })
    }

    /// Whether a text begins with such a token.
    fn begins(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.prefix) else {
            return false;
        };
        let looked_at = rest.bytes().take(LOOKED_AT);
        let length = looked_at.take_while(|byte| (self.alphabet)(*byte)).count();
        let rest = rest.get(..length).unwrap_or_default();
        if rest.len() < self.least || (self.is_exact && rest.len() > self.least) {
            return false;
        }
        let is_whole = self.whole.is_some_and(|whole| {
            let has_both = rest.contains(|c: char| c.is_ascii_lowercase())
                && rest.contains(|c: char| c.is_ascii_uppercase());
            rest.len() >= whole && (has_both || self.is_exact)
        });
        (is_whole || rest.contains(|c: char| c.is_ascii_digit()))
            && !(self.is_random && is_name(rest))
    }
}

/// The tokens by the first byte of their prefix: few are compared at any place.
static KNOWN: LazyLock<Vec<Vec<Known>>> = LazyLock::new(|| {
    let mut known: Vec<Vec<Known>> = (0..128).map(|_| Vec::new()).collect();
    for token in section(LISTS, "prefixes").filter_map(Known::of) {
        let first = token.prefix.bytes().next().map(usize::from);
        if let Some(place) = first.and_then(|first| known.get_mut(first)) {
            place.push(token);
        }
    }
    known
});

/// Whether a known token begins anywhere in a word, but not within letters and digits.
pub(super) fn holds_known(word: &str) -> bool {
    let known = &*KNOWN;
    let mut before = b' ';
    word.bytes().enumerate().any(|(at, byte)| {
        let is_inside = before.is_ascii_alphanumeric() || !before.is_ascii();
        before = byte;
        !is_inside
            && known.get(usize::from(byte)).is_some_and(|here| {
                let rest = word.get(at..).unwrap_or_default();
                here.iter().any(|token| token.begins(rest))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = section(LISTS, "prefixes").count();
        assert_eq!(KNOWN.iter().map(Vec::len).sum::<usize>(), lines);
        assert!(lines > 150, "{lines}");
        let all = KNOWN.iter().flatten();
        let longest = all.map(|token| token.least.max(token.whole.unwrap_or_default()));
        assert!(longest.max() < Some(LOOKED_AT));
    }

    #[test]
    fn tokens_are_found_wherever_they_begin_and_whole_ones_without_a_digit() {
        let token = format!("hf_{}", "aBcDe".repeat(7));
        for text in [
            token.clone(),
            format!("({token})"),
            format!("x={token}"),
            format!("https://example.com/{token}/raw"),
        ] {
            assert!(holds_known(&text), "{text}");
        }
        for text in [
            format!("x{token}"),
            token[..30].to_owned(),
            "hf_transfer".to_owned(),
            "sk-toggleable-content-v2-of-the-page".to_owned(),
            "ASIAPACIFICSUMMIT2024".to_owned(),
            "key-value-pairs-in-2024".to_owned(),
        ] {
            assert!(!holds_known(&text), "{text}");
        }
    }
}
