//! Checks the defaults and examples in a schema against the schema.

use serde_json::Value;
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::subschemas::{
    SchemaKey, SchemaKeyword, SchemaPath, SchemaRole, for_each_schema,
};
use tool_runtime_schema::schema::{Coerce, Validator};

use crate::tool::BuildProblem;

/// Checks all defaults and examples of a typed tool's schema.
///
/// Schemas of dynamic tools are not checked: they often contain invalid examples, without effect.
pub(super) fn check(tool: &str, schema: &Value) -> Vec<BuildProblem> {
    let mut problems = Vec::new();
    for_each_schema(schema, &mut |path, keywords| {
        let examples = keywords.get("examples").and_then(Value::as_array).into_iter().flatten();
        let default_value = keywords.get("default").map(|value| ("default", value));
        let mut shown_values =
            default_value.into_iter().chain(examples.map(|value| ("example", value))).peekable();
        if shown_values.peek().is_none() {
            return;
        }
        let mut alone = keywords.clone();
        for keyword in SchemaKeyword::with_role(SchemaRole::Definition) {
            if let Some(definitions) = schema.get(keyword.name) {
                alone.insert(keyword.name.to_owned(), definitions.clone());
            }
        }
        // A schema that does not compile is reported elsewhere.
        let Ok(validator) = Validator::compile(&alone.into()) else { return };
        for (what, value) in shown_values {
            let report = validator.check(&value.to_string(), &Limits::default(), Coerce::Off);
            if !report.violations.is_empty() {
                let (tool, property) = (tool.to_owned(), location(path));
                problems.push(BuildProblem::ShownValue { tool, property, what });
            }
        }
    });
    problems
}

/// The names that lead to a schema, after one slash each.
fn location(path: &SchemaPath<'_>) -> String {
    let names = path.steps().filter_map(|step| match step.key {
        SchemaKey::Name(name) => Some(format!("/{name}")),
        SchemaKey::Only | SchemaKey::Index(_) => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn defaults_are_checked_wherever_a_schema_may_be_and_values_are_no_schemas() {
        let wrong = json!({"type": "integer", "default": "x"});
        let schema = json!({
            "properties": {"a": {"x-note": wrong}, "default": {"anyOf": [wrong]}},
            "patternProperties": {"default": wrong, "examples": {"examples": [wrong]}},
            "dependentSchemas": {"enum": {"items": wrong}},
        });
        let problems = check("find", &schema);
        let location = |problem: &BuildProblem| {
            let BuildProblem::ShownValue { property, .. } = problem else { panic!("{problem:?}") };
            property.clone()
        };
        let locations: Vec<_> = problems.iter().map(location).collect();
        assert_eq!(locations, ["/enum", "/default", "/default"]);
    }
}
