//! What a question or a request takes for granted of the user.

use super::super::text::{Gap, Word};
use super::vocabulary::{POSSESSIVES, begins, has, is_name};
use crate::lists::WordList;

/// Nouns of the conversation and of the work at hand: "my question" is nobody's property.
static OF_THE_CONVERSATION: WordList = WordList::new(&[
    "question",
    "questions",
    "message",
    "last",
    "previous",
    "prompt",
    "text",
    "sentence",
    "code",
    "answer",
    "mind",
    "bad",
    "mine",
    "preference",
    "memory",
    "profile",
    "age",
    "loop",
    "function",
    "query",
    "script",
    "div",
    "regex",
    "css",
    "html",
    "json",
    "variable",
    "string",
    "array",
    "input",
    "output",
    "file",
    "screen",
    "terminal",
    "own",
    "head",
    "paragraph",
    "essay",
    "password",
    "key",
    "token",
]);

/// Possessives beside [`POSSESSIVES`] that are too short to count without a name.
static BEFORE_A_NAME: WordList = WordList::new(&["mi", "mis", "mio", "mia", "min", "mój", "moja"]);

/// Who people are to one another.
static PEOPLE: WordList = WordList::new(&[
    "wife",
    "husband",
    "partner",
    "spouse",
    "fiancé",
    "fiancée",
    "fiance",
    "fiancee",
    "girlfriend",
    "boyfriend",
    "son",
    "daughter",
    "kid",
    "child",
    "baby",
    "brother",
    "sister",
    "mother",
    "father",
    "mum",
    "mom",
    "dad",
    "aunt",
    "uncle",
    "cousin",
    "niece",
    "nephew",
    "grandma",
    "grandpa",
    "grandmother",
    "grandfather",
    "stepson",
    "stepdaughter",
    "twin",
    "boss",
    "manager",
    "colleague",
    "coworker",
    "co-worker",
    "teammate",
    "cofounder",
    "co-founder",
    "founder",
    "lead",
    "director",
    "mentor",
    "coach",
    "teacher",
    "tutor",
    "professor",
    "supervisor",
    "advisor",
    "adviser",
    "therapist",
    "doctor",
    "dentist",
    "lawyer",
    "accountant",
    "client",
    "customer",
    "landlord",
    "neighbour",
    "neighbor",
    "friend",
    "roommate",
    "flatmate",
    "housemate",
    "buddy",
    "assistant",
    "intern",
    "designer",
    "editor",
    "agent",
    "dog",
    "cat",
    "horse",
    "frau",
    "mann",
    "partnerin",
    "sohn",
    "tochter",
    "bruder",
    "schwester",
    "mutter",
    "vater",
    "chef",
    "chefin",
    "kollege",
    "kollegin",
    "freund",
    "freundin",
    "oma",
    "opa",
    "hund",
    "katze",
    "esposa",
    "esposo",
    "mujer",
    "marido",
    "pareja",
    "hijo",
    "hija",
    "hermano",
    "hermana",
    "madre",
    "padre",
    "jefe",
    "jefa",
    "colega",
    "amigo",
    "amiga",
    "novio",
    "novia",
    "perro",
    "gato",
    "femme",
    "mari",
    "conjoint",
    "conjointe",
    "fils",
    "fille",
    "frère",
    "sœur",
    "soeur",
    "mère",
    "père",
    "patron",
    "patronne",
    "collègue",
    "ami",
    "amie",
    "copain",
    "copine",
    "chien",
    "chat",
    "moglie",
    "marito",
    "figlio",
    "figlia",
    "fratello",
    "sorella",
    "filho",
    "filha",
    "irmão",
    "irmã",
    "vrouw",
    "man",
    "zoon",
    "dochter",
    "broer",
    "zus",
    "baas",
]);

/// "Write a card for my daughter Ines", "how far is my bakery from the station".
pub(super) fn is_taken_for_granted(words: &[Word]) -> bool {
    let owned = words.windows(2).any(|pair| {
        matches!(pair, [whose, what]
            if whose.is_any(&POSSESSIVES) && !what.is_any(&OF_THE_CONVERSATION))
    });
    // "can you explain it? I use …" is a clause of its own; within a question only these tell.
    let tells = words.windows(2).any(|pair| {
        matches!(pair, [subject, verb] if subject.is_any(&["i", "we"])
            && verb.is_any(&["use", "live", "work", "run", "moved", "switched", "prefer", "have", "write"]))
    });
    owned
        || (tells && !has(words, &["should", "would", "could", "if"]) && !asks_in_general(words))
        || tells_before_asking(words)
        || tells_in_han_or_kana(words)
}

/// "Do you think I need …", "is it bad that I use …": nothing is said for sure.
fn asks_in_general(words: &[Word]) -> bool {
    begins(
        words,
        &[
            "do", "does", "did", "is", "am", "should", "would", "can", "could", "how", "which",
            "what",
        ],
    )
}

/// "Ich wohne in Kiel, wo gibt es …?": it says something up to a comma.
fn tells_before_asking(words: &[Word]) -> bool {
    let told = words
        .iter()
        .skip(1)
        .take_while(|word| word.gap == Gap::None)
        .count();
    told >= 2
        && told + 1 < words.len()
        && begins(
            words,
            &[
                "ich",
                "wir",
                "je",
                "j'ai",
                "j'habite",
                "j'utilise",
                "nous",
                "soy",
                "vivo",
                "uso",
                "trabajo",
                "usamos",
                "estoy",
                "tengo",
                "ik",
                "wij",
                "eu",
                "moro",
                "moramos",
                "sono",
                "abito",
                "jestem",
                "mieszkam",
                "jag",
                "я",
            ],
        )
}

/// Scripts without spaces: a question is one word there, and these say who one is.
fn tells_in_han_or_kana(words: &[Word]) -> bool {
    const OWN: &[&str] = &[
        "私は",
        "私の",
        "僕は",
        "僕の",
        "俺は",
        "うちの",
        "弊社",
        "に住んで",
        "を使って",
        "で働い",
        "我住",
        "我在",
        "我是",
        "我叫",
        "我用",
        "我们用",
        "我们的",
        "我的妻",
        "我的女",
        "我的儿",
        "我的公司",
        "저는",
        "제가",
        "우리",
        "살고",
        "사용하고",
    ];
    words
        .iter()
        .any(|word| !word.text.is_ascii() && OWN.iter().any(|own| word.text.contains(own)))
}

/// "My sister Ines", whatever is said, asked or supposed of her.
pub(super) fn names_somebody(words: &[Word]) -> bool {
    words.windows(3).any(|three| {
        let [whose, who, name] = three else {
            return false;
        };
        (whose.is_any(&POSSESSIVES) || whose.is_any(&BEFORE_A_NAME))
            && who.is_any(&PEOPLE)
            && name.gap == Gap::None
            && is_name(name)
    })
}
