//! A type that is known to be right.

use syn::{Ident, Type};

use crate::syntax::arg::Arg;
use crate::syntax::root::Root;

/// A checked type.
#[derive(Debug)]
pub(crate) struct AiType {
    pub(crate) root: Root,
    pub(crate) directions: Directions,
    /// What the user derives too, which is an error.
    pub(crate) derived: Vec<String>,
    pub(crate) closed: bool,
    /// Unknown fields are let pass, as the user asked.
    pub(crate) open: bool,
    /// `Debug` is written by hand, as the user says.
    pub(crate) own_debug: bool,
    /// In the order of the item's fields.
    pub(crate) fields: Vec<AiField>,
}

/// Which ways the type crosses the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directions {
    Both,
    Serialize,
    Deserialize,
}

/// A checked field.
#[derive(Debug)]
pub(crate) struct AiField {
    pub(crate) arg: Arg,
    pub(crate) ty: Type,
    /// Whether the schema of the field gets its type's name.
    pub(crate) titled: bool,
    /// The function that makes the default, if one is written.
    pub(crate) default: Option<Ident>,
}
