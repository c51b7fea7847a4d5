//! The importance of facts, for where there is no room for everything known about a user: in a
//! block over its budget, and in a full scope. Pure: it is judged from the stored fact alone.

use std::collections::HashSet;
use std::sync::LazyLock;

use ctxmem_types::{Scope, SourceType};

use super::multi_value;
use crate::store::StoredFact;

/// How long a day lasts, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

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
        let words = Words::of(fact);
        if words.speak_of(&HEALTH) {
            Self::Health
        } else if fact.requested || fact.source_type == SourceType::Edited {
            Self::Asked
        } else if words.speak_of(&FAMILY) || words.name_an_occupation(fact.scope) {
            Self::Life
        } else if fact.confirmed_at / DAY > fact.first_stored_at / DAY {
            Self::Repeated
        } else {
            Self::Passing
        }
    }
}

/// What a fact is about, in lower case.
struct Words {
    text: String,
    /// Whether it may hold words that no spaces stand between. Quotation marks alone, which each statement
    /// has, don't count: to look for these words costs more than all else.
    is_foreign: bool,
}

impl Words {
    fn of(fact: &StoredFact) -> Self {
        let name = fact.name.as_deref().unwrap_or_default();
        let text = format!("{name} {}", fact.value).to_lowercase();
        let is_foreign = text
            .chars()
            .any(|c| c >= '\u{590}' && !('\u{2000}'..='\u{206f}').contains(&c));
        Self { text, is_foreign }
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        let words = self
            .text
            .split(|c: char| !c.is_alphanumeric() && !is_mark(c));
        words.filter(|word| !word.is_empty())
    }

    fn speak_of(&self, subject: &Subject) -> bool {
        self.each().any(|word| subject.holds(word))
            || (self.is_foreign && subject.parts.iter().any(|part| self.text.contains(part)))
    }

    /// Whether it says what somebody is or where they work: "Works at a bakery", "Ich bin Lehrerin".
    fn name_an_occupation(&self, scope: Scope) -> bool {
        if scope != Scope::Knowledge {
            return false;
        }
        let own = self.text.trim_start();
        let begins = |opening: &&str| own.starts_with(*opening);
        OPENINGS.iter().any(begins) || self.speak_of(&OCCUPATION)
    }
}

/// A vowel or other sign that belongs to the letter before it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{64b}'..='\u{65f}')
}

/// Words that tell a subject.
struct Subject {
    whole: HashSet<&'static str>,
    /// How words begin, in order.
    beginnings: Vec<&'static str>,
    /// What is looked for inside a text, in scripts without spaces.
    parts: Vec<&'static str>,
}

impl Subject {
    /// Reads a list of words with spaces between them. One that ends with `*` is how a word begins,
    /// one in brackets is looked for inside a text.
    fn read(list: &'static str) -> Self {
        let mut subject = Self {
            whole: HashSet::new(),
            beginnings: Vec::new(),
            parts: Vec::new(),
        };
        for word in list.split_whitespace() {
            if let Some(beginning) = word.strip_suffix('*') {
                subject.beginnings.push(beginning);
            } else if let Some(part) = word.strip_prefix('[') {
                subject.parts.push(part.trim_end_matches(']'));
            } else {
                subject.whole.insert(word);
            }
        }
        subject.beginnings.sort_unstable();
        subject
    }

    fn holds(&self, word: &str) -> bool {
        // The last that does not come after the word is the only one that it can begin with: none
        // is the beginning of another.
        let at = self
            .beginnings
            .partition_point(|beginning| *beginning <= word);
        let before = at.checked_sub(1).and_then(|at| self.beginnings.get(at));
        before.is_some_and(|beginning| word.starts_with(beginning)) || self.whole.contains(word)
    }
}

static HEALTH: LazyLock<Subject> = LazyLock::new(|| {
    Subject::read(
        "health diet allerg* alerg* intoleran* intoléran* unverträglich* asthm* asma* \
         diabet* diabét* celiac* coeliac* zöliakie* celíac* celíaq* coeliaque* cœliaque* epilep* \
         épilep* pregnan* schwanger* enceinte* embaraz* grávida* incinta medicat* medikament* \
         médicament* medicament* migrain* migrän* emicrania anaphyla* insulin* lactose \
         laktose* gluten* vegan* vegetarian* vegetarier* végétarien* végan* halal \
         kosher koscher wheelchair* rollstuhl* dyslex* adhd autis* depress* dépress* cancer krebs \
         [过敏] [糖尿病] [哮喘] [怀孕] [素食] [アレルギー] [喘息] [妊娠] [알레르기] [당뇨] [임신] \
         аллерг* диабет* астм* беремен* एलर्जी मधुमेह [حساسية] [السكري]",
    )
});

static FAMILY: LazyLock<Subject> = LazyLock::new(|| {
    Subject::read(
        "wife husband spouse partner fiancé fiancée fiance son sons daughter daughters child \
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
         [息子] [娘] [子供] [子ども] [家族] [両親] [아내] [남편] [아들] [딸] [아이] [부모] [가족]",
    )
});

static OCCUPATION: LazyLock<Subject> = LazyLock::new(|| {
    Subject::read(
        "occupation profession employer job works worked employed freelance* retired \
         student studies apprentice beruf arbeite arbeitet arbeitgeber rentner* studiere studiert \
         travaille métier employeur retraité* étudie étudiant* trabajo trabaja profesión empleo \
         jubilad* estudio estudiante trabalho trabalha profissão lavoro lavora professione работаю \
         работает профессия [工作] [职业] [上班] [仕事] [職業] [勤務] [직업] [일하] [काम]",
    )
});

/// How a statement begins that says what somebody is.
const OPENINGS: &[&str] = &[
    "i am a ",
    "i am an ",
    "i'm a ",
    "i'm an ",
    "i’m a ",
    "i’m an ",
    "is a ",
    "is an ",
    "i work ",
    "work as ",
    "ich bin ",
    "ist ",
    "je suis ",
    "soy ",
    "es ",
    "sou ",
    "é ",
    "sono ",
    "я ",
    "我是",
    "मैं ",
];

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
            confirmed_at: DAY,
            ..list(Scope::Goals, "Learn to sail")
        };
        let same_day = StoredFact {
            confirmed_at: DAY - 1,
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
        ] {
            assert_eq!(Importance::of(&fact), expected, "{}", fact.value);
        }
    }

    #[test]
    fn no_beginning_is_the_beginning_of_another() {
        for subject in [&HEALTH, &FAMILY, &OCCUPATION] {
            for pair in subject.beginnings.windows(2) {
                assert!(
                    !pair[1].starts_with(pair[0]) || pair[0] == pair[1],
                    "{pair:?}"
                );
            }
        }
    }

    #[test]
    fn all_is_in_order() {
        assert!(Importance::ALL.is_sorted_by(|a, b| a > b));
    }
}
