//! `cargo bench --package ctxmem-extract --bench cost`
//!
//! What the first stage and the rules cost by the length of a message, on kinds of input that
//! are hard for a reader. Prints nanoseconds a byte and, as a measure that doesn't depend on
//! the machine, how often the same text could be split into words meanwhile. Along a row the
//! figures may not grow: the work is linear, and of a message no more than 16 KiB are read.

#![expect(
    clippy::print_stdout,
    reason = "a benchmark prints what it found, and fails where it can't"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use ctxmem_extract::{Interaction, Prose, Reading, admit, first_stage, rules};

const LENGTHS: [(usize, &str); 4] = [
    (100, "100 B"),
    (1 << 10, "1 KiB"),
    (10 << 10, "10 KiB"),
    (1 << 20, "1 MiB"),
];

/// Ordinary messages, told in microseconds each.
const ORDINARY: [(&str, &str); 4] = [
    ("thanks", "thanks, that helps a lot!"),
    (
        "a question",
        "How do I undo the last commit without losing my changes?",
    ),
    ("a fact", "I live in Lisbon now. I use Helix as my editor."),
    (
        "a paragraph",
        "Quick context before we start. I work as a nurse in Leeds and I am building a small booking \
         site with my brother Nils. Could you look at the form and tell me what is missing? Keep your \
         answers short, please.",
    ),
];

/// What is repeated up to a length.
const KINDS: [(&str, &str); 20] = [
    (
        "prose",
        "I moved to Lisbon last year and write Go for a small team. Could you check the plan? ",
    ),
    (
        "one sentence",
        "and then we went on with the next part of it ",
    ),
    ("no spaces", "abcdefghij"),
    ("punctuation", ".,;:!?-"),
    ("double quotes", "\""),
    ("single quotes", " 'a"),
    ("capitals", "I USE VIM AND LIVE IN ROME WITH MY DOG "),
    ("brackets", "(["),
    ("clauses", "I use Go, but my team uses Rust, so "),
    ("colons", "the text: "),
    ("links behind digits", "1 :::::::: "),
    ("days", "remember that I meet Tom on Monday "),
    ("groups of digits", "4111 1111 "),
    ("assignments", "a=b;"),
    ("commands", "curl -u "),
    ("beginnings of keys", "sk-"),
    ("recovery words", "orbit lemon about "),
    ("look-alikes", "pаss\u{34F}wоrd "),
    ("lines", "> a\n  b: c\n$ d\n"),
    ("unicode", "私は札幌に住んでいます。ñandú e\u{301} 🙂 "),
];

fn main() {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let read = |text: &str| {
        let prose = Prose::of(black_box(text));
        let reading = Reading::of(&prose);
        black_box(first_stage::judge(&reading));
        let interaction = Interaction {
            user_message: text,
            agent_response: "",
            known: &[],
            today: chrono::NaiveDate::default(),
        };
        black_box(admit(rules::extract(&reading, &interaction)));
    };
    for (name, message) in ORDINARY {
        let spent = per_byte(is_bench, 1000, || read(message));
        println!("{name}: {spent:.1} \u{b5}s");
    }
    println!();
    print!("| ns a byte (times splitting words) |");
    for (_, name) in LENGTHS {
        print!(" {name} |");
    }
    println!("\n|---|---|---|---|---|");
    for (name, part) in KINDS {
        print!("| {name} |");
        for (length, _) in LENGTHS {
            let text = text(part, length);
            // What lies behind the part that is read costs nothing; spread over it, it would
            // hide what the part costs.
            let bytes = text.len().min(16 << 10);
            let ours = per_byte(is_bench, bytes, || read(&text));
            let words = per_byte(is_bench, bytes, || {
                black_box(
                    black_box(&text[..bytes_of(&text, bytes)])
                        .split_whitespace()
                        .count(),
                );
            });
            print!(" {ours:.0} ({:.0}) |", ours / words);
        }
        println!();
    }
}

/// The part, repeated to about this length.
fn text(part: &str, length: usize) -> String {
    let mut text = part.repeat(length.div_ceil(part.len()));
    let end = bytes_of(&text, length);
    text.truncate(end);
    text
}

/// The last place between characters that is not behind this one.
fn bytes_of(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Nanoseconds a byte: the least of several rounds, since whatever disturbs only adds.
#[expect(clippy::cast_precision_loss, reason = "some kilobytes")]
fn per_byte(is_bench: bool, bytes: usize, mut work: impl FnMut()) -> f64 {
    let (rounds, time) = if is_bench {
        (5, Duration::from_millis(20))
    } else {
        (1, Duration::ZERO)
    };
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        let mut runs = 0_u32;
        while runs == 0 || start.elapsed() < time {
            work();
            runs += 1;
        }
        let spent = start.elapsed().as_nanos() as f64 / f64::from(runs);
        least = least.min(spent / bytes as f64);
    }
    least
}
