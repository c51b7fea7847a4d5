//! Which module of this crate imports which, by its source: by lines of `use` and by paths in code.
//!
//! A name that a module only re-exports is an import of the module that defines it, so a facade such as
//! `pub use child::Name` is no import by itself. Tests, comments and texts are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The path of a module, such as `["http", "server"]`.
pub(super) type Module = Vec<String>;

pub(super) type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The modules of a crate whose source is in this folder.
pub(super) fn of_folder(source: &Path) -> Graph {
    let mut texts = Vec::new();
    read(source, &mut Module::new(), &mut texts);
    of_texts(texts)
}

fn read(folder: &Path, at: &mut Module, texts: &mut Vec<(Module, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        at.push(name);
        if path.is_dir() {
            read(&path, at, texts);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let is_root = ["lib", "main", "mod"]
                .iter()
                .any(|name| at.ends_with(&[(*name).to_owned()]));
            let module = &at[..at.len() - usize::from(is_root)];
            texts.push((module.to_vec(), fs::read_to_string(&path).unwrap()));
        }
        at.pop();
    }
}

/// The modules with these texts.
pub(super) fn of_texts(texts: impl IntoIterator<Item = (Module, String)>) -> Graph {
    let mut sources: BTreeMap<Module, Source> = BTreeMap::new();
    for (module, text) in texts {
        // A library and a program beside it have the same path.
        let source = sources.entry(module).or_default();
        source.read(&tokens(&text));
    }
    let only_tests: Vec<Module> = sources
        .iter()
        .flat_map(|(module, source)| source.tests.iter().map(|name| joined(module, [name])))
        .collect();
    sources.retain(|module, _| !only_tests.iter().any(|test| module.starts_with(test)));
    let imports = |module: &Module| {
        let mut found = sources[module].imports(module, &sources);
        found.remove(module);
        found
    };
    sources
        .keys()
        .map(|module| (module.clone(), imports(module)))
        .collect()
}

/// The groups of modules that import each other, directly or not.
pub(super) fn circles(graph: &Graph) -> Vec<BTreeSet<Module>> {
    let all = graph
        .keys()
        .map(|module| (module, reachable(graph, module)));
    let all: BTreeMap<&Module, BTreeSet<Module>> = all.collect();
    let mut circles: Vec<BTreeSet<Module>> = Vec::new();
    for (module, found) in &all {
        let mut circle = found.clone();
        circle.retain(|other| all.get(other).is_some_and(|found| found.contains(*module)));
        if !circle.is_empty() && !circles.contains(&circle) {
            circles.push(circle);
        }
    }
    circles
}

/// All that a module imports, directly or not; itself as well if it is in a circle.
pub(super) fn reachable(graph: &Graph, from: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        for import in graph.get(module).into_iter().flatten() {
            if found.insert(import.clone()) {
                next.push(import);
            }
        }
    }
    found
}

/// Names, each with the path that it stands for.
type Names = Vec<(String, Module)>;

/// What is read of one module.
#[derive(Default)]
struct Source {
    imported: Names,
    exported: Names,
    paths: BTreeSet<Module>,
    /// Its children that are only built for tests.
    tests: Vec<String>,
}

impl Source {
    fn read(&mut self, tokens: &[String]) {
        let mut at = 0;
        let mut is_public = false;
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                "#" if is_for_tests(&tokens[at..]) => {
                    let end = at + item(&tokens[at..]);
                    let mut rest = tokens[at..end].windows(3);
                    if let Some(name) =
                        rest.find_map(|it| (it[0] == "mod" && it[2] == ";").then(|| it[1].clone()))
                    {
                        self.tests.push(name);
                    }
                    at = end;
                    continue;
                }
                "pub" => {
                    is_public = true;
                    // What stands in parentheses is a path that is no import.
                    at += match tokens.get(at + 1).map(String::as_str) {
                        Some("(") => {
                            tokens[at..].iter().position(|token| token == ")").unwrap() + 1
                        }
                        _ => 1,
                    };
                    continue;
                }
                "use" => {
                    let length = tokens[at..].iter().position(|token| token == ";").unwrap();
                    let names = if is_public {
                        &mut self.exported
                    } else {
                        &mut self.imported
                    };
                    tree(&tokens[at + 1..at + length], &mut Module::new(), names);
                    at += length;
                }
                name if is_name(name) => {
                    let mut path = vec![name.to_owned()];
                    while let Some([colons, name]) = tokens.get(at + 1..at + 3)
                        && colons == "::"
                        && is_name(name)
                    {
                        path.push(name.clone());
                        at += 2;
                    }
                    self.paths.insert(path);
                }
                _ => {}
            }
            is_public = false;
            at += 1;
        }
    }

    fn imports(&self, me: &[String], sources: &BTreeMap<Module, Self>) -> BTreeSet<Module> {
        let uses = self.imported.iter().map(|(_, path)| path);
        let paths = self.paths.iter().filter(|path| path.len() > 1);
        let paths = uses.chain(paths).filter_map(|path| {
            full(me, path, sources).or_else(|| {
                // It may begin with a name that was imported.
                let (first, rest) = path.split_first()?;
                let meant =
                    meaning(&self.imported, first).or_else(|| meaning(&self.exported, first));
                Some(joined(&full(me, meant?, sources)?, rest))
            })
        });
        paths.filter_map(|path| defining(&path, sources)).collect()
    }
}

