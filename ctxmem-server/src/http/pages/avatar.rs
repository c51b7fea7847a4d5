//! What stands for an app where there is no picture of it: its initials on a colour of its own.

/// How many colours the stylesheet has.
const TINTS: u32 = 6;

/// The initials of a name, and which colour is behind them.
pub(crate) struct Avatar {
    pub(crate) letters: String,
    /// From 1 on.
    pub(crate) tint: u32,
}

impl Avatar {
    pub(crate) fn of(name: &str) -> Self {
        Self {
            letters: initials(name),
            tint: tint(name),
        }
    }
}

/// Up to two letters that stand for a name. A name without letters and digits gets a dot.
fn initials(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let firsts = words.filter_map(|word| word.chars().next());
    let letters: String = firsts.take(2).flat_map(char::to_uppercase).collect();
    if letters.is_empty() {
        "·".to_owned()
    } else {
        letters
    }
}

/// Always the same for a name, so that people know an app by it.
fn tint(name: &str) -> u32 {
    let sum = name
        .chars()
        .fold(0_u32, |sum, c| sum.wrapping_mul(31).wrapping_add(c.into()));
    sum % TINTS + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_initials() {
        for (name, letters) in [
            ("Support Agent of ACME", "SA"),
            ("helper", "H"),
            ("über-bot", "ÜB"),
            ("  ", "·"),
            ("🤖", "·"),
        ] {
            assert_eq!(initials(name), letters, "{name}");
        }
    }

    #[test]
    fn each_colour_is_there_and_stays() {
        let css = include_str!("../../../templates/style.css");
        for n in 1..=TINTS {
            assert!(css.contains(&format!(".tint-{n} ")), "{n}");
        }
        for name in ["", "Travel planner", "🤖", "\u{10FFFF}"] {
            assert!((1..=TINTS).contains(&tint(name)), "{name}");
            assert_eq!(tint(name), tint(name));
        }
    }
}
