//! What became of a turn's candidates at the gate.

use super::admit::admit_one;
use super::home::at_home;
use super::{Candidate, Refusal};

/// What may be stored, and why the rest may not.
#[derive(Debug, Default)]
pub struct Admitted {
    /// What passed, cleaned and where it belongs, each once.
    pub facts: Vec<Candidate>,
    /// Why something did not, once for each that was refused.
    pub refused: Vec<Refusal>,
}

/// Cleans the candidates and parts those that may be stored from those that may not.
pub fn admit_all(candidates: Vec<Candidate>) -> Admitted {
    let mut admitted = Admitted::default();
    for candidate in candidates {
        match admit_one(&at_home(candidate)) {
            Ok(fact) if admitted.facts.contains(&fact) => {}
            Ok(fact) => admitted.facts.push(fact),
            Err(refusal) => admitted.refused.push(refusal),
        }
    }
    admitted
}

/// What may be stored of the candidates.
pub fn admit(candidates: Vec<Candidate>) -> Vec<Candidate> {
    admit_all(candidates).facts
}

#[cfg(test)]
mod tests {
    use ctxmem_types::Scope;

    use super::*;

    #[test]
    fn what_is_refused_says_why() {
        let facts = ["Ship the beta", "Ship the beta", "password: hunter2", " "];
        let facts = facts.map(|value| Candidate::item(Scope::Goals, value));
        let admitted = admit_all(facts.to_vec());
        assert_eq!(admitted.facts, [facts[0].clone()]);
        assert_eq!(admitted.refused, [Refusal::SecretValue, Refusal::NoValue]);
    }
}
