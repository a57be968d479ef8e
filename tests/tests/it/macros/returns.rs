//! The types that a tool may return.

use std::borrow::Cow;

use serde_json::{Value, json};
use tool_runtime::prelude::*;

use super::{context, data, error, output_schema, runtime};

#[test]
fn nothing_is_an_answer() {
    /// Does nothing.
    #[ai_tool(effect = "read")]
    async fn nothing() {}

    assert_eq!(data(&runtime::<NothingTool>(), "nothing", "{}"), Value::Null);
}

#[test]
fn opaque_types_have_schemas() {
    use schemars::JsonSchema;

    /// Lists squares.
    #[ai_tool(effect = "read")]
    async fn squares(
        /// How many.
        count: u32,
    ) -> impl serde::Serialize + JsonSchema {
        (0..count).map(|number| number * number).collect::<Vec<_>>()
    }

    /// Lists squares, or fails.
    #[ai_tool(effect = "read")]
    fn maybe_squares(
        _: &ToolContext,
        /// How many.
        count: u32,
    ) -> Result<impl serde::Serialize + JsonSchema + use<>, std::io::Error> {
        Ok((0..count).collect::<Vec<_>>())
    }

    let first = runtime::<SquaresTool>();
    assert_eq!(data(&first, "squares", r#"{"count":3}"#), json!([0, 1, 4]));
    assert_eq!(output_schema(&first, "squares")["type"], "array");
    let second = runtime::<MaybeSquaresTool>();
    assert_eq!(data(&second, "maybe_squares", r#"{"count":2}"#), json!([0, 1]));
    assert_eq!(output_schema(&second, "maybe_squares")["type"], "array");
}

#[test]
fn answers_may_borrow_from_arguments_and_state() {
    struct Names(Vec<String>);

    /// Finds a name.
    #[ai_tool(effect = "read")]
    async fn find<'s>(
        names: &'s Names,
        /// How it begins.
        prefix: &str,
    ) -> Option<&'s str> {
        names.0.iter().map(String::as_str).find(|name| name.starts_with(prefix))
    }

    /// Trims.
    #[ai_tool(effect = "read")]
    fn trim(
        /// What.
        text: &str,
    ) -> Cow<'_, str> {
        Cow::Borrowed(text.trim())
    }

    let names = Names(vec!["Ada".to_owned(), "Bob".to_owned()]);
    let builder =
        tool_runtime::Runtime::builder().tool::<FindTool>().tool::<TrimTool>().state(names);
    let runtime = super::build(builder);
    assert_eq!(data(&runtime, "find", r#"{"prefix":"B"}"#), "Bob");
    assert_eq!(data(&runtime, "trim", r#"{"text":" x "}"#), "x");
}

#[test]
fn result_is_known_by_its_type() {
    type Fallible = Result<u8, std::num::ParseIntError>;

    /// Parses.
    #[ai_tool(effect = "read")]
    fn parse(
        /// What.
        text: &str,
    ) -> Fallible {
        text.parse()
    }

    let runtime = runtime::<ParseTool>();
    assert_eq!(data(&runtime, "parse", r#"{"text":"7"}"#), 7);
    let error = error(&runtime, "parse", r#"{"text":"x"}"#);
    assert_eq!((&error["type"], &error["code"]), (&json!("FATAL"), &json!("INTERNAL")));
    assert_eq!(output_schema(&runtime, "parse")["type"], "integer");
}

#[tokio::test]
async fn typed_calls_give_the_success_half() {
    type Answer = std::io::Result<u32>;

    /// Adds.
    #[ai_tool(effect = "read")]
    async fn add(
        /// One.
        a: u32,
        /// Two.
        b: u32,
    ) -> Answer {
        Ok(a + b)
    }

    let cx = context().build().expect("a context");
    let runtime = runtime::<AddTool>();
    let mut call = runtime.call_typed::<AddTool>(&json!({"a": 1, "b": 2}), &cx).expect("arguments");
    match call.execute().await {
        Ok(tool_runtime::contracts::ToolOutput::Ok(result)) => {
            let sum: &u32 = result.data();
            assert_eq!(*sum, 3);
        }
        other => panic!("{other:?}"),
    }
}
