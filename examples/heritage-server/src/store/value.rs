//! The values of statements and rows, for both databases.

use super::StoreError;

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Flag(bool),
    Number(i64),
    Real(f64),
    Text(String),
}

/// A row of a result; columns are read by index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row(pub(super) Vec<Value>);

impl Row {
    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        self.optional_text(column)?.ok_or(StoreError::Column(column))
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text.clone())),
            Some(Value::Null) => Ok(None),
            _ => Err(StoreError::Column(column)),
        }
    }

    pub(crate) fn number(&self, column: usize) -> Result<i64, StoreError> {
        match self.0.get(column) {
            Some(Value::Number(number)) => Ok(*number),
            _ => Err(StoreError::Column(column)),
        }
    }

    pub(crate) fn real(&self, column: usize) -> Result<f64, StoreError> {
        match self.0.get(column) {
            Some(Value::Real(number)) => Ok(*number),
            _ => Err(StoreError::Column(column)),
        }
    }

    /// Reads a boolean; SQLite stores them as 0 and 1.
    pub(crate) fn flag(&self, column: usize) -> Result<bool, StoreError> {
        match self.0.get(column) {
            Some(Value::Flag(flag)) => Ok(*flag),
            Some(Value::Number(number)) => Ok(*number != 0),
            _ => Err(StoreError::Column(column)),
        }
    }

    /// Reads a list or an object that is stored as JSON.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(
        &self,
        column: usize,
    ) -> Result<T, StoreError> {
        serde_json::from_str(&self.text(column)?).map_err(|_| StoreError::Column(column))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
