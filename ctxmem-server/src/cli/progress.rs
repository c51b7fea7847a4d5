//! Progress bars on stderr, which are shown on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar for so many steps, or a count where nobody knows how many there are.
pub(super) fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    if total.is_some()
        && let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta}")
    {
        bar.set_style(style);
    }
    bar
}
