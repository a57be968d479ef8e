//! Checks that the imports of the runtime point one way: from the servers down to the foundations.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Item;

use crate::source::{ModuleId, Source};

/// The modules of the crate, from the bottom: each may import the ones before it.
const CRATE: &[&str] = &[
    // The foundations.
    "words",
    "loopback",
    "unreached",
    "log",
    "refusal_reason",
    "effect_state",
    "failure",
    "timer",
    "arguments",
    "metrics",
    "schema",
    // The core.
    "tool",
    "dispatch",
    "call",
    "runtime",
    "stand_ins",
    "feature_stubs",
    // The features.
    "trace",
    "search",
    "tokens",
    "articulate",
    "key_ring",
    "store",
    "policy",
    "ledger",
    "evidence",
    "adapters",
    "assess",
    "agent",
    "proxy",
    // The servers.
    "http",
    "mcp",
    // For hosts: test helpers and imports of programs; for generated code; and the guide.
    "testing",
    "prelude",
    "__private",
    "guide",
];

/// Imports between modules of the crate that point up on purpose.
const CRATE_EXCEPTIONS: &[Exception] = &[
    Exception("schema::export", "tool", "contracts are exported from a registry of tools"),
    Exception("tool::registry::discover", "__private", "a macro of generated code names it"),
    Exception("call::services", "policy", "a call reaches the state of the policies by its type"),
    Exception("runtime", "policy", "the builder configures each feature"),
    Exception("runtime::builder", "trace", "the builder configures each feature"),
    Exception("call::services", "stand_ins", "a build without the feature has the stub's type"),
    Exception("runtime::builder", "stand_ins", "a build without a feature configures its stub"),
    Exception("http::mcp::answer", "mcp", "both directions of the protocol have one member"),
];

/// The modules of `http`, from the bottom.
const HTTP: &[&str] = &[
    "problem",
    "auth",
    "state",
    "response",
    "server",
    "request",
    "route_builder",
    "endpoints",
    "openapi",
    "no_mcp",
    "mcp",
    "routes",
    "router",
];

/// A module whose imports may point up to another one, and the reason.
struct Exception(&'static str, &'static str, &'static str);

/// The modules of one module, with what they import.
struct Layers<'s> {
    source: &'s Source,
    root: ModuleId,
    order: &'static [&'static str],
}

fn source() -> Source {
    Source::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tool-runtime"))
}

impl Layers<'_> {
    /// Checks that each import points down, and that each exception is needed.
    fn check(&self, exceptions: &[Exception]) {
        let children = &self.source.modules[self.root].children;
        let unordered: Vec<_> =
            children.keys().filter(|name| !self.order.contains(&name.as_str())).collect();
        assert!(unordered.is_empty(), "modules without a place in the order: {unordered:?}");
        let absent: Vec<_> = self.order.iter().filter(|it| !children.contains_key(**it)).collect();
        assert!(absent.is_empty(), "modules of the order that do not exist: {absent:?}");

        let (mut wrong, mut used, mut read) = (BTreeSet::new(), BTreeSet::new(), 0);
        for module in 0..self.source.modules.len() {
            let path = self.source.path(module);
            let below = path.strip_prefix(&self.source.path(self.root)[..]);
            let Some([of, ..]) = below.filter(|_| !is_test(&path)) else { continue };
            read += 1;
            for import in imports(self.source, module) {
                let Some(to) = self.owner(&import).filter(|to| to != of) else { continue };
                if self.place(&to) < self.place(of) {
                    continue;
                }
                let name = path.join("::");
                let exception = exceptions.iter().position(|Exception(from, of, _)| {
                    *of == to && (name == *from || name.starts_with(&format!("{from}::")))
                });
                match exception {
                    Some(index) => drop(used.insert(index)),
                    None => drop(wrong.insert(format!("{name} imports {}", import.join("::")))),
                }
            }
        }
        assert!(read > 100, "the sources are read: {read} modules");
        let wrong: Vec<_> = wrong.into_iter().collect();
        assert!(wrong.is_empty(), "imports that point up:\n{}", wrong.join("\n"));
        let unused = exceptions.iter().enumerate().filter(|(index, _)| !used.contains(index));
        let unused: Vec<_> = unused.map(|(_, Exception(from, to, why))| (from, to, why)).collect();
        assert!(unused.is_empty(), "exceptions that nothing needs: {unused:?}");
    }

    fn place(&self, name: &str) -> usize {
        let place = self.order.iter().position(|it| *it == name);
        place.unwrap_or_else(|| panic!("`{name}` has a place in the order"))
    }

    /// Returns the module that has what a path names; `None` if it is outside, or of another crate.
    fn owner(&self, path: &[String]) -> Option<String> {
        let within = path.strip_prefix(&self.source.path(self.root)[..])?;
        let (name, root) = (within.first()?, &self.source.modules[self.root]);
        if root.children.contains_key(name) {
            return Some(name.clone());
        }
        let import = root.imports.iter().find(|import| import.name.as_ref() == Some(name))?;
        let first = import.path.iter().find(|segment| *segment != "self")?;
        root.children.contains_key(first).then(|| first.clone())
    }
}

