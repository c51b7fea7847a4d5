//! How one feels, where one is for a minute, what the weather is like.

use super::super::text::{PhraseList, Word};
use super::vocabulary::{DURABLE, goes_on, has, has_a_digit, is_name, is_short};
use crate::lists::WordList;

/// Words of how one feels or what is the matter right now.
static STATES: WordList = WordList::new(&[
    "hungry",
    "tired",
    "sleepy",
    "exhausted",
    "headache",
    "sick",
    "bored",
    "thirsty",
    "raining",
    "snowing",
    "late",
    "brb",
    "battery",
    "awake",
    "starving",
    "freezing",
    "hungover",
    "knackered",
    "pouring",
    "sweating",
    "dizzy",
    "stuffed",
    "groggy",
    "drained",
    "yawning",
]);

/// The same in other languages.
static FOREIGN_STATES: WordList = WordList::new(&[
    // de
    "müde",
    "hungrig",
    "hunger",
    "durst",
    "durstig",
    "erschöpft",
    "kopfschmerzen",
    "kopfweh",
    "regnet",
    "schneit",
    "fertig",
    "langweilig",
    "kaputt",
    // es, pt
    "cansado",
    "cansada",
    "agotado",
    "agotada",
    "hambre",
    "sueño",
    "sed",
    "frío",
    "lloviendo",
    "llueve",
    "aburrido",
    "aburrida",
    "fome",
    "sono",
    "sede",
    "frio",
    "chovendo",
    "exausto",
    // fr
    "fatigué",
    "fatiguée",
    "crevé",
    "crevée",
    "épuisé",
    "épuisée",
    "faim",
    "soif",
    "sommeil",
    "froid",
    "chaud",
    "pleut",
    "neige",
    "ennuie",
    "flemme",
    // it, nl, pl, sv, ru
    "stanco",
    "stanca",
    "fame",
    "sete",
    "sonno",
    "freddo",
    "piove",
    "moe",
    "honger",
    "dorst",
    "regent",
    "zmęczony",
    "zmęczona",
    "głodny",
    "trött",
    "regnar",
    "устал",
    "устала",
    "голоден",
]);

/// What hurts.
static BODY: WordList = WordList::new(&[
    "head", "back", "neck", "eyes", "feet", "stomach", "tummy", "belly", "throat", "legs", "brain",
]);

static HURTS: WordList = WordList::new(&[
    "hurt", "hurts", "hurting", "aching", "aches", "killing", "fried", "sore",
]);

/// What one has before one for a minute.
static AT_HAND: WordList = WordList::new(&[
    "coffee",
    "tea",
    "lunch",
    "dinner",
    "breakfast",
    "wifi",
    "internet",
    "connection",
    "bus",
    "phone",
]);

/// What says that it is over soon.
static NOW: PhraseList = PhraseList::new(&[
    &["right", "now"],
    &["still", "up"],
    &["at", "the", "moment"],
    &["this", "very", "minute"],
    &["for", "a", "minute"],
    &["back", "in"],
    &["ahora", "mismo"],
    &["en", "ce", "moment"],
    &["im", "moment"],
    &["in", "diesem", "moment"],
]);

/// Words by which a clause tells more than that.
static MORE: WordList = WordList::new(&[
    "live", "use", "always", "moved", "work", "working", "building", "deadline", "project",
    "priority", "learning", "since", "until", "every",
]);

pub(super) fn is_state(words: &[Word]) -> bool {
    if has(words, &MORE) {
        return false;
    }
    let feels = has(words, &STATES) && !has(words, &["every", "weekday"]) && !goes_on(words, 4);
    let now = NOW.is_in(words) && !has(words, &DURABLE);
    // Languages that we read less well, and things at hand: only where nothing is named.
    let more = has(words, &DURABLE)
        || words
            .iter()
            .skip(1)
            .any(|word| (is_name(word) && !word.is_any(&FOREIGN_STATES)) || has_a_digit(word));
    let plain = is_short(words, 9) && !more;
    let aches = has(words, &BODY) && has(words, &HURTS);
    let at_hand = words.windows(2).any(|pair| {
        matches!(pair, [whose, what] if whose.is_any(&["my", "the"]) && what.is_any(&AT_HAND))
    });
    feels || now || (plain && (aches || at_hand || has(words, &FOREIGN_STATES)))
}
