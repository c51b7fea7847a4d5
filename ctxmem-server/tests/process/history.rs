//! The history of clients' calls and their answers, and what a server must therefore show later.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;
use std::time::SystemTime;

use ctxmem_client::{Client, Error, ErrorCode, UserId};

use crate::process::user;

/// Everything that is stored of the users of these tests contains this word, so that a search
/// through files finds it.
pub(crate) const MARK: &str = "quokka-";

/// The two facts of one update, which are stored together or not at all.
pub(crate) type Facts = [String; 2];

/// A call: when it was sent, and when its answer was here, if one came.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) sent: SystemTime,
    pub(crate) acknowledged: Option<SystemTime>,
}

impl Call {
    /// A call that is sent now.
    fn sent() -> Self {
        Self {
            sent: SystemTime::now(),
            acknowledged: None,
        }
    }

    fn answered<T>(&mut self, answer: &Result<T, Error>) {
        self.acknowledged = answer.is_ok().then(SystemTime::now);
    }

    fn was_sent(&self, until: SystemTime) -> bool {
        self.sent < until
    }

    fn was_acknowledged(&self, until: SystemTime) -> bool {
        self.acknowledged.is_some_and(|at| at < until)
    }
}

/// One user's calls. No two users share a name.
#[derive(Clone, Debug)]
pub(crate) struct History {
    name: String,
    /// The user's first call, which makes the grant. It may be an update as well.
    pub(crate) first: Option<Call>,
    pub(crate) updates: Vec<(Call, Facts)>,
    pub(crate) erasure: Option<Call>,
}

impl History {
    /// A name has four parts, so that none is the beginning of another: see [`named_in`].
    pub(crate) fn new(round: usize, client: usize, number: usize) -> Self {
        Self {
            name: format!("{MARK}r{round}-c{client}-u{number}-"),
            first: None,
            updates: Vec::new(),
            erasure: None,
        }
    }

    pub(crate) fn id(&self) -> UserId {
        user(&format!("{}id", self.name))
    }

    /// The beginning of the user's id and of each of the user's facts.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The facts of the user's next update. They are of many lengths, so that pages fill up and
    /// are divided in many ways: that is where bytes are left behind.
    fn next_facts(&self) -> Facts {
        let number = self.updates.len();
        let seed: usize = self.name.bytes().map(usize::from).sum();
        [("a", 53), ("b", 170)].map(|(part, of)| {
            let filler = "x".repeat((seed * 37 + number * 91 + of) % 400);
            format!("{}n{number}-{part}-{filler}", self.name)
        })
    }

    /// Sends the next update, and notes what came of it.
    pub(crate) async fn update(&mut self, client: &Client) -> Result<(), Error> {
        let facts = self.next_facts();
        let [a, b] = &facts;
        let message = format!("Remember that I am good at fact:{a} and fact:{b}.");
        let mut call = Call::sent();
        let answer = client.update(&self.id(), message, "Noted.").await;
        call.answered(&answer);
        if let Ok(answer) = &answer {
            let learned = answer.delta.as_ref().is_some_and(|delta| !delta.is_empty());
            assert!(learned, "nothing was learned: {:?}", answer.outcome);
        }
        self.first.get_or_insert(call.clone());
        self.updates.push((call, facts));
        answer.map(drop)
    }

    /// Asks for a prompt, which makes the grant of a new user.
    pub(crate) async fn inject(&mut self, client: &Client) -> Result<(), Error> {
        let mut call = Call::sent();
        let answer = client.inject(&self.id(), "Hello").await;
        call.answered(&answer);
        self.first.get_or_insert(call);
        answer.map(drop)
    }

    pub(crate) async fn erase(&mut self, client: &Client) -> Result<(), Error> {
        let mut call = Call::sent();
        let answer = client.delete_context(&self.id()).await;
        call.answered(&answer);
        self.erasure = Some(call);
        answer.map(drop)
    }

    /// Takes what is seen after an interruption for what was acknowledged: what was under way
    /// then has come to an end, one way or the other.
    pub(crate) fn settle(&mut self, seen: &Seen) {
        if let Some(erasure) = &mut self.erasure {
            if matches!(seen, Seen::NoGrant) {
                erasure.acknowledged.get_or_insert(erasure.sent);
            } else {
                self.erasure = None;
            }
        }
        self.updates
            .retain(|(_, facts)| facts.iter().all(|fact| seen.shows(fact)));
        for (call, _) in &mut self.updates {
            call.acknowledged.get_or_insert(call.sent);
        }
    }

    /// What had become of the erasure at a moment.
    pub(crate) fn erasure_at(&self, moment: SystemTime) -> Erasure {
        match &self.erasure {
            Some(call) if call.was_acknowledged(moment) => Erasure::Acknowledged,
            Some(call) if call.was_sent(moment) => Erasure::UnderWay,
            _ => Erasure::Unsent,
        }
    }

