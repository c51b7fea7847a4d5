//! What the user knows, speaks, learns, or says they don't know.

use std::sync::LazyLock;

use ctxmem_types::Scope;

use super::capture::capital;
use super::lexicon::{Tool, tool_at};
use super::pattern::{Match, Table, is_adverb};
use super::phrase::points_at_the_conversation;
use crate::extract::Candidate;
use crate::extract::text::{Clause, Word, join, words};

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
    /// How well one knows or speaks it.
    Level,
    /// Native tongue.
    Native,
    /// Is new to it.
    NewTo,
    /// Goes over to it.
    MovesTo,
    /// Has no experience with it.
    Without,
    /// Doesn't understand it.
    Mystery,
    /// Isn't good at something, known or not.
    Weak,
    /// Has no background in something.
    Lacks,
    /// Never learnt something.
    Never,
    /// Has a trade.
    Trade,
    /// Plays an instrument.
    Plays,
    /// Is learning it.
    Learns,
}

static STATED: LazyLock<Table<Says>> = LazyLock::new(|| Table::new(SENTENCES));

const SENTENCES: &[(&str, Says)] = &[
    ("@we @know some|a|basic|enough? <tools>", Says::Knows),
    ("i|we know * way around|through <tools>", Says::Knows),
    ("@us have|has? started|begun <tools>", Says::Uses),
    (
        "i|we write|code|program|develop|script * in <tools>",
        Says::Knows,
    ),
    (
        "@we write|code|program|develop|script|do|build <tools>",
        Says::Uses,
    ),
    (
        "i am * good|great|experienced|fluent|proficient|comfortable|familiar|strong|skilled|confident|solid|handy|versed|well-versed|decent|okay|competent|adept|expert|experts|at|home at|in|with|on <tools>",
        Says::Knows,
    ),
    (
        "i am a|an * <tools> developer|dev|engineer|programmer|expert|guy|person|coder|specialist|admin|administrator|dba|architect|consultant|trainer|teacher|instructor|maintainer|contributor|nerd|analyst|veteran",
        Says::Knows,
    ),
    (
        "^ * <tools> developer|dev|engineer|programmer|person|coder|specialist|dba|consultant here|by|for|with?",
        Says::Knows,
    ),
    (
        "@us have|has * experience|background|expertise|skills|knowledge in|with|of <tools>",
        Says::Knows,
    ),
    (
        "i|we come|came from * <tools> background|world|land|side?",
        Says::Knows,
    ),
    (
        "my|our background|degree|training is in? <tools>",
        Says::Knows,
    ),
    (
        "@us have|has * worked|written|done|used|programmed|coded|shipped|built|released|taught|published|led|made in|with|on|using? <tools>",
        Says::Knows,
    ),
    (
        "i|we have? shipped|built|released|published|written * in|with|using <tools>",
        Says::Knows,
    ),
    ("@we work|works|worked * with|in <tools>", Says::Uses),
    (
        "@us am|are? developing|programming|coding|writing|building * in|with|on? <tools>",
        Says::Knows,
    ),
    (
        "my|our main|primary|strongest|best|first|day-to-day|weakest language|stack|languages is|are|would? be? <tools>",
        Says::Knows,
    ),
    (
        "my|our stack|tech|backend|frontend|api|app|service|site is|are|uses built|written|made|all? in|on|with? <tools>",
        Says::Uses,
    ),
    (
        "@we @know|@work|build|builds|contribute|contributes * to? <tools> library|libraries|package|packages|crate|crates|gem|gems|plugin|plugins|app|apps|services|sites|websites|games|drivers|extensions|bindings|code|contracts|packages",
        Says::Knows,
    ),
    (
        "^ most|half|all|much of my|our day|days|time|work|job|code is|goes * <tools>",
        Says::Knows,
    ),
    (
        "i|we do a|quite|lot|lots|bit|ton|bunch|fair|share of <tools>",
        Says::Knows,
    ),
    (
        "<tools> is|are my|our * strongest|main|best|first|primary|bread language|suit|and?",
        Says::Knows,
    ),
    ("i|we picked up <tools>", Says::Knows),
    (
        "i|we can read|write|code|program|understand|handle|hack * in|with? <tools>",
        Says::Knows,
    ),
    (
        "<tools> mostly|mainly|primarily|professionally , <tools> when|if|sometimes|occasionally|on",
        Says::Knows,
    ),
    (
        "^ <tools> mostly|mainly|primarily|professionally",
        Says::Knows,
    ),
    ("i do <tools> for|professionally|all|at|since", Says::Knows),
    (
        "^ <tools> on|for the? backend|frontend|server|client|side",
        Says::Uses,
    ),
    (
        "years|yrs|decades|decade of|in|with|doing|writing|using <tools>",
        Says::KnowsFor,
    ),
    (
        "@us have|has? done|written|used|known|programmed|coded|been|taught * <tools> for|since about|over|almost|nearly|like|more|roughly? <rest>",
        Says::KnowsFor,
    ),
    (
        "i|we did|wrote|used|taught|programmed|coded in? <tools> for <rest>",
        Says::KnowsFor,
    ),
    // spoken languages
    (
        "@we speak|speaks|understand|read|write|know * and? of? <tools>",
        Says::Speaks,
    ),
    (
        "@us am|are|is? fluent|native|conversational|bilingual|trilingual|proficient|raised in|with? <tools>",
        Says::Speaks,
    ),
    ("get|gets|getting by in|with <tools>", Says::Speaks),
    ("i speak <tools> and a bit|little of <tools>", Says::Speaks),
    (
        "i|we grew|was|were up|raised|brought up? speaking|with|in|on? <tools>",
        Says::Speaks,
    ),
    (
        "i|we did|had|got * school|schooling|studies|degree|university in <tools>",
        Says::Speaks,
    ),
    (
        "<tools> is my|our second|third|fourth|other|strongest language|tongue",
        Says::Speaks,
    ),
    ("my|our <tool> is|are <short>", Says::Level),
    (
        "my native|first|mother|home language|tongue is <tool>",
        Says::Native,
    ),
    (
        "<tool> is my|our native|first|mother language|tongue",
        Says::Native,
    ),
    ("my mothertongue is <tool>", Says::Native),
    ("i am a? native <tool> speaker?", Says::Native),
    (
        "is not my|our first|native|mother language|tongue , <tool> is",
        Says::Native,
    ),
    (
        "@we write * <tools> roles|playbooks|charts|modules|scripts|macros|queries|shaders|components",
        Says::Knows,
    ),
    ("^ as? a? native <tool> speaker", Says::Native),
    // beginnings
    (
        "i|we am|are * new|newcomer|beginner|newbie|novice|noob to|in|with|at <tools>",
        Says::NewTo,
    ),
    ("^ * new to <tools>", Says::NewTo),
    ("<tools> is|are * new|unfamiliar to|for me|us", Says::NewTo),
    (
        "^ * <tools> beginner|newbie|noob|novice|newcomer here?",
        Says::NewTo,
    ),
    (
        "i|we am|are? starting|started out? with|in <tools>",
        Says::NewTo,
    ),
    (
        "my|our first time|project|week|month|day|app with|in|using|doing <tools>",
        Says::NewTo,
    ),
    ("i|we am|are? getting|got into <tools>", Says::NewTo),
    ("@us am|are? @change.ing * to <tools>", Says::MovesTo),
    // lacks
    (
        "@us have|has? never ever|really|actually? touched|used|worked|tried|written|learned|learnt|done|seen|coded|programmed|built|opened|installed|deployed * with|in|on|to? <tools>",
        Says::Without,
    ),
    (
        "never touched|used|worked|tried|written|learned with|in? <tools>",
        Says::Without,
    ),
    (
        "i|we have not ever|yet|really? touched|used|worked|tried|written|learned|learnt|done with|in|on? <tools>",
        Says::Without,
    ),
    (
        "i|we do not know|speak|understand any|much? <tools>",
        Says::Without,
    ),
    ("i|we know nothing|little about|of <tools>", Says::Without),
    (
        "i|we can not write|read|speak|use|code|program|do in|with? <tools>",
        Says::Without,
    ),
    (
        "i|we have? got? no|zero|little|hardly|barely|limited * experience|background|clue|idea|knowledge|skills|exposure with|in|of|about|to|how? <tools>",
        Says::Without,
    ),
    (
        "no|zero|little|limited * <tools> experience|background|knowledge|skills",
        Says::Without,
    ),
    ("^ no|zero experience with|in|of <tools>", Says::Without),
    (
        "<tools> is|are|remains * mystery|magic|foreign|greek|alien|over|beyond",
        Says::Mystery,
    ),
    ("i|we do not * get|grok|understand <tools>", Says::Mystery),
    ("i can not code|program myself|at|to?", Says::Lacks),
    ("i have? got? no|zero|little formal? <short>", Says::Lacks),
    (
        "i|we am|are not * good|great|strong|comfortable|confident|fluent|familiar|versed|skilled|experienced at|in|with|on <short>",
        Says::Weak,
    ),
    (
        "i|we am|are bad|terrible|awful|hopeless|rubbish|weak|rusty|shaky|poor|useless at|in|with|on <short>",
        Says::Weak,
    ),
    ("still bad|terrible|hopeless|rubbish at <short>", Says::Weak),
    ("i struggle with <short>", Says::Weak),
    (
        "i always|keep|constantly mess|messing|forget|forgetting|confuse|confusing up? <short>",
        Says::Weak,
    ),
    (
        "^ it is the? <short> in? this|that|the? * that i|we mess|struggle|can|never|do|get|find",
        Says::Weak,
    ),
    (
        "never did|learned|learnt|studied|took any <rest>",
        Says::Never,
    ),
    // trades and arts
    ("@us have|has? been <rest>", Says::Trade),
    ("i can? play the <short>", Says::Plays),
    ("i can? * and play the <short>", Says::Plays),
    // learning
    (
        "@us am|are? learning|studying|picking up? <tools>",
        Says::Learns,
    ),
    (
        "i|we am|are? trying|starting to learn <tools>",
        Says::Learns,
    ),
    (
        "i|we am|are? teaching myself|ourselves <tools>",
        Says::Learns,
    ),
    (
        "@us have|has? started learning|to learn <tools>",
        Says::Learns,
    ),
    ("i|we want|plan|hope|intend to learn <tools>", Says::Learns),
];

