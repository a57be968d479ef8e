//! Arguments: types, defaults, constraints, and what the model reads of them.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;
use tool_runtime::prelude::*;

use super::{data, error, input_schema, runtime};

#[test]
fn every_kind_of_argument_arrives() {
    /// Takes one of each.
    #[ai_tool(effect = "read")]
    #[allow(clippy::too_many_arguments)]
    async fn all(
        /// Text.
        text: &str,
        /// Owned text.
        owned: String,
        /// Maybe a number.
        number: Option<i64>,
        /// A share.
        share: f64,
        /// A list.
        list: Vec<u8>,
        /// A map.
        map: BTreeMap<String, bool>,
        /// A pair.
        pair: (u8, String),
        /// A moment.
        when: chrono::DateTime<chrono::Utc>,
        /// An id.
        id: Uuid,
        /// Anything.
        any: serde_json::Value,
    ) -> serde_json::Value {
        json!([text, owned, number, share, list, map, pair, when, id, any])
    }

    let arguments = json!({
        "text": "a\"b", "owned": "c", "share": 0.5, "list": [1, 2], "map": {"k": true},
        "pair": [1, "x"], "when": "2024-05-03T12:34:56Z",
        "id": "5aa31da6-9278-4da0-9f1a-61b8d3edc5cc", "any": {"deep": [null]},
    });
    let expected = json!([
        "a\"b", "c", null, 0.5, [1, 2], {"k": true}, [1, "x"], "2024-05-03T12:34:56Z",
        "5aa31da6-9278-4da0-9f1a-61b8d3edc5cc", {"deep": [null]},
    ]);
    assert_eq!(data(&runtime::<AllTool>(), "all", &arguments.to_string()), expected);
}

#[test]
fn defaults_stand_in_and_are_shown() {
    const MOST: u32 = 10;

    /// Has defaults.
    #[ai_tool(effect = "read")]
    fn defaults(
        /// A number.
        #[arg(default = MOST)]
        number: u32,
        /// Text.
        #[arg(default = "tea")]
        text: &str,
        /// Owned text.
        #[arg(default = "milk")]
        owned: String,
        /// Maybe.
        #[arg(default = Some(4))]
        maybe: Option<u8>,
        /// A list.
        #[arg(default)]
        list: Vec<String>,
        /// A low one.
        #[arg(default = -1)]
        low: i32,
    ) -> String {
        format!("{number} {text} {owned} {maybe:?} {list:?} {low}")
    }

    let runtime = runtime::<DefaultsTool>();
    assert_eq!(data(&runtime, "defaults", "{}"), "10 tea milk Some(4) [] -1");
    let schema = input_schema(&runtime, "defaults");
    let shown = |name: &str| schema["properties"][name]["default"].clone();
    assert_eq!(shown("number"), 10);
    assert_eq!(shown("text"), "tea");
    assert_eq!(shown("owned"), "milk");
    assert_eq!(shown("maybe"), 4);
    assert_eq!(shown("list"), json!([]));
    assert_eq!(shown("low"), -1);
    assert_eq!(schema.get("required"), None);
}

