//! Builds a tool's input schema from its owned parameters.

use std::ops::{Bound, RangeBounds};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::Deserialize;
use serde_json::{Map, Value, json};

use super::absent::AbsentField;
use super::nested::title_nested;
use super::title;
use super::validator::Validator;

/// A closed object schema with one property per parameter.
#[doc(hidden)]
#[derive(Debug)]
pub struct InputSchema<'g> {
    generator: &'g mut SchemaGenerator,
    title: &'static str,
    properties: Map<String, Value>,
    required: Vec<Value>,
    open: bool,
    cost: Option<&'static str>,
    unchecked_bounds: bool,
}

/// Marks a schema whose types have bounds that generated code does not compare.
const UNCHECKED_BOUNDS: &str = "x-unchecked-bounds";

/// Removes the mark from a schema; returns whether it was present.
pub fn take_unchecked_bounds(schema: &mut Value) -> bool {
    schema.as_object_mut().is_some_and(|schema| schema.remove(UNCHECKED_BOUNDS).is_some())
}

impl<'g> InputSchema<'g> {
    /// Creates the schema of the function at this Rust path.
    pub fn new(generator: &'g mut SchemaGenerator, rust_path: &'static str) -> Self {
        Self {
            generator,
            title: rust_path,
            properties: Map::new(),
            required: Vec::new(),
            open: false,
            cost: None,
            unchecked_bounds: false,
        }
    }

    /// Says the cost of each call: an amount and its currency.
    pub fn cost(&mut self, cost: &'static str) {
        self.cost = Some(cost);
    }

    /// Says that a function of the tool estimates the cost of each call.
    pub fn estimated_cost(&mut self) {
        self.cost = Some("estimated");
    }

    /// Accepts properties that no parameter declares.
    pub fn open(&mut self) {
        self.open = true;
    }

    /// Adds a parameter; it is required unless its type reads an absent field, as `Option` does.
    pub fn property<'d, T: JsonSchema + Deserialize<'d>>(
        &mut self,
        name: &'static str,
        description: &'static str,
    ) -> Property<'_> {
        let mut schema = self.generator.subschema_for::<T>();
        title::<T>(&mut schema);
        let optional = T::deserialize(AbsentField).is_ok();
        self.add(name, description, schema, optional)
    }

    fn add(
        &mut self,
        name: &'static str,
        description: &'static str,
        mut schema: Schema,
        optional: bool,
    ) -> Property<'_> {
        self.unchecked_bounds |= has_unchecked_bounds(&schema);
        schema.insert("description".to_owned(), description.into());
        if optional {
            // The type reads an absent field as it reads `null`.
            schema.insert("default".to_owned(), Value::Null);
        } else {
            self.required.push(name.into());
        }
        self.properties.insert(name.to_owned(), schema.to_value());
        let schema = self.properties.entry(name).or_insert(Value::Null);
        Property { schema, required: &mut self.required, is_required: !optional }
    }

    /// Completes the schema.
    #[must_use]
    pub fn finish(self) -> Schema {
        let mut schema = Map::new();
        schema.insert("title".to_owned(), self.title.into());
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(self.required));
        }
        schema.insert("additionalProperties".to_owned(), self.open.into());
        if let Some(cost) = self.cost {
            schema.insert("x-cost".to_owned(), cost.into());
        }
        if self.unchecked_bounds {
            schema.insert(UNCHECKED_BOUNDS.to_owned(), true.into());
        }
        let definitions = self.generator.take_definitions(true);
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        title_nested(schema.into())
    }
}

/// Returns whether a type's own schema has bounds that its deserializer does not enforce.
fn has_unchecked_bounds(schema: &Schema) -> bool {
    let alone = json!({
        "type": "object",
        "properties": { "it": schema },
        "additionalProperties": false,
    });
    // The validator always checks schemas that contain references first.
    let checked = |checked| Validator::compile(&alone).map(|alone| alone.needs_scan(checked));
    matches!((checked(true), checked(false)), (Ok(false), Ok(true)))
}

/// One property under construction.
#[doc(hidden)]
#[derive(Debug)]
pub struct Property<'s> {
    schema: &'s mut Value,
    required: &'s mut Vec<Value>,
    /// `required` ends with this property.
    is_required: bool,
}

