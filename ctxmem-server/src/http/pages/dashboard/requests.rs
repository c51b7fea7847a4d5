//! The request log of an agent: what it asked for lately, how that was answered and how long it took.

use askama::Template;
use ctxmem_types::Timestamp;
use serde::Deserialize;

use crate::core::{Agent, Developer, RequestRow, RequestSummary};
use crate::http::engine::{HandlerContext, HandlerResult, reply};
use crate::http::pages::csv;
use crate::http::words::{Phrase, filters};

/// How many requests a page shows.
const PAGE: u32 = 100;
/// How many requests a download holds at most.
const DOWNLOAD: u32 = 10_000;

#[derive(Template)]
#[template(path = "dashboard/requests.html")]
struct RequestsPage<'a> {
    developer: &'a Developer,
    agent: Agent,
    days: u32,
    summary: RequestSummary,
    requests: Vec<RequestRow>,
    only_errors: bool,
    is_first: bool,
    /// Where the next page begins.
    next: Option<String>,
}

#[derive(Deserialize)]
struct RequestsQuery {
    agent: String,
    /// A place in the log.
    before: Option<String>,
    /// `errors` for those only that were refused or failed.
    only: Option<String>,
}

pub(crate) async fn show(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let query: RequestsQuery = ctx.query()?;
    let core = ctx.core();
    let agent = core.console.agent_of(&developer.id, &query.agent).await?;
    let only_errors = query.only.as_deref() == Some("errors");
    let before = query.before.as_deref();
    let mut requests = core
        .console
        .requests_of(&developer.id, &agent.id, before, only_errors, PAGE + 1)
        .await?;
    let summary = core
        .console
        .request_summary(&developer.id, &agent.id)
        .await?;
    let has_more = requests.len() > PAGE as usize;
    requests.truncate(PAGE as usize);
    let last = requests.last().map(|(id, _)| id.clone());
    let page = RequestsPage {
        developer: &developer,
        agent,
        days: core.console.request_log_days().unwrap_or(0),
        summary,
        requests: requests.into_iter().map(|(_, row)| row).collect(),
        only_errors,
        is_first: before.is_none(),
        next: last.filter(|_| has_more),
    };
    ctx.page(&page)
}

/// The newest requests as CSV.
pub(crate) async fn download(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let query: RequestsQuery = ctx.query()?;
    let requests = ctx
        .core()
        .console
        .requests_of(&developer.id, &query.agent, None, false, DOWNLOAD)
        .await?;
    let mut table = String::new();
    csv::push_row(
        &mut table,
        &[
            "at",
            "route",
            "status",
            "code",
            "milliseconds",
            "request_id",
        ],
    );
    for (_, row) in requests {
        let at = Timestamp::from_unix_millis(row.at);
        csv::push_row(
            &mut table,
            &[
                &at.map_or_else(String::new, |at| at.to_string()),
                &row.route,
                &row.status.to_string(),
                &row.code,
                &millis(row.micros),
                &row.request_id,
            ],
        );
    }
    Ok(reply::text_file("ctxmem-requests.csv", csv::TYPE, table))
}

/// Microseconds as milliseconds, for people.
fn took(micros: i64) -> Phrase {
    let millis = millis(micros);
    match millis.split_once('.') {
        Some((whole, hundredths)) => Phrase::new("requests-millis-exact")
            .arg("whole", whole)
            .arg("hundredths", hundredths),
        None => Phrase::new("requests-millis").arg("millis", millis),
    }
}

/// Microseconds as milliseconds, in three digits or more.
fn millis(micros: i64) -> String {
    if micros < 10_000 {
        let hundredths = (micros + 5) / 10;
        format!("{}.{:02}", hundredths / 100, hundredths % 100)
    } else {
        ((micros + 500) / 1_000).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::words::Language;

    #[test]
    fn times_are_shown_as_exactly_as_people_need() {
        let shown = [0, 16, 84, 996, 9_994, 12_345, 1_999_999].map(millis);
        assert_eq!(
            shown,
            ["0.00", "0.02", "0.08", "1.00", "9.99", "12", "2000"]
        );
        for (language, exact, long) in [
            (Language::English, "1.28 ms", "12 ms"),
            (Language::German, "1,28 ms", "12 ms"),
            (Language::French, "1,28 ms", "12 ms"),
            (Language::Spanish, "1,28 ms", "12 ms"),
        ] {
            assert_eq!(took(1_280).plain(language), exact);
            assert_eq!(took(12_345).plain(language), long);
        }
    }
}
