//! Schemas, and values that they must reject.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::prelude::*;
use tool_runtime::{BuildProblem, Limits};

use crate::support::{answer, cx};

#[test]
fn bounds_that_a_type_brings_itself_are_kept() {
    #[derive(Deserialize, JsonSchema)]
    #[schemars(inline)]
    struct Name(#[schemars(length(min = 2))] String);
    /// Stores a name.
    #[ai_tool(effect = "write")]
    async fn store(
        dry_run: &DryRun,
        /// The name.
        name: Name,
    ) -> String {
        let _ = dry_run;
        name.0
    }
    let runtime = Runtime::builder().tool::<StoreTool>().build().unwrap();
    assert_eq!(runtime.call("store", r#"{"name":"a"}"#, &cx()).status(), CallStatus::Rejected);
    assert_eq!(runtime.call("store", r#"{"name":"ab"}"#, &cx()).status(), CallStatus::Pending);
    let schema = Value::Object(runtime.spec("store").unwrap().input_schema().clone());
    assert!(!schema.to_string().contains("x-own"), "{schema}");
}

#[test]
fn the_depth_limit_holds_for_plain_lists_too() {
    /// Takes lists of lists.
    #[ai_tool(effect = "read")]
    async fn lists(
        /// They.
        lists: Vec<Vec<String>>,
    ) -> usize {
        lists.len()
    }
    let flat = Limits::default().with_max_depth(2);
    let runtime = Runtime::builder().tool::<ListsTool>().limits(flat).build().unwrap();
    let call = runtime.call("lists", r#"{"lists":[["a"]]}"#, &cx());
    assert_eq!(call.status(), CallStatus::Rejected);
}

#[test]
fn the_depth_limit_holds_for_lists_in_tuples_too() {
    /// Takes a tuple with a list.
    #[ai_tool(effect = "read")]
    async fn tuple(
        /// It.
        tuple: (String, Vec<String>),
    ) -> usize {
        tuple.1.len()
    }
    let flat = Limits::default().with_max_depth(2);
    let runtime = Runtime::builder().tool::<TupleTool>().limits(flat).build().unwrap();
    let call = runtime.call("tuple", r#"{"tuple":["a",["b"]]}"#, &cx());
    assert_eq!(call.status(), CallStatus::Rejected);
}

/// A value that the macro cannot compare with bounds, as it can a literal.
const TEN: u8 = 10;

#[test]
fn a_shown_value_that_its_own_schema_refuses_is_refused_at_build() {
    /// Counts.
    #[ai_tool(effect = "read")]
    async fn count(
        /// Up to here.
        #[arg(default = TEN, range(1..=5))]
        limit: u8,
    ) -> u8 {
        limit
    }
    let error = Runtime::builder().tool::<CountTool>().build().unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::ShownValue { .. }]), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string(), "`unwrap` shows the text too");
}

#[tokio::test]
async fn a_silent_dynamic_schema_is_closed_unless_it_is_to_stay_open() {
    let tool = |name| {
        DynamicTool::new(name, Effect::Read)
            .description("Has a silent schema.")
            .input_schema(json!({ "type": "object", "properties": { "a": {} } }))
            .sync_handler(|_| Ok::<_, Failure>(()))
    };
    let open = tool("open").admit_unknown_fields();
    let runtime = Runtime::builder().dynamic(tool("closed")).dynamic(open).build().unwrap();
    assert_eq!(answer(&runtime, "closed", r#"{"b":1}"#).await["error"]["code"], "INVALID_ARGUMENT");
    assert_eq!(answer(&runtime, "open", r#"{"b":1}"#).await["status"], "ok");

    let any = DynamicTool::new("any", Effect::Read)
        .description("Takes anything.")
        .input_schema(json!({}))
        .sync_handler(|_| Ok::<_, Failure>(()));
    let error = Runtime::builder().dynamic(any).build().unwrap_err();
    assert!(error.to_string().contains(r#""type": "object""#), "{error}");
}

#[test]
fn unknown_fields_are_refused_at_any_depth() {
    #[derive(serde::Serialize, Deserialize, JsonSchema)]
    struct Plain {
        a: Option<bool>,
    }
    /// How it is sent.
    #[ai_type]
    struct Ship {
        /// By air?
        air: Option<bool>,
        /// Insured?
        insured: Option<bool>,
    }
    /// What is ordered.
    #[ai_type]
    struct Order {
        /// Which.
        sku: String,
        /// How it is sent.
        #[serde(flatten)]
        ship: Ship,
        /// More.
        plain: Option<Vec<Plain>>,
    }
    /// Lets everything pass.
    #[ai_type(open)]
    struct Lenient {
        /// Which.
        sku: String,
    }
    /// Orders.
    #[ai_tool(effect = "write")]
    async fn order(
        dry_run: &DryRun,
        /// What.
        order: Order,
        /// What else.
        lenient: Option<Lenient>,
    ) -> String {
        let _ = (dry_run, order.ship.air, order.ship.insured, lenient.map(|one| one.sku));
        let plain = order.plain.into_iter().flatten().filter_map(|plain| plain.a);
        format!("{} {}", order.sku, plain.count())
    }
    let dynamic = DynamicTool::new("dynamic", Effect::Read)
        .description("Has a silent object in it.")
        .input_schema(json!({
            "type": "object",
            "properties": { "o": { "type": "object", "properties": { "a": {} } } },
        }))
        .sync_handler(|_| Ok::<_, Failure>(()));
    let runtime = Runtime::builder().tool::<OrderTool>().dynamic(dynamic).build().unwrap();
    let status = |name: &str, text: &str| runtime.call(name, text, &cx()).status();
    let admitted = [
        ("order", r#"{"order":{"sku":"a","insured":true,"plain":[{"a":true}]}}"#),
        ("order", r#"{"order":{"sku":"a"},"lenient":{"sku":"b","more":1}}"#),
        ("dynamic", r#"{"o":{"a":1}}"#),
    ];
    for (name, text) in admitted {
        assert_eq!(status(name, text), CallStatus::Pending, "{text}");
    }
    let refused = [
        ("order", r#"{"order":{"sku":"a","insurred":true}}"#),
        ("order", r#"{"order":{"sku":"a","plain":[{"b":true}]}}"#),
        ("dynamic", r#"{"o":{"a":1,"zz":2}}"#),
    ];
    for (name, text) in refused {
        assert_eq!(status(name, text), CallStatus::Rejected, "{text}");
    }
}

#[test]
fn shown_values_are_checked_wherever_they_stand() {
    /// Inner.
    #[ai_type]
    struct Inner {
        /// A number.
        #[arg(range(1..=3), default = TEN)]
        x: u8,
    }
    /// Takes it.
    #[ai_tool(effect = "read")]
    async fn takes(
        /// It.
        inner: Inner,
    ) -> u8 {
        inner.x
    }
    let error = Runtime::builder().tool::<TakesTool>().build().unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::ShownValue { .. }]), "{error}");
    assert!(error.to_string().contains("`/Inner/x`"), "{error}");

    /// Has an argument that is called as a keyword is, and shows a wrong default.
    #[ai_tool(effect = "read")]
    async fn keyword(
        /// It.
        #[arg(default = TEN, range(1..=3))]
        default: u8,
    ) -> u8 {
        default
    }
    let error = Runtime::builder().tool::<KeywordTool>().build().unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::ShownValue { .. }]), "{error}");
}

/// A circle.
#[derive(serde::Serialize, Deserialize, JsonSchema)]
struct Circle {
    /// Its radius.
    radius: u8,
}

/// A shape.
#[derive(serde::Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Circle(Circle),
    Square { side: u8 },
}

#[tokio::test]
async fn a_tagged_enum_of_structs_is_called_as_its_strict_declaration_demands() {
    /// A drawing.
    #[ai_type]
    struct Drawing {
        /// Its shape.
        shape: Shape,
    }
    /// Draws.
    #[ai_tool(effect = "read")]
    fn draw(
        /// The drawing.
        drawing: Drawing,
    ) -> Drawing {
        drawing
    }
    let runtime = Runtime::builder().tool::<DrawTool>().build().unwrap();
    for shape in [r#"{"kind":"Circle","radius":1}"#, r#"{"kind":"Square","side":1}"#] {
        let arguments = format!(r#"{{"drawing":{{"shape":{shape}}}}}"#);
        assert_eq!(answer(&runtime, "draw", &arguments).await["status"], "ok", "{shape}");
    }
    for shape in [r#"{"kind":"Circle","radius":1,"side":1}"#, r#"{"kind":"Circle"}"#] {
        let arguments = format!(r#"{{"drawing":{{"shape":{shape}}}}}"#);
        assert_eq!(answer(&runtime, "draw", &arguments).await["status"], "error", "{shape}");
    }
    let dialect = tool_runtime::adapters::Dialect::OpenAiChat;
    let adapter = tool_runtime::adapters::Adapter::new(dialect, runtime.specs());
    let declared = adapter.tools()[0].schema().clone();
    assert!(adapter.tools()[0].is_strict(), "{:?}", adapter.report().losses().next());
    let text = declared.to_string();
    assert!(text.contains(r#""required":["kind","radius"]"#), "{text}");
}

#[tokio::test]
async fn null_for_an_optional_argument_is_left_out_in_reads_and_writes() {
    /// A state.
    #[ai_type]
    #[derive(Default, Debug)]
    enum State {
        #[default]
        Open,
        Closed,
    }
    /// Stores.
    #[ai_tool(effect = "write")]
    async fn keep(
        dry_run: &DryRun,
        /// A title.
        title: String,
        /// Tags.
        #[arg(default)]
        tags: Vec<String>,
        /// A state.
        #[arg(default)]
        state: State,
        /// A kind.
        kind: Option<String>,
        /// A number.
        #[arg(default = 7)]
        count: u32,
    ) -> String {
        let _ = dry_run;
        format!("{title} {tags:?} {state:?} {kind:?} {count}")
    }
    let builder = Runtime::builder().tool::<KeepTool>().permission("keep", Permission::Allow);
    let runtime = builder.build().unwrap();
    let arguments = r#"{"title":"a","tags":null,"state":null,"kind":null,"count":null}"#;
    let found = answer(&runtime, "keep", arguments).await;
    assert_eq!(found["data"], "a [] Open None 7", "{found}");
    let found = answer(&runtime, "keep", r#"{"title":null}"#).await;
    assert_eq!(found["error"]["code"], "INVALID_ARGUMENT", "{found}");
    // Nothing else is coerced in a write.
    let found = answer(&runtime, "keep", r#"{"title":"a","count":"7"}"#).await;
    assert_eq!(found["error"]["code"], "INVALID_ARGUMENT", "{found}");
}

#[tokio::test]
async fn the_message_counts_arguments_and_says_where_a_text_is_no_json() {
    let tool = DynamicTool::new("t", Effect::Read)
        .description("Takes a word.")
        .input_schema(json!({"type": "object", "properties": {
            "word": {"type": "string", "minLength": 2, "pattern": "^[a-z]+$"}}}))
        .sync_handler(|_| Ok::<_, Failure>(()));
    let runtime = Runtime::builder().dynamic(tool).build().unwrap();
    let message = |found: &Value| found["error"]["message"].as_str().unwrap().to_owned();
    let found = answer(&runtime, "t", r#"{"word":"1"}"#).await;
    assert!(message(&found).starts_with("an argument is not valid: "), "{found}");
    for text in ["not json", "nope", "tru", "false!"] {
        let found = answer(&runtime, "t", text).await;
        assert!(!message(&found).contains("null") && !message(&found).contains("true"), "{found}");
    }
    let found = answer(&runtime, "t", "not json").await;
    assert!(message(&found).contains("expected a value at byte 1"), "{found}");
}

#[test]
fn rules_that_are_probably_mistakes_are_findings_of_the_build() {
    let tool = |name, schema: Value| {
        DynamicTool::new(name, Effect::Read)
            .description("Has odd rules.")
            .input_schema(schema)
            .sync_handler(|_| Ok::<_, Failure>(()))
    };
    let named = json!({"a": {"type": "integer", "enum": ["1", 2]}});
    let nested = json!({"type": "object", "properties": named, "minProperties": 2});
    let right = json!({"type": "object", "properties": {"b": {}, "c": {}},
        "oneOf": [{"required": ["b"]}, {"required": ["c"]}], "minProperties": 1});
    let builder = Runtime::builder()
        .dynamic(tool(
            "wrong",
            json!({"type": "object", "required": ["zz"],
            "properties": {"it": {"type": "array", "items": nested}}}),
        ))
        .dynamic(tool("right", right));
    let runtime = builder.build().unwrap();
    let found: Vec<_> = runtime
        .tools()
        .schema_findings()
        .map(|(tool, it)| format!("{tool} {} {}", it.rule(), it.pointer()))
        .collect();
    assert_eq!(
        found,
        [
            "wrong enum /properties/it/items/properties/a/enum",
            "wrong required ",
            "wrong minProperties /properties/it/items",
        ]
    );
}