/// What a name stands for.
fn meaning<'n>(names: &'n Names, name: &str) -> Option<&'n Module> {
    let found = names.iter().find(|(known, _)| known == name);
    found.map(|(_, path)| path)
}

/// Whether an attribute says that what follows is only built for tests.
fn is_for_tests(tokens: &[String]) -> bool {
    let attribute = ["#", "[", "cfg", "(", "test", ")", "]"];
    tokens.iter().take(attribute.len()).eq(attribute)
}

/// How many tokens an item has, with its attributes.
fn item(tokens: &[String]) -> usize {
    let (mut depth, mut is_use) = (0, false);
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "use" if depth == 0 => is_use = true,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        let ends = token == ";" || (token == "}" && !is_use);
        if depth == 0 && ends {
            return at + 1;
        }
    }
    tokens.len()
}

/// The names that a `use` brings, each with its path.
fn tree(tokens: &[String], path: &mut Module, names: &mut Names) {
    let depth = path.len();
    for (at, token) in tokens.iter().enumerate() {
        match token.as_str() {
            "{" => {
                for part in parts(&tokens[at + 1..tokens.len() - 1]) {
                    tree(part, path, names);
                }
                path.truncate(depth);
                return;
            }
            "as" => {
                names.push((tokens[at + 1].clone(), path.clone()));
                path.truncate(depth);
                return;
            }
            "::" | "*" => {}
            // The module that the path has led to.
            "self" if !path.is_empty() => {}
            name => path.push(name.to_owned()),
        }
    }
    if path.len() > depth || tokens.iter().any(|token| token == "self" || token == "*") {
        names.push((path.last().cloned().unwrap_or_default(), path.clone()));
    }
    path.truncate(depth);
}

/// The parts of a list, at its commas.
fn parts(tokens: &[String]) -> Vec<&[String]> {
    let mut depth = 0;
    tokens
        .split(|token| {
            match token.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            depth == 0 && token == ","
        })
        .collect()
}

/// The path from the root of the crate; `None` where it begins with none of its modules.
fn full(me: &[String], path: &[String], sources: &BTreeMap<Module, Source>) -> Option<Module> {
    let (first, rest) = path.split_first()?;
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some(joined(me, rest)),
        "super" => {
            let ups = path.iter().take_while(|name| *name == "super").count();
            Some(joined(&me[..me.len().checked_sub(ups)?], &path[ups..]))
        }
        _ => {
            let child = joined(me, [first]);
            sources.contains_key(&child).then(|| joined(me, path))
        }
    }
}

/// The module that defines what is at this path.
fn defining(path: &[String], sources: &BTreeMap<Module, Source>) -> Option<Module> {
    let mut module = Module::new();
    for (at, name) in path.iter().enumerate() {
        let child = joined(&module, [name]);
        if sources.contains_key(&child) {
            module = child;
        } else if let Some(meant) = meaning(&sources.get(&module)?.exported, name) {
            let meant = full(&module, meant, sources)?;
            return defining(&joined(&meant, &path[at + 1..]), sources);
        } else {
            break;
        }
    }
    sources.contains_key(&module).then_some(module)
}

