//! The rows of the guide's table of serde attributes that no other test has.

use serde_json::{Value, json};
use tool_runtime::prelude::*;

use super::{data, error, input_schema, output_schema, runtime};

#[track_caller]
fn check_refused(runtime: &Runtime, tool: &str, arguments: &str) -> Value {
    let error = error(runtime, tool, arguments);
    assert_eq!(error["code"], "INVALID_ARGUMENT", "{arguments}");
    error
}

/// The schema of the argument `value`.
fn schema_of_value(runtime: &Runtime, tool: &str) -> Value {
    resolved(&input_schema(runtime, tool), "/properties/value")
}

/// The schema at a pointer, or the target of its reference.
fn resolved(document: &Value, pointer: &str) -> Value {
    let schema = document.pointer(pointer).expect(pointer);
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => resolved(document, reference.trim_start_matches('#')),
        None => schema.clone(),
    }
}

/// Numbers as texts.
mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(number: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }

    pub(super) fn doubled<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        Ok(u32::deserialize(from)? * 2)
    }
}

#[test]
fn names_of_arguments_and_answers_may_differ() {
    /// A shape.
    #[ai_type]
    #[serde(rename_all_fields = "camelCase")]
    enum Shape {
        /// A rectangle.
        Rectangle {
            /// The longer side.
            #[serde(rename(deserialize = "side", serialize = "longest"))]
            long_side: u8,
            /// The other side.
            short_side: u8,
        },
    }

    /// Gives a shape back.
    #[ai_tool(effect = "read")]
    fn draw(
        /// A shape.
        value: Shape,
    ) -> Shape {
        value
    }

    let runtime = runtime::<DrawTool>();
    let arguments = r#"{"value":{"Rectangle":{"side":2,"shortSide":1}}}"#;
    let drawn = json!({"Rectangle": {"longest": 2, "shortSide": 1}});
    assert_eq!(data(&runtime, "draw", arguments), drawn);
    for name in ["longest", "long_side", "longSide"] {
        let arguments = json!({"value": {"Rectangle": {name: 2, "shortSide": 1}}});
        check_refused(&runtime, "draw", &arguments.to_string());
    }
    let output = output_schema(&runtime, "draw").to_string();
    assert!(output.contains("longest") && !output.contains(r#""side""#), "{output}");
}

#[test]
fn skipped_fields_are_missing_on_the_side_that_skips_them() {
    /// An item.
    #[ai_type]
    struct Item {
        /// A name.
        name: String,
        /// Only in answers.
        #[serde(skip_deserializing)]
        price: u8,
        /// Only in arguments.
        #[serde(skip_serializing)]
        code: String,
        /// In neither.
        #[serde(skip)]
        hidden: u8,
        /// In answers if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }

    /// Prices an item.
    #[ai_tool(effect = "read")]
    fn price(
        /// An item.
        value: Item,
    ) -> Item {
        let _ = &value.code;
        Item { price: 3 + value.hidden, ..value }
    }

    let runtime = runtime::<PriceTool>();
    let arguments = r#"{"value":{"name":"tea","code":"x"}}"#;
    assert_eq!(data(&runtime, "price", arguments), json!({"name": "tea", "price": 3}));
    for name in ["price", "hidden"] {
        let arguments = json!({"value": {"name": "tea", "code": "x", name: 1}});
        check_refused(&runtime, "price", &arguments.to_string());
    }
    let output = resolved(&output_schema(&runtime, "price"), "");
    let names: Vec<_> = output["properties"].as_object().expect("an object").keys().collect();
    assert_eq!(names, ["name", "note", "price"]);
    let required = output["required"].to_string();
    assert!(required.contains("price") && !required.contains("note"), "{required}");
}

#[test]
fn skipped_variants_are_missing_on_the_side_that_skips_them() {
    /// A level.
    #[ai_type]
    enum Level {
        /// The lowest.
        Low,
        /// Only in arguments.
        #[serde(skip_serializing)]
        Former,
        /// Only in answers.
        #[serde(skip_deserializing)]
        Unclear,
    }

    /// Rates a level.
    #[ai_tool(effect = "read")]
    fn rate(
        /// A level.
        value: Level,
    ) -> Level {
        match value {
            Level::Low | Level::Unclear => Level::Unclear,
            Level::Former => Level::Low,
        }
    }

    let runtime = runtime::<RateTool>();
    assert_eq!(data(&runtime, "rate", r#"{"value":"Low"}"#), "Unclear");
    assert_eq!(data(&runtime, "rate", r#"{"value":"Former"}"#), "Low");
    check_refused(&runtime, "rate", r#"{"value":"Unclear"}"#);
    assert!(!output_schema(&runtime, "rate").to_string().contains("Former"));
}

#[test]
fn a_converted_type_has_the_schema_of_the_other_type() {
    /// A color.
    #[ai_type]
    #[derive(Clone)]
    #[serde(from = "u32", into = "String")]
    struct Color(u32);

    impl From<u32> for Color {
        fn from(number: u32) -> Self {
            Self(number)
        }
    }

    impl From<Color> for String {
        fn from(color: Color) -> Self {
            format!("#{:06x}", color.0)
        }
    }

    /// Mixes a color.
    #[ai_tool(effect = "read")]
    fn mix(
        /// A color.
        value: Color,
    ) -> Color {
        value
    }

    let runtime = runtime::<MixTool>();
    assert_eq!(schema_of_value(&runtime, "mix")["type"], "integer");
    assert_eq!(resolved(&output_schema(&runtime, "mix"), "")["type"], "string");
    assert_eq!(data(&runtime, "mix", r#"{"value":255}"#), "#0000ff");
    check_refused(&runtime, "mix", r##"{"value":"#0000ff"}"##);
}

#[test]
fn a_failed_conversion_is_a_violation_without_a_reason() {
    /// An even number.
    #[ai_type]
    #[serde(try_from = "u8")]
    struct Even(u8);

    impl TryFrom<u8> for Even {
        type Error = &'static str;

        fn try_from(number: u8) -> Result<Self, Self::Error> {
            if number % 2 == 0 { Ok(Self(number)) } else { Err("an odd number") }
        }
    }

    /// Halves a number.
    #[ai_tool(effect = "read")]
    fn halve(
        /// A number.
        value: Even,
    ) -> u8 {
        value.0 / 2
    }

    let runtime = runtime::<HalveTool>();
    assert_eq!(schema_of_value(&runtime, "halve")["type"], "integer");
    assert_eq!(data(&runtime, "halve", r#"{"value":4}"#), 2);
    let error = check_refused(&runtime, "halve", r#"{"value":3}"#);
    assert_eq!(error["details"]["violations"][0]["pointer"], "/value", "{error}");
    assert!(!error.to_string().contains("odd"), "{error}");
}

#[test]
fn a_form_of_a_function_needs_a_schema_beside_it() {
    /// An order.
    #[ai_type]
    struct Order {
        /// A number in a text.
        #[serde(with = "as_text")]
        #[schemars(with = "String")]
        id: u32,
        /// Another one.
        #[serde(deserialize_with = "as_text::deserialize", serialize_with = "as_text::serialize")]
        #[schemars(with = "String")]
        next: u32,
        /// A number.
        #[serde(deserialize_with = "as_text::doubled")]
        twice: u32,
    }

    /// Gives an order back.
    #[ai_tool(effect = "read")]
    fn order(
        /// An order.
        value: Order,
    ) -> Order {
        value
    }

    let runtime = runtime::<OrderTool>();
    let properties = schema_of_value(&runtime, "order")["properties"].clone();
    let types = ["id", "next", "twice"].map(|name| properties[name]["type"].clone());
    assert_eq!(types, ["string", "string", "integer"]);
    let arguments = r#"{"value":{"id":"1","next":"2","twice":3}}"#;
    let expected = json!({"id": "1", "next": "2", "twice": 6});
    assert_eq!(data(&runtime, "order", arguments), expected);
    check_refused(&runtime, "order", r#"{"value":{"id":true,"next":"2","twice":3}}"#);
}

#[test]
fn a_transparent_type_is_its_field() {
    /// An id.
    #[ai_type]
    #[serde(transparent)]
    struct Id {
        /// The text.
        text: String,
    }

    /// Gives an id back.
    #[ai_tool(effect = "read")]
    fn find(
        /// An id.
        value: Id,
    ) -> Id {
        value
    }

    let runtime = runtime::<FindTool>();
    assert_eq!(schema_of_value(&runtime, "find")["type"], "string");
    assert_eq!(data(&runtime, "find", r#"{"value":"a"}"#), "a");
    check_refused(&runtime, "find", r#"{"value":{"text":"a"}}"#);
}

#[test]
fn the_default_of_a_type_makes_its_fields_optional() {
    /// A window.
    #[ai_type]
    #[serde(default, deny_unknown_fields)]
    struct Window {
        /// The first.
        offset: u32,
        /// The most.
        limit: u32,
    }

    impl Default for Window {
        fn default() -> Self {
            Self { offset: 0, limit: 10 }
        }
    }

    /// Shows a window.
    #[ai_tool(effect = "read")]
    fn show(
        /// A window.
        value: Window,
    ) -> (u32, u32) {
        (value.offset, value.limit)
    }

    let runtime = runtime::<ShowTool>();
    assert_eq!(data(&runtime, "show", r#"{"value":{"offset":5}}"#), json!([5, 10]));
    assert_eq!(schema_of_value(&runtime, "show")["properties"]["limit"]["default"], 10);
    check_refused(&runtime, "show", r#"{"value":{"most":1}}"#);
}

#[test]
fn a_variant_without_a_tag_is_its_content() {
    /// A size.
    #[ai_type]
    enum Size {
        /// The usual one.
        Usual,
        /// A number.
        #[serde(untagged)]
        Exact(u8),
    }

    /// Cuts to a size.
    #[ai_tool(effect = "read")]
    fn cut(
        /// A size.
        value: Size,
    ) -> Size {
        value
    }

    let runtime = runtime::<CutTool>();
    assert_eq!(data(&runtime, "cut", r#"{"value":"Usual"}"#), "Usual");
    assert_eq!(data(&runtime, "cut", r#"{"value":7}"#), 7);
    check_refused(&runtime, "cut", r#"{"value":"Exact"}"#);
}

#[test]
fn what_a_type_expects_is_no_text_for_a_caller() {
    /// A number.
    #[ai_type]
    #[serde(expecting = "a wide thing", bound(deserialize = "T: serde::Deserialize<'de>"))]
    struct Wide<T> {
        /// The number.
        number: T,
    }

    /// Reads a number.
    #[ai_tool(effect = "read")]
    fn measure(
        /// A number.
        value: Wide<u8>,
    ) -> u8 {
        value.number
    }

    let runtime = runtime::<MeasureTool>();
    assert_eq!(data(&runtime, "measure", r#"{"value":{"number":1}}"#), 1);
    let error = check_refused(&runtime, "measure", r#"{"value":"x"}"#);
    assert!(!error.to_string().contains("a wide thing"), "{error}");
}

#[test]
fn an_alias_of_a_plain_type_needs_its_schema() {
    /// Words.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Words {
        #[serde(alias = "text")]
        #[schemars(extend("x-aliases" = ["text"]))]
        q: String,
        #[serde(default, alias = "many")]
        count: u8,
    }

    /// Joins words.
    #[ai_tool(effect = "read")]
    fn join(
        /// Words.
        value: Words,
    ) -> String {
        format!("{} {}", value.q, value.count)
    }

    let runtime = runtime::<JoinTool>();
    assert_eq!(data(&runtime, "join", r#"{"value":{"text":"tea","count":1}}"#), "tea 1");
    check_refused(&runtime, "join", r#"{"value":{"q":"tea","many":1}}"#);
}
