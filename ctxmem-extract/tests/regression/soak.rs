//! Texts that nobody wrote: mixtures of words that the rules look for, marks and odd
//! characters, and labelled messages that were cut up. Nothing may panic, take long or get
//! past the gate. A moment in a test run, ten minutes in `scripts/soak.sh`.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use ctxmem_extract::{Interaction, Op, Prose, Reading, admit, first_stage, rules, secrets};

use crate::set;

const IN_TESTS: Duration = Duration::from_secs(2);
const IN_SOAK: Duration = Duration::from_mins(10);

/// What is spent on a byte of a message of some length, at most and in a debug build: twice of
/// what clauses full of "my" take. Time that grew with the square of the length would show.
const MOST_NS_PER_BYTE: u128 = 200_000;
const SOME_LENGTH: usize = 1 << 10;

/// Most candidates of one message: facts, and what sixteen sentences take back, end and change, in each of seven
/// scopes.
const MOST_CANDIDATES: usize = 64 + 16 * (3 * 7 + 1);

/// Longest message: more than is read.
const LONGEST: usize = 40_000;

/// Characters that don't stand in a file as they are.
const ODD: &[&str] = &[
    "\"",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "\u{2028}",
    "\u{200b}",
    "\u{202e}",
    "\u{feff}",
    "\u{0}",
    "\u{301}",
    "\u{fffc}",
    "\u{e0041}",
    // Marks that each stand for a word, behind a number.
    " 1 ::::::::::::::::::::::::::::::::::::::::::::::::",
];

/// What requests are told by.
const PHRASES: [&str; 8] = [
    "from now on",
    "every time I",
    "whenever you",
    "remember that",
    "every",
    "you should never",
    "no longer",
    ", what",
];

/// Words that the rules look for, marks, and odd characters.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let words = include_str!("soak-words.txt").split_whitespace();
    words.chain(PHRASES).chain(ODD.iter().copied()).collect()
});

/// Numbers that look random and come back with the same seed.
struct SeededRandom(u64);

impl SeededRandom {
    /// A number below this one.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) >> 33).unwrap() % limit.max(1)
    }

    fn pick<'a, T: ?Sized>(&mut self, some: &[&'a T]) -> &'a T {
        some[self.below(some.len())]
    }

    /// Mostly short, sometimes longer than is read.
    fn length(&mut self) -> usize {
        let most = self.pick(&[&60, &400, &400, &3_000, &LONGEST]);
        1 + self.below(*most)
    }

    fn text(&mut self, messages: &[String]) -> String {
        let length = self.length();
        let mut text = match self.below(6) {
            0 => WORDS[self.below(WORDS.len())].repeat(length / 4 + 1),
            1 => self.characters(length),
            2 => self.messages(messages, length),
            3 => {
                let (one, other) = (self.pick(&WORDS), self.pick(&WORDS));
                format!("{one} {other} ").repeat(length / 8 + 1)
            }
            _ => self.words(length),
        };
        for _ in 0..self.below(4) {
            self.mutate(&mut text);
        }
        text.truncate(text.floor_char_boundary(LONGEST));
        text
    }

    fn words(&mut self, length: usize) -> String {
        let mut text = String::new();
        let space = self.pick(&[" ", " ", " ", "", "  ", ", ", "\n"]);
        while text.len() < length {
            text.push_str(self.pick(&WORDS));
            text.push_str(space);
        }
        text
    }

    fn characters(&mut self, length: usize) -> String {
        let most = *self.pick(&[&0x80_usize, &0x250, &0x3100, &0x2_0000, &0x11_0000]);
        let mut text = String::new();
        while text.len() < length {
            let code = u32::try_from(self.below(most)).unwrap();
            text.extend(char::from_u32(code));
        }
        text
    }

    fn messages(&mut self, messages: &[String], length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            text.push_str(&messages[self.below(messages.len())]);
            text.push_str(self.pick(&WORDS));
        }
        text
    }

    /// Cuts something out, puts something in, or says a part again.
    fn mutate(&mut self, text: &mut String) {
        let mut ends = [self.below(text.len() + 1), self.below(text.len() + 1)];
        ends.sort_unstable();
        let [start, end] = ends.map(|at| text.floor_char_boundary(at));
        match self.below(3) {
            0 => text.replace_range(start..end, ""),
            1 => text.insert_str(start, self.pick(&WORDS)),
            _ => {
                let part = text[start..end].to_owned();
                text.insert_str(end, &part);
            }
        }
    }
}

