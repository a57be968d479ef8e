//! Reads doc comments as descriptions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::groups::ungrouped;

/// A description: text, or an expression such as `include_str!("…")`.
#[derive(Debug, Clone)]
pub(crate) enum Description {
    Text(String),
    Computed(Vec<Expr>),
}

impl Description {
    /// Reads the `#[doc = …]` attributes; `None` if there are none or only blank ones.
    pub(crate) fn from_attributes(attributes: &[Attribute]) -> Option<Self> {
        let parts: Vec<Expr> = attributes.iter().filter_map(doc).collect();
        let literal: Option<Vec<String>> = parts.iter().map(text).collect();
        match literal {
            Some(lines) => Some(joined(&lines)).filter(|text| !text.is_empty()).map(Self::Text),
            None => Some(Self::Computed(parts)),
        }
    }
}

impl ToTokens for Description {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Text(text) => text.to_tokens(tokens),
            Self::Computed(parts) => {
                tokens.extend(quote!(::core::concat!(#(#parts),*)));
            }
        }
    }
}

/// Splits doc comments as schemars does: a heading in the first line is the title. `None` without
/// comments, or if one is not a literal.
pub(crate) fn title_and_description(attributes: &[Attribute]) -> Option<(String, String)> {
    let comments = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(text(&pair.value)),
        _ => None,
    });
    let comments = comments.collect::<Option<Vec<String>>>().filter(|all| !all.is_empty())?;
    let lines = comments.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let comment_text = lines.collect::<Vec<_>>().join("\n");
    let comment_text = comment_text.trim_ascii();
    if !comment_text.starts_with('#') {
        return Some((String::new(), comment_text.to_owned()));
    }
    let (title, description) = comment_text.split_once('\n').unwrap_or((comment_text, ""));
    let title = title.trim_start_matches('#').trim_ascii();
    Some((title.to_owned(), description.trim_ascii().to_owned()))
}

/// Returns whether the attribute is a doc comment.
pub(crate) fn is_doc(attribute: &Attribute) -> bool {
    doc(attribute).is_some()
}

fn doc(attribute: &Attribute) -> Option<Expr> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => Some(ungrouped(pair.value.clone())),
        _ => None,
    }
}

fn text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(lit), .. }) => Some(lit.value()),
        _ => None,
    }
}

/// Joins comments as rustdoc does: without stars, common indentation and blank ends.
fn joined(comments: &[String]) -> String {
    let comments: Vec<String> = comments.iter().map(|comment| without_stars(comment)).collect();
    let lines: Vec<&str> = comments.iter().flat_map(|comment| comment.split('\n')).collect();
    let indent = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line));
    let indent = indent.min().unwrap_or(0);
    let lines: Vec<&str> =
        lines.iter().map(|line| line.get(indent..).unwrap_or("").trim_end()).collect();
    lines.join("\n").trim().to_owned()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Removes the stars at the beginning of a block comment's lines, if each line has one.
fn without_stars(comment: &str) -> String {
    let Some((first, rest)) = comment.split_once('\n') else { return comment.to_owned() };
    let inner = rest.lines().filter(|line| !line.trim().is_empty());
    if rest.trim().is_empty() || !inner.clone().all(|line| line.trim_start().starts_with('*')) {
        return aligned(first, rest);
    }
    let tail_lines = rest.lines().map(|line| line.trim_start().trim_start_matches('*'));
    std::iter::once(first).chain(tail_lines).collect::<Vec<_>>().join("\n")
}

/// Indents the first line of a block comment like the others.
fn aligned(first: &str, rest: &str) -> String {
    let inner = rest.lines().filter(|line| !line.trim().is_empty());
    let indent = inner.map(indent).min().unwrap_or(0);
    format!("{}{}\n{rest}", " ".repeat(indent), first.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let item: syn::ItemStruct = syn::parse_str(&format!("{source} struct S;")).expect("source");
        match Description::from_attributes(&item.attrs) {
            Some(Description::Text(text)) => assert_eq!(text, expected),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn comments_of_all_forms_become_plain_text() {
        check("/// One.\n", "One.");
        check("/// One.\n///\n///   * point\n", "One.\n\n  * point");
        check("/** One. */", "One.");
        check("/** One.\n    Two. */", "One.\nTwo.");
        check("/**\n * One.\n * Two.\n */", "One.\nTwo.");
        check("#[doc = \"One.\"]", "One.");
    }

    #[test]
    fn a_blank_comment_is_none() {
        let item: syn::ItemStruct = syn::parse_str("///  \nstruct S;").expect("source");
        assert!(Description::from_attributes(&item.attrs).is_none());
    }
}
