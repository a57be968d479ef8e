//! Checks the defaults and examples in a schema against the schema.

use serde_json::Value;
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::{Coerce, Validator};

use crate::tool::BuildProblem;

/// Checks all defaults and examples of a typed tool's schema.
///
/// Schemas of dynamic tools are not checked: they often contain invalid examples, without effect.
pub(super) fn check(tool: &str, schema: &Value) -> Vec<BuildProblem> {
    let mut problems = Vec::new();
    let definitions = schema.get("$defs");
    named_schemas(schema, "", &mut |location, named| {
        let mut alone = named.clone();
        if let (Value::Object(alone), Some(definitions)) = (&mut alone, definitions) {
            alone.insert("$defs".to_owned(), definitions.clone());
        }
        // A schema that does not compile is reported elsewhere.
        let Ok(validator) = Validator::compile(&alone) else { return };
        let examples = named["examples"].as_array().into_iter().flatten();
        let default_value = named.get("default").map(|value| ("default", value));
        for (what, value) in
            default_value.into_iter().chain(examples.map(|value| ("example", value)))
        {
            let report = validator.check(&value.to_string(), &Limits::default(), Coerce::Off);
            if !report.violations.is_empty() {
                let (tool, property) = (tool.to_owned(), location.to_owned());
                problems.push(BuildProblem::ShownValue { tool, property, what });
            }
        }
    });
    problems
}

/// Visits every property with a default or an example, at any depth.
fn named_schemas(schema: &Value, location: &str, visit: &mut impl FnMut(&str, &Value)) {
    match schema {
        Value::Object(keywords) => {
            if keywords.contains_key("default") || keywords.contains_key("examples") {
                visit(location, schema);
            }
            for (word, inner) in keywords {
                match (word.as_str(), inner) {
                    ("default" | "examples" | "enum" | "const", _) => {}
                    // These are names, not keywords: an argument may be called `default`.
                    ("properties" | "$defs", Value::Object(named)) => {
                        for (name, inner) in named {
                            named_schemas(inner, &format!("{location}/{name}"), visit);
                        }
                    }
                    _ => named_schemas(inner, location, visit),
                }
            }
        }
        Value::Array(items) => {
            for inner in items {
                named_schemas(inner, location, visit);
            }
        }
        _ => {}
    }
}
