//! German.

use super::{Language, Says};

pub(super) static LANGUAGE: Language = Language {
    rows: &[
        ("ich heiße|heisse <anyname>", Says::Name),
        ("mein name ist <anyname>", Says::Name),
        ("^ ich bin der|die? <name>", Says::Name),
        ("ich|wir wohne|lebe|wohnen|leben * in <city>", Says::Home),
        ("ich|wir wohne|lebe|wohnen|leben in <place>", Says::Home),
        ("wohne|lebe in <place>", Says::Home),
        (
            "ich|wir bin|sind nach <place> gezogen|umgezogen",
            Says::Home,
        ),
        (
            "ich benutze|nutze|verwende|bevorzuge nur|immer|meistens? <tools>",
            Says::Uses,
        ),
        (
            "wir benutzen|nutzen|verwenden nur|immer|jetzt? <tools>",
            Says::Uses,
        ),
        (
            "ich|wir arbeite|arbeiten|programmiere|programmieren|schreibe|entwickle|entwickeln meistens|immer|nur? mit|in|unter <tools>",
            Says::Uses,
        ),
        ("arbeite|programmiere|entwickle mit|in <tools>", Says::Uses),
        (
            "antworte|antworten|schreib|schreibe mir? * auf deutsch",
            Says::Style("Always reply in German"),
        ),
        (
            "^ , bitte? duz|duze mich",
            Says::Style("Use the informal du"),
        ),
        (
            "^ , bitte? sieze|siez mich",
            Says::Style("Use the formal Sie"),
        ),
        (
            "^ , kurze|knappe antworten bitte?",
            Says::Style("Short answers"),
        ),
        (
            "antworte|antworten immer|bitte|nur? kurz|knapp",
            Says::Style("Short answers"),
        ),
        (
            "mein|meine chef|chefin ist|heißt? <name>",
            Says::Colleague("boss"),
        ),
        (
            "mein|meine kollege|kollegin ist|heißt? <name>",
            Says::Colleague("colleague"),
        ),
        (
            "mein|meine bruder|schwester|mann|frau|freund|freundin|sohn|tochter|partner|partnerin|mitbewohner|mitbewohnerin ist|heißt? <name>",
            Says::Colleague("family or friend"),
        ),
        (
            "ich|wir arbeite|arbeiten gerade|zurzeit|derzeit|momentan|aktuell? an einer|einem|meiner|meinem|unserer|unserem|der <rest>",
            Says::Doing,
        ),
        (
            "ich|wir baue|bauen|entwickle|entwickeln|plane|planen|migriere|migrieren|organisiere|organisieren gerade|zurzeit|derzeit|momentan|aktuell? einen|eine|ein|meinen|meine|unseren|unsere|die|den <rest>",
            Says::Doing,
        ),
        (
            "ich|wir schreibe|schreiben gerade|zurzeit? meine|unsere masterarbeit|bachelorarbeit|doktorarbeit|dissertation|diplomarbeit <rest>",
            Says::Doing,
        ),
        ("ich lerne gerade|zurzeit? für <rest>", Says::Doing),
        ("ich trainiere gerade|zurzeit? für <rest>", Says::Doing),
        ("wir sparen für|auf <rest>", Says::Doing),
        (
            "ich|wir muss|müssen|will|wollen|möchte|möchten|soll|sollen <rest>",
            Says::Dated,
        ),
        (
            "^ die|meine|unsere deadline|frist|abgabe * ist|endet <rest>",
            Says::Deadline,
        ),
        ("^ der abgabetermin * ist <rest>", Says::Deadline),
        (
            "mein|unser|meine|unsere größtes|wichtigstes|oberste? ziel|priorität * ist es? , <rest>",
            Says::Goal,
        ),
        (
            "ich|wir hänge|hängen|warte|warten noch? an|auf der|dem|die|den <rest>",
            Says::Blocker,
        ),
        (
            "wir|ich haben|habe uns|mich * für|gegen * entschieden",
            Says::Decision,
        ),
        (
            "bis * muss|müssen|will|wollen|soll|sollen ich|wir <rest>",
            Says::Doing,
        ),
        ("wir|ich haben|habe beschlossen <rest>", Says::Decision),
        (
            "wir|ich haben|habe endlich|letzte|letzten|letztes <rest>",
            Says::Event,
        ),
    ],
    times: &[
        "montag",
        "dienstag",
        "mittwoch",
        "donnerstag",
        "freitag",
        "samstag",
        "sonntag",
        "januar",
        "februar",
        "märz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
        "sommer",
        "herbst",
        "winter",
        "frühjahr",
        "frühling",
        "weihnachten",
        "woche",
        "monat",
        "jahr",
        "gestern",
        "jahresende",
        "monatsende",
        "quartal",
    ],
    leads: &["bis", "zum", "vor", "im", "am", "ende"],
    pointing: &["daran", "das", "es", "jetzt", "los", "dies", "dran"],
    done: &["endlich"],
    subjects: &["ich", "wir", "gerade"],
};
