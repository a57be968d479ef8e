//! `#[ai_type]`, and types with plain serde and schemars derives.

use std::collections::BTreeMap;

use serde_json::json;
use tool_runtime::prelude::*;

use super::{data, error, input_schema, output_schema, runtime};

#[test]
fn fields_carry_constraints_defaults_and_names() {
    /// A filter.
    #[ai_type]
    struct Filter {
        /// Least score.
        #[arg(range(0..=100), default = 50)]
        score: u8,
        /// Words.
        #[arg(default, length(..=2))]
        words: Vec<String>,
        /// A name.
        #[arg(rename = "called", pattern = "^[a-z]+$", length(1..=5), example = "ada")]
        name: Option<String>,
        /// A key.
        #[arg(secret)]
        key: Option<String>,
        /// A mood.
        #[arg(default = "calm")]
        mood: String,
    }

    /// Filters.
    #[ai_tool(effect = "read")]
    fn filter_by(
        /// By what.
        by: Filter,
    ) -> String {
        let Filter { score, words, name, key, mood } = by;
        format!("{score} {words:?} {name:?} {} {mood}", key.is_some())
    }

    let runtime = runtime::<FilterByTool>();
    assert_eq!(data(&runtime, "filter_by", r#"{"by":{}}"#), "50 [] None false calm");
    let schema = input_schema(&runtime, "filter_by");
    let fields = &schema["$defs"]["Filter"]["properties"];
    assert_eq!(fields["score"]["maximum"], 100);
    assert_eq!(fields["score"]["default"], 50);
    assert_eq!(fields["words"]["maxItems"], 2);
    assert_eq!(fields["called"]["pattern"], "^[a-z]+$");
    assert_eq!(fields["called"]["examples"], json!(["ada"]));
    assert_eq!(fields["key"]["x-sensitivity"], "secret");
    for broken in [
        json!({"by": {"score": 101}}),
        json!({"by": {"words": ["a", "b", "c"]}}),
        json!({"by": {"called": "ADA"}}),
        json!({"by": {"called": "abcdef"}}),
        json!({"by": {"name": "ada"}}),
    ] {
        let error = error(&runtime, "filter_by", &broken.to_string());
        assert_eq!(error["code"], "INVALID_ARGUMENT", "{broken}");
    }
}

#[test]
fn types_are_generic_recursive_and_titled_by_their_rust_names() {
    /// A page of things.
    #[ai_type]
    struct Page<T> {
        /// The things.
        items: Vec<T>,
        /// How to go on.
        next: Option<String>,
    }

    /// A tree.
    #[ai_type]
    struct Tree {
        /// What stands here.
        label: String,
        /// What stands below.
        #[serde(default)]
        children: Vec<Tree>,
        /// Notes by name.
        #[serde(default)]
        notes: BTreeMap<String, Tree>,
    }

    /// Lists the leaves.
    #[ai_tool(effect = "read")]
    fn leaves(
        /// The tree.
        tree: Tree,
    ) -> Page<Tree> {
        let Tree { children, notes, label } = tree;
        let leaf = Tree { label, children: Vec::new(), notes };
        let items = if children.is_empty() { vec![leaf] } else { children };
        Page { items, next: None }
    }

    let runtime = runtime::<LeavesTool>();
    let arguments = r#"{"tree":{"label":"a","children":[{"label":"b"}],"notes":{}}}"#;
    assert_eq!(data(&runtime, "leaves", arguments)["items"][0]["label"], "b");
    let output = output_schema(&runtime, "leaves");
    let here = "it::macros::types::types_are_generic_recursive_and_titled_by_their_rust_names";
    assert_eq!(output["title"], format!("{here}::Page<{here}::Tree>"));
    assert_eq!(output["properties"]["items"]["title"], format!("alloc::vec::Vec<{here}::Tree>"));
    assert_eq!(output["properties"]["items"]["items"]["$ref"], "#/$defs/Tree");
    let broken = r#"{"tree":{"label":"a","children":[{"label":"b","extra":1}]}}"#;
    assert_eq!(error(&runtime, "leaves", broken)["code"], "INVALID_ARGUMENT");
}

#[test]
fn serde_options_mean_what_they_mean() {
    /// Where to begin and how far to go.
    #[ai_type]
    struct Window {
        /// First.
        #[serde(default)]
        offset: u32,
        /// Most.
        limit: u32,
    }

    /// A query.
    #[ai_type]
    #[serde(rename_all = "camelCase")]
    struct Query {
        /// Words.
        #[serde(alias = "q")]
        search_text: String,
        /// The part.
        #[serde(flatten)]
        window: Window,
        /// Not on the wire.
        #[serde(skip)]
        hidden: u8,
    }

    /// Runs a query.
    #[ai_tool(effect = "read")]
    fn query(
        /// The query.
        query: Query,
    ) -> String {
        let Query { search_text, window, hidden } = query;
        format!("{search_text} {} {} {hidden}", window.offset, window.limit)
    }

    let runtime = runtime::<QueryTool>();
    let arguments = r#"{"query":{"searchText":"tea","limit":3}}"#;
    assert_eq!(data(&runtime, "query", arguments), "tea 0 3 0");
    // An alias is another name of the same property.
    let arguments = r#"{"query":{"q":"tea","limit":3}}"#;
    assert_eq!(data(&runtime, "query", arguments), "tea 0 3 0");
    for wrong in
        [r#"{"q":"tea","searchText":"tea","limit":3}"#, r#"{"q":[1],"limit":3}"#, r#"{"limit":3}"#]
    {
        let arguments = format!(r#"{{"query":{wrong}}}"#);
        assert_eq!(error(&runtime, "query", &arguments)["code"], "INVALID_ARGUMENT", "{wrong}");
    }
}

#[test]
fn plain_derives_and_foreign_types_work_as_well() {
    /// A plain type.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Plain {
        day: chrono::NaiveDate,
        id: Option<Uuid>,
    }

    /// Gives back.
    #[ai_tool(effect = "read")]
    fn plain(
        /// A value.
        value: Plain,
    ) -> Plain {
        value
    }

    let runtime = runtime::<PlainTool>();
    let value = json!({"day": "2024-02-29", "id": null});
    assert_eq!(data(&runtime, "plain", &json!({ "value": value }).to_string()), value);
    let wrong = r#"{"value":{"day":"2024-02-30","id":null}}"#;
    assert_eq!(error(&runtime, "plain", wrong)["code"], "INVALID_ARGUMENT");
}

#[test]
fn a_type_may_cross_one_way_only() {
    struct NotSerialize;

    /// Is only written.
    #[ai_type(serialize_only)]
    struct Answer<'a> {
        /// Text.
        text: &'a str,
    }

    /// Is only read, and takes what it does not know.
    #[ai_type(deserialize_only, open)]
    struct Question {
        /// Text.
        text: String,
        #[serde(skip)]
        _not: std::marker::PhantomData<NotSerialize>,
    }

    /// Answers.
    #[ai_tool(effect = "read")]
    fn reply(
        /// A question.
        question: Question,
    ) -> usize {
        Answer { text: &question.text }.text.len()
    }

    let arguments = r#"{"question":{"text":"abc","more":1}}"#;
    assert_eq!(data(&runtime::<ReplyTool>(), "reply", arguments), 3);
}

#[test]
fn every_shape_of_type_is_taken() {
    /// A name.
    #[ai_type]
    #[derive(Clone)]
    struct Name(String);

    /// A pair.
    #[ai_type]
    struct Pair(u8, Name);

    /// Nothing.
    #[ai_type]
    struct Unit;

    /// A level.
    #[ai_type]
    #[derive(Clone, Copy)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    enum Level {
        /// Low.
        Low = 1,
        /// High.
        VeryHigh = 5,
    }

    /// A wrapper.
    #[ai_type]
    #[serde(transparent)]
    struct Wrapped<T: Clone, U = ()>
    where
        T: PartialEq,
    {
        inner: Vec<T>,
        #[serde(skip)]
        outer: std::marker::PhantomData<U>,
    }

    /// Takes all.
    #[ai_tool(effect = "read")]
    fn shapes(
        /// A name.
        name: Name,
        /// A pair.
        pair: Pair,
        /// A unit.
        unit: Unit,
        /// A level.
        level: Level,
        /// A list of two.
        wrapped: Wrapped<u8>,
        /// A box.
        boxed: Box<Name>,
        /// One or none.
        shared: Box<str>,
    ) -> (Name, Pair, Unit, Level, Vec<u8>, Box<Name>, String) {
        (name, pair, unit, level, wrapped.inner, boxed, shared.into_string())
    }

    let arguments = json!({
        "name": "a", "pair": [1, "b"], "unit": null, "level": "VERY_HIGH", "wrapped": [1, 2],
        "boxed": "c", "shared": "d",
    });
    let expected = json!(["a", [1, "b"], null, "VERY_HIGH", [1, 2], "c", "d"]);
    assert_eq!(data(&runtime::<ShapesTool>(), "shapes", &arguments.to_string()), expected);
}
