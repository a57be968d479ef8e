//! From a JSON Schema to the compiled one, with everything refused that could not be enforced.

mod analyse;
mod keywords;
mod place;

use std::collections::HashMap;

use serde_json::Value;

use self::place::Place;
use super::error::{SchemaError, described};
use super::model::{Schema, SchemaId};
use crate::schema::reference;

/// The deepest nesting of a schema.
const DEEPEST: usize = 128;

/// The schemas of one document; the first is the root.
pub(super) fn compile(root: &Value) -> Result<Vec<Schema>, SchemaError> {
    let mut compiler = Compiler { root, schemas: Vec::new(), known: HashMap::new(), levels: 0 };
    compiler.schema(root, "")?;
    let Compiler { mut schemas, known, .. } = compiler;
    analyse::complete(&mut schemas, &known)?;
    Ok(schemas)
}

struct Compiler<'s> {
    root: &'s Value,
    schemas: Vec<Schema>,
    /// By JSON Pointer; what is in here may still be being compiled.
    known: HashMap<String, SchemaId>,
    levels: usize,
}

impl<'s> Compiler<'s> {
    /// Compiles the schema at a pointer, unless it is known.
    fn schema(&mut self, value: &'s Value, pointer: &str) -> Result<SchemaId, SchemaError> {
        if let Some(known) = self.known.get(pointer) {
            return Ok(*known);
        }
        if self.levels == DEEPEST {
            return Err(too_deep(pointer));
        }
        let id = SchemaId::try_from(self.schemas.len()).map_err(|_| too_deep(pointer))?;
        self.known.insert(pointer.to_owned(), id);
        self.schemas.push(Schema::default());
        self.levels += 1;
        let schema = self.filled(value, pointer)?;
        self.levels -= 1;
        self.schemas[id as usize] = schema;
        Ok(id)
    }

    fn filled(&mut self, value: &'s Value, pointer: &str) -> Result<Schema, SchemaError> {
        match value {
            Value::Bool(admits) => Ok(Schema { never: !admits, ..Schema::default() }),
            Value::Object(keywords) => self.keywords(Place { keywords, pointer }),
            other => Err(SchemaError::new(
                pointer.to_owned(),
                described(other),
                "a schema is an object, `true` or `false`",
            )),
        }
    }

    /// Compiles what a reference points to.
    fn reference(&mut self, place: Place<'s, '_>) -> Result<Option<SchemaId>, SchemaError> {
        let Some(reference) = place.text("$ref")? else { return Ok(None) };
        let cure = "references must be local, as in `#/$defs/Name`, and point to a schema";
        let refuse = || place.error("$ref", format!("`{reference}`"), cure);
        let pointer = reference::pointer(reference).ok_or_else(refuse)?;
        let target = self.root.pointer(&pointer).ok_or_else(refuse)?;
        self.schema(target, &pointer).map(Some)
    }
}

fn too_deep(pointer: &str) -> SchemaError {
    SchemaError::new(
        pointer.to_owned(),
        format!("schemas nested deeper than {DEEPEST} levels"),
        "name the inner ones in `$defs`",
    )
}
