//! Reads `#[arg(…)]` on a parameter or a field.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Type};

use super::bounds::Bounds;
use super::options::{AllowedOptions, DOC_COMMENT, KeyedValue, OptionValue, Options};
use super::{literal, names, types};
use crate::errors::Errors;

const ALLOWED_OPTIONS: AllowedOptions = AllowedOptions {
    attribute: "#[arg]",
    keys: &[
        ("default", "default = 10"),
        ("example", "example = \"tea\""),
        ("length", "length(1..=50)"),
        ("minor_units", "minor_units"),
        ("pattern", "pattern = \"^[a-z]+$\""),
        ("pii", "pii"),
        ("range", "range(1..=50)"),
        ("rename", "rename = \"from\""),
        ("secret", "secret"),
        ("spends", "spends = \"EUR\"` or `spends"),
    ],
    misplaced: &[],
    repeatable: &[],
    synonyms: &[
        ("cents", "`spends = \"EUR\", minor_units`"),
        ("currency", "`spends = \"EUR\"`"),
        ("desc", DOC_COMMENT),
        ("description", DOC_COMMENT),
        ("doc", DOC_COMMENT),
        ("len", "`length(1..=50)`"),
        ("max", "`range(..=50)`"),
        ("max_items", "`length(..=50)`"),
        ("max_length", "`length(..=50)`"),
        ("maximum", "`range(..=50)`"),
        ("min", "`range(1..)`"),
        ("min_items", "`length(1..)`"),
        ("min_length", "`length(1..)`"),
        ("minimum", "`range(1..)`"),
        ("name", "`rename = \"from\"`"),
        ("regex", "`pattern = \"^[a-z]+$\"`"),
    ],
};

/// The names of the list types, whose length a schema can bound.
pub(super) const LISTS: [&str; 5] = ["Vec", "HashMap", "BTreeMap", "HashSet", "BTreeSet"];

const MAX_NAME_LENGTH: usize = 64;

/// The cure for a range on a list.
const BOUNDED_ITEMS: &str = "for the number of its items write `length(…)`; for the items \
    themselves make them a type: `#[ai_type] struct Item(#[arg(range(…))] u8);`";

/// The checked options of one argument.
#[derive(Debug, Default, Clone)]
pub(crate) struct Arg {
    pub(crate) default: Option<ArgDefault>,
    pub(crate) range: Option<Bounds>,
    pub(crate) length: Option<Bounds>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) example: Option<Expr>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) sensitivity: Option<Sensitivity>,
    pub(crate) spends: Option<Spends>,
}

/// The money that an argument says.
#[derive(Debug, Clone)]
pub(crate) enum Spends {
    /// The argument has its own currency.
    Money,
    /// A decimal number in this currency.
    Decimal(LitStr),
    /// A whole number of the smallest units of this currency.
    MinorUnits(LitStr),
    /// A decimal number; the argument of this name has the currency.
    DecimalBeside(Ident),
}

impl Arg {
    /// Generates the optional function of the default, for the runtime's reader of tuples.
    ///
    /// `function` returns the default if it is a value.
    pub(crate) fn default_function(&self, function: impl ToTokens) -> TokenStream {
        match &self.default {
            Some(ArgDefault::OfType) => {
                quote!(::core::option::Option::Some(::core::default::Default::default))
            }
            Some(ArgDefault::Value(_)) => quote!(::core::option::Option::Some(#function)),
            None => quote!(::core::option::Option::None),
        }
    }

    /// Rewrites every expression.
    pub(crate) fn map(mut self, change: impl Fn(&Expr) -> Expr) -> Self {
        if let Some(ArgDefault::Value(value)) = &mut self.default {
            **value = change(value);
        }
        for bounds in [&mut self.range, &mut self.length].into_iter().flatten() {
            bounds.map(&change);
        }
        self.example = self.example.as_ref().map(change);
        self
    }
}

/// The value of an omitted argument.
#[derive(Debug, Clone)]
pub(crate) enum ArgDefault {
    /// The type's own default.
    OfType,
    /// This value.
    Value(Box<Expr>),
}

/// The sensitivity of an argument's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sensitivity {
    Secret,
    Pii,
}

impl Sensitivity {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Pii => "pii",
        }
    }
}

