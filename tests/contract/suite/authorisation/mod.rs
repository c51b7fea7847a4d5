//! Who may do what: every principal at every route with every kind of object.
//!
//! `matrix` is the table. It is played once, each cell in a world of its own; the tests look
//! at what came of it.

mod matrix;
mod objects;
mod principals;
mod routes;

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use chrono::Duration;
use ctxmem_server::http::ROUTES;
use futures_util::future::join_all;

use self::matrix::{Cell, MATRIX, Row, TOLD_APART};
use self::objects::{Canary, Kind, Place, Whose, World, WorldState};
use self::principals::{Agents, Principal};
use crate::suite::support::{OidcProvider, RawResponse, Setup, TestClock};

/// How many cells are played at once.
const AT_ONCE: usize = 16;

/// Headers that differ between any two answers.
const OF_THE_MOMENT: [&str; 4] = [
    "date",
    "x-request-id",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
];

/// What came of one cell.
struct Played {
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

static PLAYED: LazyLock<Vec<Played>> = LazyLock::new(|| {
    // Tests may stand in a runtime of their own.
    let playing = std::thread::spawn(|| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(play())
    });
    playing.join().unwrap()
});

async fn play() -> Vec<Played> {
    let clock = Arc::new(TestClock::at("2026-03-01T09:00:00Z"));
    // Far from its limit: the headers are to be seen.
    let provider = OidcProvider::start(serde_json::json!({})).await;
    let setup = Setup::new().clock(&clock).rate_limit(1_000_000);
    let setup = setup.oidc(&provider).with(|config| {
        config.sign_in_secret = Some("0123456789abcdef0123456789abcdef".into());
    });
    let server = setup.start().await;
    let agents = Agents::new(&server).await;
    let mut places = Vec::new();
    for row in MATRIX {
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
    let mut played = Vec::new();
    for worlds in worlds.chunks(AT_ONCE) {
        let playing = worlds.iter().map(async |world| {
            let before = world.state(&server).await;
            let answer = routes::request(&server, world).send().await;
            let mut columns = world.row.columns();
            let column = columns.find(|(principal, _)| *principal == world.principal);
            Played {
                row: world.row,
                principal: world.principal,
                expected: column.unwrap().1,
                answer,
                object: world.object().to_owned(),
                own: world.own.canaries(),
                other: world.other.canaries(),
                before,
                after: world.state(&server).await,
            }
        });
        played.extend(join_all(playing).await);
    }
    played
}

impl Played {
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

    /// The whole answer, less what belongs to the moment; what the request named and what
    /// is the caller's own have the same name in every world.
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

    /// What the answer must not hold.
    fn unsaid(&self) -> Vec<Canary> {
        let is_object = |canary: &Canary| canary.text == self.object;
        if self.expected.is_refusal() {
            // Whom it is refused learns nothing, and hears nothing back.
            let mut unsaid = [&*self.own, &*self.other].concat();
            if !self.object.is_empty() && !unsaid.iter().any(is_object) {
                unsaid.push(Canary {
                    what: "object",
                    text: self.object.clone(),
                });
            }
            return unsaid;
        }
        let mut unsaid = self.other.clone();
        unsaid.retain(|canary| !is_object(canary));
        if self.expected == Cell::Made && self.row.user() == Some(Whose::Other) {
            // By the grant that the call made, the agent may read.
            unsaid.retain(|canary| canary.what != "fact");
        }
        unsaid
    }

    /// How many agents the user of this request ever granted: before and after.
    fn granted(&self) -> Option<(usize, usize)> {
        let user = self.row.user()?;
        let count = |state: &WorldState| state.of(user).grants.len();
        Some((count(&self.before), count(&self.after)))
    }
}

/// Fails with all that was found.
#[track_caller]
fn assert_none(found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_table_has_the_routes_of_the_router() {
    let routed: BTreeSet<_> = ROUTES.iter().map(|r| (r.method(), r.template())).collect();
    let listed: BTreeSet<_> = MATRIX.iter().map(|r| (r.method, r.template)).collect();
    let missing = routed.difference(&listed);
    let unknown = listed.difference(&routed);
    let missing = missing.map(|route| format!("the table lacks {route:?}"));
    let unknown = unknown.map(|route| format!("the router lacks {route:?}"));
    assert_none(missing.chain(unknown));
}

#[test]
fn the_table_has_every_object_of_a_route_once() {
    for row in MATRIX {
        let alike = MATRIX.iter().filter(|other| {
            (other.method, other.template, other.kind) == (row.method, row.template, row.kind)
        });
        let mut whose: Vec<Whose> = alike.map(|row| row.whose).collect();
        whose.sort_unstable();
        let has_object = !matches!(row.kind, Kind::Nothing | Kind::Account);
        if has_object {
            assert_eq!(whose, [Whose::Own, Whose::Other, Whose::Absent], "{row:?}");
        } else {
            assert_eq!(whose, [Whose::Own], "{row:?}");
        }
        assert!(has_object || !row.template.contains('{'), "{row:?}");
    }
}

#[test]
fn every_cell_is_answered_as_the_table_says() {
    assert_none(PLAYED.iter().filter_map(|played| {
        let (expected, answer) = (played.expected, &played.answer);
        (!expected.is(answer)).then(|| {
            let (status, body) = (answer.status, &answer.body);
            let name = played.name();
            format!("{name}: expected {expected:?}, was answered {status} {body}")
        })
    }));
}

#[test]
fn a_first_grant_is_made_where_the_table_says_so_and_nowhere_else() {
    assert_none(PLAYED.iter().filter_map(|played| {
        let (before, after) = played.granted()?;
        let expected = before + usize::from(played.expected.makes_a_grant());
        (after != expected).then(|| format!("{}: {before} grants, then {after}", played.name()))
    }));
}

#[test]
fn what_is_somebody_elses_looks_like_what_is_not_there() {
    let find = |like: &Played, whose| {
        PLAYED.iter().find(|played| {
            let (row, like_row) = (played.row, like.row);
            played.principal == like.principal
                && (row.method, row.template, row.kind, row.whose)
                    == (like_row.method, like_row.template, like_row.kind, whose)
        })
    };
    assert_none(PLAYED.iter().filter_map(|other| {
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
fn no_answer_tells_anything_of_somebody_else() {
    assert_none(PLAYED.iter().flat_map(|played| {
        let answer = &played.answer;
        let headers = answer
            .headers()
            .map(|(name, value)| format!("{name}: {value}"));
        let text: Vec<String> = headers.chain([answer.body.clone()]).collect();
        let text = text.join("\n");
        let told = played.unsaid().into_iter();
        let told = told.filter(|canary| text.contains(&canary.text));
        told.map(|canary| format!("{}: tells {canary:?}", played.name()))
            .collect::<Vec<_>>()
    }));
}

#[test]
fn what_is_refused_or_only_read_changes_nothing() {
    assert_none(PLAYED.iter().filter_map(|played| {
        let still = played.expected.is_refusal() || played.row.method == "GET";
        (still && played.before != played.after).then(|| {
            let (name, before, after) = (played.name(), &played.before, &played.after);
            format!("{name}:\n--- before\n{before:?}\n--- after\n{after:?}")
        })
    }));
}

#[test]
fn what_is_done_changes_nothing_of_anybody_else() {
    assert_none(PLAYED.iter().flat_map(|played| {
        let touched = played.row.user();
        let others = [Whose::Own, Whose::Other, Whose::Absent].into_iter();
        others
            .filter(move |whose| Some(*whose) != touched)
            .filter(|whose| played.before.of(*whose) != played.after.of(*whose))
            .map(|whose| {
                let (before, after) = (played.before.of(whose), played.after.of(whose));
                let name = played.name();
                format!("{name}: {whose:?}\n--- before\n{before:?}\n--- after\n{after:?}")
            })
    }));
}

#[test]
fn no_agent_or_key_of_another_developer_is_touched() {
    assert_none(PLAYED.iter().filter_map(|played| {
        let (before, after) = (&played.before.other_agent, &played.after.other_agent);
        let name = played.name();
        (before != after).then(|| format!("{name}:\n--- before\n{before:?}\n--- after\n{after:?}"))
    }));
}

#[test]
fn developers_change_their_own_agents_where_the_table_says_so() {
    const CHANGES: [&str; 4] = [
        "/dashboard/agents/rename",
        "/dashboard/agents/delete",
        "/dashboard/keys",
        "/dashboard/keys/revoke",
    ];
    assert_none(PLAYED.iter().filter_map(|played| {
        let changes = CHANGES.contains(&played.row.template) && !played.expected.is_refusal();
        let (before, after) = (&played.before.own_agent, &played.after.own_agent);
        ((before != after) != changes).then(|| format!("{}: {after:?}", played.name()))
    }));
}