/// Skills, languages and the lack of them.
pub(super) fn find(clause: &Clause, found: &mut Vec<Candidate>) {
    let matches = STATED.find(clause);
    let without: Vec<(usize, usize)> = matches
        .iter()
        .filter(|(_, says)| {
            matches!(
                says,
                Says::Without
                    | Says::NewTo
                    | Says::Learns
                    | Says::Mystery
                    | Says::Lacks
                    | Says::Weak
            )
        })
        .map(|(at, _)| (at.start, at.end))
        .collect();
    for (at, says) in &matches {
        let overridden = without
            .iter()
            .any(|(start, end)| *start < at.end && at.start < *end);
        match says {
            Says::Knows | Says::Uses | Says::KnowsFor | Says::Speaks | Says::MovesTo
                if overridden =>
            {
                continue;
            }
            Says::KnowsFor if !is_own(clause) => continue,
            Says::KnowsFor
                if at
                    .tools(0)
                    .iter()
                    .any(|tool| tool.entry.scope == Scope::Preferences)
                    && clause.words.iter().any(|word| word.low == "been") =>
            {
                continue;
            }
            Says::Level => level(at, found),
            Says::Weak => weak(clause, at, found),
            Says::Lacks => lacks(at.text(0), found),
            Says::Never => never(at, found),
            Says::Trade => trade(at.text(0), found),
            Says::Plays => item(found, format!("Plays the {}", at.text(0))),
            _ => {}
        }
        for tool in at.tools(0).iter().chain(at.tools(1)) {
            match says {
                Says::Uses | Says::MovesTo if tool.entry.scope != Scope::Knowledge => {}
                Says::MovesTo => item(found, format!("Moving to {}", tool.name)),
                Says::Knows | Says::Uses => knows(tool, None, found),
                Says::KnowsFor => {
                    let time = duration(clause);
                    knows(tool, time.as_deref(), found);
                }
                Says::Speaks => speaks(tool, found),
                Says::Native => push(found, format!("Native {} speaker", tool.name), tool),
                Says::NewTo => item(found, format!("New to {}", tool.name)),
                Says::Without => item(found, format!("No experience with {}", tool.name)),
                Says::Mystery => item(found, format!("Does not understand {}", tool.name)),
                Says::Learns => found.push(Candidate::item(
                    Scope::Goals,
                    format!("Learning {}", tool.name),
                )),
                _ => {}
            }
        }
    }
}

