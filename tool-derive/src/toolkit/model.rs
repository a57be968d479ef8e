//! The checked model of a toolkit.

use syn::{Attribute, Type};

use crate::syntax::docs::Description;
use crate::syntax::root::Root;
use crate::tool::model::Tool;

/// A checked toolkit.
#[derive(Debug)]
pub(crate) struct Toolkit {
    pub(crate) root: Root,
    pub(crate) conditions: Vec<Attribute>,
    pub(crate) name: String,
    pub(crate) description: Description,
    pub(crate) this: Type,
    pub(crate) tools: Vec<Tool>,
    pub(crate) may_be_deprecated: bool,
}
