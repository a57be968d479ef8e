//! What of a tool's contract is compared, and how much each part counts.

use serde_json::{Map, Value};
use tool_contracts::{ToolSpec, ToolkitSpec};

use super::words;

/// How many parts of a contract are told apart.
pub(super) const FIELDS: usize = 7;

/// A tool's words, part by part: name, title, category, description, parameters' names, what is
/// said of the parameters, the toolkit's description.
pub(super) type Fields = [Vec<String>; FIELDS];

/// How much a word counts in each part.
///
/// A name is what its author would call the tool in three words, a title the same for people; a
/// description says it in full. What is said of a parameter is about its values as often as about
/// the tool. A toolkit's description is about all of its tools, so it says less of each; the
/// toolkit's name begins the names of its tools and counts there. The numbers are set by this
/// reasoning and are not fitted to any set of questions.
pub(super) const WEIGHTS: [f64; FIELDS] = [3.0, 3.0, 1.0, 1.0, 1.0, 0.5, 0.5];

/// Takes a contract's words apart.
pub(super) fn of(spec: &ToolSpec) -> Fields {
    let mut parameters = Parameters::default();
    parameters.read_object(spec.input_schema());
    [
        words::of_text(spec.name()),
        words::of_text(spec.title().unwrap_or_default()),
        words::of_text(spec.category().unwrap_or_default()),
        words::of_text(spec.description()),
        parameters.names,
        parameters.said,
        words::of_text(spec.toolkit().map(ToolkitSpec::description).unwrap_or_default()),
    ]
}

/// The words of an input schema, at any depth.
#[derive(Default)]
struct Parameters {
    names: Vec<String>,
    said: Vec<String>,
}

impl Parameters {
    fn read(&mut self, schema: &Value) {
        match schema {
            Value::Object(keywords) => self.read_object(keywords),
            Value::Array(schemas) => schemas.iter().for_each(|inner| self.read(inner)),
            _ => {}
        }
    }

    fn read_object(&mut self, keywords: &Map<String, Value>) {
        for (keyword, inner) in keywords {
            match (keyword.as_str(), inner) {
                ("properties", Value::Object(properties)) => {
                    for (name, schema) in properties {
                        self.names.extend(words::of_text(name));
                        self.read(schema);
                    }
                }
                ("$defs" | "definitions" | "patternProperties", Value::Object(schemas)) => {
                    schemas.values().for_each(|schema| self.read(schema));
                }
                ("description" | "const", Value::String(text)) => self.say(text),
                ("enum", Value::Array(values)) => {
                    values.iter().filter_map(Value::as_str).for_each(|text| self.say(text));
                }
                ("default" | "examples" | "required" | "not", _) => {}
                _ => self.read(inner),
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.said.extend(words::of_text(text));
    }
}
