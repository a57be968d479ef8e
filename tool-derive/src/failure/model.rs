//! The checked model of an error type.

use proc_macro2::{Ident, TokenStream};
use syn::{Fields, Generics, LitStr, Type};

use crate::syntax::root::Root;

/// A checked error type.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) root: Root,
    pub(crate) cases: Vec<FailureCase>,
    pub(crate) may_be_deprecated: bool,
}

/// A variant, or the struct itself.
#[derive(Debug)]
pub(crate) struct FailureCase {
    /// `Self::Variant` or `Self`.
    pub(crate) path: TokenStream,
    pub(crate) fields: Fields,
    pub(crate) meaning: CaseFailure,
}

/// The failure of a case.
#[derive(Debug)]
pub(crate) enum CaseFailure {
    /// The failure of the inner error.
    Transparent(Box<Type>),
    OwnFailure(Box<OwnFailure>),
}

/// A failure with options of its own.
#[derive(Debug)]
pub(crate) struct OwnFailure {
    pub(crate) code: Code,
    pub(crate) message: Message,
    pub(crate) retry_after: Option<ValueSource>,
    pub(crate) upstream_code: Option<ValueSource>,
    pub(crate) upstream_status: Option<ValueSource>,
    pub(crate) endpoint: Option<ValueSource>,
    pub(crate) details: Vec<Ident>,
    pub(crate) effect: Option<Effect>,
}

/// A code.
#[derive(Debug)]
pub(crate) enum Code {
    /// A standard code, by its name in `ErrorCode`.
    Standard(Ident),
    /// A code of the type's own, and its variant of `ToolErrorType`.
    Own(String, Ident),
}

/// The public message.
#[derive(Debug)]
pub(crate) enum Message {
    /// The code's generic text.
    Generic,
    /// The output of `Display`.
    Display,
    /// A format over the fields.
    Format(LitStr),
}

/// The source of a value.
#[derive(Debug)]
pub(crate) enum ValueSource {
    /// The field with this binding.
    Field(Ident),
    /// A literal.
    Literal(TokenStream),
}

/// The known effect of a failed write.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect {
    None,
    Unknown,
}

/// The binding of a field: its own name, or `_0`.
pub(crate) fn binding(index: usize, field: &syn::Field) -> Ident {
    match &field.ident {
        Some(ident) => ident.clone(),
        None => quote::format_ident!("_{index}"),
    }
}

impl FailureCase {
    /// The bindings of all fields.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = Ident> + '_ {
        self.fields.iter().enumerate().map(|(index, field)| binding(index, field))
    }
}
