//! Every cell of the table: each runs once, in a world of its own, and the tests look at the results.

use std::sync::{Arc, LazyLock};

use chrono::Duration;
use futures_util::future::join_all;

use super::matrix::{Cell, MATRIX, Row, TOLD_APART};
use super::objects::{AgentList, Canary, Place, Whose, World, WorldState};
use super::principals::{Agents, Principal};
use super::{assert_none, routes};
use crate::suite::support::{ENGINE, Engine, OidcProvider, RawResponse, Server, Setup, TestClock};

/// How many cells run at once.
static AT_ONCE: LazyLock<usize> = LazyLock::new(|| match *ENGINE {
    // Each changes what all machines have, one after the other.
    Engine::Citus => 4,
    Engine::Sqlite | Engine::Postgres => 16,
});

/// Headers that differ between any two answers.
const OF_THE_MOMENT: [&str; 4] = [
    "date",
    "x-request-id",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];

/// The result of one cell.
struct CellResult {
    row: &'static Row,
    principal: Principal,
    expected: Cell,
    answer: RawResponse,
    /// What the request named.
    object: String,
    own: Vec<Canary>,
    other: Vec<Canary>,
    before: WorldState,
    after: WorldState,
}

static RESULTS: LazyLock<Vec<CellResult>> = LazyLock::new(|| {
    // A test may already be inside a runtime.
    let running = std::thread::spawn(|| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(run_every_cell())
    });
    running.join().unwrap()
});

async fn run_every_cell() -> Vec<CellResult> {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    // The limit is never reached, but its headers are part of the answers.
    let provider = OidcProvider::start(serde_json::json!({})).await;
    let setup = Setup::new().clock(&clock).rate_limit(1_000_000);
    let setup = setup.oidc(&provider).with(|config| {
        config.sign_in_secret = Some("0123456789abcdef0123456789abcdef".into());
        config.operator.contact = Some("help@example.com".to_owned());
        config.mcp = true;
        config.mcp_oauth = true;
    });
    let server = setup.start().await;
    let agents = Agents::new(&server).await;
    let mut places = Vec::new();
    for row in MATRIX.iter() {
        for (principal, _) in row.columns() {
            places.push(Place::new(&server, places.len(), row, principal).await);
        }
    }
    clock.advance(Duration::hours(1));
    let mut worlds = Vec::new();
    while !places.is_empty() {
        let next = places.drain(..AT_ONCE.min(places.len()));
        let new = next.map(|place| World::new(&server, &agents, place));
        worlds.extend(join_all(new).await);
    }
    let mut results = Vec::new();
    for worlds in worlds.chunks(*AT_ONCE) {
        let states = async || {
            let listed = AgentList::of(&server).await;
            join_all(worlds.iter().map(|world| world.state(&server, &listed))).await
        };
        let before = states().await;
        let answers = join_all(worlds.iter().map(|world| answer(&server, world))).await;
        let states = before.into_iter().zip(states().await);
        for ((world, answer), (before, after)) in worlds.iter().zip(answers).zip(states) {
            let mut columns = world.row.columns();
            let column = columns.find(|(principal, _)| *principal == world.principal);
            results.push(CellResult {
                row: world.row,
                principal: world.principal,
                expected: column.unwrap().1,
                answer,
                object: world.object().to_owned(),
                own: world.own.canaries(),
                other: world.other.canaries(),
                before,
                after,
            });
        }
    }
    results
}

