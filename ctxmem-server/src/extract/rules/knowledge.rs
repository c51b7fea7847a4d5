//! What the user knows, speaks, learns, or says they don't know.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::lexicon::Tool;
use super::pattern::Table;
use crate::extract::Candidate;
use crate::extract::text::Clause;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Knows the tools.
    Knows,
    /// Works with what may be a mere tool, which is a preference then.
    Uses,
    /// Knows it for a time that is told: "ten years of C".
    KnowsFor,
    /// Speaks the languages.
    Speaks,
    /// Native tongue.
    Native,
    /// Is new to it.
    NewTo,
    /// Has no experience with it.
    Without,
    /// Is learning it.
    Learns,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| {
    Table::new(&[
        (
            "i|we know|understand|master|teach some|a? <tools>",
            Says::Knows,
        ),
        (
            "i|we write|code|program|develop|script mostly|mainly|primarily? in? <tools>",
            Says::Knows,
        ),
        (
            "i am good|great|experienced|fluent|proficient|comfortable|familiar|strong|skilled|confident|solid at|in|with <tools>",
            Says::Knows,
        ),
        (
            "i am a|an * <tools> developer|dev|engineer|programmer|expert|guy|person|coder",
            Says::Knows,
        ),
        (
            "^ * <tools> developer|dev|engineer|programmer|person|coder here?",
            Says::Knows,
        ),
        (
            "i have * experience|background in|with <tools>",
            Says::Knows,
        ),
        (
            "i have * worked|written|done|used|programmed|coded|shipped|built in|with|on? <tools>",
            Says::Knows,
        ),
        ("i|we work|worked mostly? with|in <tools>", Says::Uses),
        (
            "i|we am|are developing|programming|coding|writing in? <tools>",
            Says::Knows,
        ),
        (
            "my|our main|primary|strongest|day-to-day language|stack|languages is|are <tools>",
            Says::Knows,
        ),
        (
            "my|our stack|tech|backend|frontend|api|app|service|site is|are|uses built|written|made|all? in|on|with? <tools>",
            Says::Uses,
        ),
        ("^ years of|in|with <tools>", Says::Knows),
        ("years|yrs of|in|with <tools>", Says::KnowsFor),
        (
            "i have? done|written|used|known|programmed|coded|been * <tools> for about|over|almost|nearly|like|more|roughly? <rest>",
            Says::KnowsFor,
        ),
        ("i|we speak|understand|read <tools>", Says::Speaks),
        ("i|we am|are fluent|native in? <tools>", Says::Speaks),
        ("i speak <tools> and a bit|little of <tools>", Says::Speaks),
        (
            "my native|first|mother language|tongue is <tool>",
            Says::Native,
        ),
        ("my mothertongue is <tool>", Says::Native),
        ("i am a? native <tool> speaker?", Says::Native),
        (
            "i am * new|newcomer|beginner to|in|with|at <tools>",
            Says::NewTo,
        ),
        ("i am * beginner in|with|at <tools>", Says::NewTo),
        ("^ new to <tools>", Says::NewTo),
        (
            "i have? never touched|used|worked|tried|written|learned|learnt|done|seen with|in? <tools>",
            Says::Without,
        ),
        (
            "never touched|used|worked|tried|written with|in? <tools>",
            Says::Without,
        ),
        ("i do not know|understand|speak any? <tools>", Says::Without),
        (
            "i have no experience|idea|knowledge with|in|of|about <tools>",
            Says::Without,
        ),
        (
            "i|we am|are learning|studying|picking <tools>",
            Says::Learns,
        ),
        ("i|we am|are trying|starting to learn <tools>", Says::Learns),
        ("i|we am|are teaching myself <tools>", Says::Learns),
        ("i|we have? started learning|to learn <tools>", Says::Learns),
        ("i|we want|plan|hope|intend to learn <tools>", Says::Learns),
        ("^ learning|studying <tools>", Says::Learns),
    ])
});

/// Skills, languages and the lack of them.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    let matches = STATED.find(clause);
    let without: Vec<(usize, usize)> = matches
        .iter()
        .filter(|(_, says)| matches!(says, Says::Without | Says::NewTo | Says::Learns))
        .map(|(at, _)| (at.start, at.end))
        .collect();
    for (at, says) in &matches {
        let overridden = without
            .iter()
            .any(|(start, end)| *start < at.end && at.start < *end);
        for tool in at.tools(0) {
            match says {
                Says::Knows | Says::KnowsFor | Says::Speaks if overridden => {}
                Says::Uses if overridden || tool.entry.scope != Scope::Knowledge => {}
                Says::Knows | Says::Uses => knows(tool, None, found),
                Says::KnowsFor => {
                    let time = duration(clause);
                    knows(tool, time.as_deref(), found);
                }
                Says::Speaks => speaks(tool, found),
                Says::Native => push(found, format!("Native {} speaker", tool.name), tool),
                Says::NewTo => item(found, format!("New to {}", tool.name)),
                Says::Without => item(found, format!("No experience with {}", tool.name)),
                Says::Learns => found.push(Candidate::item(
                    Scope::Goals,
                    format!("Learning {}", tool.name),
                )),
            }
        }
        for tool in at.tools(1) {
            if *says == Says::Speaks {
                speaks(tool, found);
            }
        }
    }
}

fn knows(tool: &Tool, time: Option<&str>, found: &mut Vec<Candidate>) {
    if tool.entry.slot == "spoken_language" {
        return;
    }
    let value = time.map_or_else(
        || tool.name.clone(),
        |time| format!("{}, {time}", tool.name),
    );
    found.retain(|fact| {
        fact.scope != Scope::Knowledge
            || (fact.value != tool.name && !value.starts_with(&format!("{},", fact.value)))
    });
    let longer = found.iter().any(|fact| {
        fact.scope == Scope::Knowledge && fact.value.starts_with(&format!("{},", tool.name))
    });
    if !longer {
        item(found, value);
    }
}

fn speaks(tool: &Tool, found: &mut Vec<Candidate>) {
    if tool.entry.slot == "spoken_language" {
        item(found, format!("Speaks {}", tool.name));
    }
}

fn push(found: &mut Vec<Candidate>, value: String, tool: &Tool) {
    if tool.entry.slot == "spoken_language" {
        found.retain(|fact| fact.value != format!("Speaks {}", tool.name));
        item(found, value);
    }
}

fn item(found: &mut Vec<Candidate>, value: String) {
    let fact = Candidate::item(Scope::Knowledge, value);
    if !found.contains(&fact) {
        found.push(fact);
    }
}

/// "ten years", "about six months" in the clause.
fn duration(clause: &Clause) -> Option<String> {
    let unit = clause
        .words
        .iter()
        .position(|word| word.is_any(&["years", "yrs", "months", "year"]))?;
    let count = clause.words.get(unit.checked_sub(1)?)?;
    let number = count.text.chars().all(|c| c.is_ascii_digit() || c == '+')
        || count.is_any(&[
            "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve", "fifteen", "twenty", "thirty", "many", "several", "few",
        ]);
    let unit = clause.words.get(unit)?;
    number.then(|| {
        format!(
            "{} {}",
            count.low,
            if unit.low == "yrs" {
                "years"
            } else {
                unit.low.as_str()
            }
        )
    })
}
