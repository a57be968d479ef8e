//! Compiles a JSON Schema, and rejects keywords that cannot be enforced.

mod analyse;
mod keywords;
mod source;

use std::collections::HashMap;

use serde_json::Value;

use self::source::SchemaSource;
use super::error::{SchemaError, described};
use super::model::{SchemaId, SchemaNode};
use crate::schema::reference;

/// Deepest supported nesting of a schema.
const MAX_DEPTH: usize = 128;

/// Compiles a document; the first schema of the list is the root.
pub(super) fn compile(root: &Value) -> Result<Vec<SchemaNode>, SchemaError> {
    let mut compiler = SchemaCompiler { root, schemas: Vec::new(), ids: HashMap::new(), levels: 0 };
    compiler.schema(root, "")?;
    let SchemaCompiler { mut schemas, ids, .. } = compiler;
    analyse::complete(&mut schemas, &ids)?;
    Ok(schemas)
}

struct SchemaCompiler<'s> {
    root: &'s Value,
    schemas: Vec<SchemaNode>,
    /// Schemas by JSON Pointer; an entry may still be incomplete.
    ids: HashMap<String, SchemaId>,
    levels: usize,
}

impl<'s> SchemaCompiler<'s> {
    /// Compiles the schema at a pointer, unless it is compiled already.
    fn schema(&mut self, value: &'s Value, pointer: &str) -> Result<SchemaId, SchemaError> {
        if let Some(known) = self.ids.get(pointer) {
            return Ok(*known);
        }
        if self.levels == MAX_DEPTH {
            return Err(too_deep(pointer));
        }
        let id = SchemaId::try_from(self.schemas.len()).map_err(|_| too_deep(pointer))?;
        self.ids.insert(pointer.to_owned(), id);
        self.schemas.push(SchemaNode::default());
        self.levels += 1;
        let schema = self.compile_value(value, pointer)?;
        self.levels -= 1;
        self.schemas[id as usize] = schema;
        Ok(id)
    }

    fn compile_value(
        &mut self,
        value: &'s Value,
        pointer: &str,
    ) -> Result<SchemaNode, SchemaError> {
        match value {
            Value::Bool(admits) => Ok(SchemaNode { rejects_all: !admits, ..SchemaNode::default() }),
            Value::Object(keywords) => self.keywords(SchemaSource { keywords, pointer }),
            other => Err(SchemaError::new(
                pointer.to_owned(),
                described(other),
                "a schema is an object, `true` or `false`",
            )),
        }
    }

    /// Compiles the target of a reference.
    fn reference(&mut self, source: SchemaSource<'s, '_>) -> Result<Option<SchemaId>, SchemaError> {
        let Some(reference) = source.text("$ref")? else { return Ok(None) };
        let help = "references must be local, as in `#/$defs/Name`, and point to a schema";
        let refuse = || source.error("$ref", format!("`{reference}`"), help);
        let pointer = reference::pointer(reference).ok_or_else(refuse)?;
        let target = self.root.pointer(&pointer).ok_or_else(refuse)?;
        self.schema(target, &pointer).map(Some)
    }
}

fn too_deep(pointer: &str) -> SchemaError {
    SchemaError::new(
        pointer.to_owned(),
        format!("schemas nested deeper than {MAX_DEPTH} levels"),
        "name the inner ones in `$defs`",
    )
}
