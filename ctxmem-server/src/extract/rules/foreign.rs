//! Plain sentences of other languages: name, home and tools in Spanish, German, French,
//! Portuguese and Dutch. Whoever needs more uses a model.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::pattern::{Table, is_negation};
use super::tools::uses;
use crate::extract::Candidate;
use crate::extract::text::Clause;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Name,
    Home,
    Uses,
    Reply(&'static str),
    Colleague(&'static str),
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        // Spanish
        ("me llamo <anyname>", Says::Name),
        ("mi nombre es <anyname>", Says::Name),
        ("^ soy <name>", Says::Name),
        ("vivo en <place>", Says::Home),
        (
            "uso|utilizo|prefiero|usamos|utilizamos siempre? <tools>",
            Says::Uses,
        ),
        (
            "trabajo|programo|trabajamos|escribo siempre? con|en <tools>",
            Says::Uses,
        ),
        ("despliego|desplegamos en un? <tools>", Says::Uses),
        ("^ * siempre en castellano|español", Says::Reply("Spanish")),
        ("mi jefe|jefa es? <name>", Says::Colleague("boss")),
        // German
        ("ich heiße|heisse <anyname>", Says::Name),
        ("mein name ist <anyname>", Says::Name),
        ("^ ich bin <name>", Says::Name),
        ("^ ich bin der|die <name>", Says::Name),
        ("ich wohne|lebe in <place>", Says::Home),
        ("wir wohnen|leben in <place>", Says::Home),
        ("ich wohne|lebe * in <city>", Says::Home),
        (
            "ich benutze|nutze|verwende|bevorzuge nur|immer|meistens? <tools>",
            Says::Uses,
        ),
        (
            "wir benutzen|nutzen|verwenden nur|immer|jetzt? <tools>",
            Says::Uses,
        ),
        (
            "ich arbeite|programmiere|schreibe|entwickle mit|in <tools>",
            Says::Uses,
        ),
        ("antworte mir? * auf deutsch", Says::Reply("German")),
        (
            "mein chef|kollege ist|heißt? <name>",
            Says::Colleague("colleague"),
        ),
        (
            "meine chefin|kollegin ist|heißt? <name>",
            Says::Colleague("colleague"),
        ),
        ("wohne|lebe in <place>", Says::Home),
        ("arbeite|programmiere|entwickle mit|in <tools>", Says::Uses),
        // French
        ("je m'appelle <anyname>", Says::Name),
        ("mon nom est|c'est <anyname>", Says::Name),
        ("^ moi c'est <anyname>", Says::Name),
        ("^ je suis <name>", Says::Name),
        ("j'habite à|en|au|aux <place>", Says::Home),
        ("je vis à|en|au <place>", Says::Home),
        ("j'utilise toujours? <tools>", Says::Uses),
        (
            "je travaille|développe|code|programme avec|en|sous|sur <tools>",
            Says::Uses,
        ),
        ("réponds|répondez * en français", Says::Reply("French")),
        // Portuguese
        ("me chamo|chama <anyname>", Says::Name),
        ("meu nome é <anyname>", Says::Name),
        ("moro em|no|na <place>", Says::Home),
        ("eu? uso <tools>", Says::Uses),
        ("trabalho|programo com|em <tools>", Says::Uses),
        // Dutch
        ("ik heet <anyname>", Says::Name),
        ("mijn naam is <anyname>", Says::Name),
        ("ik woon in <place>", Says::Home),
        ("ik gebruik altijd|meestal? <tools>", Says::Uses),
        ("ik werk|programmeer met|in <tools>", Says::Uses),
        (
            "ik werk samen met <name>",
            Says::Colleague("works with the user"),
        ),
    ])
});

/// Facts in plain sentences of other languages.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    if clause.words.iter().any(is_negation) {
        return;
    }
    for (at, says) in STATED.find(clause) {
        match says {
            Says::Name => found.push(Candidate::slot(Scope::General, "name", at.text(0))),
            Says::Home => found.push(Candidate::slot(Scope::General, "location", at.text(0))),
            Says::Uses => at.tools(0).iter().for_each(|tool| uses(tool, found)),
            Says::Reply(language) => found.push(Candidate::item(
                Scope::CommunicationStyle,
                format!("Always reply in {language}"),
            )),
            Says::Colleague(what) => found.push(Candidate::item(
                Scope::Relationships,
                format!("{}, {what}", at.text(0)),
            )),
        }
    }
}
