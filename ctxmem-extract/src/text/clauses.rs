//! The clauses of a message and their mood: what the user says, asks, supposes or reports.

use super::class::Class;
use super::vocabulary::{self, Vocabulary};
use super::words::{Gap, Word, phrase_at};
use crate::language::Language;
use crate::lists::List;

/// How a clause is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// The user says it.
    Statement,
    /// The user asks, or asks for something by a question.
    Question,
    /// Under a condition: "if …", "when …".
    Condition,
    /// Somebody else's words, and who said them.
    Reported,
    /// In jest or after a supposition: it may or may not be meant.
    Doubtful,
    /// Make-believe.
    NotMeant,
}

/// A run of words in which a pattern may begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clause {
    /// Its first word.
    pub(crate) start: usize,
    /// Behind its last word.
    pub(crate) end: usize,
    /// Behind the last word of its sentence.
    pub(crate) sentence: usize,
    /// How it is meant.
    pub(crate) mood: Mood,
    /// The subject of the clause before, which "and" may leave out.
    pub(crate) elided: Option<usize>,
}

/// Splits words into clauses.
pub(crate) fn clauses(words: &[Word<'_>], language: Language) -> Vec<Clause> {
    let splitter = Splitter {
        words,
        language,
        vocabulary: vocabulary::get(),
    };
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut make_believe = MakeBelieve::None;
    while start < words.len() {
        let end = (start + 1..words.len())
            .find(|n| words[*n].gap == Gap::Sentence)
            .unwrap_or(words.len());
        splitter.sentence(start, end, &mut make_believe, &mut clauses);
        start = end;
    }
    // "In Typora, no wait, Marp": what was said is taken back.
    for n in 1..clauses.len() {
        if phrase_at(words, clauses[n].start, List::TakingBack).is_some() {
            clauses[n - 1].mood = Mood::NotMeant;
        }
    }
    clauses
}

/// How much of a message is make-believe.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MakeBelieve {
    None,
    /// A sentence supposes something, and what follows may go on with it.
    Supposed,
    /// The assistant gets a role, and the rest is part of the play.
    Played,
}

struct Splitter<'w, 't> {
    words: &'w [Word<'t>],
    language: Language,
    vocabulary: &'static Vocabulary,
}

impl Splitter<'_, '_> {
    fn is(&self, at: usize, class: Class) -> bool {
        self.words
            .get(at)
            .is_some_and(|word| self.vocabulary.is(word.id, class, self.language))
    }

    /// The clauses of one sentence. `make_believe` goes on to the end of the message.
    fn sentence(
        &self,
        start: usize,
        end: usize,
        make_believe: &mut MakeBelieve,
        out: &mut Vec<Clause>,
    ) {
        let asks = self.words.get(end - 1).is_some_and(|word| word.asks);
        // "Yeah right, I'm basically a chef."
        let ironic = phrase_at(self.words, start, List::Irony).is_some();
        let jest = ironic || (start..end).any(|n| self.is(n, Class::Jest));
        let mut mood = Mood::Statement;
        let mut subject = None;
        let mut at = start;
        let before = *make_believe;
        while at < end {
            let stop = (at + 1..end).find(|n| self.begins(*n)).unwrap_or(end);
            let first = self.opened(at, stop);
            *make_believe = (*make_believe).max(self.make_believe(first, stop));
            let begun = self.mood(first, stop, mood);
            // "For the config do we use TOML?"
            let inverted = asks
                && (at..stop).any(|n| {
                    self.is(n, Class::Auxiliary)
                        && (self.is(n + 1, Class::Subject) || self.is(n + 1, Class::Pronoun))
                });
            let begun = if inverted { Mood::Question } else { begun };
            // A question goes on over "and", a comma ends a condition.
            mood = match (mood, begun) {
                (Mood::Question, _) => Mood::Question,
                (Mood::Reported, _) => Mood::Reported,
                (_, begun) => begun,
            };
            let last = stop == end;
            let meant = if *make_believe == MakeBelieve::Played || *make_believe > before {
                Mood::NotMeant
            } else if (jest || before == MakeBelieve::Supposed) && mood == Mood::Statement {
                Mood::Doubtful
            } else if asks && last && mood == Mood::Statement {
                Mood::Question
            } else {
                mood
            };
            out.push(Clause {
                start: at,
                end: stop,
                sentence: end,
                mood: meant,
                elided: subject,
            });
            if meant == Mood::Statement && self.is(first, Class::Subject) {
                subject = Some(first);
            } else if self.is(first, Class::Pronoun) || !self.is_joined(at) {
                subject = subject.filter(|_| !self.is(first, Class::Pronoun));
            }
            at = stop;
        }
    }

