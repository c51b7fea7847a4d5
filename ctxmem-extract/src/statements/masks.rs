//! Numbers that identify: they say little about a person and much to a thief. Dates, times, amounts, ages and
//! measures stay.

use std::sync::LazyLock;

use regex::Regex;

use crate::patterns::regex;

/// What stands for a number.
const MASK: &str = "[number]";

/// A run of digits with what stands between the groups of a telephone or account number.
static LONG: LazyLock<Regex> = LazyLock::new(|| regex(r"\+?\(?[0-9](?:[ ./()-]{0,2}[0-9]){6,}"));

/// A shorter one behind a word that says that it identifies.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let words = "number|no\\.?|nr\\.?|id|account|code|order|ref|reference|policy|member|customer|zip|postcode|phone|#|nummer|konto|numéro|número";
    regex(&format!(
        r"(?i)\b(?P<word>{words})(?P<gap>[ :#]{{1,3}}(?:is |ist |est |es )?)[A-Z]{{0,3}}-?[0-9][0-9/-]{{4,}}"
    ))
});

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:(?:19|20)[0-9]{2}[./ -]?(?:[0-9]{1,2}[./ -]?){0,2}(?:[ -]+(?:19|20)[0-9]{2}.*)?|[0-9]{1,2}[./-][0-9]{1,2}[./-](?:19|20)?[0-9]{2})$",
    )
});

/// A text without numbers that identify.
pub(crate) fn masked(text: &str) -> String {
    if text.bytes().filter(u8::is_ascii_digit).count() < 5 {
        return text.to_owned();
    }
    let long = LONG.replace_all(text, |found: &regex::Captures<'_>| {
        let number = found.get(0).map_or("", |all| all.as_str());
        let before = text
            .get(..found.get(0).map_or(0, |all| all.start()))
            .unwrap_or_default();
        let is_amount = before.trim_end().ends_with(['$', '€', '£', '¥', '₹', ',']);
        if is_amount || DATE.is_match(number) {
            number.to_owned()
        } else {
            MASK.to_owned()
        }
    });
    NAMED
        .replace_all(&long, |found: &regex::Captures<'_>| {
            let part = |name| found.name(name).map_or("", |part| part.as_str());
            format!("{}{}{MASK}", part("word"), part("gap"))
        })
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_identify_are_masked() {
        for (text, expected) in [
            ("My phone is +43 660 1234567.", "My phone is [number]."),
            (
                "My customer number is 20391.",
                "My customer number is [number].",
            ),
            (
                "I was born on 1990-05-03 at 10:30",
                "I was born on 1990-05-03 at 10:30",
            ),
            ("We moved on 03.05.2021", "We moved on 03.05.2021"),
            ("I saved $1,200,000 for it", "I saved $1,200,000 for it"),
            ("I ran 42195 metres in 2019", "I ran 42195 metres in 2019"),
            ("I worked there 2015-2019", "I worked there 2015-2019"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }
}
