//! Tests of editor support: hover and navigation on the user's tokens.
//!
//! An editor resolves a token by all tokens of the expansion with the same span, and shows all
//! results. A generated name must therefore not have the span of another name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use super::golden;

/// Options of `#[ai_tool(…)]`, which an editor does not resolve.
const OPTIONS: [&str; 1] = ["forwards_key"];

#[test]
fn every_name_of_the_users_leads_to_itself_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for path in golden::sources(&folder) {
        let source = fs::read_to_string(&path).expect("a golden source");
        let strays = strays(&source);
        assert!(strays.is_empty(), "{}: {strays:#?}", path.display());
    }
}

/// Finds names of the expansion that have the span of another name in the user's code.
fn strays(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    visit(golden::tokens(source), &mut |token| {
        let TokenTree::Ident(name) = token else { return };
        let written = source.get(name.span().byte_range()).unwrap_or_default();
        let name = name.to_string();
        let is_name = written.starts_with(char::is_alphabetic)
            && !is_keyword(written)
            && !OPTIONS.contains(&written);
        let known = name == written || is_keyword(&name) || is_handle(&name, written);
        if is_name && !known {
            found.insert(format!("{name} at {written}"));
        }
    });
    found
}

/// Keywords are not resolved.
fn is_keyword(name: &str) -> bool {
    syn::parse_str::<syn::Ident>(name).is_err()
}

/// A handle has the span of its function.
fn is_handle(name: &str, written: &str) -> bool {
    let derived = name.strip_suffix("Tool").unwrap_or(name);
    name.starts_with(char::is_uppercase) && derived.eq_ignore_ascii_case(&written.replace('_', ""))
}

fn visit(tokens: TokenStream, look: &mut impl FnMut(&TokenTree)) {
    for token in tokens {
        look(&token);
        if let TokenTree::Group(group) = token {
            visit(group.stream(), look);
        }
    }
}