/// The `#[arg(…)]` of one parameter or field, as written.
#[derive(Debug)]
pub(crate) struct RawArg {
    pub(crate) attribute: Attribute,
    options: Options,
}

impl RawArg {
    /// Removes `#[arg(…)]` from the attributes.
    pub(crate) fn take(attributes: &mut Vec<Attribute>, errors: &Errors) -> Option<Self> {
        let (mut found, others): (Vec<_>, Vec<_>) =
            attributes.drain(..).partition(|attribute| attribute.path().is_ident("arg"));
        *attributes = others;
        for second in found.drain(1.min(found.len())..) {
            errors.at(second, "one `#[arg(…)]` is enough; put all options into it");
        }
        let attribute = found.pop()?;
        let options = Options::read(tokens(&attribute, errors), ALLOWED_OPTIONS, errors);
        Some(Self { attribute, options })
    }

    /// Checks the options against each other and, as far as it is visible, against the type.
    pub(crate) fn check(self, ty: &Type, errors: &Errors) -> Arg {
        let Self { mut options, .. } = self;
        let range = options.list("range", errors);
        let length = options.list("length", errors);
        let pattern = options.text("pattern", errors);
        check_kind(ty, range.as_ref(), length.as_ref(), pattern.as_ref(), errors);
        let sensitivity = sensitivity(&mut options, errors);
        let spends = spends(&mut options, sensitivity, errors);
        let default = default(&mut options, sensitivity, errors);
        let example = example(&mut options, sensitivity, errors);
        let range = range.and_then(|given| Bounds::range(given, errors));
        let length = length.and_then(|given| Bounds::length(given, errors));
        let bounds = (range.as_ref(), length.as_ref());
        if let Some(ArgDefault::Value(value)) = &default {
            literal::check_default(value, ty, bounds, errors);
        }
        if let Some(value) = &example {
            literal::check_example(value, ty, bounds, errors);
        }
        Arg {
            default,
            range,
            length,
            pattern: pattern.and_then(|given| non_empty_pattern(given.value, errors)),
            example,
            rename: options.text("rename", errors).and_then(|given| portable_name(given, errors)),
            sensitivity,
            spends,
        }
    }
}

fn tokens(attribute: &Attribute, errors: &Errors) -> TokenStream {
    match &attribute.meta {
        Meta::List(list) if !list.tokens.is_empty() => list.tokens.clone(),
        _ => {
            errors.at(
                attribute,
                "`#[arg]` is empty; add an option, as in `#[arg(default = 10)]`, or remove it",
            );
            TokenStream::new()
        }
    }
}

fn check_kind(
    ty: &Type,
    range: Option<&KeyedValue<TokenStream>>,
    length: Option<&KeyedValue<TokenStream>>,
    pattern: Option<&KeyedValue<LitStr>>,
    errors: &Errors,
) {
    let spelled = types::to_source(ty);
    let text = types::is_named(ty, &["String"]) || matches!(ty, Type::Reference(_));
    let truth = types::is_named(ty, &["bool", "char"]);
    let number = types::is_named(ty, &literal::INTEGERS) || types::is_named(ty, &literal::FLOATS);
    let list = types::is_named(ty, &LISTS);
    if let Some(given) = range.filter(|_| text || truth || list) {
        let cure = match (truth, list) {
            (true, _) => "remove it",
            (false, true) => BOUNDED_ITEMS,
            (false, false) => "write `length(…)`",
        };
        errors.at(&given.key, format!("`range` bounds a number, not `{spelled}`; {cure}"));
    }
    if let Some(given) = length.filter(|_| truth || number) {
        let cure = if truth { "remove it" } else { "write `range(…)`" };
        errors.at(&given.key, format!("`length` bounds text and lists, not `{spelled}`; {cure}"));
    }
    if let Some(given) = pattern.filter(|_| truth || number || list) {
        errors.at(&given.key, format!("`pattern` describes text, not `{spelled}`; remove it"));
    }
}

fn non_empty_pattern(pattern: LitStr, errors: &Errors) -> Option<LitStr> {
    if pattern.value().is_empty() {
        errors.at(&pattern, "an empty pattern admits everything; write one or remove it");
        return None;
    }
    Some(pattern)
}

