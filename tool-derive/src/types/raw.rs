//! The unchecked model of a type: its options, and the `#[arg(…)]` of each field.

use proc_macro2::TokenStream;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, Path, Token, Type};

use super::fields::all_mut;
use crate::errors::Errors;
use crate::syntax::arg::RawArg;
use crate::syntax::options::{AllowedOptions, DOC_COMMENT, KeyedValue, Options};

const ALLOWED_OPTIONS: AllowedOptions = AllowedOptions {
    attribute: "#[ai_type]",
    keys: &[
        ("crate", "crate = ::tool_runtime"),
        ("deserialize_only", "deserialize_only"),
        ("open", "open"),
        ("own_debug", "own_debug"),
        ("serialize_only", "serialize_only"),
    ],
    misplaced: &[],
    repeatable: &[],
    synonyms: &[("description", DOC_COMMENT)],
};

/// A type with `#[ai_type]`, as written.
#[derive(Debug)]
pub(crate) struct RawType {
    pub(crate) options: RawOptions,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) union: Option<Token![union]>,
    /// True for a struct of named fields without parameters.
    pub(crate) is_named_struct: bool,
    /// The attributes of each variant.
    pub(crate) variants: Vec<Vec<Attribute>>,
    /// Every field, variant by variant.
    pub(crate) fields: Vec<RawField>,
}

/// The options of `#[ai_type(…)]`, as written.
#[derive(Debug)]
pub(crate) struct RawOptions {
    pub(crate) crate_: Option<KeyedValue<Path>>,
    pub(crate) open: Option<KeyedValue<bool>>,
    pub(crate) own_debug: Option<KeyedValue<bool>>,
    pub(crate) serialize_only: Option<KeyedValue<bool>>,
    pub(crate) deserialize_only: Option<KeyedValue<bool>>,
}

/// A field, as written.
#[derive(Debug)]
pub(crate) struct RawField {
    pub(crate) variant: Option<Ident>,
    pub(crate) name: Option<Ident>,
    pub(crate) ty: Type,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) arg: Option<RawArg>,
}

impl RawType {
    /// Parses the type, and removes the macro's own attributes.
    pub(crate) fn parse(options: TokenStream, input: &mut DeriveInput, errors: &Errors) -> Self {
        let mut options = Options::read(options, ALLOWED_OPTIONS, errors);
        let union = match &input.data {
            Data::Union(data) => Some(data.union_token),
            _ => None,
        };
        let is_named_struct = input.generics.params.is_empty()
            && matches!(&input.data, Data::Struct(data) if matches!(data.fields, Fields::Named(_)));
        let variants = match &input.data {
            Data::Enum(data) => data.variants.iter().map(|variant| variant.attrs.clone()).collect(),
            Data::Struct(_) | Data::Union(_) => Vec::new(),
        };
        let fields = all_mut(&mut input.data)
            .into_iter()
            .map(|(variant, field)| RawField::take(variant, field, errors))
            .collect();
        Self {
            options: RawOptions {
                crate_: options.path("crate", errors),
                open: options.flag("open", errors),
                own_debug: options.flag("own_debug", errors),
                serialize_only: options.flag("serialize_only", errors),
                deserialize_only: options.flag("deserialize_only", errors),
            },
            attributes: input.attrs.clone(),
            union,
            is_named_struct,
            variants,
            fields,
        }
    }
}

impl RawField {
    fn take(variant: Option<Ident>, field: &mut Field, errors: &Errors) -> Self {
        let arg = RawArg::take(&mut field.attrs, errors);
        Self {
            variant,
            name: field.ident.clone(),
            ty: field.ty.clone(),
            attributes: field.attrs.clone(),
            arg,
        }
    }
}