/// "Ten years of C" tells of oneself, "they ask for ten years of C" doesn't.
fn is_own(clause: &Clause) -> bool {
    clause
        .words
        .iter()
        .any(|word| word.is_any(&["i", "we", "my", "our", "me"]))
        || clause
            .words
            .iter()
            .take(4)
            .any(|word| word.is_any(&["years", "yrs", "decades", "decade", "been"]))
}

/// How well somebody knows what they name: "my Spanish is *rusty*".
const GOOD: &[&str] = &[
    "good",
    "fluent",
    "decent",
    "great",
    "solid",
    "strong",
    "fine",
    "excellent",
    "native",
];
const MIDDLING: &[&str] = &[
    "ok",
    "okay",
    "basic",
    "rusty",
    "so-so",
    "limited",
    "intermediate",
    "passable",
    "conversational",
    "elementary",
    "functional",
    "shaky",
    "bad",
    "poor",
    "terrible",
    "weak",
    "awful",
    "nonexistent",
    "patchy",
];

fn level(at: &Match, found: &mut Vec<Candidate>) {
    let Some(tool) = at.tools(0).first() else {
        return;
    };
    let told = words(at.text(1));
    let word = told.iter().find(|word| !is_adverb(word));
    match word {
        Some(word) if word.is_any(GOOD) || word.is_any(MIDDLING) => {
            if tool.entry.slot == "spoken_language" {
                push(found, format!("Speaks {} ({})", tool.name, word.low), tool);
            } else if tool.entry.scope == Scope::Knowledge {
                item(found, format!("{} ({})", tool.name, word.low));
            }
        }
        _ => {}
    }
}

