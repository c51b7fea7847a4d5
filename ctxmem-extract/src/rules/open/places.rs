//! Where the user is, told by what they do there: "I teach physics in Kisumu".

use std::sync::LazyLock;

use ctxmem_types::Scope;

use crate::Candidate;
use crate::rules::pattern::Table;
use crate::rules::phrase::has_time;
use crate::text::Clause;

static STATED: LazyLock<Table<()>> = LazyLock::new(|| {
    Table::new(&[
        ("i am a|an|the * in|near|outside|around|from <place>", ()),
        (
            "i|we teach|own|study|practise|practice|manage|nurse|farm|volunteer|look|freelance|live * in|near|outside|around <place>",
            (),
        ),
        (
            "i|we run a|an|the|our|my * in|near|outside|around <place>",
            (),
        ),
        ("i am * writing|calling|hailing from <place>", ()),
        ("i|we have? moved|relocated * to <place>", ()),
        ("^ moved|relocated back? to <place>", ()),
        ("moved|relocated|moving from <place> to <place>", ()),
        (
            "dev|developer|engineer|nurse|teacher|designer|analyst|student|sre|admin|sysadmin|architect|consultant|scientist|researcher|librarian|notary|lawyer|baker|chef|cook|gardener|midwife|electrician|carpenter|translator|photographer|journalist|pharmacist|vet|physio|tutor|farmer|accountant|doctor|lecturer|professor|dentist|paramedic|florist|luthier|beekeeper|person in|from|near <place>",
            (),
        ),
        ("i|we * and live|work in|near <place>", ()),
        ("i teach|work|study * in|near <place>", ()),
        ("person|one at a|an|the * in|near <place>", ()),
        ("and i|me run|own * in|near <place>", ()),
        ("university|college|school|hospital of|in <place>", ()),
    ])
});

pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    let is_location =
        |fact: &Candidate| fact.scope == Scope::General && fact.key.as_deref() == Some("location");
    if found.iter().any(is_location) {
        return;
    }
    for (at, ()) in STATED.find(clause) {
        let place = at.last_text();
        // Its first word is capitalised in the sentence itself.
        let head = place.split([' ', ',']).next().unwrap_or_default();
        let named = clause
            .words
            .get(at.start..at.end)
            .unwrap_or_default()
            .iter()
            .any(|word| word.is_capitalised() && word.text == head);
        let spelt = place
            .chars()
            .all(|c| c.is_alphabetic() || " ,-'’.".contains(c));
        if named && spelt && !has_time(place) {
            found.push(Candidate::slot(Scope::General, "location", place));
            return;
        }
    }
}