#[test]
fn a_default_takes_nothing_from_the_parameter_before_it() {
    /// Finds words.
    #[ai_tool(effect = "read")]
    fn find(
        /// The word.
        word: &str,
        /// How many, if not all.
        #[arg(default)]
        up_to: Option<u32>,
    ) -> String {
        format!("{word} {up_to:?}")
    }

    let runtime = runtime::<FindTool>();
    assert_eq!(input_schema(&runtime, "find")["required"], json!(["word"]));
    assert_eq!(error(&runtime, "find", "{}")["details"]["violations"][0]["pointer"], "/word");
    assert_eq!(data(&runtime, "find", r#"{"word":"tea"}"#), json!("tea None"));
}

#[test]
fn constraints_are_shown_and_enforced() {
    /// Has constraints.
    #[ai_tool(effect = "read")]
    fn bounded(
        /// A big number.
        #[arg(range(1..=5_000_000_000), example = 7)]
        number: u64,
        /// A share.
        #[arg(range(0.0..1.0))]
        share: Option<f64>,
        /// A word.
        #[arg(length(2..=4), pattern = "^[a-z]+$", example = "tea")]
        word: &str,
        /// Some tags.
        #[arg(default, length(..3))]
        tags: Vec<String>,
        /// A map.
        #[arg(default, length(..=1))]
        map: HashMap<String, u8>,
    ) -> u64 {
        let _ = (share, word, tags, map);
        number
    }

    let runtime = runtime::<BoundedTool>();
    let schema = input_schema(&runtime, "bounded");
    let properties = &schema["properties"];
    assert_eq!(properties["number"]["minimum"], 1);
    assert_eq!(properties["number"]["maximum"], 5_000_000_000_u64);
    assert_eq!(properties["number"]["examples"], json!([7]));
    assert_eq!(properties["share"]["exclusiveMaximum"], 1.0);
    assert_eq!(properties["word"]["minLength"], 2);
    assert_eq!(properties["word"]["maxLength"], 4);
    assert_eq!(properties["word"]["pattern"], "^[a-z]+$");
    assert_eq!(properties["word"]["examples"], json!(["tea"]));
    assert_eq!(properties["tags"]["maxItems"], 2);
    assert_eq!(properties["map"]["maxProperties"], 1);

    assert_eq!(
        data(&runtime, "bounded", r#"{"number":4000000000,"word":"tea"}"#),
        4_000_000_000_u64
    );
    for broken in [
        r#"{"number":0,"word":"tea"}"#,
        r#"{"number":5000000001,"word":"tea"}"#,
        r#"{"number":1,"word":"t"}"#,
        r#"{"number":1,"word":"TEA"}"#,
        r#"{"number":1,"word":"tea","share":1.0}"#,
        r#"{"number":1,"word":"tea","tags":["a","b","c"]}"#,
        r#"{"number":1,"word":"tea","map":{"a":1,"b":2}}"#,
    ] {
        assert_eq!(error(&runtime, "bounded", broken)["code"], "INVALID_ARGUMENT", "{broken}");
    }
}

#[test]
fn arguments_may_be_renamed() {
    /// Moves.
    #[ai_tool(effect = "read")]
    fn travel(
        /// Where from.
        #[arg(rename = "from")]
        origin: String,
        /// Where to.
        #[arg(rename = "to-city", default = "Rome")]
        target: &str,
    ) -> String {
        format!("{origin}-{target}")
    }

    let runtime = runtime::<TravelTool>();
    assert_eq!(data(&runtime, "travel", r#"{"from":"Oslo"}"#), "Oslo-Rome");
    assert_eq!(data(&runtime, "travel", r#"{"from":"Oslo","to-city":"Bern"}"#), "Oslo-Bern");
    assert_eq!(error(&runtime, "travel", r#"{"origin":"Oslo"}"#)["type"], "VALIDATION");
}

#[test]
fn descriptions_and_sensitivity_reach_the_schema() {
    /// Logs in.
    #[ai_tool(effect = "read")]
    fn login(
        /** Who it is,
        by name. */
        #[arg(pii)]
        user: String,
        #[doc = "What only they know."]
        #[arg(secret)]
        password: String,
    ) -> usize {
        user.len() + password.len()
    }

    let runtime = runtime::<LoginTool>();
    let schema = input_schema(&runtime, "login");
    assert_eq!(schema["properties"]["user"]["description"], "Who it is,\nby name.");
    assert_eq!(schema["properties"]["user"]["x-sensitivity"], "pii");
    assert_eq!(schema["properties"]["password"]["x-sensitivity"], "secret");
    assert_eq!(schema["title"], "it::macros::arguments::login");
}

#[test]
fn unknown_fields_are_refused_unless_the_tool_opts_out() {
    /// Is closed.
    #[ai_tool(effect = "read")]
    fn closed() -> u8 {
        1
    }

    /// Is open.
    #[ai_tool(effect = "read", unknown_fields = "ignore")]
    fn open() -> u8 {
        2
    }

    let extra = r#"{"extra":1}"#;
    assert_eq!(error(&runtime::<ClosedTool>(), "closed", extra)["code"], "INVALID_ARGUMENT");
    assert_eq!(data(&runtime::<OpenTool>(), "open", extra), 2);
    let closed = input_schema(&runtime::<ClosedTool>(), "closed");
    assert_eq!(closed["additionalProperties"], false);
    assert_eq!(
        input_schema(&runtime::<OpenTool>(), "open").get("additionalProperties"),
        Some(&true.into())
    );
}
