//! Finds the only argument of a custom tool, and the grammar of its texts.

use serde_json::{Map, Value, json};
use tool_contracts::ToolSpec;
use tool_runtime_schema::schema::reference::escaped;
use tool_runtime_schema::schema::subschemas::{SchemaKeyword, SchemaRole};

use super::CustomToolFormat;
use super::grammar::whole_text_regex;
use crate::DeclarationLoss;

/// A tool that takes one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CustomTool {
    /// The name of the argument.
    pub(crate) argument: String,
    /// The description of the argument; empty if it has none.
    pub(crate) description: String,
    /// The grammar's syntax and definition; none for any text.
    pub(crate) grammar: Option<(&'static str, String)>,
}

/// Keywords of a text's schema that a custom tool does not express.
const ASSERTIONS: [&str; 6] = ["const", "enum", "format", "maxLength", "minLength", "pattern"];

impl CustomTool {
    /// Reads the only argument of a tool; returns the parts of its schema that are not expressed.
    ///
    /// # Errors
    /// Returns the reason if the tool does not take exactly one text.
    pub(super) fn from_spec(
        spec: &ToolSpec,
        format: CustomToolFormat,
    ) -> Result<(Self, Vec<DeclarationLoss>), String> {
        let (argument, schema) = only_text(spec.input_schema())?;
        let text = |name: &str| schema.get(name).and_then(Value::as_str);
        let pattern = text("pattern");
        let expressed = pattern.filter(|_| format == CustomToolFormat::FromSchema);
        let grammar = match format {
            CustomToolFormat::FromSchema => {
                pattern.and_then(whole_text_regex).map(|regex| ("regex", regex))
            }
            CustomToolFormat::Text => None,
            CustomToolFormat::Lark(definition) => Some(("lark", definition)),
            CustomToolFormat::Regex(definition) => Some(("regex", definition)),
        };
        let is_expressed =
            |keyword: &str| keyword == "pattern" && expressed.is_some() && grammar.is_some();
        let combining = [SchemaRole::InPlace, SchemaRole::Negated]
            .into_iter()
            .flat_map(SchemaKeyword::with_role)
            .map(|keyword| keyword.name);
        let assertions = ASSERTIONS.into_iter().chain(combining);
        let lost_keywords =
            assertions.filter(|keyword| schema.contains_key(*keyword) && !is_expressed(keyword));
        let losses = lost_keywords.map(|keyword| DeclarationLoss {
            tool: spec.name().to_owned(),
            pointer: format!("/properties/{}", escaped(argument)),
            keyword: keyword.to_owned(),
            consequence: "omitted, because a custom tool takes text".to_owned(),
        });
        let losses = losses.collect();
        let description = text("description").unwrap_or_default().to_owned();
        Ok((Self { argument: argument.to_owned(), description, grammar }, losses))
    }

    /// The arguments of a call with this text.
    pub(crate) fn arguments(argument: &str, text: &str) -> String {
        json!({ argument: text }).to_string()
    }
}

/// The name and the schema of the only argument, if it is a text.
fn only_text(schema: &Map<String, Value>) -> Result<(&str, &Map<String, Value>), String> {
    let combined = SchemaKeyword::with_role(SchemaRole::InPlace).map(|keyword| keyword.name);
    if let Some(keyword) = combined.chain(["$ref"]).find(|keyword| schema.contains_key(*keyword)) {
        return Err(format!("its arguments are combined by `{keyword}`"));
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let arguments = properties.map_or(0, Map::len);
    let (Some((name, schema)), 1) = (properties.and_then(|named| named.iter().next()), arguments)
    else {
        return Err(format!("it has {arguments} arguments"));
    };
    let kind = schema.get("type");
    let is_text = |kind: &Value| match kind {
        Value::String(kind) => kind == "string",
        Value::Array(kinds) => kinds.iter().all(|kind| kind == "string" || kind == "null"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    match schema.as_object() {
        Some(keywords) if kind.is_some_and(is_text) => Ok((name, keywords)),
        Some(_) | None => Err(format!("its argument `{name}` is not declared as a text")),
    }
}
