//! The last requests of agents, one by one, and how many there were by day. Neither says anything of
//! what was sent or answered, nor about whom.

use super::arg::args;
use super::row::{FromRow, from_row};
use super::statement::statements;
use super::{Result, Tx, audit};

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRow {
    /// When it was answered, in milliseconds since 1970.
    pub at: i64,
    /// The agent whose key was sent.
    pub agent_id: String,
    /// Method and path, with parameters in braces.
    pub route: String,
    /// The status of the answer.
    pub status: i64,
    /// The code of an error; empty without one.
    pub code: String,
    /// How long it took, in microseconds.
    pub micros: i64,
    /// What was sent as `X-Request-Id`.
    pub request_id: String,
}

/// Which requests of an agent were alike.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestKind {
    /// The agent whose key was sent.
    pub agent_id: String,
    /// The day in UTC, such as `2026-03-01`.
    pub day: String,
    /// Method and path, with parameters in braces.
    pub route: String,
    /// The status of the answer.
    pub status: i64,
    /// The code of an error; empty without one.
    pub code: String,
    /// They took at most this long, in microseconds.
    pub micros: i64,
}

/// How many requests of a kind there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestCount {
    /// All of them.
    pub times: i64,
    /// Those that are not in the log.
    pub unlogged: i64,
}

statements! {
    INSERT_REQUEST changes Nothing:
        "INSERT INTO request_log (agent_id, id, at, route, status, code, micros, request_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    INSERT_REQUESTS changes Nothing: {
        postgres: "INSERT INTO request_log (agent_id, id, at, route, status, code, micros,
                                            request_id)
                   SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[],
                                        $5::bigint[], $6::text[], $7::bigint[], $8::text[])",
    };
    ADD_REQUESTS changes Nothing:
        "INSERT INTO request_days (agent_id, day, route, status, code, micros, times, unlogged)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (agent_id, day, route, status, code, micros) DO UPDATE SET
             times = request_days.times + excluded.times,
             unlogged = request_days.unlogged + excluded.unlogged";
    ADD_ALL_REQUESTS changes Nothing: {
        postgres: "INSERT INTO request_days (agent_id, day, route, status, code, micros, times,
                                             unlogged)
                   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[],
                                        $5::text[], $6::bigint[], $7::bigint[], $8::bigint[])
                   ON CONFLICT (agent_id, day, route, status, code, micros) DO UPDATE SET
                       times = request_days.times + excluded.times,
                       unlogged = request_days.unlogged + excluded.unlogged",
    };
    // $3 is 400 where only refusals and failures are wanted, else 0.
    LIST_REQUESTS:
        "SELECT id, agent_id, at, route, status, code, micros, request_id FROM request_log
         WHERE agent_id = $1 AND id < $2 AND status >= $3 ORDER BY id DESC LIMIT $4";
    COUNT_REQUESTS:
        "SELECT agent_id, day, route, status, code, micros, times, unlogged
         FROM request_days WHERE agent_id = $1 AND day >= $2
         ORDER BY route, status, code, micros";
    DROP_REQUESTS changes Nothing:
        "DELETE FROM request_log WHERE (agent_id, id) IN (
         SELECT agent_id, id FROM request_log WHERE at <= $1 ORDER BY at LIMIT $2)";
    DROP_REQUEST_DAYS changes Nothing: "DELETE FROM request_days WHERE day < $1";
}

/// Greater than every id.
const AFTER_ALL: &str = "~";

impl Tx {
    /// Adds requests to the log.
    pub async fn log_requests(&mut self, requests: &[RequestRow]) -> Result<()> {
        let ids: Vec<String> = requests.iter().map(|row| audit::id(row.at)).collect();
        let rows: Vec<_> = ids
            .iter()
            .zip(requests)
            .map(|(id, row)| {
                [
                    (&row.agent_id).into(),
                    id.into(),
                    row.at.into(),
                    (&row.route).into(),
                    row.status.into(),
                    (&row.code).into(),
                    row.micros.into(),
                    (&row.request_id).into(),
                ]
            })
            .collect();
        self.run_each([INSERT_REQUEST, INSERT_REQUESTS], &rows)
            .await
    }

    /// Adds to the numbers of requests. Sort them by kind: then two processes can't wait for each
    /// other.
    pub async fn add_requests(&mut self, counts: &[(RequestKind, RequestCount)]) -> Result<()> {
        let rows: Vec<_> = counts
            .iter()
            .map(|(kind, count)| {
                [
                    (&kind.agent_id).into(),
                    (&kind.day).into(),
                    (&kind.route).into(),
                    kind.status.into(),
                    (&kind.code).into(),
                    kind.micros.into(),
                    count.times.into(),
                    count.unlogged.into(),
                ]
            })
            .collect();
        self.run_each([ADD_REQUESTS, ADD_ALL_REQUESTS], &rows).await
    }

    /// The newest requests of an agent with their places in the log, the newest first: of those
    /// before a place where one is given, and of those that were refused or failed where only they
    /// are wanted.
    pub async fn requests(
        &mut self,
        agent_id: &str,
        before: Option<&str>,
        only_errors: bool,
        at_most: u32,
    ) -> Result<Vec<(String, RequestRow)>> {
        let least = if only_errors { 400_i64 } else { 0 };
        let args = args![agent_id, before.unwrap_or(AFTER_ALL), least, at_most];
        self.list_with(LIST_REQUESTS, args, |row| {
            Ok((row.text("id")?, RequestRow::from_row(row)?))
        })
        .await
    }

    /// How many requests of each kind an agent made from this day on.
    pub async fn request_counts(
        &mut self,
        agent_id: &str,
        since_day: &str,
    ) -> Result<Vec<(RequestKind, RequestCount)>> {
        self.list_with(COUNT_REQUESTS, args![agent_id, since_day], |row| {
            Ok((RequestKind::from_row(row)?, RequestCount::from_row(row)?))
        })
        .await
    }

    /// Forgets some requests, at most, of this instant (milliseconds since 1970) or before, the
    /// oldest first, and answers how many.
    pub async fn drop_requests(&mut self, until: i64, at_most: u32) -> Result<u64> {
        self.execute(DROP_REQUESTS, args![until, at_most]).await
    }

    /// Forgets the numbers of the days before this one.
    pub async fn drop_request_days(&mut self, before_day: &str) -> Result<()> {
        self.run(DROP_REQUEST_DAYS, args![before_day]).await
    }
}

from_row! { RequestRow in "request_log": at, agent_id, route, status, code, micros, request_id }
from_row! { RequestKind in "request_days": agent_id, day, route, status, code, micros }
from_row! { RequestCount in "request_days": times, unlogged }
