//! Every shape of `data/gate/shapes.txt` is caught, or deliberately not. The random parts are made up
//! here, so that no scanner of repositories takes the list for secrets.

use std::hash::Hasher as _;

use super::*;
use crate::hash::Fnv;
use crate::sections::section;

const SHAPES: &str = include_str!("../../data/gate/shapes.txt");

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// The text of a shape, with its random parts.
fn example(name: &str, text: &str) -> String {
    let mut hasher = Fnv::default();
    hasher.write(name.as_bytes());
    let mut state = hasher.finish();
    let mut example = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (part, after) = after.split_once('}').expect("a closed brace");
        example.push_str(before);
        let (kind, length) = part.split_once(' ').unwrap_or((part, "5"));
        let length = length.parse().expect("a length");
        if !kind.is_empty() {
            example.push_str(&random(kind, length, &mut state));
        }
        rest = after;
    }
    example.push_str(rest);
    example.replace("\\n", "\n")
}

/// Characters of this kind, of each alphabet in it at least one.
fn random(kind: &str, length: usize, state: &mut u64) -> String {
    let alphabets: &[&str] = match kind {
        "hex" => &["abcdef", DIGITS],
        "digits" => &["123456789", DIGITS],
        "letters" => &[LOWER, CAPITALS],
        "capitals" => &["QRSTUVWXYZ"],
        "lower" => &[LOWER, DIGITS],
        "upper" | "caps5" => &[CAPITALS, DIGITS],
        "base32" => &[CAPITALS, "234567"],
        "alnum" => &[LOWER, CAPITALS, DIGITS],
        "base64" => &[LOWER, CAPITALS, DIGITS, LOWER, CAPITALS, "+/"],
        _ => panic!("no such kind: {kind}"),
    };
    let mut next = |bound: usize| {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(*state >> 33).expect("31 bits") % bound
    };
    let chars = (0..length).map(|n| {
        let alphabet = alphabets[if n < alphabets.len() {
            n
        } else {
            next(alphabets.len())
        }];
        char::from(alphabet.as_bytes()[next(alphabet.len())])
    });
    chars.collect()
}

fn shapes(of: &'static str) -> impl Iterator<Item = (&'static str, String, Option<&'static str>)> {
    section(SHAPES, of).map(|line| {
        let mut parts = line.split(" | ");
        let name = parts.next().expect("a name");
        let text = parts.next().expect("an example");
        (name, example(name, text), parts.next())
    })
}

#[test]
fn tokens_are_caught_wherever_they_stand() {
    let mut missed = Vec::new();
    for (name, token, _) in shapes("tokens") {
        for text in [
            token.clone(),
            format!("Please remember that my key is {token}."),
            format!("it was `{token}`, I think"),
            format!("({token})"),
            format!("MY_THING={token}"),
            format!("\"{token}\""),
        ] {
            if !contains_secret(&text) {
                missed.push((name, text));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed: {missed:#?}", missed.len());
}

#[test]
fn texts_are_caught() {
    let mut missed = Vec::new();
    for (name, text, _) in shapes("texts") {
        for text in [text.clone(), format!("Please remember: {text}")] {
            if !contains_secret(&text) {
                missed.push((name, text));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed: {missed:#?}", missed.len());
}

#[test]
fn what_is_not_caught_is_so_on_purpose() {
    let mut caught = Vec::new();
    for (name, text, reason) in shapes("not caught") {
        assert!(reason.is_some(), "{name}: why not?");
        if contains_secret(&text) {
            caught.push((name, text));
        }
    }
    assert!(caught.is_empty(), "{caught:#?}");
}

#[test]
fn the_list_has_what_scanners_know() {
    let caught = shapes("tokens").count() + shapes("texts").count();
    assert!(caught >= 153, "{caught}");
}