impl Property<'_> {
    fn set(&mut self, keyword: &str, value: Value) -> &mut Self {
        if let Value::Object(schema) = &mut *self.schema {
            schema.insert(keyword.to_owned(), value);
        }
        self
    }

    /// Makes the parameter optional and documents its default, if the default has a JSON form.
    pub fn default(&mut self, shown: Option<Value>) -> &mut Self {
        if std::mem::take(&mut self.is_required) {
            self.required.pop();
        }
        match (shown, &mut *self.schema) {
            (Some(value), _) => self.set("default", value),
            (None, Value::Object(schema)) => {
                schema.remove("default");
                self
            }
            (None, _) => self,
        }
    }

    /// Sets the bounds of a number.
    pub fn range<N: Serialize>(&mut self, range: &impl RangeBounds<N>) -> &mut Self {
        let this = match range.start_bound() {
            Bound::Included(min) => self.set_bound("minimum", min),
            Bound::Excluded(below) => self.set_bound("exclusiveMinimum", below),
            Bound::Unbounded => self,
        };
        match range.end_bound() {
            Bound::Included(max) => this.set_bound("maximum", max),
            Bound::Excluded(above) => this.set_bound("exclusiveMaximum", above),
            Bound::Unbounded => this,
        }
    }

    /// Sets a bound, unless no JSON value holds it (an integer beyond 64 bits): generated code checks
    /// each bound of an argument anyway.
    fn set_bound(&mut self, keyword: &'static str, bound: &impl Serialize) -> &mut Self {
        match serde_json::to_value(bound) {
            Ok(bound) => self.set(keyword, bound),
            Err(_) => self,
        }
    }

    /// Sets the bounds of a length, with the keywords of the property's type.
    pub fn length(&mut self, range: &impl RangeBounds<usize>) -> &mut Self {
        let (min_word, max_word) = self.length_words();
        let min = match range.start_bound() {
            Bound::Included(min) => Some(*min),
            Bound::Excluded(below) => below.checked_add(1),
            Bound::Unbounded => None,
        };
        let max = match range.end_bound() {
            Bound::Included(max) => Some(*max),
            Bound::Excluded(above) => above.checked_sub(1),
            Bound::Unbounded => None,
        };
        let this = match min.filter(|min| *min > 0) {
            Some(min) => self.set(min_word, json!(min)),
            None => self,
        };
        match max {
            Some(max) => this.set(max_word, json!(max)),
            None => this,
        }
    }

    fn length_words(&self) -> (&'static str, &'static str) {
        let kind = match self.schema.get("type") {
            Some(Value::Array(kinds)) => kinds.first(),
            kind => kind,
        };
        match kind.and_then(Value::as_str) {
            Some("array") => ("minItems", "maxItems"),
            Some("object") => ("minProperties", "maxProperties"),
            _ => ("minLength", "maxLength"),
        }
    }

    /// Requires a string to match a regular expression.
    pub fn pattern(&mut self, pattern: &'static str) -> &mut Self {
        self.set("pattern", pattern.into())
    }

    /// Adds an example.
    pub fn example(&mut self, example: impl Serialize) -> &mut Self {
        let example = serde_json::to_value(example).unwrap_or(Value::Null);
        self.set("examples", Value::Array(vec![example]))
    }

    /// Marks the value as `secret` or `pii`.
    pub fn sensitivity(&mut self, sensitivity: &'static str) -> &mut Self {
        self.set("x-sensitivity", sensitivity.into())
    }

    /// Marks the value as an amount of money that the call spends, with its currency.
    pub fn spends_money(&mut self) -> &mut Self {
        self.set("x-spends", json!({}))
    }

    /// Marks the value as a decimal amount that the call spends in this currency.
    pub fn spends_decimal(&mut self, currency: &'static str) -> &mut Self {
        self.set("x-spends", json!({ "currency": currency }))
    }

    /// Marks the value as an amount that the call spends, in the smallest units of this currency.
    pub fn spends_minor_units(&mut self, currency: &'static str) -> &mut Self {
        self.set("x-spends", json!({ "currency": currency, "minor_units": true }))
    }

    /// Marks the value as a decimal amount that the call spends in the currency of another argument.
    pub fn spends_decimal_beside(&mut self, argument: &'static str) -> &mut Self {
        self.set("x-spends", json!({ "currency_argument": argument }))
    }
}
