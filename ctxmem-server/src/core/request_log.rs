//! The request log: what agents asked for lately, how it was answered and how long it took, for their
//! developers. It never holds what was sent or answered, nor about whom.
//!
//! A request costs no write. It is put into a buffer, which is stored once a second, away from the
//! requests. Under load the log is a sample, as the buffer takes so many requests a second and so many
//! of one agent; how many there were, with which answers and how long they took, is counted of every
//! request.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use super::audit_buffer;
use super::clock::DAY_MILLIS;
use super::metrics::QueueLength;
use super::{Console, Error, unit};
use crate::locked;
use crate::store::{DeveloperId, RequestCount, RequestKind, RequestRow};

/// How many requests are kept between two times that the buffer is stored.
const FULL: usize = 1_000;
/// How many of these one agent can have.
const FULL_OF_AGENT: u32 = 200;
/// How many kinds of requests are counted between two times that the buffer is stored. Clients have
/// no part in what makes a kind, except for their number.
const FULL_OF_KINDS: usize = 50_000;
/// How many rows one unit of work forgets: others want to write as well.
const BATCH: u32 = 1_000;

/// A request that was answered.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRequest<'a> {
    /// The agent whose key was sent.
    pub agent_id: &'a Arc<str>,
    /// The method.
    pub method: &'static str,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// The code of an error.
    pub code: Option<&'a str>,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// What was sent as `X-Request-Id`.
    pub request_id: &'a str,
}

/// What an agent's requests were answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestSummary {
    /// By route, in the order of their names.
    pub routes: Vec<RouteSummary>,
    /// How often each status and code was answered that says that something was refused or failed,
    /// the most frequent first.
    pub errors: Vec<(i64, String, i64)>,
    /// How many requests are counted, but not in the log.
    pub unlogged: i64,
}

/// What the requests to one route were answered, and how long they took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteSummary {
    /// Method and path, with parameters in braces.
    pub route: String,
    /// How many there were.
    pub requests: i64,
    /// How many of them were refused or failed.
    pub errors: i64,
    /// In how many microseconds half of them were answered, 95 of 100, and 99 of 100. Accurate to a
    /// quarter.
    pub percentiles: [i64; 3],
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Kind {
    agent_id: Arc<str>,
    /// In days since 1970.
    day: i64,
    route: (&'static str, &'static str),
    status: u16,
    code: String,
    micros: u64,
}

#[derive(Default)]
struct Batch {
    rows: Vec<RequestRow>,
    of_agents: HashMap<Arc<str>, u32>,
    kinds: HashMap<Kind, RequestCount>,
    /// How many requests found no room at all.
    lost: u64,
}

impl Batch {
    fn note(&mut self, request: &AnsweredRequest<'_>, at: i64) {
        let code = request.code.unwrap_or_default();
        let is_logged = self.take_row(request.agent_id);
        if is_logged {
            self.rows.push(RequestRow {
                at,
                agent_id: request.agent_id.as_ref().to_owned(),
                route: format!("{} {}", request.method, request.path),
                status: request.status.into(),
                code: code.to_owned(),
                micros: i64::try_from(request.micros).unwrap_or(i64::MAX),
                request_id: request.request_id.to_owned(),
            });
        }
        let kind = Kind {
            agent_id: Arc::clone(request.agent_id),
            day: at.div_euclid(DAY_MILLIS),
            route: (request.method, request.path),
            status: request.status,
            code: code.to_owned(),
            micros: ceiling(request.micros),
        };
        let count = RequestCount {
            times: 1,
            unlogged: i64::from(!is_logged),
        };
        self.count(kind, count);
    }

    /// Whether there is room for one more request of this agent in the log.
    fn take_row(&mut self, agent_id: &Arc<str>) -> bool {
        if self.rows.len() >= FULL {
            return false;
        }
        let taken = self.of_agents.entry(Arc::clone(agent_id)).or_default();
        *taken += 1;
        *taken <= FULL_OF_AGENT
    }

    fn count(&mut self, kind: Kind, count: RequestCount) {
        if self.kinds.len() >= FULL_OF_KINDS && !self.kinds.contains_key(&kind) {
            self.lost += count.times.unsigned_abs();
            return;
        }
        let sum = self.kinds.entry(kind).or_default();
        sum.times += count.times;
        sum.unlogged += count.unlogged;
    }

