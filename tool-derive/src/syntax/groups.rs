//! Removes the invisible groups around values that come through `macro_rules!` fragments, such as
//! `$x:literal`, `$x:expr` and `$x:path`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Expr;

/// Removes the groups around an expression.
pub(crate) fn ungrouped(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => ungrouped(*group.expr),
        other => other,
    }
}

/// Returns the expression inside of its groups.
pub(crate) fn inside(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => inside(&group.expr),
        other => other,
    }
}

/// Removes the group around a whole list of tokens.
pub(crate) fn ungrouped_tokens(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            ungrouped_tokens(group.stream())
        }
        _ => tokens,
    }
}
