//! Pages among the routes: which of them are for people.

use ctxmem_server::http::Route;

/// Whether this route shows a page: not the interface of agents, a file, or an answer for
/// orchestrators.
pub(crate) fn is_page(route: &Route) -> bool {
    let path = route.template();
    let is_for_programs = path.starts_with("/api/") || ["/livez", "/readyz"].contains(&path);
    route.method() == "GET" && !is_for_programs && !path.contains('.')
}
