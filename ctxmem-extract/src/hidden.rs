//! Characters that print nothing.

/// Whether a character prints nothing, or changes how others print: control and format characters,
/// fillers, characters that only one font gives a form (private use), and those that are none.
/// U+FE0F is not among them: it makes pictures of `❤` and `1`.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || (!c.is_ascii() && (is_invisible(c) || is_unassigned(c)))
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{2800}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FE00}'..='\u{FE0E}'
        | '\u{FFF0}'..='\u{FFFC}'
        // Joins hieroglyphs, fills a place of Khitan script.
        | '\u{13430}'..='\u{13440}' | '\u{13447}'..='\u{13455}' | '\u{16FE4}'
        // Shorthand and music.
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D159}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// For private use, or no character at all.
fn is_unassigned(c: char) -> bool {
    let is_private =
        matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..);
    is_private || matches!(c, '\u{FDD0}'..='\u{FDEF}') || u32::from(c) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_prints_nothing_is_hidden() {
        for range in [
            0x0..=0x1F,
            0x7F..=0x9F,
            0x200B..=0x200F,
            0x202A..=0x202E,
            0x2060..=0x206F,
            0x2800..=0x2800,
            0xE000..=0xF8FF,
            0xFDD0..=0xFDEF,
            0x13430..=0x1343F,
            0x1BCA0..=0x1BCA3,
            0x1D173..=0x1D17A,
            0xE0000..=0xE0FFF,
            0xF0000..=0xFFFFF,
            0x10_0000..=0x10_FFFF,
        ] {
            for code in range {
                let c = char::from_u32(code).unwrap();
                assert!(is_hidden(c), "{code:X}");
            }
        }
        for plane in 0..=16 {
            for end in [0xFFFE, 0xFFFF] {
                assert!(is_hidden(char::from_u32(plane << 16 | end).unwrap()));
            }
        }
    }

    #[test]
    fn what_prints_is_not() {
        for c in " aß漢ंक्ी\u{301}\u{FE0F}\u{FFFD}🏽👩⠿𓀀𝄞".chars() {
            assert!(!is_hidden(c), "{:X}", u32::from(c));
        }
    }
}