/// Whether there is a character that has no place in a fact. Joiners have one inside what they join, which
/// is never ASCII: letters of some scripts, and pictures.
fn has_odd(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let is_joined = |at: Option<usize>| {
        let joined = at.and_then(|at| chars.get(at));
        joined.is_some_and(|c| !c.is_ascii())
    };
    chars.iter().enumerate().any(|(at, c)| match c {
        '\u{200C}' | '\u{200D}' => !is_joined(at.checked_sub(1)) || !is_joined(Some(at + 1)),
        '\u{200B}'
        | '\u{200E}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}' => true,
        c => c.is_control(),
    })
}

/// The messages of a labelled set, and those that are stated plainly.
fn messages() -> Vec<String> {
    let items = set("dev").into_iter().map(|item| item.user_message);
    let plain = include_str!("plain.txt").lines();
    let plain = plain.filter_map(|line| Some(line.split_once(" => ")?.0.to_owned()));
    items.chain(plain).collect()
}

#[test]
fn any_text_is_read_in_time_and_nothing_odd_passes_the_gate() {
    let soak = std::env::var_os("CTXMEM_SOAK").is_some();
    let duration = if soak { IN_SOAK } else { IN_TESTS };
    let read = |text: &str| {
        let prose = Prose::of(text);
        let reading = Reading::of(&prose);
        first_stage::judge(&reading);
        let interaction = Interaction {
            user_message: text,
            agent_response: "",
            known: &[],
            today: chrono::NaiveDate::default(),
        };
        rules::extract(&reading, &interaction)
    };
    let messages = messages();
    let mut random = SeededRandom(if soak {
        u64::from(std::process::id())
    } else {
        7
    });
    let (mut inputs, mut bytes, mut facts, mut slowest) = (0_u64, 0, 0, 0);
    let end = Instant::now() + duration;
    while Instant::now() < end {
        let text = random.text(&messages);
        // What is told of a text that fails.
        let start = &text[..text.floor_char_boundary(400)];
        let begun = Instant::now();
        let found = read(&text);
        let mut spent = begun.elapsed().as_nanos();
        assert!(
            found.len() <= MOST_CANDIDATES,
            "{} of {start:?}",
            found.len()
        );
        let left = secrets::without_secrets(&text);
        assert!(!secrets::contains_secret(&left), "{start:?}");
        inputs += 1;
        bytes += text.len();
        if text.len() >= SOME_LENGTH {
            // Other processes disturb: what was slow is measured again.
            for _ in 0..5 {
                if spent / text.len() as u128 > slowest {
                    let again = Instant::now();
                    read(&text);
                    spent = spent.min(again.elapsed().as_nanos());
                }
            }
            slowest = slowest.max(spent / text.len() as u128);
            if soak {
                assert!(
                    slowest <= MOST_NS_PER_BYTE,
                    "{slowest} ns a byte for {start:?}"
                );
            }
        }
        for fact in admit(found) {
            facts += 1;
            assert!(!has_odd(&fact.value), "{:?} of {start:?}", fact.value);
            assert!(!fact.value.trim().is_empty(), "of {start:?}");
            assert!(fact.value.chars().count() <= 500, "of {start:?}");
            assert!(fact.key.is_none_or(|key| !has_odd(&key)), "of {start:?}");
            assert!(
                fact.op == Op::Remove || !secrets::contains_secret(&fact.value),
                "of {start:?}"
            );
        }
    }
    println!(
        "figure: {inputs} texts of {bytes} bytes read, {facts} facts, {slowest} ns a byte at most"
    );
}
