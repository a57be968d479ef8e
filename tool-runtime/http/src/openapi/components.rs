//! The schemas of the document: those of the contract, and those of tools.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};
use tool_contracts::articulate::SerializedOutput;
use tool_contracts::envelope::{CallEnvelope, ResponseEnvelope};
use tool_contracts::server::{CallRequest, CallResponse, ListRequest, ListResponse};
use tool_runtime_record::evidence::ReplayReport;
use tool_runtime_schema::json::normalized_object;
use tool_runtime_schema::schema::reference;
use tool_runtime_schema::schema::subschemas::{
    SchemaKeyword, SchemaRole, for_each_schema_mut, has_schema,
};

use super::names::{ComponentNames, camel_case};
use super::reference::{PREFIX, schema_ref};
use super::{extraction, numbers, parameters, recursion, shapes};
use crate::endpoints::approvals::{Approvals, DecisionBody, Declined};
use crate::endpoints::budgets::BudgetsPage;
use crate::endpoints::evidence::{EvidenceContents, EvidencePage, EvidenceReadRequest};
use crate::endpoints::ledger::LedgerVerification;
use crate::endpoints::outcomes::{OutcomesPage, ResolutionBody, Resolved};
use crate::endpoints::tools::ToolsPage;
use crate::endpoints::traces::{ReplayRequest, RequestRecords, TraceRecords};

/// Contract schemas under other names than those of their types. A response is one of two under different
/// statuses, so that each has its own name; clients in TypeScript have a `ResponseError` already.
const RENAMED: [(&str, &str); 4] = [
    ("Success", "EnvelopeSuccess"),
    ("Failure", "EnvelopeFailure"),
    ("ResponseError", "EnvelopeError"),
    ("ResponseErrorDetails", "EnvelopeErrorDetails"),
];

/// The schemas by their names.
pub(super) struct Components {
    schemas: Map<String, Value>,
    names: ComponentNames,
}

impl Components {
    /// Starts with the schemas that do not depend on tools.
    pub(super) fn from_contract() -> Self {
        let mut requests = settings().for_deserialize().into_generator();
        take::<ListRequest>(&mut requests);
        take::<CallRequest>(&mut requests);
        take::<CallEnvelope>(&mut requests);
        take::<DecisionBody>(&mut requests);
        take::<ReplayRequest>(&mut requests);
        take::<ResolutionBody>(&mut requests);
        take::<EvidenceReadRequest>(&mut requests);
        let mut answered = settings().for_serialize().into_generator();
        take::<ListResponse>(&mut answered);
        take::<CallResponse<Value>>(&mut answered);
        take::<ResponseEnvelope<Value>>(&mut answered);
        take::<Approvals>(&mut answered);
        take::<Declined<'_>>(&mut answered);
        take::<ToolsPage<'_>>(&mut answered);
        take::<BudgetsPage>(&mut answered);
        take::<TraceRecords>(&mut answered);
        take::<RequestRecords>(&mut answered);
        take::<LedgerVerification>(&mut answered);
        take::<OutcomesPage>(&mut answered);
        take::<Resolved<'_>>(&mut answered);
        take::<ReplayReport>(&mut answered);
        take::<EvidencePage<'_>>(&mut answered);
        take::<EvidenceContents<'_>>(&mut answered);
        take::<SerializedOutput>(&mut answered);
        let mut schemas = requests.take_definitions(true);
        for (name, schema) in answered.take_definitions(true) {
            debug_assert!(schemas.get(&name).is_none_or(|other| *other == schema), "{name}");
            schemas.insert(name, schema);
        }
        // The server checks each id of an envelope as it checks those of its own contexts.
        let envelope_ids = ["request_id", "user_id", "session_id", "idempotency_key"];
        restrict_ids(&mut schemas, "CallEnvelope", &envelope_ids);
        restrict_ids(&mut schemas, "Trace", &["span_id"]);
        // Each is one of two under different statuses, so nothing refers to both.
        schemas.remove("CallResponse");
        schemas.remove("ResponseEnvelope");
        rename(&mut schemas);
        add_text_success(&mut schemas);
        Self::from_schemas(schemas)
    }

    fn from_schemas(schemas: Map<String, Value>) -> Self {
        let mut names = ComponentNames::from_schemas(&schemas);
        names.take(numbers::JSON);
        Self { schemas, names }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.schemas.get(name)
    }

    /// Adds a schema under a name, with a number if the name is taken; returns a reference.
    pub(super) fn add(&mut self, name: &str, schema: Value) -> Value {
        let name = self.names.take(name);
        let reference = schema_ref(&name);
        self.schemas.insert(name, schema);
        reference
    }

    /// Adds a self-contained schema: its definitions become components, and its references are
    /// rewritten.
    pub(super) fn adopt(&mut self, name: &str, schema: &Map<String, Value>) -> Value {
        self.adopt_with(name, schema, &mut |_| {})
    }