    /// Compares what a server shows with what it must show if it was interrupted at a moment:
    /// what was acknowledged before counts, and what was sent before may.
    pub(crate) fn judge(&self, interrupted: SystemTime, seen: &Seen) -> Verdict {
        let mut verdict = Verdict::default();
        let (mut wanted, mut missing) = (0, 0);
        for (call, facts) in &self.updates {
            let there = facts.iter().filter(|fact| seen.shows(fact)).count();
            if there == 1 {
                verdict.half += 1;
            }
            if call.was_acknowledged(interrupted) {
                wanted += 1;
                missing += usize::from(there == 0);
            }
        }
        let granted = |first: &Call| first.was_acknowledged(interrupted);
        let grant_is_missing =
            self.first.as_ref().is_some_and(granted) && matches!(seen, Seen::NoGrant);
        match self.erasure_at(interrupted) {
            Erasure::Unsent => {
                verdict.lost += if wanted == 0 {
                    usize::from(grant_is_missing)
                } else {
                    missing
                };
            }
            // It also revokes the grant, so nothing but the grant would be half of it.
            Erasure::UnderWay => {
                let complete = matches!(seen, Seen::NoGrant);
                verdict.half += usize::from(!complete && missing > 0);
            }
            Erasure::Acknowledged => verdict.readable += usize::from(seen.any()),
        }
        verdict
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Erasure {
    Unsent,
    UnderWay,
    Acknowledged,
}

/// What the interface shows of a user.
#[derive(Debug)]
pub(crate) enum Seen {
    NoGrant,
    Facts(BTreeSet<String>),
}

impl Seen {
    /// Reads the context, and for users without a grant the prompt too.
    pub(crate) async fn read(client: &Client, history: &History) -> Result<Self, String> {
        let id = history.id();
        match client.context(&id).await {
            Ok(context) => {
                let values = context.domain_expertise.into_iter().map(|fact| fact.value);
                Ok(Self::Facts(values.collect()))
            }
            Err(error) if error.code() == Some(&ErrorCode::Forbidden) => {
                let prompt = client.inject(&id, "Hello").await;
                let prompt = prompt.map_err(|error| error.to_string())?;
                if prompt.prompt().contains(MARK) {
                    Ok(Self::Facts([prompt.into_prompt()].into()))
                } else {
                    Ok(Self::NoGrant)
                }
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn shows(&self, fact: &str) -> bool {
        matches!(self, Self::Facts(facts) if facts.contains(fact))
    }

    fn any(&self) -> bool {
        matches!(self, Self::Facts(facts) if !facts.is_empty())
    }
}

/// How often a promise was broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Acknowledged and not there.
    pub(crate) lost: usize,
    /// Databases that are damaged, and servers that do not start or fail.
    pub(crate) corrupt: usize,
    /// Updates and erasures of which a part is there.
    pub(crate) half: usize,
    /// Users who can be read or are named in a file after an acknowledged erasure.
    pub(crate) readable: usize,
}

impl AddAssign for Verdict {
    fn add_assign(&mut self, other: Self) {
        self.lost += other.lost;
        self.corrupt += other.corrupt;
        self.half += other.half;
        self.readable += other.readable;
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} lost, {} corrupt, {} half, {} readable after an erasure",
            self.lost, self.corrupt, self.half, self.readable
        )
    }
}

#[test]
fn each_broken_promise_is_noticed() {
    let now = SystemTime::now();
    let call = |acknowledged| Call {
        sent: SystemTime::UNIX_EPOCH,
        acknowledged,
    };
    let mut history = History::new(0, 0, 0);
    let (one, other) = (history.next_facts(), ["x".to_owned(), "y".to_owned()]);
    let past = Some(SystemTime::UNIX_EPOCH);
    history.first = Some(call(past));
    history.updates = vec![(call(past), one.clone()), (call(None), other.clone())];
    let shows = |facts: &[&String]| Seen::Facts(facts.iter().copied().cloned().collect());
    let all = shows(&[&one[0], &one[1], &other[0], &other[1]]);
    let acknowledged = shows(&[&one[0], &one[1]]);
    let (torn, empty) = (shows(&[&one[0], &other[0]]), shows(&[]));
    let verdict = |lost, half, readable| Verdict {
        lost,
        half,
        readable,
        corrupt: 0,
    };

    assert_eq!(history.judge(now, &all), verdict(0, 0, 0));
    assert_eq!(history.judge(now, &acknowledged), verdict(0, 0, 0));
    assert_eq!(history.judge(now, &empty), verdict(1, 0, 0));
    assert_eq!(history.judge(now, &Seen::NoGrant), verdict(1, 0, 0));
    assert_eq!(history.judge(now, &torn), verdict(0, 2, 0));
    history.erasure = Some(call(None));
    assert_eq!(history.judge(now, &all), verdict(0, 0, 0));
    assert_eq!(history.judge(now, &Seen::NoGrant), verdict(0, 0, 0));
    assert_eq!(history.judge(now, &empty), verdict(0, 1, 0));
    history.erasure = Some(call(past));
    assert_eq!(history.judge(now, &Seen::NoGrant), verdict(0, 0, 0));
    assert_eq!(history.judge(now, &all), verdict(0, 0, 1));

    history.updates.clear();
    history.erasure = None;
    assert_eq!(history.judge(now, &empty), verdict(0, 0, 0));
    assert_eq!(history.judge(now, &Seen::NoGrant), verdict(1, 0, 0));
}