fn joined<'n>(module: &'n [String], names: impl IntoIterator<Item = &'n String>) -> Module {
    module.iter().chain(names).cloned().collect()
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The names and signs of a text, without comments, texts and characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(length) = literal(rest) {
            length
        } else if is_name(rest) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            let end = end.unwrap_or(rest.len());
            tokens.push(rest[..end].to_owned());
            end
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// How long the literal is with which a text begins, if it is a text or a character.
fn literal(rest: &str) -> Option<usize> {
    let body = rest.trim_start_matches(['b', 'c']);
    let prefix = rest.len() - body.len();
    if prefix > 1 {
        return None;
    }
    let raw = body
        .strip_prefix('r')
        .map(|raw| raw.trim_start_matches('#'));
    if let Some(text) = raw.and_then(|raw| raw.strip_prefix('"')) {
        let hashes = body.len() - 2 - text.len();
        let end = format!("\"{}", "#".repeat(hashes));
        let begin = rest.len() - text.len();
        return Some(begin + text.find(&end)? + end.len());
    }
    let quote = body
        .chars()
        .next()
        .filter(|quote| ['"', '\''].contains(quote))?;
    let mut inner = body.char_indices().skip(1);
    // A lifetime begins like a character, and has no end.
    if quote == '\'' && !body[1..].starts_with('\\') {
        inner.next()?;
        let (at, end) = inner.next()?;
        return (end == quote).then_some(prefix + at + 1);
    }
    while let Some((at, c)) = inner.next() {
        if c == '\\' {
            inner.next();
        } else if c == quote {
            return Some(prefix + at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str) -> Module {
        path.split("::").map(ToOwned::to_owned).collect()
    }

    fn graph(texts: &[(&str, &str)]) -> Graph {
        let mut all = vec![(Module::new(), String::new())];
        all.extend(
            texts
                .iter()
                .map(|(path, text)| (module(path), (*text).to_owned())),
        );
        of_texts(all)
    }

    /// What `a::b` imports when this is its text.
    fn imports(text: &str) -> Vec<String> {
        let graph = graph(&[
            (
                "a",
                "pub(super) use sibling::Item; pub(crate) use far::Way as Out;",
            ),
            ("a::b", text),
            ("a::b::child", ""),
            ("a::sibling", ""),
            ("c", ""),
            ("c::deep", ""),
        ]);
        graph[&module("a::b")]
            .iter()
            .map(|it| it.join("::"))
            .collect()
    }

    #[test]
    fn an_import_is_found_in_every_form() {
        for (text, expected) in [
            ("use crate::c::deep::Name;", &["c::deep"] as &[&str]),
            ("use crate::c::deep;", &["c::deep"]),
            (
                "use crate::c::{self, deep::{One, Other as Another}};",
                &["c", "c::deep"],
            ),
            ("use crate::c::*;", &["c"]),
            ("use super::sibling::Name;", &["a::sibling"]),
            ("use super::{Own, sibling};", &["a", "a::sibling"]),
            ("use super::super::c::deep::Name;", &["c::deep"]),
            ("use self::child::Name;", &["a::b::child"]),
            ("mod child; use child::Name;", &["a::b::child"]),
            ("fn f() { use super::sibling::Name as _; }", &["a::sibling"]),
            ("fn f(it: &crate::c::deep::Name) {}", &["c::deep"]),
            ("fn f() { super::sibling::call(); }", &["a::sibling"]),
            ("fn f() { child::call(); }", &["a::b::child"]),
            (
                "use crate::c; fn f() { c::deep::call() }",
                &["c", "c::deep"],
            ),
            (
                "use crate::c::deep as d; fn f<'a>(it: &'a d::Name) {}",
                &["c::deep"],
            ),
            // By the name under which another module re-exports it.
            ("use super::Item;", &["a::sibling"]),
            ("fn f() -> super::Item {}", &["a::sibling"]),
            ("use crate::a::Item;", &["a::sibling"]),
        ] {
            assert_eq!(imports(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_import_is_none() {
        for text in [
            "",
            "mod child;",
            "pub use child::Name;",
            "pub(super) use child::{Name, Other};",
            "pub(in crate::c) fn f() {}",
            "use std::c::Name; use c::Name;",
            "// use crate::c;\n/// [`crate::c`]\nfn f() {}",
            "const A: &str = \"crate::c::x \\\" crate::c\"; const B: char = '\"';",
            "const A: &str = r#\"\"crate::c::x\"#;",
            "#[cfg(test)]\nmod tests { use crate::c; fn f() { if true {} } }",
            "#[cfg(test)]\nuse crate::c::{One, Other};",
            "#[cfg(test)]\n#[derive(Debug)]\nstruct S { it: crate::c::Name }",
        ] {
            assert!(imports(text).is_empty(), "{text}: {:?}", imports(text));
        }
        // And what follows a test is one again.
        let text = "#[cfg(test)]\nuse std::{a, b};\nuse crate::c::Name;";
        assert_eq!(imports(text), ["c"]);
    }

    #[test]
    fn modules_for_tests_are_left_out() {
        let graph = graph(&[
            (
                "a",
                "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod tests_of_more;",
            ),
            ("a::tests", "use crate::b;"),
            ("a::tests::more", "use crate::b;"),
            ("b", ""),
        ]);
        let modules: Vec<String> = graph.keys().map(|it| it.join("::")).collect();
        assert_eq!(modules, ["", "a", "b"]);
    }

    #[test]
    fn a_circle_is_found_with_all_that_are_in_it() {
        let graph = graph(&[
            ("a", "use crate::b;"),
            ("b", "use crate::c;"),
            ("c", "use crate::{a, d};"),
            ("d", "use crate::e;"),
            ("e", "fn f() { crate::d::g() }"),
            ("f", "use crate::{a, d};"),
        ]);
        let names =
            |modules: &BTreeSet<Module>| modules.iter().map(|it| it.join("::")).collect::<Vec<_>>();
        let circles: Vec<_> = circles(&graph).iter().map(names).collect();
        assert_eq!(circles, [vec!["a", "b", "c"], vec!["d", "e"]]);
        assert_eq!(names(&reachable(&graph, &module("d"))), ["d", "e"]);
        assert_eq!(
            names(&reachable(&graph, &module("f"))),
            ["a", "b", "c", "d", "e"]
        );
    }

    #[test]
    fn without_a_circle_none_is_found() {
        let graph = graph(&[
            ("a", "use crate::{b, c};"),
            ("b", "use crate::c;"),
            ("c", ""),
        ]);
        assert!(circles(&graph).is_empty());
    }
}
