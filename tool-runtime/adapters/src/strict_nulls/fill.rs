//! Writes `null` for the properties that an example omits.

use serde_json::Value;

use super::compile::kind_of;
use super::schema::{NodeId, PlainSchema, StrictSchema};

impl StrictSchema {
    /// Adds each omitted property as `null`, where the declaration requires one that the tool does
    /// not.
    ///
    /// A value that the tool does not accept is returned unchanged.
    pub(crate) fn fill(&self, value: &Value) -> Value {
        self.filled(value, 0)
    }

    fn filled(&self, value: &Value, schema: NodeId) -> Value {
        let alternatives = self.alternatives([schema]);
        let mut plain = alternatives.into_iter().filter_map(|id| self.plain(id));
        let Some(plain) = plain.find(|plain| self.accepts_plain(value, plain)) else {
            return value.clone();
        };
        match (value, plain.items) {
            (Value::Object(fields), _) => {
                let required = plain.properties.iter().map(|(name, property)| {
                    let written = fields.get(name).map(|inner| self.filled(inner, property.schema));
                    (name.clone(), written.unwrap_or_default())
                });
                required.collect()
            }
            (Value::Array(list), Some(items)) => {
                list.iter().map(|inner| self.filled(inner, items)).collect()
            }
            (other, _) => other.clone(),
        }
    }

    fn accepts(&self, value: &Value, schema: NodeId) -> bool {
        let alternatives = self.alternatives([schema]);
        let mut plain = alternatives.into_iter().filter_map(|id| self.plain(id));
        plain.any(|plain| self.accepts_plain(value, plain))
    }

    /// Returns whether a value without the `null`s of omitted properties was written under a schema.
    fn accepts_plain(&self, value: &Value, schema: &PlainSchema) -> bool {
        let is_listed = || schema.values.as_ref().is_none_or(|listed| listed.contains(value));
        schema.kinds.contains(&kind_of(value))
            && match (value, schema.items) {
                (Value::Object(fields), _) => {
                    fields.keys().all(|name| schema.properties.contains_key(name))
                        && schema.properties.iter().all(|(name, property)| match fields.get(name) {
                            Some(inner) => self.accepts(inner, property.schema),
                            None => property.is_omitted_as_null,
                        })
                }
                (Value::Array(list), Some(items)) => {
                    list.iter().all(|inner| self.accepts(inner, items))
                }
                (Value::Array(_), None) => true,
                _ => is_listed(),
            }
    }
}
