//! An error type that is known to be right.

use proc_macro2::{Ident, TokenStream};
use syn::{Fields, Generics, LitStr, Type};

use crate::syntax::root::Root;

/// A checked error type.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) root: Root,
    pub(crate) cases: Vec<Case>,
}

/// A variant, or the struct.
#[derive(Debug)]
pub(crate) struct Case {
    /// `Self::Variant` or `Self`.
    pub(crate) path: TokenStream,
    pub(crate) fields: Fields,
    pub(crate) meaning: Meaning,
}

/// What a case means.
#[derive(Debug)]
pub(crate) enum Meaning {
    /// What the error inside means.
    Transparent(Box<Type>),
    Own(Box<Own>),
}

/// A meaning of a case's own.
#[derive(Debug)]
pub(crate) struct Own {
    pub(crate) code: Code,
    pub(crate) message: Message,
    pub(crate) retry_after: Option<Source>,
    pub(crate) upstream_code: Option<Source>,
    pub(crate) upstream_status: Option<Source>,
    pub(crate) endpoint: Option<Source>,
    pub(crate) details: Vec<Ident>,
    pub(crate) effect: Option<Effect>,
}

/// A code.
#[derive(Debug)]
pub(crate) enum Code {
    /// By its name in `ErrorCode`.
    Closed(Ident),
    /// A text, and its name in `ToolErrorType`.
    Own(String, Ident),
}

/// The public message.
#[derive(Debug)]
pub(crate) enum Message {
    /// The code's generic text.
    Generic,
    /// What `Display` says.
    Display,
    /// A format over the fields.
    Format(LitStr),
}

/// Where a value comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// The field that is bound to this name.
    Field(Ident),
    /// A literal.
    Fixed(TokenStream),
}

/// What is known of the effect of a write that failed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect {
    None,
    Unknown,
}

/// Names the binding of a field: its own name, or `_0`.
pub(crate) fn binding(index: usize, field: &syn::Field) -> Ident {
    match &field.ident {
        Some(ident) => ident.clone(),
        None => quote::format_ident!("_{index}"),
    }
}

impl Case {
    /// Says whether any field is read.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = Ident> + '_ {
        self.fields.iter().enumerate().map(|(index, field)| binding(index, field))
    }
}
