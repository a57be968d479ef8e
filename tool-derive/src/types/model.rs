//! The checked model of a type.

use syn::ext::IdentExt;
use syn::{Ident, Type};

use crate::syntax::arg::Arg;
use crate::syntax::root::Root;

/// A checked type.
#[derive(Debug)]
pub(crate) struct AiType {
    pub(crate) root: Root,
    pub(crate) directions: Directions,
    /// Traits that the user derives too, which is an error.
    pub(crate) derived: Vec<String>,
    pub(crate) deny_unknown_fields: bool,
    /// True if unknown fields are accepted.
    pub(crate) allow_unknown_fields: bool,
    pub(crate) deserialize_impl: DeserializeImpl,
    /// True if `Debug` is handwritten.
    pub(crate) own_debug: bool,
    /// The fields, in the order of the item.
    pub(crate) fields: Vec<AiField>,
}

/// The directions in which the type is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directions {
    Both,
    Serialize,
    Deserialize,
}

/// The source of the implementation of `Deserialize`, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeserializeImpl {
    /// serde's derive.
    Serde,
    /// The runtime's reader of tuples.
    Tuple,
}

/// A checked field.
#[derive(Debug)]
pub(crate) struct AiField {
    /// The field's name; none in a tuple.
    pub(crate) name: Option<Ident>,
    pub(crate) arg: Arg,
    pub(crate) ty: Type,
    /// True if the field's schema gets the name of its type.
    pub(crate) titled: bool,
    /// True if serde buffers the field's value before it reads it.
    pub(crate) is_buffered: bool,
    /// True unless the type is visibly a scalar of at most 64 bits, or is read by a function.
    pub(crate) may_be_wide: bool,
    /// The function that returns the default, if there is one.
    pub(crate) default: Option<Ident>,
}

impl AiField {
    /// Returns the name of the field in JSON, if no attribute of serde changes it.
    pub(crate) fn wire_name(&self) -> String {
        match (&self.arg.rename, &self.name) {
            (Some(rename), _) => rename.value(),
            (None, Some(name)) => name.unraw().to_string(),
            (None, None) => String::new(),
        }
    }
}
