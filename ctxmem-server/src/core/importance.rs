//! The importance of facts, for where there is no room for everything known about a user: in a
//! block over its budget, and in a full scope. Pure: it is judged from the stored fact alone.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use ctxmem_types::{Scope, SourceType};

use super::clock::DAY_MILLIS;
use super::multi_value;
use crate::store::StoredFact;

/// What comes first where there is no room for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Importance {
    /// Everything else: what was stored or changed last comes first.
    Passing,
    /// What was said again on another day.
    Repeated,
    /// The family, and what the user does for a living.
    Life,
    /// What the user asked to be remembered, or wrote by hand.
    Asked,
    /// Health and diet, also of relatives.
    Health,
    /// Shown in any case: who it is, how to reply, and allergies.
    Pinned,
}

impl Importance {
    /// From what matters most.
    pub(super) const ALL: [Self; 6] = [
        Self::Pinned,
        Self::Health,
        Self::Asked,
        Self::Life,
        Self::Repeated,
        Self::Passing,
    ];

    pub(super) fn of(fact: &StoredFact) -> Self {
        let identity = matches!(fact.scope, Scope::General | Scope::CommunicationStyle);
        if identity || multi_value::is_allergy(fact) {
            return Self::Pinned;
        }
        let name = fact.name.as_deref().unwrap_or_default();
        let text = format!("{name} {}", fact.value).to_lowercase();
        let spoken = Spoken::of(&text);
        if spoken.health {
            Self::Health
        } else if fact.requested || fact.source_type == SourceType::Edited {
            Self::Asked
        } else if spoken.family
            || fact.scope == Scope::Knowledge && (spoken.occupation || names_an_occupation(&text))
        {
            Self::Life
        } else if fact.confirmed_at / DAY_MILLIS > fact.first_stored_at / DAY_MILLIS {
            Self::Repeated
        } else {
            Self::Passing
        }
    }
}

/// Whether a text begins by saying what somebody is or where they work: "Ich bin Lehrerin", "I work at a bakery".
fn names_an_occupation(text: &str) -> bool {
    let own = text.trim_start();
    OPENINGS.split('|').any(|opening| own.starts_with(opening))
}

/// Which subjects a text speaks of.
#[derive(Default)]
struct Spoken {
    health: bool,
    family: bool,
    occupation: bool,
}

impl Spoken {
    /// Notes the subjects of a text in lower case.
    fn of(text: &str) -> Self {
        let mut spoken = Self::default();
        for found in WORDS.automaton.find_overlapping_iter(text) {
            let Some(word) = WORDS.words.get(found.pattern().as_usize()) else {
                continue;
            };
            let before = text
                .get(..found.start())
                .and_then(|it| it.chars().next_back());
            let after = text.get(found.end()..).and_then(|it| it.chars().next());
            let fits = match word.extent {
                Extent::Whole => {
                    !before.is_some_and(is_of_a_word) && !after.is_some_and(is_of_a_word)
                }
                Extent::Beginning => !before.is_some_and(is_of_a_word),
                Extent::Part => true,
            };
            if fits {
                *(word.subject)(&mut spoken) = true;
            }
        }
        spoken
    }
}

/// Whether a character belongs to a word: a letter, a digit, or a vowel or other sign of the letter before it.
fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{64b}'..='\u{65f}')
}

/// The words that tell a subject. They are looked for all at once, because a block over its budget looks at each
/// fact: one after another in sets of words they took three times as long.
struct Words {
    automaton: AhoCorasick,
    words: Vec<Word>,
}

struct Word {
    extent: Extent,
    /// Where it is noted.
    subject: fn(&mut Spoken) -> &mut bool,
}

enum Extent {
    Whole,
    /// How a word begins.
    Beginning,
    /// Looked for inside a text, in scripts without spaces.
    Part,
}

#[expect(clippy::expect_used, reason = "they are compiled in")]
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let (mut texts, mut words) = (Vec::new(), Vec::new());
    let mut read = |list: &'static str, subject: fn(&mut Spoken) -> &mut bool| {
        for word in list.split_whitespace() {
            let (text, extent) = if let Some(beginning) = word.strip_suffix('*') {
                (beginning, Extent::Beginning)
            } else if let Some(part) = word.strip_prefix('[') {
                (part.trim_end_matches(']'), Extent::Part)
            } else {
                (word, Extent::Whole)
            };
            texts.push(text);
            words.push(Word { extent, subject });
        }
    };
    read(HEALTH, |spoken| &mut spoken.health);
    read(FAMILY, |spoken| &mut spoken.family);
    read(OCCUPATION, |spoken| &mut spoken.occupation);
    let automaton = AhoCorasick::new(texts).expect("some hundred words");
    Words { automaton, words }
});

// Words with spaces between them. One that ends with `*` is how a word begins, one in brackets is looked for inside a
// text.

const HEALTH: &str = "health diet allerg* alerg* intoleran* intoléran* unverträglich* asthm* asma* \
         diabet* diabét* celiac* coeliac* zöliakie* celíac* celíaq* coeliaque* cœliaque* epilep* \
         épilep* pregnan* schwanger* enceinte* embaraz* grávida* incinta medicat* medikament* \
         médicament* medicament* migrain* migrän* emicrania anaphyla* insulin* lactose \
         laktose* gluten* vegan* vegetarian* vegetarier* végétarien* végan* halal \
         kosher koscher wheelchair* rollstuhl* dyslex* adhd autis* depress* dépress* cancer krebs \
         [过敏] [糖尿病] [哮喘] [怀孕] [素食] [アレルギー] [喘息] [妊娠] [알레르기] [당뇨] [임신] \
         аллерг* диабет* астм* беремен* एलर्जी मधुमेह [حساسية] [السكري]";