    /// Takes back the numbers of what could not be stored. None of its requests is logged.
    fn put_back(&mut self, batch: Self) {
        for (kind, RequestCount { times, .. }) in batch.kinds {
            let unlogged = times;
            self.count(kind, RequestCount { times, unlogged });
        }
        self.lost += batch.lost;
    }

    /// The same in parts that each concern one agent: where the database is distributed, each is
    /// stored on one machine.
    fn split(self) -> Vec<Self> {
        let mut parts: HashMap<Arc<str>, Self> = HashMap::new();
        for (kind, count) in self.kinds {
            let part = parts.entry(Arc::clone(&kind.agent_id)).or_default();
            part.kinds.insert(kind, count);
        }
        for row in self.rows {
            // A request that is logged is counted too.
            if let Some(part) = parts.get_mut(&*row.agent_id) {
                part.rows.push(row);
            }
        }
        parts.into_values().collect()
    }

    /// The numbers as they are stored, sorted.
    fn counts(&self) -> Vec<(RequestKind, RequestCount)> {
        let counts = self.kinds.iter().map(|(kind, count)| {
            let (method, path) = kind.route;
            let kind = RequestKind {
                agent_id: kind.agent_id.as_ref().to_owned(),
                day: audit_buffer::day(kind.day.saturating_mul(DAY_MILLIS)),
                route: format!("{method} {path}"),
                status: kind.status.into(),
                code: kind.code.clone(),
                micros: i64::try_from(kind.micros).unwrap_or(i64::MAX),
            };
            (kind, *count)
        });
        let mut counts: Vec<_> = counts.collect();
        counts.sort_by(|(a, _), (b, _)| a.cmp(b));
        counts
    }
}

/// The least of some numbers of which this is none greater: four to each doubling, so that they are a
/// quarter apart.
fn ceiling(micros: u64) -> u64 {
    const LEAST: u64 = 16;
    if micros <= LEAST {
        return LEAST;
    }
    let step = 1 << ((micros - 1).ilog2() - 2);
    micros.div_ceil(step) * step
}

/// Collects requests until they are stored.
#[derive(Default)]
pub(super) struct RequestLog {
    batch: Mutex<Batch>,
    /// Held while the log is stored: a reader also waits for what others are storing.
    storing: tokio::sync::Mutex<()>,
}

impl RequestLog {
    pub(super) fn length(&self) -> QueueLength {
        QueueLength {
            waiting: locked(&self.batch).rows.len(),
            limit: FULL,
        }
    }
}

impl Console {
    /// Notes a request for the log of its agent's developer.
    pub fn log_request(&self, request: &AnsweredRequest<'_>) {
        if self.settings.request_log_days.is_some() {
            let now = self.clock.millis();
            locked(&self.request_log.batch).note(request, now);
        }
    }

    /// Stores what was noted since the last time. When that fails, the requests are counted the
    /// next time, but not logged.
    pub async fn flush_request_log(&self) -> Result<(), Error> {
        let _turn = self.request_log.storing.lock().await;
        let batch = std::mem::take(&mut *locked(&self.request_log.batch));
        if batch.lost > 0 {
            let lost = batch.lost;
            tracing::warn!(lost, "some requests are neither in the log nor counted");
        }
        if batch.kinds.is_empty() {
            return Ok(());
        }
        if self.db.shares_units() {
            return self.store_requests(batch).await;
        }
        let mut stored = Ok(());
        for part in batch.split() {
            stored = stored.and(self.store_requests(part).await);
        }
        stored
    }

    /// Stores requests in one unit of work. What can't be stored is counted the next time.
    async fn store_requests(&self, batch: Batch) -> Result<(), Error> {
        let (rows, counts) = (Arc::new(batch.rows.clone()), Arc::new(batch.counts()));
        let stored = unit::write(&self.db, async move |tx| {
            let (rows, counts) = (&rows, &counts);
            tx.log_requests(rows).await?;
            tx.add_requests(counts).await
        })
        .await;
        if stored.is_err() {
            locked(&self.request_log.batch).put_back(batch);
        }
        stored
    }

    /// The newest requests of an agent of this developer with their places in the log, the newest
    /// first: of those before a place where one is given.
    pub async fn requests_of(
        &self,
        developer: &DeveloperId,
        agent_id: &str,
        before: Option<&str>,
        only_errors: bool,
        at_most: u32,
    ) -> Result<Vec<(String, RequestRow)>, Error> {
        let agent = self.agent_of(developer, agent_id).await?;
        if let Err(error) = self.flush_request_log().await {
            // What was stored before can be shown all the same.
            tracing::warn!(%error, "the request log was not stored; it will be tried again");
        }
        unit::read(&self.db, async |tx| {
            tx.requests(&agent.id, before, only_errors, at_most).await
        })
        .await
    }

