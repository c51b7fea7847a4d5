//! Evidence recall: whether the facts on which a question's answer rests are present, judged by the
//! text alone.
//!
//! A fact is there if its value is a part of the text. A question counts if for every turn on which
//! its answer rests one of that turn's facts is there.

use ctxmem_types::FactRecord;

use super::people::{Person, Question};
use super::told::Told;
use crate::agent::Agent;

/// How many facts a search gives.
const FOUND: usize = 10;

/// Of them, how many a short search gives.
const FEWER: usize = 5;

/// What was found for one question.
#[derive(Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each place, and several may hold"
)]
pub(super) struct Finding {
    pub(super) kind: String,
    /// Somebody noted a fact of every turn.
    pub(super) noted: bool,
    pub(super) stored: bool,
    pub(super) in_block: bool,
    /// In the block, or in what bears on the question beside it.
    pub(super) with_relevant: bool,
    pub(super) in_first_5: bool,
    pub(super) in_first_10: bool,
    pub(super) facts: usize,
    pub(super) block_bytes: usize,
    pub(super) relevant_bytes: usize,
}

/// The findings for all questions, with one budget.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) all: Vec<Finding>,
    /// Questions while the block left out something that is stored.
    cut: usize,
    /// How often something beside the block was answered.
    relevant: usize,
}

impl Findings {
    /// Asks everybody's questions.
    pub(super) async fn of(agent: &mut Agent, people: &[Person], told: &[Told]) -> Self {
        let mut findings = Self::default();
        for (person, told) in people.iter().zip(told) {
            findings.add(agent, person, told).await;
        }
        findings.check();
        findings
    }

    /// Fails on a server that knows no `relevant`.
    fn check(&self) {
        assert!(
            self.cut == 0 || self.relevant > 0,
            "blocks leave facts out, and no inject answered `relevant`"
        );
    }

    async fn add(&mut self, agent: &mut Agent, person: &Person, told: &Told) {
        let stored = values(agent.facts(&person.user).await);
        let facts: Vec<Vec<String>> = told.facts.iter().map(|facts| plain_all(facts)).collect();
        let stored = plain_all(&stored);
        let all_stored = stored.join("\n");
        for question in &person.questions {
            let injected = agent.inject(&person.user, "", Some(&question.text)).await;
            let block = injected.injected_prompt.trim_end();
            let found = agent.search(&person.user, &question.text, FOUND).await;
            let found = plain_all(&values(found));
            let plain_block = plain(block);
            let relevant = injected.relevant.unwrap_or_default();
            let is_in = |text: &str| is_there(question, &facts, text);
            self.cut += usize::from(stored.iter().any(|fact| !plain_block.contains(fact)));
            self.relevant += usize::from(!relevant.is_empty());
            self.all.push(Finding {
                kind: question.kind.clone(),
                noted: question
                    .evidence
                    .iter()
                    .all(|turn| !facts[*turn].is_empty()),
                stored: is_in(&all_stored),
                in_block: is_in(&plain_block),
                with_relevant: is_in(&format!("{plain_block}\n{}", plain(&relevant))),
                in_first_5: is_in(&found[..found.len().min(FEWER)].join("\n")),
                in_first_10: is_in(&found.join("\n")),
                facts: stored.len(),
                block_bytes: block.len(),
                relevant_bytes: relevant.len(),
            });
        }
    }
}

/// Whether a text has a fact of every turn on which an answer rests.
fn is_there(question: &Question, facts: &[Vec<String>], text: &str) -> bool {
    let mut turns = question.evidence.iter();
    turns.all(|turn| facts[*turn].iter().any(|fact| text.contains(fact)))
}

fn values(facts: Vec<FactRecord>) -> Vec<String> {
    facts.into_iter().map(|fact| fact.value).collect()
}

fn plain_all(texts: &[String]) -> Vec<String> {
    let texts = texts.iter().map(|text| plain(text));
    texts.filter(|text| !text.is_empty()).collect()
}

/// A text without what may be written otherwise where it stands: quotation marks, and spaces.
/// Lines stay apart.
fn plain(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace(['"', '“', '”'], " ");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::people::Expected;
    use super::*;

    #[test]
    fn every_turn_needs_a_fact_in_the_text() {
        let question = Question {
            text: String::new(),
            kind: String::new(),
            evidence: vec![0, 2],
            expected: Expected::Unknown,
        };
        let facts = [vec!["likes tea", "has a cat"], vec![], vec!["rows boats"]];
        let facts = facts.map(|facts| facts.into_iter().map(str::to_owned).collect());
        assert!(is_there(
            &question,
            &facts,
            "- rows boats\n- pet: has a cat"
        ));
        assert!(!is_there(&question, &facts, "- likes tea\n- has a cat"));
        assert!(!is_there(
            &question,
            &[vec![], vec![], vec![]],
            "rows boats"
        ));
    }

    #[test]
    fn quotation_marks_and_spaces_make_no_difference_and_lines_do() {
        let fact = "I call it \"the  nest\", mostly.\n".to_owned();
        assert!(
            plain("- “I call it 'x'”\n- “I call it \"the nest\", mostly.” (8 May)")
                .contains(&plain_all(&[fact])[0])
        );
        assert!(!plain("rows\nboats").contains("rows boats"));
    }

    #[test]
    #[should_panic(expected = "no inject answered `relevant`")]
    fn a_server_without_relevant_is_no_server_that_finds_nothing() {
        let findings = |cut, relevant| Findings {
            cut,
            relevant,
            ..Findings::default()
        };
        findings(0, 0).check();
        findings(2, 1).check();
        findings(2, 0).check();
    }
}
