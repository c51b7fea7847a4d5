//! Portuguese and Dutch, as far as name, home and tools.

use super::{Language, Says};

pub(super) static LANGUAGE: Language = Language {
    rows: &[
        ("me chamo|chama <anyname>", Says::Name),
        ("meu nome é <anyname>", Says::Name),
        ("moro em|no|na <place>", Says::Home),
        ("eu? uso <tools>", Says::Uses),
        ("trabalho|programo com|em <tools>", Says::Uses),
        ("ik heet <anyname>", Says::Name),
        ("mijn naam is <anyname>", Says::Name),
        ("ik woon in <place>", Says::Home),
        ("ik gebruik altijd|meestal? <tools>", Says::Uses),
        ("ik werk|programmeer met|in <tools>", Says::Uses),
        (
            "ik werk samen met <name>",
            Says::Colleague("works with the user"),
        ),
    ],
    times: &[],
    leads: &[],
    pointing: &[],
    done: &[],
    subjects: &[],
};