    /// What the requests of an agent of this developer were answered, as long as it is kept.
    pub async fn request_summary(
        &self,
        developer: &DeveloperId,
        agent_id: &str,
    ) -> Result<RequestSummary, Error> {
        Ok(summary(&self.request_counts(developer, agent_id).await?))
    }

    /// In how many microseconds half of the requests of an agent were answered on each day, and 95 of 100, as long as it
    /// is kept. Days are in UTC, such as `2026-03-01`.
    pub async fn response_times(
        &self,
        developer: &DeveloperId,
        agent_id: &str,
    ) -> Result<BTreeMap<String, [i64; 2]>, Error> {
        let mut took: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
        for (kind, count) in self.request_counts(developer, agent_id).await? {
            took.entry(kind.day)
                .or_default()
                .push((kind.micros, count.times));
        }
        let times = took.into_iter().map(|(day, mut took)| {
            took.sort_unstable();
            (day, [50, 95].map(|share| percentile(&took, share)))
        });
        Ok(times.collect())
    }

    /// How often requests of each kind were answered to an agent of this developer, as long as it is kept.
    async fn request_counts(
        &self,
        developer: &DeveloperId,
        agent_id: &str,
    ) -> Result<Vec<(RequestKind, RequestCount)>, Error> {
        let agent = self.agent_of(developer, agent_id).await?;
        let Some(days) = self.settings.request_log_days else {
            return Ok(Vec::new());
        };
        let since = audit_buffer::day(self.clock.millis() - i64::from(days.get()) * DAY_MILLIS);
        unit::read(&self.db, async |tx| {
            tx.request_counts(&agent.id, &since).await
        })
        .await
    }

    /// For how many days the request log is kept; `None` where there is none.
    pub fn request_log_days(&self) -> Option<u32> {
        self.settings.request_log_days.map(Into::into)
    }

    /// Forgets requests that are older than the settings say: all of them without a request log.
    pub async fn drop_old_requests(&self) -> Result<(), Error> {
        let days = self.settings.request_log_days.map_or(0, Into::into);
        let until = self.clock.millis() - i64::from(days) * DAY_MILLIS;
        let before_day = audit_buffer::day(until);
        unit::write(&self.db, async move |tx| {
            tx.drop_request_days(&before_day).await
        })
        .await?;
        unit::write_in_parts(&self.db, BATCH, move |tx| {
            Box::pin(tx.drop_requests(until, BATCH))
        })
        .await
    }
}

/// Sums up what is sorted by route.
fn summary(counts: &[(RequestKind, RequestCount)]) -> RequestSummary {
    let mut summary = RequestSummary::default();
    let mut errors: HashMap<(i64, &str), i64> = HashMap::new();
    for of_route in counts.chunk_by(|(a, _), (b, _)| a.route == b.route) {
        let is_error = |kind: &RequestKind| kind.status >= 400;
        let mut took: Vec<(i64, i64)> = Vec::new();
        let mut failed = 0;
        for (kind, count) in of_route {
            took.push((kind.micros, count.times));
            summary.unlogged += count.unlogged;
            if is_error(kind) {
                failed += count.times;
                *errors.entry((kind.status, &kind.code)).or_default() += count.times;
            }
        }
        took.sort_unstable();
        let Some((kind, _)) = of_route.first() else {
            continue;
        };
        summary.routes.push(RouteSummary {
            route: kind.route.clone(),
            requests: took.iter().map(|(_, times)| times).sum(),
            errors: failed,
            percentiles: [50, 95, 99].map(|share| percentile(&took, share)),
        });
    }
    let errors = errors.into_iter();
    summary.errors = errors
        .map(|((status, code), times)| (status, code.to_owned(), times))
        .collect();
    summary
        .errors
        .sort_by(|a, b| (b.2, a.0, &a.1).cmp(&(a.2, b.0, &b.1)));
    summary
}

