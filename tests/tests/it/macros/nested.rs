//! Types within types: lists of maps of objects, and plain types in plain types.

use std::any::type_name;
use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::prelude::*;

use super::{answer, data, input_schema, output_schema, runtime};

/// A type with plain derives, which this project's macros do not see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct MyObject {
    /// Its label.
    label: String,
    /// Its parts.
    #[serde(default)]
    parts: Vec<Part>,
}

/// A plain type that only a plain type names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Part {
    grams: u32,
}

/// Gives the shelves back.
#[ai_tool(effect = "read")]
async fn stack_shelves(
    /// The shelves, each with its objects by name.
    shelves: Vec<HashMap<String, MyObject>>,
) -> Vec<HashMap<String, MyObject>> {
    shelves
}

const SHELVES: &str =
    r#"[{"a":{"label":"jar","parts":[{"grams":5}]}},{},{"b":{"label":"lid","parts":[]}}]"#;

type Shelf = HashMap<String, MyObject>;

#[track_caller]
fn titled(schema: &Value, list: &str) {
    let list = schema.pointer(list).expect("the list");
    assert_eq!(list["title"], type_name::<Vec<Shelf>>());
    assert_eq!(list["items"]["title"], type_name::<Shelf>());
    assert_eq!(list["items"]["additionalProperties"], json!({ "$ref": "#/$defs/MyObject" }));
    assert_eq!(schema["$defs"]["MyObject"]["title"], type_name::<MyObject>());
    // Its module is known to no type that the macros see.
    assert_eq!(schema["$defs"]["Part"]["title"], "Part");
}

#[test]
fn every_level_of_a_list_of_maps_of_objects_has_its_type_as_title() {
    let runtime = runtime::<StackShelvesTool>();
    titled(&input_schema(&runtime, "stack_shelves"), "/properties/shelves");
    titled(&output_schema(&runtime, "stack_shelves"), "");
}

#[test]
fn a_list_of_maps_of_objects_is_read_and_answered() {
    let runtime = runtime::<StackShelvesTool>();
    let arguments = format!(r#"{{"shelves":{SHELVES}}}"#);
    let shelves: Value = serde_json::from_str(SHELVES).expect("JSON");
    assert_eq!(data(&runtime, "stack_shelves", &arguments), shelves);

    let refused =
        answer(&runtime, "stack_shelves", r#"{"shelves":[{"a":{"label":[],"grams":2}}]}"#);
    let pointers: Vec<_> = refused["error"]["details"]["violations"]
        .as_array()
        .expect("violations")
        .iter()
        .map(|violation| violation["pointer"].as_str().expect("a pointer"))
        .collect();
    assert_eq!(pointers, ["/shelves/0/a/label", "/shelves/0/a/grams"]);
}

#[test]
fn every_dialect_declares_a_list_of_maps_of_objects() {
    let runtime = runtime::<StackShelvesTool>();
    let taken: Value = serde_json::from_str(&format!(r#"{{"shelves":{SHELVES}}}"#)).expect("JSON");
    for dialect in Dialect::ALL {
        for titles in [false, true] {
            let adapter = Adapter::builder(dialect).titles(titles);
            let adapter = adapter.build(runtime.specs_for_model());
            let text = adapter.declarations().to_string();
            for name in [type_name::<Vec<Shelf>>(), type_name::<Shelf>(), type_name::<MyObject>()] {
                assert_eq!(text.contains(name), titles, "{dialect} {titles}: {name} in {text}");
            }
            assert!(!text.contains("StackShelves") && !text.contains("::stack_shelves"), "{text}");
            let places = [
                "/0/function/parameters",
                "/0/parameters",
                "/0/input_schema",
                "/tools/0/toolSpec/inputSchema/json",
                "/0/functionDeclarations/0/parametersJsonSchema",
            ];
            let found = places.iter().find_map(|place| adapter.declarations().pointer(place));
            let schema = found.expect("a declared schema");
            assert!(jsonschema::is_valid(schema, &taken), "{dialect}: {schema} refuses {taken}");
        }
    }
}

#[test]
fn titles_reach_through_options_boxes_tuples_and_sorted_maps() {
    /// Sorts things.
    #[ai_tool(effect = "read")]
    #[allow(clippy::type_complexity)]
    async fn sort_things(
        /// May be left out.
        maybe: Option<Vec<BTreeMap<String, Box<MyObject>>>>,
        /// Two of a kind, and a list.
        pair: (MyObject, Vec<Vec<Part>>),
    ) -> usize {
        maybe.map_or(0, |list| list.len()) + pair.1.len()
    }
    let runtime = runtime::<SortThingsTool>();
    let schema = input_schema(&runtime, "sort_things");
    let maybe = &schema["properties"]["maybe"];
    assert_eq!(maybe["items"]["title"], type_name::<BTreeMap<String, Box<MyObject>>>());
    let pair = &schema["properties"]["pair"]["prefixItems"];
    assert_eq!(pair[1]["title"], type_name::<Vec<Vec<Part>>>());
    assert_eq!(pair[1]["items"]["title"], type_name::<Vec<Part>>());
    assert_eq!(schema["$defs"]["MyObject"]["title"], type_name::<MyObject>());
    assert_eq!(schema["$defs"]["Part"]["title"], type_name::<Part>());
}
