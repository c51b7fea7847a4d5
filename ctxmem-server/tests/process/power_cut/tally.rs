//! The tally of many power cuts: the images that were checked, and the failures.

use std::fmt;

use rand::rngs::StdRng;

use super::cuts::Cut;
use super::image::{Disk, Image, after_power_cut};
use super::operations::Operations;
use super::trace::Trace;
use super::traced::start_and_stop;
use crate::aftermath::{FLAGS, check};
use crate::database_files::{DatabaseFolder, Files};
use crate::history::Verdict;

#[derive(Default)]
pub(super) struct Tally {
    images: usize,
    /// Operations that did not reach the disk, or not as a whole.
    pub(super) unwritten: usize,
    pub(super) sum: Verdict,
    /// What was wrong, and where to look.
    pub(super) failures: Vec<String>,
}

impl Tally {
    /// Cuts the power, checks what is left, and answers with it.
    pub(super) async fn cut(
        &mut self,
        trace: &Trace,
        cut: Cut,
        disk: Disk,
        random: &mut StdRng,
    ) -> Files {
        let image = after_power_cut(&trace.operations, cut.line, disk, random);
        self.check(&image, trace, (cut, cut), disk).await;
        image.files
    }

    /// Cuts the power again, while a server starts on what the first cut left, or stops.
    pub(super) async fn cut_again(
        &mut self,
        trace: &Trace,
        first: Cut,
        files: &Files,
        random: &mut StdRng,
    ) {
        let folder = DatabaseFolder::holding(files);
        let mut operations = Operations::on(files);
        // If it does not start, the check of the first cut has said so.
        let Ok(log) = start_and_stop(&folder, FLAGS).await else {
            return;
        };
        operations.record(&folder, &log);
        let cut = Cut::anywhere(&operations, "in the start after a power cut", random);
        let image = after_power_cut(&operations, cut.line, Disk::Honest, random);
        self.check(&image, trace, (cut, first), Disk::Honest).await;
    }

    /// What was known is what was when the power was cut first.
    async fn check(&mut self, image: &Image, trace: &Trace, (cut, first): (Cut, Cut), disk: Disk) {
        let known = trace.known_at(first.moment);
        let folder = DatabaseFolder::holding(&image.files);
        let mut findings = check(&folder, known).await;
        for files in [&image.files, &folder.files()] {
            findings.search_for_keys(&trace.copies, files.values(), known);
        }
        self.images += 1;
        self.unwritten += image.unwritten;
        self.sum += findings.verdict;
        if findings.verdict != Verdict::default() && matches!(disk, Disk::Honest) {
            // As they were before a server changed them.
            let kept = DatabaseFolder::holding(&image.files).keep();
            let (place, line, kept) = (cut.place, cut.line, kept.display());
            let notes = findings.notes;
            let failure = format!("{place}, line {line}, files in {kept}: {notes:#?}");
            self.failures.push(failure);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} images, {} operations unwritten or torn, {}",
            self.images, self.unwritten, self.sum
        )
    }
}
