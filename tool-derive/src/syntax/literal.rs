//! Checks literal defaults and examples against the spelled type and the literal bounds, so that a
//! mistake is an error at its own place, and not one of the conversion or of `build()`.

use syn::{Expr, ExprLit, Lit, Type};

use super::bounds::Bounds;
use super::groups::inside;
use super::types;
use crate::errors::Errors;

/// The names of the integer types.
pub(super) const INTEGERS: [&str; 12] =
    ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
/// The names of the floating-point types.
pub(super) const FLOATS: [&str; 2] = ["f32", "f64"];

/// The range and the length of an argument.
type ArgBounds<'b> = (Option<&'b Bounds>, Option<&'b Bounds>);

/// Checks a default: a literal of the argument's type, within the argument's bounds.
pub(super) fn check_default(value: &Expr, ty: &Type, bounds: ArgBounds<'_>, errors: &Errors) {
    let spelled = types::to_source(ty);
    if let (Some(inner), Some(kind)) = (types::optional(ty), LiteralKind::new(value)) {
        let inner = types::to_source(inner);
        let message = format!(
            "this default is {}, and `{spelled}` has the default null: take `{inner}`, which may \
             be left out where it has a default",
            kind.noun()
        );
        errors.at(value, message);
        return;
    }
    check("default", value, ty, bounds, errors);
}

/// Checks an example: a literal of the argument's type, within the argument's bounds.
pub(super) fn check_example(value: &Expr, ty: &Type, bounds: ArgBounds<'_>, errors: &Errors) {
    check("example", value, types::optional(ty).unwrap_or(ty), bounds, errors);
}

fn check(what: &str, value: &Expr, ty: &Type, (range, length): ArgBounds<'_>, errors: &Errors) {
    let Some(kind) = LiteralKind::new(value) else { return };
    if let Some(expected) = kind.mismatch(ty) {
        let (noun, spelled) = (kind.noun(), types::to_source(ty));
        errors.at(value, format!("this {what} is {noun}, and `{spelled}` is {expected}"));
        return;
    }
    if let Some(range) = range.filter(|range| range.excludes(value)) {
        let value_text = shown(value);
        errors.at(
            value,
            format!("the {what} {value_text} is outside of `range({})`", range.source()),
        );
    }
    let characters = text_length(value);
    if let (Some(length), Some(characters)) = (length, characters) {
        if length.excludes_count(characters) {
            let bounds = length.source();
            let message =
                format!("the {what} has {characters} characters, outside of `length({bounds})`");
            errors.at(value, message);
        }
    }
}

/// The kind of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LiteralKind {
    Text,
    Integer,
    Float,
    Truth,
}

impl LiteralKind {
    /// Determines the kind of a literal; none for any other expression.
    fn new(value: &Expr) -> Option<Self> {
        match inside(value) {
            Expr::Lit(ExprLit { lit, .. }) => match lit {
                Lit::Str(_) => Some(Self::Text),
                Lit::Int(_) => Some(Self::Integer),
                Lit::Float(_) => Some(Self::Float),
                Lit::Bool(_) => Some(Self::Truth),
                _ => None,
            },
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => Self::new(&unary.expr),
            _ => None,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Integer => "a number",
            Self::Float => "a number with a fraction",
            Self::Truth => "a truth value",
        }
    }

    /// Returns the kind of the spelled type if the literal is not of it; none if it may be.
    fn mismatch(self, ty: &Type) -> Option<&'static str> {
        let is_text = types::is_named(ty, &["String"]) || matches!(ty, Type::Reference(_));
        let is_integer = types::is_named(ty, &INTEGERS);
        let is_number = is_integer || types::is_named(ty, &FLOATS);
        let is_truth = types::is_named(ty, &["bool"]);
        // A `Vec<u8>` may be written as a text.
        let is_bytes =
            types::only_argument(ty, &["Vec"]).is_some_and(|item| types::is_named(item, &["u8"]));
        let is_list = types::is_named(ty, &super::arg::LISTS) && !is_bytes;
        if is_list {
            return Some("a list or a map");
        }
        match self {
            Self::Text if types::is_named(ty, &["char"]) => Some("one character, as in `'x'`"),
            Self::Text if is_number => Some("a number"),
            Self::Text | Self::Integer | Self::Float if is_truth => Some("a truth value"),
            Self::Integer | Self::Float | Self::Truth if is_text => Some("a text"),
            Self::Float if is_integer => Some("a whole number"),
            Self::Truth if is_number => Some("a number"),
            Self::Text | Self::Integer | Self::Float | Self::Truth => None,
        }
    }
}

fn shown(value: &Expr) -> String {
    quote::ToTokens::to_token_stream(inside(value)).to_string().replace(' ', "")
}

/// Returns the number of characters of a literal text, as JSON Schema counts them.
fn text_length(value: &Expr) -> Option<usize> {
    match inside(value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().chars().count()),
        _ => None,
    }
}
