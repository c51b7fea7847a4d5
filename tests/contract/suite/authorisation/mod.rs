//! Authorisation: every principal at every route with every kind of object.
//!
//! `matrix` is the table, and `cells` runs it.

mod cells;
mod matrix;
mod objects;
mod principals;
mod routes;

use std::collections::BTreeSet;

use ctxmem_server::http::ROUTES;

use self::matrix::MATRIX;
use self::objects::{Kind, Whose};

/// Fails with all that was found.
#[track_caller]
fn assert_none(found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_table_has_the_routes_of_the_router() {
    let routed: BTreeSet<_> = ROUTES.iter().map(|r| (r.method(), r.template())).collect();
    let listed: BTreeSet<_> = MATRIX.iter().map(|r| (r.method, r.template)).collect();
    let missing = routed.difference(&listed);
    let unknown = listed.difference(&routed);
    let missing = missing.map(|route| format!("the table lacks {route:?}"));
    let unknown = unknown.map(|route| format!("the router lacks {route:?}"));
    assert_none(missing.chain(unknown));
}

#[test]
fn the_table_has_every_object_of_a_route_once() {
    for row in MATRIX.iter() {
        let alike = MATRIX.iter().filter(|other| {
            (other.method, other.template, other.kind) == (row.method, row.template, row.kind)
        });
        let mut whose: Vec<Whose> = alike.map(|row| row.whose).collect();
        whose.sort_unstable();
        let has_object = !matches!(row.kind, Kind::Nothing | Kind::Account);
        if has_object {
            assert_eq!(whose, [Whose::Own, Whose::Other, Whose::Absent], "{row:?}");
        } else {
            assert_eq!(whose, [Whose::Own], "{row:?}");
        }
        assert!(has_object || !row.template.contains('{'), "{row:?}");
    }
}
