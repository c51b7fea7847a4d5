//! The last calls of each team in the playground: in this process only, for an hour, and less once
//! the test user is erased.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::core::{Developer, DeveloperId};
use crate::locked;

/// How many calls are kept of a team.
const CALLS: usize = 10;
/// How many teams have a history at once.
const TEAMS: u64 = 200;
/// A call with a longer request is not kept, in bytes.
const MAX_REQUEST: usize = 8 << 10;
const IDLE: Duration = Duration::from_hours(1);

/// A call, as the page lists it.
#[derive(Clone)]
pub(crate) struct PastCall {
    /// In milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// How the key begins.
    pub(crate) prefix: String,
    pub(crate) status: String,
    pub(crate) is_good: bool,
    /// The call as a command.
    pub(crate) curl: String,
}

pub(crate) struct PlaygroundHistory {
    calls: moka::sync::Cache<DeveloperId, Arc<Mutex<VecDeque<PastCall>>>>,
}

impl PlaygroundHistory {
    pub(crate) fn new() -> Self {
        let calls = moka::sync::Cache::builder()
            .max_capacity(TEAMS)
            .time_to_idle(IDLE)
            .build();
        Self { calls }
    }

    /// Adds a call, in place of the oldest one where there are too many.
    pub(crate) fn add(&self, developer: &Developer, call: PastCall) {
        if call.curl.len() > MAX_REQUEST {
            return;
        }
        let of = self.calls.get_with(developer.id.clone(), Arc::default);
        let mut calls = locked(&of);
        calls.push_front(call);
        calls.truncate(CALLS);
    }

    /// The calls of a developer's team, the newest first.
    pub(crate) fn of(&self, developer: &Developer) -> Vec<PastCall> {
        let Some(of) = self.calls.get(&developer.id) else {
            return Vec::new();
        };
        let calls = locked(&of);
        calls.iter().cloned().collect()
    }

    pub(crate) fn forget(&self, developer: &Developer) {
        self.calls.invalidate(&developer.id);
    }

    /// Gives the memory of idle histories back.
    pub(crate) fn evict_idle(&self) {
        self.calls.run_pending_tasks();
    }
}

/// A call as a command, with a body where there is one. The key stands for itself: it is read from the environment.
pub(crate) fn curl(url: &str, json: &str) -> String {
    let call = format!("curl '{url}' \\\n  -H \"Authorization: Bearer $CTXMEM_API_KEY\"");
    if json.is_empty() {
        return call;
    }
    let json = json.replace('\'', r"'\''");
    format!("{call} \\\n  -H 'Content-Type: application/json' \\\n  -d '{json}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(at: i64, curl: &str) -> PastCall {
        PastCall {
            at,
            method: "POST",
            path: "/api/context/inject".to_owned(),
            prefix: "ctxm_abc".to_owned(),
            status: "200 OK".to_owned(),
            is_good: true,
            curl: curl.to_owned(),
        }
    }

    #[test]
    fn the_last_ten_calls_are_kept_each_teams_own() {
        let history = PlaygroundHistory::new();
        let alone = |id| Developer::alone(id, "");
        let (ann, bob) = (alone("ann"), alone("bob"));
        for at in 0..12 {
            history.add(&ann, call(at, "curl"));
        }
        history.add(&bob, call(100, "curl"));
        history.add(&bob, call(101, &"x".repeat(MAX_REQUEST + 1)));
        let times = |of: &Developer| {
            let calls = history.of(of);
            calls.iter().map(|call| call.at).collect::<Vec<_>>()
        };
        assert_eq!(times(&ann), (2..12).rev().collect::<Vec<_>>());
        assert_eq!(times(&bob), [100]);
        history.forget(&ann);
        assert_eq!((times(&ann), times(&bob)), (vec![], vec![100]));
    }

    #[test]
    fn a_command_keeps_its_text_together_and_names_no_key() {
        let command = curl(
            "http://localhost/api/context/inject",
            r#"{"a":"it's $HOME"}"#,
        );
        assert!(
            command.ends_with(r#"-d '{"a":"it'\''s $HOME"}'"#),
            "{command}"
        );
        assert!(command.contains("\"Authorization: Bearer $CTXMEM_API_KEY\" \\\n"));
    }
}
