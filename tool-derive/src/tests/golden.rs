//! Golden expansions of the files in `tests/golden`.
//!
//! `UPDATE_GOLDEN=1 cargo test -p tool-runtime-derive golden` updates them.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Item, Meta};

const EXPANDED: &str = ".expanded.rs";

#[test]
fn golden_expansions_stand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let moved: Vec<String> = sources(&folder).iter().filter_map(|source| moved(source)).collect();
    assert!(
        moved.is_empty(),
        "the expansion of {} moved; read the difference after \
         `UPDATE_GOLDEN=1 cargo test -p tool-runtime-derive golden`",
        moved.join(", ")
    );
}

pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of golden files");
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    let mut found: Vec<PathBuf> =
        paths.filter(|path| !path.to_string_lossy().ends_with(EXPANDED)).collect();
    found.sort();
    assert!(found.len() > 5, "there are golden files");
    found
}

fn moved(source: &Path) -> Option<String> {
    let text = fs::read_to_string(source).expect("a golden source");
    let found = expanded(&text);
    let golden = source.to_string_lossy().replace(".rs", EXPANDED);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &found).expect("a golden file can be written");
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    (found != expected).then(|| source.display().to_string())
}

fn expanded(source: &str) -> String {
    let tokens = tokens(source);
    assert!(!tokens.to_string().contains("compile_error"), "{tokens}");
    prettyplease::unparse(&syn::parse2(tokens).expect("an expansion is Rust"))
}

/// The expansion of a source file; items without macros stay unchanged.
pub(crate) fn tokens(source: &str) -> TokenStream {
    let file = syn::parse_file(source).expect("a golden source is Rust");
    file.items.into_iter().map(item).collect()
}

fn item(mut item: Item) -> TokenStream {
    let attributes = match &mut item {
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        _ => return item.into_token_stream(),
    };
    let place = attributes.iter().position(|it| macro_of(it).is_some());
    let Some((name, options)) = place.and_then(|place| macro_of(&attributes.remove(place))) else {
        return item.into_token_stream();
    };
    let item = item.into_token_stream();
    match name {
        "ai_tool" => crate::tool::expand(options, &item),
        "ai_toolkit" => crate::toolkit::expand(options, &item),
        "ai_type" => crate::types::expand(options, &item),
        _ => {
            let derived = crate::failure::expand(item.clone());
            quote!(#item #derived)
        }
    }
}

fn macro_of(attribute: &Attribute) -> Option<(&'static str, TokenStream)> {
    let options = match &attribute.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let names = ["ai_tool", "ai_toolkit", "ai_type"];
    if let Some(name) = names.into_iter().find(|name| attribute.path().is_ident(name)) {
        return Some((name, options));
    }
    let derives = attribute.path().is_ident("derive") && options.to_string() == "ToolFailure";
    derives.then_some(("ToolFailure", options))
}
