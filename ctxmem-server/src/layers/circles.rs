//! Keeps the modules of a layer in order: few of them import each other, and what serves every request
//! knows none of the pages.

use std::collections::BTreeSet;
use std::path::Path;

use super::import_graph::{self, Graph, Module};

/// How many files may import each other.
const LARGEST: usize = 5;

/// What serves every request, whatever is asked for.
const ENGINE: [&str; 24] = [
    "api",
    "body",
    "client_address",
    "compression",
    "dispatch",
    "error",
    "finish",
    "handler_context",
    "limits",
    "lone_surrogates",
    "memory",
    "rare_warning",
    "rate_limit",
    "reply",
    "request_context",
    "request_id",
    "request_span",
    "route",
    "sent_ahead",
    "server",
    "site",
    "turned_away",
    "words",
    "write_deadline",
];

/// The pages, and what only they need.
const PAGES: [&str; 6] = [
    "about",
    "account",
    "consent",
    "dashboard",
    "home",
    "sign_in",
];

fn source() -> Graph {
    import_graph::of_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

/// The modules of a layer, with their imports of each other.
fn layer(of: &Graph, name: &str) -> Graph {
    let is_in = |module: &Module| module.first().is_some_and(|first| first == name);
    let within =
        |imports: &BTreeSet<Module>| imports.iter().filter(|it| is_in(it)).cloned().collect();
    let modules = of.iter().filter(|(module, _)| is_in(module));
    modules
        .map(|(module, imports)| (module.clone(), within(imports)))
        .collect()
}

fn http(name: &str) -> Module {
    ["http", name].map(ToOwned::to_owned).to_vec()
}

#[test]
fn few_files_of_a_layer_import_each_other() {
    let source = source();
    for name in ["http", "core", "store"] {
        let mut layer = layer(&source, name);
        assert!(layer.len() > 50, "{name}: {}", layer.len());
        if name != "http" {
            // It puts `Core` or `Db` together, of parts whose files add methods to it.
            layer.insert(vec![name.to_owned()], BTreeSet::new());
        }
        for circle in import_graph::circles(&layer) {
            assert!(
                circle.len() <= LARGEST,
                "these files import each other: {circle:#?}"
            );
        }
    }
}

#[test]
fn what_serves_every_request_imports_no_page() {
    let layer = layer(&source(), "http");
    for page in PAGES {
        // That it would be found.
        let imports = import_graph::reachable(&layer, &http("routes"));
        assert!(
            imports.iter().any(|it| it.starts_with(&http(page))),
            "{page}"
        );
    }
    for name in ENGINE {
        assert!(layer.contains_key(&http(name)), "{name}");
        for import in import_graph::reachable(&layer, &http(name)) {
            let is_page = PAGES.iter().any(|page| import.starts_with(&http(page)));
            assert!(!is_page, "{name} imports {import:?}");
        }
    }
}

#[test]
fn the_table_of_routes_is_handed_in() {
    let source = source();
    assert!(source[&http("routes")].contains(&http("route")));
    for (module, imports) in &source {
        // Where everything is put together, it is.
        let hands_in = module.first().is_some_and(|first| first == "app");
        assert_eq!(imports.contains(&http("routes")), hands_in, "{module:?}");
    }
}
