//! The report: a table for people, one JSON object for programs, an exit status.

use std::fmt;

use serde::Serialize;

use crate::verdict::Verdict;

/// The result of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The address of the deployment.
    pub url: String,
    /// One row for each rule, in the order of the sections.
    pub rules: Vec<Row>,
    /// The counts of verdicts.
    pub summary: Summary,
    /// Whether the run was interrupted, so that rows are missing.
    pub interrupted: bool,
    /// Test users about whom something may still be stored.
    pub left_behind: Vec<String>,
}

/// One rule, and whether the deployment keeps it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The rule's id.
    pub id: &'static str,
    /// The rule in a short sentence.
    pub rule: &'static str,
    /// What was found.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Counts of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Rules that are kept.
    pub pass: usize,
    /// Rules that are kept in another form.
    pub variant: usize,
    /// Rules that are broken.
    pub fail: usize,
    /// Rules that could not be tested.
    pub not_testable: usize,
}

impl Report {
    pub(crate) fn new(
        url: &str,
        rules: Vec<Row>,
        interrupted: bool,
        left_behind: Vec<String>,
    ) -> Self {
        Self {
            url: url.to_owned(),
            summary: Summary::of(&rules),
            rules,
            interrupted,
            left_behind,
        }
    }

    /// The verdict on a rule.
    pub fn verdict(&self, id: &str) -> Option<&Verdict> {
        let row = self.rules.iter().find(|row| row.id == id)?;
        Some(&row.verdict)
    }

    /// 0: no rule fails. 1: a rule fails. 130: interrupted before a rule failed.
    pub fn exit_status(&self) -> u8 {
        match (self.summary.fail, self.interrupted) {
            (1.., _) => 1,
            (0, true) => 130,
            (0, false) => 0,
        }
    }

    /// One JSON object and a line break.
    pub fn json(&self) -> String {
        // Texts and counts can always be written as JSON.
        let json = serde_json::to_string(self).unwrap_or_default();
        json + "\n"
    }
}

impl Summary {
    fn of(rows: &[Row]) -> Self {
        let mut summary = Self::default();
        for row in rows {
            match row.verdict {
                Verdict::Pass { .. } => summary.pass += 1,
                Verdict::Variant { .. } => summary.variant += 1,
                Verdict::Fail { .. } => summary.fail += 1,
                Verdict::NotTestable { .. } => summary.not_testable += 1,
            }
        }
        summary
    }
}

/// The table.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |text: fn(&Row) -> &str| {
            let lengths = self.rules.iter().map(|row| text(row).chars().count());
            lengths.max().unwrap_or_default()
        };
        let (id_width, rule_width) = (width(|row| row.id), width(|row| row.rule));
        let mut section = "";
        for Row { id, rule, verdict } in &self.rules {
            let of = id.split('.').next().unwrap_or_default();
            if of != section {
                section = of;
                writeln!(f, "{section}")?;
            }
            writeln!(f, "  {id:id_width$}  {rule:rule_width$}  {verdict}")?;
        }
        let Summary {
            pass,
            variant,
            fail,
            not_testable,
        } = self.summary;
        writeln!(
            f,
            "\n{} rules: {pass} pass, {variant} variant form, {fail} fail, {not_testable} not \
             testable{}.",
            self.rules.len(),
            if self.interrupted {
                "; interrupted, so the others are missing"
            } else {
                ""
            }
        )?;
        match self.left_behind.as_slice() {
            [] => writeln!(f, "Every test user was removed."),
            users => writeln!(f, "Could not be removed: {}", users.join(", ")),
        }
    }
}