/// The number within which so many of a hundred lie, of numbers that are sorted and stand there so
/// many times.
fn percentile(sorted: &[(i64, i64)], share: i64) -> i64 {
    let all: i64 = sorted.iter().map(|(_, times)| times).sum();
    let mut left = (all.saturating_mul(share) + 99) / 100;
    for (number, times) in sorted {
        left -= times;
        if left <= 0 {
            return *number;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: i64 = 1_772_323_200_000;

    fn request(agent_id: &Arc<str>, status: u16, micros: u64) -> AnsweredRequest<'_> {
        AnsweredRequest {
            agent_id,
            method: "POST",
            path: "/api/context/inject",
            status,
            code: (status >= 400).then_some("FORBIDDEN"),
            micros,
            request_id: "id",
        }
    }

    #[test]
    fn times_are_rounded_up_by_a_quarter_at_most() {
        for micros in (0..100_000).chain([u64::from(u32::MAX), 60_000_000]) {
            let rounded = ceiling(micros);
            assert!(rounded >= micros.max(16), "{micros}");
            assert!(
                rounded <= 16 || rounded * 4 <= micros * 5,
                "{micros} {rounded}"
            );
            assert_eq!(ceiling(rounded), rounded, "{micros}");
        }
        let different: std::collections::HashSet<u64> =
            (0..60_000_000).step_by(997).map(ceiling).collect();
        assert!(different.len() < 100, "{}", different.len());
    }

    #[test]
    fn under_load_the_log_is_a_part_and_the_numbers_are_all() {
        let (busy, quiet): (Arc<str>, Arc<str>) = ("busy".into(), "quiet".into());
        let mut batch = Batch::default();
        for _ in 0..5_000 {
            batch.note(&request(&busy, 200, 100), AT);
        }
        batch.note(&request(&quiet, 403, 100), AT);
        let logged = |batch: &Batch, agent: &str| {
            let rows = batch.rows.iter();
            rows.filter(|row| row.agent_id == agent).count()
        };
        assert_eq!((logged(&batch, "busy"), logged(&batch, "quiet")), (200, 1));
        let counted = |batch: &Batch| {
            let counts = batch.counts();
            counts.iter().map(|(_, count)| *count).collect::<Vec<_>>()
        };
        let of = |times, unlogged| RequestCount { times, unlogged };
        assert_eq!(counted(&batch), [of(5_000, 4_800), of(1, 0)]);
        for n in 0..10 {
            let agent: Arc<str> = n.to_string().into();
            for _ in 0..500 {
                batch.note(&request(&agent, 200, 100), AT);
            }
        }
        assert_eq!(batch.rows.len(), FULL);
        // What can't be stored is counted the next time, and is in no log.
        let mut next = Batch::default();
        next.note(&request(&quiet, 403, 90), AT);
        next.put_back(batch);
        assert_eq!(next.rows.len(), 1);
        let counts = next.counts();
        let all: i64 = counts.iter().map(|(_, count)| count.times).sum();
        let unlogged: i64 = counts.iter().map(|(_, count)| count.unlogged).sum();
        assert_eq!((all, unlogged), (10_002, 10_001));
    }

    #[test]
    fn kinds_are_bounded_and_what_is_beyond_is_told() {
        let mut batch = Batch::default();
        for n in 0..FULL_OF_KINDS + 3 {
            let agent: Arc<str> = n.to_string().into();
            batch.note(&request(&agent, 200, 100), AT);
        }
        assert_eq!((batch.kinds.len(), batch.lost), (FULL_OF_KINDS, 3));
        batch.note(&request(&"0".into(), 200, 100), AT);
        assert_eq!(batch.lost, 3);
    }

    #[test]
    fn a_summary_tells_the_percentiles_and_the_most_frequent_errors_first() {
        let agent: Arc<str> = "a".into();
        let mut batch = Batch::default();
        for micros in 1..=100 {
            batch.note(&request(&agent, 200, micros * 1_000), AT);
        }
        batch.note(&request(&agent, 429, 10), AT);
        for _ in 0..2 {
            batch.note(&request(&agent, 403, 10), AT);
        }
        let summary = summary(&batch.counts());
        let [route] = &summary.routes[..] else {
            panic!("{summary:?}")
        };
        assert_eq!(route.route, "POST /api/context/inject");
        assert_eq!((route.requests, route.errors), (103, 3));
        for (share, found) in [49_000, 95_000, 99_000].into_iter().zip(route.percentiles) {
            assert!(found >= share && found * 4 <= share * 5, "{share} {found}");
        }
        let code = "FORBIDDEN".to_owned();
        assert_eq!(summary.errors, [(403, code.clone(), 2), (429, code, 1)]);
        assert_eq!(summary.unlogged, 0);
        assert_eq!(super::summary(&[]), RequestSummary::default());
    }
}
