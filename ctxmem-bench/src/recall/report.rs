//! The findings as Markdown tables.

use super::evidence::{Finding, Findings};
use crate::load::float;
use crate::report;

/// Bytes of English a token, measured with o200k over blocks.
const BYTES_PER_TOKEN: f64 = 4.95;

/// One line of a table: what it says of the findings of a column.
type Row = (String, Box<dyn Fn(&[&Finding]) -> String>);

/// The findings with each budget, in one table: a column for all questions where there are several
/// kinds of one set, and one for each kind.
pub(super) fn table(kinds: &[&str], with_all: bool, by_budget: &[(&str, Findings)]) {
    let (_, first) = &by_budget[0];
    let of = |findings: &Findings, kind: &str| -> Vec<usize> {
        let all = findings.all.iter().enumerate();
        let wanted = all.filter(|(_, finding)| kind == "all" || finding.kind == kind);
        wanted.map(|(at, _)| at).collect()
    };
    let mut columns: Vec<(&str, Vec<usize>)> = Vec::new();
    for kind in with_all.then_some("all").iter().chain(kinds) {
        columns.push((*kind, of(first, kind)));
    }
    let heads = columns
        .iter()
        .map(|(kind, at)| format!("{kind} ({})", at.len()));
    println!();
    let heads = heads.collect::<Vec<_>>().join(" | ");
    report::head(&format!("evidence that is there | {heads}"));
    let print = |findings: &Findings, rows: Vec<Row>| {
        for (name, cell) in rows {
            let cells = columns.iter().map(|(_, at)| {
                let findings: Vec<&Finding> = at.iter().map(|at| &findings.all[*at]).collect();
                cell(&findings)
            });
            println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    };
    print(
        first,
        vec![
            share("noted", |finding| finding.noted),
            share("stored", |finding| finding.stored),
            (
                "… facts of the person".to_owned(),
                Box::new(|findings: &[&Finding]| {
                    let facts = findings.iter().map(|finding| finding.facts);
                    format!("{:.0}", mean(&facts.collect::<Vec<_>>()))
                }),
            ),
            share("search, first 5", |finding| finding.in_first_5),
            share("search, first 10", |finding| finding.in_first_10),
        ],
    );
    for (budget, findings) in by_budget {
        print(
            findings,
            vec![
                share(&format!("block, {budget}"), |finding| finding.in_block),
                share("… with `relevant`", |finding| finding.with_relevant),
                size("… bytes of the block", |finding| finding.block_bytes),
                size("… bytes of `relevant`", |finding| finding.relevant_bytes),
            ],
        );
    }
}

/// The share of the questions for which this holds.
fn share(name: &str, holds: impl Fn(&Finding) -> bool + 'static) -> Row {
    let cell = move |findings: &[&Finding]| {
        let hits = findings.iter().filter(|finding| holds(finding)).count();
        format!("{:.1} %", float(hits) * 100.0 / float(findings.len()))
    };
    (name.to_owned(), Box::new(cell))
}

/// The mean size over the questions, the least and the greatest, and the mean in tokens.
fn size(name: &str, bytes: impl Fn(&Finding) -> usize + 'static) -> Row {
    let cell = move |findings: &[&Finding]| {
        let sizes: Vec<usize> = findings.iter().map(|finding| bytes(finding)).collect();
        let mean = mean(&sizes);
        let (least, most) = (sizes.iter().min(), sizes.iter().max());
        let tokens = mean / BYTES_PER_TOKEN;
        let [least, most] = [least, most].map(|size| size.copied().unwrap_or_default());
        format!("{mean:.0} ({least}–{most}), {tokens:.0} tokens")
    };
    (name.to_owned(), Box::new(cell))
}

fn mean(counts: &[usize]) -> f64 {
    float(counts.iter().sum()) / float(counts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_shares_and_means() {
        let finding = |stored, block_bytes| Finding {
            stored,
            block_bytes,
            ..Finding::default()
        };
        let findings = [finding(true, 99), finding(false, 396), finding(false, 990)];
        let findings: Vec<&Finding> = findings.iter().collect();
        assert_eq!(share("", |finding| finding.stored).1(&findings), "33.3 %");
        let size = size("", |finding| finding.block_bytes).1(&findings);
        assert_eq!(size, "495 (99–990), 100 tokens");
    }
}
