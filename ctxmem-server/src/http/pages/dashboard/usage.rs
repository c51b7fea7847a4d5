//! Usage by day, of one agent or of every one that a developer has or had: as charts, and as CSV.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::chart::{Chart, Day, Kind, Series};
use crate::core::{AgentSummary, Core, Daily, Developer, Error, Usage};
use crate::http::engine::{HandlerContext, HandlerResult, reply};
use crate::http::pages::choice::Choice;
use crate::http::pages::csv;
use crate::http::words::Phrase;

/// How many days may be shown, today included; the first number where nothing is chosen.
const DAYS: [u64; 4] = [30, 7, 90, 365];

/// Which days are shown, and of which agent.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct UsageQuery {
    /// The id of one; empty for all.
    agent: String,
    days: String,
}

/// The charts with the form that chooses.
pub(super) struct UsageView {
    /// The page that shows it.
    pub(super) page: String,
    pub(super) calls: Chart,
    /// How long calls took; `None` where that is not logged.
    pub(super) times: Option<Chart>,
    pub(super) days: Vec<Choice>,
    /// The agents to choose from; none on the page of one.
    pub(super) agents: Vec<Choice>,
}

impl UsageView {
    /// Of these agents, or the one of them that is chosen.
    pub(super) async fn of_all(
        core: &Core,
        developer: &Developer,
        agents: &[AgentSummary],
        query: &UsageQuery,
    ) -> Result<Self, Error> {
        // Of one that is gone there is nothing to choose any more.
        let mut ids = agents.iter().map(|summary| &*summary.agent.id);
        let chosen = ids.find(|id| *id == query.agent);
        let options = agents.iter().map(|AgentSummary { agent, .. }| {
            let is_chosen = chosen == Some(&*agent.id);
            Choice::new(&*agent.id, Phrase::verbatim(&agent.name), is_chosen)
        });
        Ok(Self {
            page: "/dashboard".to_owned(),
            agents: options.collect(),
            ..Self::of(core, developer, chosen, query).await?
        })
    }

    /// Of one agent, or of all.
    pub(super) async fn of(
        core: &Core,
        developer: &Developer,
        agent_id: Option<&str>,
        query: &UsageQuery,
    ) -> Result<Self, Error> {
        let wrong = || Error::BadRequest("days: expected 7, 30, 90 or 365".to_owned());
        let shown = match &*query.days {
            "" => DAYS[0],
            days => days
                .parse()
                .ok()
                .filter(|days| DAYS.contains(days))
                .ok_or_else(wrong)?,
        };
        let console = &core.console;
        let usage = console.usage_of(&developer.id, agent_id, shown).await?;
        // Those of all agents together would be many rows, and say little.
        let times = match agent_id {
            Some(agent_id) => console.response_times(&developer.id, agent_id).await?,
            None => BTreeMap::new(),
        };
        // Before these days nothing is kept.
        let logged = usize::try_from(core.console.request_log_days().unwrap_or(0)).unwrap_or(0);
        let mut lengths = DAYS;
        lengths.sort_unstable();
        let days = lengths.map(|days| {
            let title = Phrase::new("chart-last-days").arg("days", days);
            Choice::new(days.to_string(), title, days == shown)
        });
        Ok(Self {
            times: (!times.is_empty()).then(|| {
                let of = |(day, _): &(chrono::NaiveDate, Usage)| {
                    let [half, most] = times.get(&day.to_string()).copied().unwrap_or_default();
                    Day::new(*day, [most, half].map(milliseconds))
                };
                times_chart(usage.iter().rev().take(logged + 1).rev().map(of).collect())
            }),
            page: format!("/dashboard/agents/{}", agent_id.unwrap_or_default()),
            calls: calls_chart(&usage),
            days: days.into(),
            agents: Vec::new(),
        })
    }
}

fn milliseconds(micros: i64) -> i64 {
    (micros.max(0) + 999) / 1_000
}

/// The outcomes of calls, in the order of the chart and of the file.
fn numbers(usage: &Usage) -> [i64; 5] {
    [
        usage.injects,
        usage.updates,
        usage.filtered,
        usage.denied,
        usage.errors,
    ]
}

fn calls_chart(days: &Daily) -> Chart {
    let names = [
        ("chart-injects", "chart-injects-about"),
        ("chart-updates", "chart-updates-about"),
        ("chart-filtered", "chart-filtered-about"),
        ("chart-denied", "chart-denied-about"),
        ("chart-errors", "chart-errors-about"),
    ];
    let series = (1..).zip(names).map(|(colour, (title, about))| Series {
        title: Phrase::new(title),
        about: Phrase::new(about),
        colour,
        total: days
            .iter()
            .filter_map(|(_, usage)| numbers(usage).get(usize::from(colour) - 1).copied())
            .reduce(|sum, more| sum + more),
    });
    let rows = days
        .iter()
        .map(|(day, usage)| Day::new(*day, numbers(usage)));
    let title = Phrase::new("chart-calls");
    Chart::new(
        Kind::Stacked,
        title,
        "chart-in-words",
        series.collect(),
        rows.collect(),
    )
}

fn times_chart(days: Vec<Day>) -> Chart {
    let names = [
        ("chart-most", "chart-most-about", 6),
        ("chart-half", "chart-half-about", 7),
    ];
    let series = names.map(|(title, about, colour)| Series {
        title: Phrase::new(title),
        about: Phrase::new(about),
        colour,
        total: None,
    });
    let title = Phrase::new("chart-times");
    Chart::new(
        Kind::Within,
        title,
        "chart-times-in-words",
        series.into(),
        days,
    )
}

pub(crate) async fn download(ctx: HandlerContext) -> HandlerResult {
    let developer = ctx.developer().await?;
    let rows = ctx.core().console.usage_by_agent(&developer.id).await?;
    let mut table = String::new();
    csv::push_row(
        &mut table,
        &[
            "day", "agent_id", "injects", "updates", "filtered", "denied", "errors",
        ],
    );
    for (agent_id, day, usage) in rows {
        let numbers = numbers(&usage).map(|n| n.to_string());
        let [injects, updates, filtered, denied, errors] = &numbers;
        let row = [&day, &agent_id, injects, updates, filtered, denied, errors];
        csv::push_row(&mut table, &row.map(String::as_str));
    }
    Ok(reply::text_file("ctxmem-usage.csv", csv::TYPE, table))
}
