//! Many wordings of what does harm if it is missed: allergies, and wishes that nothing is kept.

use chrono::NaiveDate;
use ctxmem_extract::first_stage::Reason;
use ctxmem_extract::{Candidate, Interaction, extract_without_model};

/// `{}` stands for what somebody is allergic to.
const ALLERGIES: [&str; 32] = [
    "I'm allergic to {}.",
    "I am severely allergic to {}",
    "im allergic to {} btw",
    "I've always been allergic to {}.",
    "I have an allergy to {}.",
    "I have a severe allergy to {}",
    "I've got a {} allergy.",
    "I have a bad {} allergy",
    "I suffer from a {} allergy.",
    "my {} allergy is getting worse",
    "I have a {} intolerance.",
    "Since I'm allergic to {}, what can I eat?",
    "We're going out tonight and I'm allergic to {}, any ideas?",
    "I developed an allergy to {} last year.",
    "My only allergy is {}.",
    "Ich bin allergisch gegen {}.",
    "Ich bin stark allergisch auf {}",
    "Ich bin gegen {} allergisch.",
    "Ich habe eine Allergie gegen {}.",
    "ich hab eine schwere allergie gegen {}",
    "Ich habe leider eine {}-Allergie.",
    "Da ich allergisch gegen {} bin, was kann ich essen?",
    "Je suis allergique à {}.",
    "je suis très allergique aux {}",
    "J'ai une allergie à {}.",
    "j'ai une grave allergie aux {}",
    "Mon allergie aux {} est sérieuse.",
    "Soy alérgico a {}.",
    "soy muy alérgica a la {}",
    "Tengo alergia a {}.",
    "tengo una alergia grave a los {}",
    "Mi alergia a {} es seria.",
];

/// Some of them are on no list anywhere.
const ALLERGENS: [&str; 20] = [
    "penicillin",
    "peanuts",
    "gluten",
    "shellfish",
    "latex",
    "soy",
    "sesame",
    "kiwi",
    "pollen",
    "mango",
    "lupin",
    "nickel",
    "ibuprofen",
    "bee stings",
    "cat hair",
    "dust mites",
    "red wine",
    "annatto",
    "guar gum",
    "tilapia",
];

fn found(message: &str) -> (Option<Reason>, Vec<Candidate>) {
    let extraction = extract_without_model(&Interaction {
        user_message: message,
        agent_response: "",
        known: &[],
        today: NaiveDate::from_ymd_opt(2026, 3, 5).unwrap(),
    });
    (extraction.filtered, extraction.facts)
}

/// What is kept, to be shown when a test fails.
fn values(facts: &[Candidate]) -> Vec<&str> {
    facts.iter().map(|fact| &*fact.value).collect()
}

#[test]
fn an_allergy_is_kept_in_every_wording() {
    let mut lost = Vec::new();
    for wording in ALLERGIES {
        for allergen in ALLERGENS {
            let plain = wording.replace("{}", allergen);
            let asked = format!("{plain} Please remember that.");
            for (message, is_asked) in [(plain, false), (asked, true)] {
                let (_, facts) = found(&message);
                let kept = facts.iter().any(|fact| {
                    fact.key.as_deref() == Some("allergy")
                        && fact.value.to_lowercase() == allergen
                        && (fact.requested || !is_asked)
                });
                if !kept {
                    lost.push(format!("{message} => {:?}", values(&facts)));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{} lost:\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn what_is_not_to_be_kept_is_not() {
    const WISHES: [&str; 60] = [
        "Don't remember this, but {}",
        "Please don't remember this: {}",
        "do not save this: {}",
        "Don't save this. {}",
        "don't store this, {}",
        "Please do not store that {}",
        "Don't keep this: {}",
        "Never save this: {}",
        "Off the record: {}",
        "off the record, {}",
        "This is off the record. {}",
        "{} That's off the record.",
        "Just for this chat: {}",
        "just for this chat, {}",
        "Only for this conversation: {}",
        "For this conversation only, {}",
        "For this chat only: {}",
        "I'd rather you didn't keep this: {}",
        "I would rather you did not save this. {}",
        "I don't want you to remember this: {}",
        "I don't want you to store this, but {}",
        "{} Please don't save that.",
        "{} Don't remember that please.",
        "{} but don't store it.",
        "You don't need to remember this, but {}",
        "No need to save this: {}",
        "Don't note this down: {}",
        "Don't record this: {}",
        "Don't add this to your memory: {}",
        "Please forget this afterwards: {}",
        "Not for the record: {}",
        "Bitte nicht speichern, aber {}",
        "Bitte nicht merken: {}",
        "Merk dir das bitte nicht: {}",
        "Speichere das nicht: {}",
        "Das bitte nicht speichern: {}",
        "Nur für diesen Chat: {}",
        "nur für dieses Gespräch, {}",
        "Behalte das nicht: {}",
        "{} Bitte nicht speichern.",
        "Notier das nicht: {}",
        "Ne retiens pas ça : {}",
        "N'enregistre pas ceci : {}",
        "Ne garde pas ça en mémoire : {}",
        "Ne note pas ça : {}",
        "Juste pour cette conversation : {}",
        "Seulement pour ce chat, {}",
        "{} Ne le retiens pas.",
        "Ne mémorise pas ça : {}",
        "Uniquement pour cette discussion : {}",
        "No guardes esto: {}",
        "No recuerdes esto: {}",
        "No lo guardes: {}",
        "No anotes esto: {}",
        "Solo para este chat: {}",
        "Solo para esta conversación, {}",
        "{} No lo recuerdes.",
        "No memorices esto: {}",
        "No registres esto: {}",
        "Solamente para esta sesión: {}",
    ];
    let mut kept = Vec::new();
    for wish in WISHES {
        for fact in [
            "I live in Oslo.",
            "I'm allergic to nuts.",
            "my sister Ines is a vet.",
        ] {
            let message = wish.replace("{}", fact);
            let (filtered, facts) = found(&message);
            if filtered != Some(Reason::OffTheRecord) || !facts.is_empty() {
                kept.push(format!("{message} => {:?}", values(&facts)));
            }
        }
    }
    assert!(kept.is_empty(), "{} kept:\n{}", kept.len(), kept.join("\n"));
}
