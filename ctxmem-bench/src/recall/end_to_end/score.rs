//! Scores of answers, computed without a judge, and confidence intervals for shares.

use std::collections::{HashMap, HashSet};

use fastrand::Rng;

use crate::load::float;

/// How often scores are drawn anew for an interval.
const DRAWS: usize = 2_000;

/// The words of a text as `LoCoMo` compares them: in lower case, without punctuation and articles.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let bare: String = lower
        .chars()
        .filter(|c| !c.is_ascii_punctuation())
        .collect();
    let words = bare.split_whitespace();
    let words = words.filter(|word| !["a", "an", "the", "and"].contains(word));
    words.map(str::to_owned).collect()
}

/// The harmonic mean of how many words of the answer are right, and how many right ones it has. As
/// `LoCoMo` scores, but for the stemming of words.
pub(super) fn f1(answer: &str, right: &str) -> f64 {
    let (answer, right) = (words(answer), words(right));
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in &right {
        *left.entry(word).or_default() += 1;
    }
    let mut shared = 0;
    for word in &answer {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    if shared == 0 {
        return 0.0;
    }
    let (precision, recall) = (
        float(shared) / float(answer.len()),
        float(shared) / float(right.len()),
    );
    2.0 * precision * recall / (precision + recall)
}

/// The same for an answer of several parts: for each right part the best of the answer's.
pub(super) fn f1_of_list(answer: &str, right: &str) -> f64 {
    let best = |right: &str| {
        let parts = answer.split(',');
        parts.map(|part| f1(part, right)).fold(0.0, f64::max)
    };
    let scores: Vec<f64> = right.split(',').map(best).collect();
    mean(&scores)
}

/// Whether an answer has the right words, and no other.
pub(super) fn is_exact(answer: &str, right: &str) -> bool {
    let set = |text| words(text).into_iter().collect::<HashSet<_>>();
    set(answer) == set(right)
}

/// The letter that an answer chooses.
pub(super) fn choice(answer: &str) -> Option<char> {
    let mut parts = answer.split(|c: char| !c.is_alphanumeric());
    let letter = parts.find(|part| part.len() == 1 && matches!(part.as_bytes(), [b'A'..=b'D']));
    letter?.chars().next()
}

pub(super) fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / float(scores.len())
}

/// Wilson's interval in which a share lies with 95 % confidence.
pub(super) fn wilson(hits: usize, of: usize) -> (f64, f64) {
    let (z, n) = (1.96_f64, float(of));
    let share = float(hits) / n;
    let middle = share + z * z / (2.0 * n);
    let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    ((middle - reach) / scale, (middle + reach) / scale)
}

/// The interval in which a mean lies with 95 % confidence, by bootstrap.
pub(super) fn bootstrap(scores: &[f64]) -> (f64, f64) {
    let mut rng = Rng::with_seed(1);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn = (0..scores.len()).map(|_| scores[rng.usize(..scores.len())]);
            mean(&drawn.collect::<Vec<_>>())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(score: f64, expected: f64) -> bool {
        (score - expected).abs() < 0.001
    }

    #[test]
    fn words_count_without_articles_case_and_punctuation() {
        assert!(is(f1("The old lighthouse!", "an Old Lighthouse"), 1.0));
        assert!(is(f1("old lighthouse near Porto", "lighthouse"), 0.4));
        assert!(
            is(f1("tea tea", "tea"), 0.667),
            "a word counts as often as it stands"
        );
        assert!(is(f1("a barn", "lighthouse"), 0.0) && is(f1("", "lighthouse"), 0.0));
    }

    #[test]
    fn each_part_of_a_list_counts_by_itself() {
        assert!(is(f1_of_list("tea, chess", "Chess, tea, boats, dogs"), 0.5));
        assert!(is(f1_of_list("chess", "chess"), 1.0));
    }

    #[test]
    fn exact_is_the_same_words() {
        assert!(is_exact("7 May, 2023.", "7 may 2023") && is_exact("2023 May 7", "7 May 2023"));
        assert!(!is_exact("May 2023", "7 May 2023"));
    }

    #[test]
    fn a_choice_is_a_letter_by_itself() {
        for (answer, letter) in [
            ("B", Some('B')),
            ("<choice>C</choice>", Some('C')),
            ("**D.** Because I care", Some('D')),
            ("Both suit you", None),
            ("E", None),
        ] {
            assert_eq!(choice(answer), letter, "{answer}");
        }
    }

    #[test]
    fn intervals_are_those_of_the_books() {
        let (low, high) = wilson(50, 100);
        assert!(is(low, 0.4038) && is(high, 0.5962), "{low} {high}");
        let (low, high) = wilson(0, 10);
        assert!(is(low, 0.0) && is(high, 0.2775), "{low} {high}");
        let scores: Vec<f64> = (0..100).map(|n| f64::from(n % 2)).collect();
        let (low, high) = bootstrap(&scores);
        // About what the normal distribution gives.
        assert!(
            (low - 0.402).abs() < 0.02 && (high - 0.598).abs() < 0.02,
            "{low} {high}"
        );
    }
}
