//! Examples of a tool's arguments: kept in its contract, and held to its input schema.

use serde_json::{Value, json};
use tool_runtime::prelude::*;
use tool_runtime::{BuildError, BuildProblem};

const SECRET: &str = "planted-3141";

fn examples(runtime: &Runtime, tool: &str) -> Value {
    json!(runtime.spec(tool).unwrap().input_examples())
}

#[test]
fn a_tool_has_the_examples_of_its_function_in_their_order() {
    /// Finds pages.
    #[ai_tool(
        effect = "read",
        example = r#"{"query":"tea","limit":3}"#,
        example = r#"{"query":"jam"}"#
    )]
    fn find(
        /// Words to look for.
        query: String,
        /// Most pages.
        #[arg(default = 10)]
        limit: u32,
    ) {
        let _ = (query, limit);
    }
    let runtime = Runtime::builder().tool::<FindTool>().build().unwrap();
    assert_eq!(examples(&runtime, "find"), json!([{"query": "tea", "limit": 3}, {"query": "jam"}]));
}

#[test]
fn a_method_of_a_toolkit_has_examples_too() {
    struct Notes(u32);
    /// Keeps notes.
    #[ai_toolkit]
    impl Notes {
        /// Reads one.
        #[ai_tool(effect = "read", example = r#"{"id":7}"#)]
        fn read(
            &self,
            /// Its number.
            id: u32,
        ) {
            let _ = id + self.0;
        }
    }
    let runtime = Runtime::builder().toolkit(Notes(1)).build().unwrap();
    assert_eq!(examples(&runtime, "notes.read"), json!([{"id": 7}]));
}

/// The problem of an example, without the planted value.
#[track_caller]
fn check_problem(error: &BuildError, number: usize, texts: &[&str]) {
    let [problem] = error.problems() else { panic!("{error}") };
    assert!(
        matches!(problem, BuildProblem::InputExample { number: found, .. } if *found == number)
    );
    let message = problem.to_string();
    assert!(!message.contains(SECRET), "{message}");
    for text in texts {
        assert!(message.contains(text), "`{text}` is not in: {message}");
    }
}

#[test]
fn an_example_that_the_tool_refuses_is_refused_at_build_with_every_violation() {
    /// Finds pages.
    #[ai_tool(
        effect = "read",
        example = r#"{"query":"tea"}"#,
        example = r#"{"limt":"planted-3141","limit":99}"#
    )]
    fn find(
        /// Words to look for.
        query: String,
        /// Most pages.
        #[arg(default = 10, range(1..=50))]
        limit: u32,
    ) {
        let _ = (query, limit);
    }
    let error = Runtime::builder().tool::<FindTool>().build().unwrap_err();
    let texts = ["example 2 of `find`", "/query", "/limt", "did you mean `limit`?", "/limit"];
    check_problem(&error, 2, &texts);
}

#[test]
fn an_example_is_not_coerced_and_has_no_name_twice() {
    /// Finds pages.
    #[ai_tool(effect = "read", example = r#"{"limit":"3"}"#)]
    fn text(
        /// Most pages.
        limit: u32,
    ) {
        let _ = limit;
    }
    let error = Runtime::builder().tool::<TextTool>().build().unwrap_err();
    check_problem(&error, 1, &["/limit"]);

    /// Finds pages.
    #[ai_tool(effect = "read", example = r#"{"limit":3,"limit":4}"#)]
    fn twice(
        /// Most pages.
        limit: u32,
    ) {
        let _ = limit;
    }
    let error = Runtime::builder().tool::<TwiceTool>().build().unwrap_err();
    check_problem(&error, 1, &["/limit"]);
}

#[test]
fn a_dynamic_tools_examples_are_held_to_its_schema() {
    let tool = |example: Value| {
        DynamicTool::new("find", Effect::Read)
            .description("Finds pages.")
            .input_schema(json!({"type": "object", "properties": {"query": {"type": "string"}}}))
            .input_example(json!({"query": SECRET}))
            .input_example(example)
            .handler(|_| async { Ok::<_, Failure>(()) })
    };
    let runtime = Runtime::builder().dynamic(tool(json!({}))).build().unwrap();
    assert_eq!(examples(&runtime, "find"), json!([{"query": SECRET}, {}]));
    for wrong in [json!({"query": [SECRET]}), json!({"other": SECRET}), json!([SECRET])] {
        check_problem(&tool(wrong).check().unwrap_err(), 2, &["example 2 of `find`"]);
    }
}