/// "I'm not good at formal letters", "it's window functions that I always mess up".
fn weak(clause: &Clause, at: &Match, found: &mut Vec<Candidate>) {
    let what = at.text(0);
    let first = words(what);
    let passing = points_at_the_conversation(what)
        || first.first().is_none_or(|word| {
            word.is_any(&[
                "my", "your", "his", "her", "their", "how", "what", "why", "being", "up", "with",
            ])
        });
    if passing {
        return;
    }
    let comfortable = clause
        .words
        .get(at.start..at.end)
        .unwrap_or_default()
        .iter()
        .any(|word| word.is_any(&["comfortable", "familiar"]));
    item(
        found,
        if comfortable {
            format!("Not comfortable with {what}")
        } else {
            format!("Weak at {what}")
        },
    );
}

/// "Zero coding background", "I can't code".
fn lacks(what: &str, found: &mut Vec<Candidate>) {
    if what.is_empty() {
        item(found, "Cannot code".to_owned());
        return;
    }
    let what_words = words(what);
    let (Some(last), true) = (what_words.last(), what_words.len() > 1) else {
        return;
    };
    if last.is_any(&[
        "background",
        "experience",
        "training",
        "education",
        "knowledge",
        "skills",
    ]) {
        let value = format!("No {what}");
        found.retain(|fact| !fact.value.starts_with("No experience with"));
        item(found, value);
    }
}

fn never(at: &Match, found: &mut Vec<Candidate>) {
    if tool_at(&words(at.text(0)), 0).is_none() && words(at.text(0)).len() <= 4 {
        item(found, format!("Never learned {}", at.text(0)));
    }
}

/// "Been roofing for 20 years": a trade that takes years is a skill.
fn trade(said: &str, found: &mut Vec<Candidate>) {
    let said = words(said);
    let Some(at) = said.iter().position(|word| word.low == "for") else {
        return;
    };
    let (doing, time) = said.split_at(at);
    let practised = doing.first().is_some_and(|word| {
        word.low.ends_with("ing") && word.low.len() > 4 && !word.is_any(NO_TRADES)
    });
    let named = (0..doing.len()).any(|at| tool_at(doing, at).is_some());
    if !practised || named || doing.len() > 4 {
        return;
    }
    if let Some(time) = span(time) {
        item(found, format!("{}, {time}", capital(&join(doing))));
    }
}

const NO_TRADES: &[&str] = &[
    "trying",
    "waiting",
    "living",
    "thinking",
    "looking",
    "having",
    "getting",
    "dating",
    "going",
    "working",
    "using",
    "wanting",
    "asking",
    "hoping",
    "meaning",
    "planning",
    "struggling",
    "dealing",
    "fighting",
    "being",
    "wondering",
    "staring",
    "running",
    "sitting",
    "coming",
    "renting",
    "smoking",
    "paying",
    "complaining",
    "avoiding",
    "seeing",
];

fn knows(tool: &Tool, time: Option<&str>, found: &mut Vec<Candidate>) {
    if tool.entry.slot == "spoken_language" {
        return;
    }
    if matches!(
        tool.entry.slot,
        "diet" | "units" | "indentation" | "hardware"
    ) {
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

/// "ten years", "about six months", "since 2009" in the clause.
fn duration(clause: &Clause) -> Option<String> {
    span(&clause.words).or_else(|| {
        let since = clause.words.iter().position(|word| word.low == "since")?;
        let year = clause.words.get(since + 1)?;
        let is_year = year.low.len() == 4 && year.low.chars().all(|c| c.is_ascii_digit());
        is_year.then(|| format!("since {}", year.low))
    })
}

fn span(words: &[Word]) -> Option<String> {
    let unit = words
        .iter()
        .position(|word| word.is_any(&["years", "yrs", "months", "year", "decades", "decade"]))?;
    let count = words.get(unit.checked_sub(1)?)?;
    let number = count.text.chars().all(|c| c.is_ascii_digit() || c == '+')
        || count.is_any(&[
            "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve", "fifteen", "twenty", "thirty", "many", "several", "few", "a",
        ]);
    let unit = words.get(unit)?;
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
