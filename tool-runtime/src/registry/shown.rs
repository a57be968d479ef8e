//! The values that a schema shows, held to the schema itself.

use serde_json::Value;

use crate::dispatch::BuildProblem;
use crate::limits::Limits;
use crate::schema::{Coerce, Validator};

/// Checks the defaults and examples that a typed tool's schema shows, wherever they stand in it.
///
/// Schemas from elsewhere often show values that they refuse; nothing depends on those.
pub(super) fn check(tool: &str, schema: &Value) -> Vec<BuildProblem> {
    let mut found = Vec::new();
    let definitions = schema.get("$defs");
    named_schemas(schema, "", &mut |place, named| {
        let mut alone = named.clone();
        if let (Value::Object(alone), Some(definitions)) = (&mut alone, definitions) {
            alone.insert("$defs".to_owned(), definitions.clone());
        }
        // A schema that cannot be compiled is told already.
        let Ok(validator) = Validator::compile(&alone) else { return };
        let examples = named["examples"].as_array().into_iter().flatten();
        let shown = named.get("default").map(|value| ("default", value));
        for (what, value) in shown.into_iter().chain(examples.map(|value| ("example", value))) {
            let report = validator.check(&value.to_string(), &Limits::default(), Coerce::Off);
            if !report.violations.is_empty() {
                let (tool, property) = (tool.to_owned(), place.to_owned());
                found.push(BuildProblem::ShownValue { tool, property, what });
            }
        }
    });
    found
}

/// Visits every property that shows a value, in the arguments and in what they are made of.
fn named_schemas(schema: &Value, place: &str, visit: &mut impl FnMut(&str, &Value)) {
    match schema {
        Value::Object(keywords) => {
            if keywords.contains_key("default") || keywords.contains_key("examples") {
                visit(place, schema);
            }
            for (word, inner) in keywords {
                match (word.as_str(), inner) {
                    ("default" | "examples" | "enum" | "const", _) => {}
                    // Names, not keywords: an argument may be called `default`.
                    ("properties" | "$defs", Value::Object(named)) => {
                        for (name, inner) in named {
                            named_schemas(inner, &format!("{place}/{name}"), visit);
                        }
                    }
                    _ => named_schemas(inner, place, visit),
                }
            }
        }
        Value::Array(items) => {
            for inner in items {
                named_schemas(inner, place, visit);
            }
        }
        _ => {}
    }
}
