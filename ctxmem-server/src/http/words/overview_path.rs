//! The overview that is near to a path: that of developers, or that of users.

/// The path of the overview, which shows the sign-in to those who need it.
pub(crate) fn overview_path(path: &str) -> &'static str {
    if path.starts_with("/dashboard") {
        "/dashboard"
    } else {
        "/account"
    }
}
