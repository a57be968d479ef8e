//! Reads the range in `range(…)` and `length(…)`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprRange, ExprUnary, Lit, RangeLimits, UnOp};

use super::groups::{inside, ungrouped};
use super::options::KeyedValue;
use crate::errors::Errors;

/// A range with at least one end.
#[derive(Debug, Clone)]
pub(crate) struct Bounds(ExprRange);

impl Bounds {
    /// Reads `range(…)`: bounds of a number.
    pub(crate) fn range(given: KeyedValue<TokenStream>, errors: &Errors) -> Option<Self> {
        let bounds = Self::read(given, "range(1..=50)", errors)?;
        for end in bounds.ends().filter(|end| is_no_number(end)) {
            errors.at(end, "`range` bounds a number; for text and lists write `length(1..=50)`");
        }
        Some(bounds)
    }

    /// Reads `length(…)`: bounds of a count.
    pub(crate) fn length(given: KeyedValue<TokenStream>, errors: &Errors) -> Option<Self> {
        let bounds = Self::read(given, "length(1..=50)", errors)?;
        for end in bounds.ends().filter(|end| is_no_count(end)) {
            errors.at(end, "a length is a whole number from 0 up, as in `length(1..=50)`");
        }
        Some(bounds)
    }

    pub(crate) fn start(&self) -> Option<&Expr> {
        self.0.start.as_deref()
    }

    pub(crate) fn end(&self) -> Option<&Expr> {
        self.0.end.as_deref()
    }

    /// Rewrites both ends.
    pub(crate) fn map(&mut self, change: impl Fn(&Expr) -> Expr) {
        for end in [&mut self.0.start, &mut self.0.end].into_iter().flatten() {
            **end = change(end);
        }
    }

    /// Returns whether the end is inclusive.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.0.limits, RangeLimits::Closed(_))
    }

    /// Returns whether a literal number is outside of the literal ends; false if it cannot be seen.
    pub(crate) fn excludes(&self, value: &Expr) -> bool {
        number(value).is_some_and(|value| self.excludes_number(value))
    }

    /// Returns whether a count is outside of the literal ends.
    #[allow(clippy::cast_precision_loss, reason = "a literal's length is far below 2^53")]
    pub(crate) fn excludes_count(&self, count: usize) -> bool {
        self.excludes_number(count as f64)
    }

    /// Formats the range as it is written.
    pub(crate) fn source(&self) -> String {
        let end = |end: Option<&Expr>| {
            end.map(|it| it.to_token_stream().to_string().replace(' ', "")).unwrap_or_default()
        };
        let dots = if self.is_closed() { "..=" } else { ".." };
        format!("{}{dots}{}", end(self.start()), end(self.end()))
    }

    fn excludes_number(&self, value: f64) -> bool {
        let is_below = self.start().and_then(number).is_some_and(|start| value < start);
        let is_above = self.end().and_then(number).is_some_and(|end| {
            // Above 2^53 two different integers may be one float, so equality excludes nothing.
            value > end
                || (!self.is_closed() && value >= end && end.abs() < 9_007_199_254_740_992.0)
        });
        is_below || is_above
    }

    fn read(given: KeyedValue<TokenStream>, form: &str, errors: &Errors) -> Option<Self> {
        let KeyedValue { key, value } = given;
        if value.is_empty() {
            errors.at(&key, format!("`{key}` needs bounds: `{form}`"));
            return None;
        }
        let Ok(Expr::Range(range)) = syn::parse2::<Expr>(value.clone()).map(ungrouped) else {
            errors.at(value, format!("`{key}` takes a range: `{form}`, `1..` or `..=50`"));
            return None;
        };
        Self(range).ordered(&key, errors)
    }

    fn ordered(self, key: &syn::Ident, errors: &Errors) -> Option<Self> {
        if self.ends().next().is_none() {
            errors.at(&self.0, format!("`{key}(..)` admits everything; give it a start or an end"));
            return None;
        }
        let (start, end) = (self.start().and_then(number), self.end().and_then(number));
        let empty = match (start, end) {
            (Some(start), Some(end)) if self.is_closed() => start > end,
            (Some(start), Some(end)) => start >= end,
            _ => false,
        };
        if empty {
            errors.at(&self.0, "no value fits these bounds; the lower one comes first");
        }
        (!empty).then_some(self)
    }

    fn ends(&self) -> impl Iterator<Item = &Expr> {
        self.start().into_iter().chain(self.end())
    }
}

impl ToTokens for Bounds {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self(range) = self;
        tokens.extend(quote!(&(#range)));
    }
}

/// Reads a literal number.
fn number(expr: &Expr) -> Option<f64> {
    match inside(expr) {
        Expr::Lit(ExprLit { lit: Lit::Int(lit), .. }) => lit.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Float(lit), .. }) => lit.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => number(expr).map(|found| -found),
        _ => None,
    }
}

fn is_no_number(expr: &Expr) -> bool {
    matches!(inside(expr), Expr::Lit(_)) && number(expr).is_none()
}

fn is_no_count(expr: &Expr) -> bool {
    match inside(expr) {
        Expr::Lit(ExprLit { lit, .. }) => !matches!(lit, Lit::Int(_)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), .. }) => true,
        _ => false,
    }
}