    /// Adds a schema of a request, with the bounds of its integers.
    pub(super) fn adopt_taken(&mut self, name: &str, schema: &Map<String, Value>) -> Value {
        let (can_be_narrowed, mut is_open) = (numbers::can_be_narrowed(schema), false);
        let reference = self.adopt_with(name, schema, &mut |part| {
            is_open |= can_be_narrowed && numbers::narrow(part);
        });
        if is_open {
            self.schemas.insert(numbers::JSON.to_owned(), numbers::any());
        }
        reference
    }

    /// Adds a self-contained schema and applies `change` to each part after its references are
    /// rewritten.
    fn adopt_with(
        &mut self,
        name: &str,
        schema: &Map<String, Value>,
        change: &mut impl FnMut(&mut Value),
    ) -> Value {
        let mut schema = normalized_object(schema.clone());
        schema.remove("$schema");
        // References of a schema with an `$id` resolve against that; those to its own parts do without.
        if schema.contains_key("$id") && refers_elsewhere(&schema) {
            return self.add(name, schema.into());
        }
        schema.remove("$id");
        let root = self.reserve(name);
        let mut moved = BTreeMap::new();
        let mut definitions = Vec::new();
        for keyword in SchemaKeyword::with_role(SchemaRole::Definition) {
            let Some(Value::Object(named)) = schema.remove(keyword.name) else { continue };
            for (own, definition) in named {
                let component = self.reserve(&format!("{root}{}", camel_case(&own)));
                moved.insert((keyword.name, own), component.clone());
                definitions.push((component, definition));
            }
        }
        let refer = |keywords: &mut Map<String, Value>| refer(keywords, &root, &moved);
        for (component, mut definition) in definitions {
            for_each_schema_mut(&mut definition, &mut { refer });
            change(&mut definition);
            self.schemas.insert(component, definition);
        }
        let mut schema = Value::Object(schema);
        for_each_schema_mut(&mut schema, &mut { refer });
        change(&mut schema);
        let reference = schema_ref(&root);
        self.schemas.insert(root, schema);
        reference
    }

    /// Returns the schemas as generators of clients read them.
    pub(super) fn into_schemas(self) -> Map<String, Value> {
        let mut schemas = normalized_object(self.schemas);
        extraction::extract_targets(&mut schemas);
        schemas.values_mut().for_each(shapes::restate);
        recursion::hide(&mut schemas);
        extraction::extract_types(&mut schemas);
        extraction::discriminate(&mut schemas);
        schemas
    }

    fn reserve(&mut self, name: &str) -> String {
        let name = self.names.take(name);
        self.schemas.insert(name.clone(), Value::Bool(true));
        name
    }
}

/// Gives schemas of the contract their names in the document.
fn rename(schemas: &mut Map<String, Value>) {
    for (own, name) in RENAMED {
        if let Some(schema) = schemas.remove(own) {
            schemas.insert(name.to_owned(), schema);
        }
    }
    for schema in schemas.values_mut() {
        for_each_schema_mut(schema, &mut |keywords| {
            let target = keywords.get("$ref").and_then(Value::as_str);
            let target_name = target.and_then(|target| target.strip_prefix(PREFIX));
            if let Some((_, name)) =
                RENAMED.iter().find(|(renamed, _)| Some(*renamed) == target_name)
            {
                keywords.insert("$ref".to_owned(), format!("{PREFIX}{name}").into());
            }
        });
    }
}

/// Adds the success of a call whose output is text for a model.
fn add_text_success(schemas: &mut Map<String, Value>) {
    let Some(mut success) = schemas.get("CallSuccess").cloned() else { return };
    success["properties"]["output"] = schema_ref("SerializedOutput");
    schemas.insert("CallTextSuccess".to_owned(), success);
}

/// Gives properties of a schema the bounds of ids.
fn restrict_ids(schemas: &mut Map<String, Value>, name: &str, ids: &[&str]) {
    let properties = schemas.get_mut(name).and_then(|schema| schema.get_mut("properties"));
    let Some(Value::Object(properties)) = properties else { return };
    for id in ids {
        if let (Some(Value::Object(property)), Value::Object(bounds)) =
            (properties.get_mut(*id), parameters::id())
        {
            property.extend(bounds.into_iter().filter(|(keyword, _)| keyword != "type"));
        }
    }
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.definitions_path = "/components/schemas".into();
    })
}

fn take<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}

fn refers_elsewhere(schema: &Map<String, Value>) -> bool {
    has_schema(schema, |keywords| {
        let target = keywords.get("$ref").and_then(Value::as_str);
        target.is_some_and(|target| !target.starts_with('#'))
    })
}

