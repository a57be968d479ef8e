//! One schema object of the source document, with its keywords read by type.

use serde_json::{Map, Value};

use super::super::error::{SchemaError, described};
use super::super::number::NumericLimit;
use crate::schema::reference::escaped;

/// The keywords of one schema, and its location.
#[derive(Clone, Copy)]
pub(super) struct SchemaSource<'s, 'p> {
    pub(super) keywords: &'s Map<String, Value>,
    pub(super) pointer: &'p str,
}

impl<'s> SchemaSource<'s, '_> {
    pub(super) fn get(&self, keyword: &str) -> Option<&'s Value> {
        self.keywords.get(keyword)
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.keywords.contains_key(keyword)
    }

    /// The pointer to a part of this schema.
    pub(super) fn below(&self, path: &[&str]) -> String {
        path.iter().fold(self.pointer.to_owned(), |pointer, name| pointer + "/" + &escaped(name))
    }

    pub(super) fn error(
        &self,
        keyword: &str,
        found: impl Into<String>,
        help: impl Into<String>,
    ) -> SchemaError {
        SchemaError::new(self.below(&[keyword]), found, help)
    }

    fn type_error(&self, keyword: &str, value: &Value, wanted: &str) -> SchemaError {
        self.error(keyword, described(value), format!("`{keyword}` must be {wanted}"))
    }

    pub(super) fn text(&self, keyword: &str) -> Result<Option<&'s str>, SchemaError> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.type_error(keyword, other, "a string")),
        }
    }

    pub(super) fn flag(&self, keyword: &str) -> Result<bool, SchemaError> {
        match self.get(keyword) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.type_error(keyword, other, "true or false")),
        }
    }

    pub(super) fn limit(&self, keyword: &str) -> Result<Option<NumericLimit>, SchemaError> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(NumericLimit::new(number))),
            Some(other) => Err(self.type_error(keyword, other, "a number")),
        }
    }

    /// A non-negative whole number.
    pub(super) fn size(&self, keyword: &str) -> Result<Option<usize>, SchemaError> {
        let Some(value) = self.get(keyword) else { return Ok(None) };
        let type_error = || self.type_error(keyword, value, "a whole number that is not negative");
        let Value::Number(number) = value else { return Err(type_error()) };
        let text = number.to_string();
        let size = crate::json::Decimal::read(&text).to_i128().filter(|size| *size >= 0);
        Ok(Some(usize::try_from(size.ok_or_else(type_error)?).unwrap_or(usize::MAX)))
    }

    pub(super) fn list(&self, keyword: &str) -> Result<Option<&'s [Value]>, SchemaError> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(self.type_error(keyword, other, "an array")),
        }
    }

    pub(super) fn object(
        &self,
        keyword: &str,
    ) -> Result<Option<&'s Map<String, Value>>, SchemaError> {
        match self.get(keyword) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(other) => Err(self.type_error(keyword, other, "an object")),
        }
    }

    /// A list of property names.
    pub(super) fn names(&self, keyword: &str) -> Result<Vec<&'s str>, SchemaError> {
        let Some(value) = self.get(keyword) else { return Ok(Vec::new()) };
        let names = value.as_array().map(|list| list.iter().map(Value::as_str).collect());
        match names {
            Some(Some(names)) => Ok(names),
            _ => Err(self.type_error(keyword, value, "an array of property names")),
        }
    }
}