const FAMILY: &str = "wife husband spouse partner fiancé fiancée fiance son sons daughter daughters child \
         children kid kids baby toddler mother father mom mum dad parents brother brothers sister \
         sisters siblings twin twins grandmother grandfather grandma grandpa grandparents family \
         married engaged divorced widowed aunt uncle niece nephew cousin ehefrau ehemann frau mann \
         sohn söhne tochter töchter kind kinder mutter vater eltern bruder brüder schwester \
         schwestern geschwister oma opa familie verheiratet verlobt geschieden femme épouse mari \
         fils fille filles enfant enfants mère père parents frère frères sœur sœurs soeur famille \
         marié mariée divorcé divorcée esposa esposo marido mujer hijo hijos hija hijas niños madre \
         padre padres hermano hermanos hermana hermanas abuela abuelo familia casado casada filho \
         filhos filha filhas mãe pai pais irmão irmã avó avô família moglie marito figlio figli \
         figlia figlie padre fratello fratelli sorella sorelle famiglia sposato sposata жена муж \
         сын дочь дети ребёнок ребенок мать мама отец папа брат сестра семья पत्नी पति बेटा बेटी \
         बच्चे माँ पिता भाई बहन परिवार زوجتي زوجي ابني ابنتي أطفالي أمي أبي أخي أختي [妻] [丈夫] \
         [老婆] [老公] [儿子] [女儿] [孩子] [妈妈] [爸爸] [母亲] [父亲] [哥哥] [姐姐] [弟弟] [妹妹] \
         [息子] [娘] [子供] [子ども] [家族] [両親] [아내] [남편] [아들] [딸] [아이] [부모] [가족]";

const OCCUPATION: &str = "occupation profession employer job works worked employed freelance* retired \
         student studies apprentice beruf arbeite arbeitet arbeitgeber rentner* studiere studiert \
         travaille métier employeur retraité* étudie étudiant* trabajo trabaja profesión empleo \
         jubilad* estudio estudiante trabalho trabalha profissão lavoro lavora professione работаю \
         работает профессия [工作] [职业] [上班] [仕事] [職業] [勤務] [직업] [일하] [काम]";

/// How a statement begins that says what somebody is, with a bar between them.
const OPENINGS: &str = "i am a |i am an |i'm a |i'm an |i’m a |i’m an |is a |is an |i work |work as \
         |ich bin |ist |je suis |soy |es |sou |é |sono |я |我是|मैं ";

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(scope: Scope, name: Option<&str>, value: &str) -> StoredFact {
        StoredFact::observed(scope, name, value, 0)
    }

    #[test]
    fn what_harms_comes_before_what_was_asked_for_and_that_before_the_family() {
        use Importance::{Asked, Health, Life, Passing, Pinned, Repeated};
        let preference = |name, value| fact(Scope::Preferences, Some(name), value);
        let list = |scope, value| fact(scope, None, value);
        let requested = StoredFact {
            requested: true,
            ..list(Scope::History, "Sold the boat")
        };
        let edited = StoredFact {
            source_type: SourceType::Edited,
            ..list(Scope::Relationships, "Sister Mia")
        };
        let again = StoredFact {
            confirmed_at: DAY_MILLIS,
            ..list(Scope::Goals, "Learn to sail")
        };
        let same_day = StoredFact {
            confirmed_at: DAY_MILLIS - 1,
            ..list(Scope::Goals, "Learn to sail")
        };
        let pinned = fact(Scope::General, Some("name"), "Ada");
        for (fact, expected) in [
            (pinned, Pinned),
            (preference("allergy", "Nuts"), Pinned),
            (preference("diet", "Pescatarian"), Health),
            (
                list(Scope::Relationships, "Her son Tom can't have gluten"),
                Health,
            ),
            (
                list(Scope::Relationships, "Tochter: allergisch gegen Nüsse"),
                Health,
            ),
            (list(Scope::History, "我女儿对花生过敏"), Health),
            (requested, Asked),
            (edited, Asked),
            (list(Scope::Relationships, "Brother Tom, a carpenter"), Life),
            (list(Scope::Relationships, "Ma sœur habite à Lyon"), Life),
            (list(Scope::Knowledge, "Works at a bakery"), Life),
            (list(Scope::Knowledge, "I'm a nurse"), Life),
            (list(Scope::Knowledge, "Ich bin Krankenpflegerin"), Life),
            (list(Scope::Knowledge, "我是护士"), Life),
            (again, Repeated),
            (same_day, Passing),
            (list(Scope::Knowledge, "Rust"), Passing),
            (list(Scope::Goals, "I am a morning person"), Passing),
            (
                preference("likes", "Sonnets and fatherland novels"),
                Passing,
            ),
            // "Asma" is Spanish for asthma, and begins a word there.
            (preference("likes", "Historias de fantasmas"), Passing),
        ] {
            assert_eq!(Importance::of(&fact), expected, "{}", fact.value);
        }
    }

    #[test]
    fn all_is_in_order() {
        assert!(Importance::ALL.is_sorted_by(|a, b| a > b));
    }
}