fn is_test(path: &[String]) -> bool {
    path.iter().any(|name| name == "tests" || name.ends_with("_tests"))
}

/// Returns the absolute paths in a module that begin with `crate`, `self` or `super`.
fn imports(source: &Source, module: ModuleId) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let items = source.modules[module].items.iter();
    for item in items.filter(|item| !matches!(item, Item::Mod(_))) {
        paths(item.to_token_stream(), &source.path(module), &mut found);
    }
    found
}

/// Collects the paths of a token stream that begin with `crate`, `self` or `super`.
fn paths(tokens: TokenStream, module: &[String], found: &mut Vec<Vec<String>>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(group) => paths(group.stream(), module, found),
            TokenTree::Ident(ident) => {
                let mut path = match ident.to_string().as_str() {
                    "crate" => Vec::new(),
                    "self" => module.to_vec(),
                    "super" => parent(module),
                    _ => continue,
                };
                at = rest(&tokens, at, &mut path, found);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Reads the segments of a path from an index on, with each branch of a group; returns the index
/// behind it.
fn rest(
    tokens: &[TokenTree],
    mut at: usize,
    path: &mut Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> usize {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == ':');
    while is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1)) {
        match tokens.get(at + 2) {
            Some(TokenTree::Ident(ident)) if ident == "super" => *path = parent(path),
            Some(TokenTree::Ident(ident)) => path.push(ident.to_string()),
            Some(TokenTree::Group(group)) => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(it) if it.as_char() == ',');
                for branch in inner.split(is_comma) {
                    let Some(TokenTree::Ident(first)) = branch.first() else { continue };
                    let mut path = path.clone();
                    if first != "self" {
                        path.push(first.to_string());
                    }
                    rest(branch, 1, &mut path, found);
                }
                return at + 3;
            }
            _ => break,
        }
        at += 3;
    }
    found.push(path.clone());
    at
}

fn parent(module: &[String]) -> Vec<String> {
    module[..module.len().saturating_sub(1)].to_vec()
}

#[test]
fn the_modules_of_the_runtime_import_only_what_is_below_them() {
    let source = source();
    Layers { source: &source, root: 0, order: CRATE }.check(CRATE_EXCEPTIONS);
}

#[test]
fn the_modules_of_the_server_import_only_what_is_below_them() {
    let source = source();
    let http = source.modules[0].children["http"];
    Layers { source: &source, root: http, order: HTTP }.check(&[]);
}

#[test]
fn the_orders_are_those_of_the_documentation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let text = fs::read_to_string(file).expect("it is there");
    let (_, list) = text.split_once("**Imports point one way.**").expect("it tells the order");
    let list = list.lines().skip_while(|line| !line.starts_with("- "));
    let list: String = list.take_while(|line| line.starts_with("- ")).collect();
    let told: Vec<_> = list.split('`').skip(1).step_by(2).collect();
    let order: Vec<_> = CRATE.iter().rev().map(|name| name.trim_start_matches('_')).collect();
    assert_eq!(told, order);

    let (_, list) = text.split_once("imports point down this list:\n").expect("it has the layout");
    let list = list.lines().take_while(|line| line.starts_with("      "));
    let names = list.filter_map(|line| line.trim_start().split_once("  ").map(|(names, _)| names));
    let names = names.flat_map(|names| names.split(", "));
    let told: Vec<_> =
        names.map(|name| name.trim_end_matches('/').trim_end_matches(".rs")).collect();
    assert_eq!(told, HTTP.iter().rev().copied().collect::<Vec<_>>());
}

#[test]
fn a_path_is_found_in_each_of_its_forms() {
    let module = ["http", "mcp"].map(str::to_owned);
    let check = |text: &str, expected: &[&str]| {
        let mut found = Vec::new();
        paths(text.parse().unwrap(), &module, &mut found);
        let found: Vec<_> = found.iter().map(|path| path.join("::")).collect();
        assert_eq!(found, expected, "{text}");
    };
    check(
        "use crate::tool::{self, scope::{A, B as C}};",
        &["tool", "tool::scope::A", "tool::scope::B"],
    );
    check("pub(in crate::http) use super::super::policy::*;", &["http", "policy"]);
    check(
        "fn f(_: &crate::Runtime) { super::state::new(self.x) }",
        &["Runtime", "http::state::new", "http::mcp"],
    );
}
