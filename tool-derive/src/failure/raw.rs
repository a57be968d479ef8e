//! The unchecked model of an error type: each variant with its `#[failure(…)]`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{
    Attribute, Data, DeriveInput, Expr, Fields, Generics, LitStr, Meta, Path, Token, Variant,
};

use crate::errors::Errors;
use crate::syntax::deprecation;
use crate::syntax::groups::ungrouped_tokens;
use crate::syntax::options::{AllowedOptions, KeyedValue, OptionValue, Options};

const ALLOWED_OPTIONS: AllowedOptions = AllowedOptions {
    attribute: "#[failure]",
    keys: &[
        ("type", "type = RETRYABLE"),
        ("code", "code = \"SEAT_TAKEN\""),
        ("crate", "crate = ::tool_runtime"),
        ("details", "details(seat, row)"),
        ("effect", "effect = \"none\""),
        ("endpoint", "endpoint = \"search\""),
        ("hide", "hide"),
        ("message", "message = \"seat {seat} is taken\""),
        ("retry_after", "retry_after = \"2s\""),
        ("retry_after_ms", "retry_after_ms = wait_ms"),
        ("transparent", "transparent"),
        ("upstream_code", "upstream_code = code"),
        ("upstream_status", "upstream_status = status"),
    ],
    misplaced: &[],
    repeatable: &[],
    synonyms: &[
        ("class", "`type = RETRYABLE`"),
        ("retry", "`retry_after = \"2s\"`"),
        ("status", "`upstream_status = 503`"),
    ],
};

/// A type with `#[derive(ToolFailure)]`, as written.
#[derive(Debug)]
pub(crate) struct RawFailure {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) crate_: Option<KeyedValue<Path>>,
    pub(crate) shape: TypeShape,
    pub(crate) may_be_deprecated: bool,
}

/// An enum's variants, or the single case of a struct.
#[derive(Debug)]
pub(crate) enum TypeShape {
    Enum(Vec<RawFailureCase>),
    Struct(Box<RawFailureCase>),
    Union(Token![union]),
}

/// A variant, or a whole struct.
#[derive(Debug)]
pub(crate) struct RawFailureCase {
    pub(crate) name: Ident,
    pub(crate) fields: Fields,
    pub(crate) options: Option<RawOptions>,
}

/// One `#[failure(…)]`, as written.
#[derive(Debug)]
pub(crate) struct RawOptions {
    pub(crate) attribute: Attribute,
    /// A standard code, which is the first option and has no key.
    pub(crate) standard: Option<Ident>,
    pub(crate) crate_: Option<KeyedValue<Path>>,
    pub(crate) code: Option<KeyedValue<LitStr>>,
    pub(crate) error_type: Option<KeyedValue<Path>>,
    pub(crate) message: Option<KeyedValue<LitStr>>,
    pub(crate) hide: Option<KeyedValue<bool>>,
    pub(crate) transparent: Option<KeyedValue<bool>>,
    pub(crate) retry_after: Option<KeyedValue<LitStr>>,
    pub(crate) retry_after_ms: Option<KeyedValue<Expr>>,
    pub(crate) upstream_code: Option<KeyedValue<OptionValue>>,
    pub(crate) upstream_status: Option<KeyedValue<Expr>>,
    pub(crate) endpoint: Option<KeyedValue<OptionValue>>,
    pub(crate) details: Option<KeyedValue<TokenStream>>,
    pub(crate) effect: Option<KeyedValue<LitStr>>,
}

impl RawFailure {
    /// Reads the type.
    pub(crate) fn parse(input: &DeriveInput, errors: &Errors) -> Self {
        let mut outer = RawOptions::take(&input.attrs, errors);
        let crate_ = outer.as_mut().and_then(|options| options.crate_.take());
        let shape = match &input.data {
            Data::Enum(data) => {
                only_crate(outer.as_ref(), crate_.as_ref(), errors);
                TypeShape::Enum(
                    data.variants.iter().map(|it| RawFailureCase::parse(it, errors)).collect(),
                )
            }
            Data::Struct(data) => TypeShape::Struct(Box::new(RawFailureCase {
                name: input.ident.clone(),
                fields: data.fields.clone(),
                options: outer.filter(|options| crate_.is_none() || !options.is_empty()),
            })),
            Data::Union(data) => TypeShape::Union(data.union_token),
        };
        Self {
            name: input.ident.clone(),
            generics: input.generics.clone(),
            crate_,
            shape,
            may_be_deprecated: deprecation::is_named_in(input),
        }
    }
}

impl RawFailureCase {
    fn parse(variant: &Variant, errors: &Errors) -> Self {
        Self {
            name: variant.ident.clone(),
            fields: variant.fields.clone(),
            options: RawOptions::take(&variant.attrs, errors),
        }
    }
}

impl RawOptions {
    fn take(attributes: &[Attribute], errors: &Errors) -> Option<Self> {
        let mut failure_attributes = attributes.iter().filter(|it| it.path().is_ident("failure"));
        let attribute = failure_attributes.next()?;
        for second in failure_attributes {
            errors.at(second, "one `#[failure(…)]` is enough; put all options into it");
        }
        let tokens = match &attribute.meta {
            Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        let (standard, rest) = leading_code(tokens);
        let mut options = Options::read(rest, ALLOWED_OPTIONS, errors);
        Some(Self::from(attribute.clone(), standard, &mut options, errors))
    }

    fn from(
        attribute: Attribute,
        standard: Option<Ident>,
        options: &mut Options,
        errors: &Errors,
    ) -> Self {
        Self {
            attribute,
            standard,
            crate_: options.path("crate", errors),
            code: options.text("code", errors),
            error_type: options.path("type", errors),
            message: options.text("message", errors),
            hide: options.flag("hide", errors).filter(|given| given.value),
            transparent: options.flag("transparent", errors).filter(|given| given.value),
            retry_after: options.text("retry_after", errors),
            retry_after_ms: options.expr("retry_after_ms", errors),
            upstream_code: options.any("upstream_code"),
            upstream_status: options.expr("upstream_status", errors),
            endpoint: options.any("endpoint"),
            details: options.list("details", errors),
            effect: options.text("effect", errors),
        }
    }

    /// Returns whether it contains only `crate = …`.
    fn is_empty(&self) -> bool {
        let Self { attribute, .. } = self;
        let Meta::List(list) = &attribute.meta else { return true };
        !list.tokens.to_string().contains(',') && list.tokens.to_string().starts_with("crate")
    }
}

/// Splits a leading word in capitals from the options.
fn leading_code(tokens: TokenStream) -> (Option<Ident>, TokenStream) {
    let mut token_trees = tokens.clone().into_iter();
    let first =
        token_trees.next().and_then(|first| ungrouped_tokens(first.into()).into_iter().next());
    let Some(TokenTree::Ident(first)) = first else { return (None, tokens) };
    let capitals = first.to_string().chars().all(|it| it.is_ascii_uppercase() || it == '_');
    match token_trees.next() {
        None if capitals => (Some(first), TokenStream::new()),
        Some(TokenTree::Punct(comma)) if capitals && comma.as_char() == ',' => {
            (Some(first), token_trees.collect())
        }
        _ => (None, tokens),
    }
}

fn only_crate(outer: Option<&RawOptions>, crate_: Option<&KeyedValue<Path>>, errors: &Errors) {
    let Some(outer) = outer else { return };
    if crate_.is_none() || !outer.is_empty() {
        errors.at(
            &outer.attribute,
            "each variant of an enum has a failure of its own: move `#[failure(…)]` onto the variants",
        );
    }
}
