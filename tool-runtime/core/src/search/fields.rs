//! The parts of a tool's contract that are searched, and their weights.

use serde_json::{Map, Value};
use tool_contracts::{ToolSpec, ToolkitSpec};
use tool_runtime_schema::schema::subschemas::{SchemaKey, SchemaRole, subschemas};

use super::tokenizer;

/// The number of parts.
pub(super) const FIELDS: usize = 7;

/// A tool's words by part: name, title, category, description, parameter names, parameter
/// descriptions, toolkit description.
pub(super) type Fields = [Vec<String>; FIELDS];

/// The weight of a word in each part.
///
/// A name is the author's summary in a few words, and a title the same for people; a description
/// explains the tool in full. Texts of parameters are about values as often as about the tool. A
/// toolkit's description applies to all of its tools, so it distinguishes them less; the toolkit's
/// name is part of its tools' names and counts there. The weights follow from this reasoning and
/// are not fitted to a set of queries.
pub(super) const WEIGHTS: [f64; FIELDS] = [3.0, 3.0, 1.0, 1.0, 1.0, 0.5, 0.5];

/// Splits a contract into words.
pub(super) fn searchable_fields(spec: &ToolSpec) -> Fields {
    let mut parameters = ParameterWords::default();
    parameters.read_object(spec.input_schema());
    spec.input_examples().iter().for_each(|example| parameters.read_example(example));
    [
        tokenizer::document_words(spec.name()),
        tokenizer::document_words(spec.title().unwrap_or_default()),
        tokenizer::document_words(spec.category().unwrap_or_default()),
        tokenizer::document_words(spec.description()),
        parameters.names,
        parameters.descriptions,
        tokenizer::document_words(spec.toolkit().map(ToolkitSpec::description).unwrap_or_default()),
    ]
}

/// The words of an input schema, at any depth, and of examples.
#[derive(Default)]
struct ParameterWords {
    names: Vec<String>,
    descriptions: Vec<String>,
}

impl ParameterWords {
    fn read_object(&mut self, keywords: &Map<String, Value>) {
        let listed_values = keywords.get("enum").and_then(Value::as_array).into_iter().flatten();
        let texts = ["description", "const"].into_iter().filter_map(|word| keywords.get(word));
        texts
            .chain(listed_values)
            .filter_map(Value::as_str)
            .for_each(|text| self.push_description(text));
        let inner_schemas =
            subschemas(keywords).filter(|(step, _)| step.keyword.role != SchemaRole::Negated);
        for (step, schema) in inner_schemas {
            if let ("properties", SchemaKey::Name(name)) = (step.keyword.name, step.key) {
                self.names.extend(tokenizer::document_words(name));
            }
            if let Value::Object(inner) = schema {
                self.read_object(inner);
            }
        }
    }

    /// The texts of an example are words of the values that its tool takes.
    fn read_example(&mut self, example: &Map<String, Value>) {
        example.values().for_each(|value| self.read_example_value(value));
    }

    fn read_example_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.push_description(text),
            Value::Array(items) => items.iter().for_each(|item| self.read_example_value(item)),
            Value::Object(fields) => self.read_example(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn push_description(&mut self, text: &str) {
        self.descriptions.extend(tokenizer::document_words(text));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_of_parameters_are_read_wherever_a_schema_may_be_and_not_elsewhere() {
        let schema = json!({
            "dependentSchemas": {"default": {"properties": {"colour": {"const": "green"}}}},
            "not": {"properties": {"hidden": {"description": "Hidden."}}},
            "x-note": {"description": "Internal."},
        });
        let mut words = ParameterWords::default();
        words.read_object(schema.as_object().unwrap());
        assert_eq!(words.names, tokenizer::document_words("colour"));
        assert_eq!(words.descriptions, tokenizer::document_words("green"));
    }
}
