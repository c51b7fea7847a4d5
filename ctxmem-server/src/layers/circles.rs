//! Keeps the modules of a layer in order: few of them import each other, and what serves every request
//! knows none of the pages.

use std::collections::BTreeSet;
use std::path::Path;

use super::import_graph::{self, Graph, Module};

/// How many files may import each other.
const LARGEST: usize = 5;

/// The rooms of `http`, each with those that it reaches; beside them stands what puts them together.
const ROOMS: [(&str, &[&str]); 4] = [
    ("engine", &["words"]),
    ("api", &["engine", "words"]),
    ("pages", &["api", "engine", "words"]),
    ("words", &[]),
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
fn the_engine_knows_no_page_and_no_room_more_than_it_needs() {
    let layer = layer(&source(), "http");
    for (name, allowed) in ROOMS {
        let is_in_room = |module: &&Module| module.len() > 2 && module.starts_with(&http(name));
        let files: Vec<&Module> = layer.keys().filter(is_in_room).collect();
        assert!(files.len() > 5, "{name}: {files:?}");
        for file in files {
            for import in import_graph::reachable(&layer, file) {
                let room = import.get(1).map_or("http itself", String::as_str);
                assert!(
                    room == name || allowed.contains(&room),
                    "{file:?} reaches {import:?}"
                );
            }
        }
    }
}

#[test]
fn the_table_of_routes_is_handed_in() {
    let source = source();
    let route = ["http", "engine", "route"].map(ToOwned::to_owned);
    assert!(source[&http("routes")].contains(&route[..]));
    for (module, imports) in &source {
        // Where everything is put together, it is.
        let hands_in = module.first().is_some_and(|first| first == "app");
        assert_eq!(imports.contains(&http("routes")), hands_in, "{module:?}");
    }
}