async fn answer(server: &Server, world: &World<'_>) -> RawResponse {
    loop {
        let answer = routes::request(server, world).send().await;
        // Passwords are hashed a few at a time.
        if answer.status != 503 {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

impl CellResult {
    /// The cell, for people.
    fn name(&self) -> String {
        let Row {
            method,
            template,
            kind,
            whose,
            ..
        } = self.row;
        let by = self.principal;
        format!("{method} {template} ({kind:?} {whose:?}) by {by:?}")
    }

    /// The whole answer without headers that always differ. What the request named and what is the
    /// caller's own get the same name in every world.
    fn masked(&self) -> String {
        let mut headers: Vec<String> = self
            .answer
            .headers()
            .filter(|(name, _)| !OF_THE_MOMENT.contains(name))
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        headers.sort();
        let mut body = self.answer.body.clone();
        let answered = serde_json::from_str::<serde_json::Value>(&body).unwrap_or_default();
        if let Some(new) = answered["grant"]["id"].as_str() {
            body = body.replace(new, "<new grant>");
        }
        let mut text = format!("{}\n{}\n\n{body}", self.answer.status, headers.join("\n"));
        if !self.object.is_empty() {
            text = text.replace(&self.object, "<object>");
        }
        for canary in &self.own {
            text = text.replace(&canary.text, &format!("<own {}>", canary.what));
        }
        text
    }

    /// What the answer must not contain.
    fn forbidden(&self) -> Vec<Canary> {
        let is_object = |canary: &Canary| canary.text == self.object;
        let is_consent = self.row.template == "/consent/{agentId}";
        if self.expected.is_refusal() {
            // A refusal reveals nothing, and repeats nothing of the request.
            let mut forbidden = [&*self.own, &*self.other].concat();
            if !self.object.is_empty() && !forbidden.iter().any(is_object) {
                forbidden.push(Canary {
                    what: "object",
                    text: self.object.clone(),
                });
            }
            if self.expected == Cell::Page && is_consent {
                // The page says which agent asks, and a cookie brings the browser back to it.
                let is_said = |canary: &Canary| canary.what == "agent name";
                forbidden.retain(|canary| !is_said(canary) && canary.text != self.object);
            }
            return forbidden;
        }
        let mut forbidden = self.other.clone();
        forbidden.retain(|canary| !is_object(canary));
        if self.expected == Cell::Made && self.row.user() == Some(Whose::Other) {
            // By the grant that the call made, the agent may read.
            forbidden.retain(|canary| canary.what != "fact");
        }
        if is_consent {
            // The page is there to say which agent asks.
            forbidden.retain(|canary| canary.what != "agent name");
        }
        forbidden
    }

    /// How many agents the user of this request ever granted: before and after.
    fn grant_counts(&self) -> Option<(usize, usize)> {
        let user = self.row.user()?;
        let count = |state: &WorldState| state.of(user).grants.len();
        Some((count(&self.before), count(&self.after)))
    }
}

#[test]
fn every_cell_is_answered_as_the_table_says() {
    assert_none(RESULTS.iter().filter_map(|result| {
        let (expected, answer) = (result.expected, &result.answer);
        (!expected.is(answer)).then(|| {
            let (status, body) = (answer.status, &answer.body);
            let name = result.name();
            format!("{name}: expected {expected:?}, was answered {status} {body}")
        })
    }));
}

#[test]
fn a_first_grant_is_made_where_the_table_says_so_and_nowhere_else() {
    assert_none(RESULTS.iter().filter_map(|result| {
        let (before, after) = result.grant_counts()?;
        let expected = before + usize::from(result.expected.makes_a_grant());
        (after != expected).then(|| format!("{}: {before} grants, then {after}", result.name()))
    }));
}

#[test]
fn objects_of_others_look_like_absent_ones() {
    let find = |like: &CellResult, whose| {
        RESULTS.iter().find(|result| {
            let (row, like_row) = (result.row, like.row);
            result.principal == like.principal
                && (row.method, row.template, row.kind, row.whose)
                    == (like_row.method, like_row.template, like_row.kind, whose)
        })
    };
    assert_none(RESULTS.iter().filter_map(|other| {
        if other.row.whose != Whose::Other {
            return None;
        }
        let absent = find(other, Whose::Absent).unwrap();
        let told_apart = TOLD_APART.iter().any(|(method, template, kind, by)| {
            (*method, *template, *kind) == (other.row.method, other.row.template, other.row.kind)
                && by.contains(&other.principal)
        });
        let (found, expected) = (other.masked(), absent.masked());
        ((found != expected) != told_apart).then(|| {
            let same = if told_apart { "are alike" } else { "differ" };
            let name = other.name();
            format!("{name}: the answers {same}\n--- other\n{found}\n--- absent\n{expected}")
        })
    }));
}

#[test]
fn no_answer_reveals_anything_about_somebody_else() {
    assert_none(RESULTS.iter().flat_map(|result| {
        let answer = &result.answer;
        let headers = answer
            .headers()
            .map(|(name, value)| format!("{name}: {value}"));
        let text: Vec<String> = headers.chain([answer.body.clone()]).collect();
        let text = text.join("\n");
        let told = result.forbidden().into_iter();
        let told = told.filter(|canary| text.contains(&canary.text));
        told.map(|canary| format!("{}: tells {canary:?}", result.name()))
            .collect::<Vec<_>>()
    }));
}

#[test]
fn refused_and_read_only_requests_change_nothing() {
    assert_none(RESULTS.iter().filter_map(|result| {
        let still = result.expected.is_refusal() || result.row.method == "GET";
        (still && result.before != result.after).then(|| {
            let (name, before, after) = (result.name(), &result.before, &result.after);
            format!("{name}:\n--- before\n{before:?}\n--- after\n{after:?}")
        })
    }));
}

#[test]
fn requests_change_nothing_of_anybody_else() {
    assert_none(RESULTS.iter().flat_map(|result| {
        let touched = result.row.user();
        let others = [Whose::Own, Whose::Other, Whose::Absent].into_iter();
        others
            .filter(move |whose| Some(*whose) != touched)
            .filter(|whose| result.before.of(*whose) != result.after.of(*whose))
            .map(|whose| {
                let (before, after) = (result.before.of(whose), result.after.of(whose));
                let name = result.name();
                format!("{name}: {whose:?}\n--- before\n{before:?}\n--- after\n{after:?}")
            })
    }));
}

#[test]
fn no_agent_or_key_of_another_developer_is_touched() {
    assert_none(RESULTS.iter().filter_map(|result| {
        let (before, after) = (&result.before.other_agent, &result.after.other_agent);
        let name = result.name();
        (before != after).then(|| format!("{name}:\n--- before\n{before:?}\n--- after\n{after:?}"))
    }));
}

#[test]
fn only_owners_change_a_team_and_only_their_own() {
    const CHANGES: [&str; 5] = [
        "/dashboard/team/invite",
        "/dashboard/team/withdraw",
        "/dashboard/team/remove",
        "/dashboard/team/hand-over",
        "/dashboard/team/leave",
    ];
    assert_none(RESULTS.iter().filter_map(|result| {
        let (before, after) = (&result.before, &result.after);
        let changes = CHANGES.contains(&result.row.template) && !result.expected.is_refusal();
        let is_as_said = (before.own_team != after.own_team) == changes;
        let name = result.name();
        (!is_as_said || before.other_team != after.other_team)
            .then(|| format!("{name}:\n--- before\n{before:?}\n--- after\n{after:?}"))
    }));
}

#[test]
fn developers_change_their_own_agents_where_the_table_says_so() {
    const CHANGES: [&str; 5] = [
        "/dashboard/agents/rename",
        "/dashboard/agents/delete",
        "/dashboard/keys",
        "/dashboard/keys/revoke",
        "/dashboard/keys/rotate",
    ];
    assert_none(RESULTS.iter().filter_map(|result| {
        let changes = CHANGES.contains(&result.row.template) && !result.expected.is_refusal();
        let (before, after) = (&result.before.own_agent, &result.after.own_agent);
        ((before != after) != changes).then(|| format!("{}: {after:?}", result.name()))
    }));
}