    /// Whether a clause begins with this word. "And" joins two things more often than two
    /// clauses.
    fn begins(&self, n: usize) -> bool {
        if self.words[n].gap >= Gap::Comma {
            return true;
        }
        if !self.is(n, Class::Joint) {
            return false;
        }
        let next = (n + 1..self.words.len())
            .find(|n| !self.is(*n, Class::Filler))
            .unwrap_or(n);
        let starts = [
            Class::Subject,
            Class::Own,
            Class::Pronoun,
            Class::Question,
            Class::Auxiliary,
            Class::Verb,
            Class::Order,
            Class::Wish,
            Class::Condition,
            Class::Lead,
            Class::Negation,
        ];
        !self.words[n].is_in(List::WeakJoints)
            || starts.into_iter().any(|class| self.is(next, class))
    }

    fn is_joined(&self, n: usize) -> bool {
        self.is(n, Class::Joint) || self.words.get(n).is_some_and(|word| word.gap == Gap::Comma)
    }

    /// The first word of a clause that is no mere opener.
    fn opened(&self, at: usize, end: usize) -> usize {
        (at..end)
            .find(|n| !self.is(*n, Class::Opener) && !self.is(*n, Class::Filler))
            .unwrap_or(at)
    }

    fn make_believe(&self, first: usize, end: usize) -> MakeBelieve {
        if self.is(first, Class::Pretence) {
            // "Assume that I know linear algebra" tells what the user knows.
            let knows = (first + 1..end.min(first + 5)).any(|n| self.words[n].is_in(List::Knowing));
            return if knows {
                MakeBelieve::None
            } else {
                MakeBelieve::Supposed
            };
        }
        let begins = |list| phrase_at(self.words, first, list).is_some();
        if begins(List::Supposing) {
            return MakeBelieve::Supposed;
        }
        // "Let's pretend", "let us say"
        let proposed = begins(List::Proposing)
            && (1..=2).any(|n| phrase_at(self.words, first + n, List::Pretending).is_some());
        if begins(List::RolePlay) || proposed || self.wants_a_role(first, end) {
            MakeBelieve::Played
        } else {
            MakeBelieve::None
        }
    }

    /// "I want you to act as a pirate", "I want you to be a pirate".
    fn wants_a_role(&self, first: usize, end: usize) -> bool {
        let low = |n: usize| self.words.get(n).map_or("", |word| &*word.low);
        let acts = |n| low(n) == "act" && matches!(low(n + 1), "as" | "like");
        low(first) == "i"
            && (matches!(low(first + 1), "want" | "would") && (first + 2..end).any(acts)
                || low(first + 1) == "want" && low(first + 2) == "you" && low(first + 4) == "be")
    }

    /// The mood in which a clause begins.
    fn mood(&self, first: usize, end: usize, before: Mood) -> Mood {
        if self.is(first, Class::Condition) {
            return Mood::Condition;
        }
        if self.is(first, Class::Question)
            || (self.is(first, Class::Auxiliary)
                && (self.is(first + 1, Class::Pronoun)
                    || self.is(first + 1, Class::Subject)
                    // "Had an outage" leaves out who had it.
                    || (self.is(first + 1, Class::Article)
                        && !self.words[first].is_in(List::Had))))
        {
            return Mood::Question;
        }
        // "She says that I …", "my doctor told me …": the rest is not the user's word.
        let reported = (first..end.min(first + 6)).any(|n| {
            self.is(n, Class::Reporting) && !(n > first && self.is(n - 1, Class::Subject))
        });
        if reported {
            return Mood::Reported;
        }
        // Behind a comma a condition is over, but "and" goes on with it.
        if before == Mood::Condition && self.is(first, Class::Joint) {
            return Mood::Condition;
        }
        Mood::Statement
    }
}