fn portable_name(given: KeyedValue<LitStr>, errors: &Errors) -> Option<LitStr> {
    let KeyedValue { value, .. } = given;
    if !is_portable(&value.value()) {
        errors.at(&value, "an argument's name is 1 to 64 of `A-Z a-z 0-9 _ . -`; choose another");
        return None;
    }
    Some(value)
}

/// Returns whether every provider accepts this argument name.
pub(crate) fn is_portable(name: &str) -> bool {
    names::is_portable(name, MAX_NAME_LENGTH)
}

fn sensitivity(options: &mut Options, errors: &Errors) -> Option<Sensitivity> {
    let secret = options.flag("secret", errors).filter(|given| given.value);
    let pii = options.flag("pii", errors).filter(|given| given.value);
    match (secret, pii) {
        (Some(_), Some(pii)) => {
            errors.at(pii.key, "`secret` already hides more than `pii` does; keep one of them");
            None
        }
        (Some(_), None) => Some(Sensitivity::Secret),
        (None, Some(_)) => Some(Sensitivity::Pii),
        (None, None) => None,
    }
}

fn spends(
    options: &mut Options,
    sensitivity: Option<Sensitivity>,
    errors: &Errors,
) -> Option<Spends> {
    let minor_units = options.flag("minor_units", errors).filter(|given| given.value);
    let Some(KeyedValue { key, value }) = options.any("spends") else {
        if let Some(minor_units) = minor_units {
            errors.at(minor_units.key, "`minor_units` counts a currency: add `spends = \"EUR\"`");
        }
        return None;
    };
    if sensitivity == Some(Sensitivity::Secret) {
        errors.at(
            &key,
            "an approver sees what a call spends, so the amount is no secret; remove one",
        );
    }
    let spends = match value {
        OptionValue::Flag => Spends::Money,
        OptionValue::Is(expr) => {
            let Expr::Lit(ExprLit { lit: Lit::Str(code), .. }) = &*expr else {
                errors.at(&expr, "`spends` has a currency's code: `spends = \"EUR\"`");
                return None;
            };
            let text = code.value();
            if text.len() != 3 || !text.bytes().all(|byte| byte.is_ascii_uppercase()) {
                errors.at(
                    code,
                    "a currency's code is three capital letters, as in `spends = \"EUR\"`",
                );
                return None;
            }
            match minor_units {
                Some(_) => return Some(Spends::MinorUnits(code.clone())),
                None => Spends::Decimal(code.clone()),
            }
        }
        OptionValue::List(tokens) => {
            let Ok(argument) = syn::parse2(tokens.clone()) else {
                errors.at(
                    tokens,
                    "`spends(…)` names the argument with the currency: `spends(currency)`",
                );
                return None;
            };
            Spends::DecimalBeside(argument)
        }
    };
    if let Some(minor_units) = minor_units {
        errors.at(
            minor_units.key,
            "`minor_units` needs a fixed currency: `spends = \"EUR\", minor_units`",
        );
    }
    Some(spends)
}

fn default(
    options: &mut Options,
    sensitivity: Option<Sensitivity>,
    errors: &Errors,
) -> Option<ArgDefault> {
    let KeyedValue { key, value } = options.any("default")?;
    let arg_default = match value {
        OptionValue::Flag => ArgDefault::OfType,
        OptionValue::Is(expr) => ArgDefault::Value(expr),
        OptionValue::List(tokens) => {
            errors.at(tokens, "`default` is written `default` or `default = 10`");
            return None;
        }
    };
    if sensitivity == Some(Sensitivity::Secret) && matches!(arg_default, ArgDefault::Value(_)) {
        errors.at(key, "a secret's default would stand in the schema; let the host give it");
        return None;
    }
    Some(arg_default)
}

fn example(
    options: &mut Options,
    sensitivity: Option<Sensitivity>,
    errors: &Errors,
) -> Option<Expr> {
    let KeyedValue { key, value } = options.expr("example", errors)?;
    if sensitivity == Some(Sensitivity::Secret) {
        errors.at(key, "a secret's example would stand in the schema; remove it");
        return None;
    }
    Some(value)
}
