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
fn a_shown_value_that_its_own_schema_refuses_is_refused_at_build() {
    /// Counts.
    #[ai_tool(effect = "read")]
    async fn count(
        /// Up to here.
        #[arg(default = 10, range(1..=5))]
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
        #[arg(range(1..=3), default = 9)]
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
        #[arg(default = 9, range(1..=3))]
        default: u8,
    ) -> u8 {
        default
    }
    let error = Runtime::builder().tool::<KeywordTool>().build().unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::ShownValue { .. }]), "{error}");
}