/// Rewrites a reference to the new location of its target.
fn refer(
    keywords: &mut Map<String, Value>,
    root: &str,
    moved: &BTreeMap<(&'static str, String), String>,
) {
    let Some(Value::String(reference)) = keywords.get_mut("$ref") else { return };
    let Some(pointer) = reference.strip_prefix('#') else { return };
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return;
    }
    let new_reference = SchemaKeyword::with_role(SchemaRole::Definition).find_map(|keyword| {
        let below_keyword =
            pointer.strip_prefix('/')?.strip_prefix(keyword.name)?.strip_prefix('/')?;
        let (token, below) = below_keyword
            .split_once('/')
            .map_or((below_keyword, ""), |(token, _)| (token, &below_keyword[token.len()..]));
        let name = reference::pointer(&format!("#{token}"))?.replace("~1", "/").replace("~0", "~");
        moved.get(&(keyword.name, name)).map(|name| format!("{PREFIX}{name}{below}"))
    });
    *reference = new_reference.unwrap_or_else(|| format!("{PREFIX}{root}{pointer}"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, expected: &Value) {
        let schema = schema.as_object().expect("it is an object");
        let mut components = Components::from_schemas(Map::new());
        assert_eq!(components.adopt("AddInput", schema), schema_ref("AddInput"));
        assert_eq!(&Value::Object(components.schemas), expected);
    }

    #[test]
    fn definitions_become_components_and_are_referred_to_there() {
        check(
            &json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {"a": {"$ref": "#/$defs/A~1b"}, "c": {"$ref": "#/$defs/C/properties/d"}},
                "$defs": {
                    "A/b": {"items": {"$ref": "#/$defs/C"}},
                    "C": {"properties": {"d": {"$ref": "#"}}},
                },
            }),
            &json!({
                "AddInput": {"properties": {
                    "a": {"$ref": "#/components/schemas/AddInputAB"},
                    "c": {"$ref": "#/components/schemas/AddInputC/properties/d"},
                }},
                "AddInputAB": {"items": {"$ref": "#/components/schemas/AddInputC"}},
                "AddInputC": {"properties": {"d": {"$ref": "#/components/schemas/AddInput"}}},
            }),
        );
    }

    #[test]
    fn definitions_of_older_drafts_become_components_too() {
        check(
            &json!({
                "properties": {"a": {"$ref": "#/definitions/A"}, "b": {
                    "type": "string", "contentSchema": {"$ref": "#/definitions/A"},
                }},
                "definitions": {"A": {"dependencies": {"x": {"$ref": "#/definitions/A"}}}},
            }),
            &json!({
                "AddInput": {"properties": {"a": schema_ref("AddInputA"), "b": {
                    "type": "string", "contentSchema": schema_ref("AddInputA"),
                }}},
                "AddInputA": {"dependencies": {"x": schema_ref("AddInputA")}},
            }),
        );
    }

    #[test]
    fn a_request_has_bounds_in_its_definitions_too() {
        let schema = json!({
            "properties": {"a": {"$ref": "#/$defs/A"}, "b": true},
            "$defs": {"A": {"type": "integer", "format": "uint8"}},
        });
        let schema = schema.as_object().expect("it is an object");
        let mut components = Components::from_schemas(Map::new());
        assert_eq!(components.adopt_taken("AddInput", schema), schema_ref("AddInput"));
        let expected = json!({
            "AddInput": {
                "properties": {"a": {"$ref": "#/components/schemas/AddInputA"}, "b": schema_ref("JsonValue")},
            },
            "AddInputA": {"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255},
            "JsonValue": numbers::any(),
        });
        assert_eq!(Value::Object(components.schemas), expected);
    }

    #[test]
    fn a_value_that_only_looks_like_a_reference_stays() {
        let schema = json!({
            "properties": {"$ref": {"const": {"$ref": "#/$defs/A"}}, "b": {"$ref": "#anchor"}},
        });
        check(&schema, &json!({ "AddInput": schema }));
    }

    #[test]
    fn a_schema_with_an_address_of_its_own_stays_whole_if_it_refers_to_others() {
        let schema = json!({"$id": "tag:x", "$ref": "tag:x#/$defs/A", "$defs": {"A": true}});
        check(&schema, &json!({ "AddInput": schema }));
        let local = json!({"$id": "tag:x", "$ref": "#/$defs/A", "$defs": {"A": true}});
        check(&local, &json!({"AddInput": schema_ref("AddInputA"), "AddInputA": true}));
    }

    #[test]
    fn no_two_schemas_have_one_name() {
        let mut components = Components::from_schemas(Map::new());
        let named = ["A", "A", "a"].map(|name| components.add(name, json!({})));
        assert_eq!(named, ["A", "A2", "a3"].map(schema_ref));
    }

    #[test]
    fn requests_and_answers_agree_on_what_they_share() {
        let components = Components::from_contract();
        for name in [
            "CallRequest",
            "CallSuccess",
            "CallFailure",
            "CallEnvelope",
            "EnvelopeSuccess",
            "EnvelopeFailure",
            "ApprovalDecision",
        ] {
            assert!(components.get(name).is_some(), "{name}");
        }
    }
}
