//! The forms and attributes that a function may have.

use serde_json::json;
use tool_runtime::Runtime;
use tool_runtime::prelude::*;

use super::{build, data, error, input_schema, runtime};

#[test]
fn options_reach_the_spec() {
    /// Finds things.
    ///
    /// In more than one place.
    #[ai_tool(
        effect = "read",
        name = "things.find",
        version = "2.1.0",
        title = "Find things",
        category = "things",
        ttl = "60s",
        timeout = "1500ms",
        requires_auth = false,
        ai_callable = false,
        open_world
    )]
    async fn find() -> u32 {
        3
    }

    let runtime = runtime::<FindTool>();
    let spec = runtime.spec("things.find").expect("the tool is listed");
    assert_eq!(spec.version(), "2.1.0");
    assert_eq!(spec.title(), Some("Find things"));
    assert_eq!(spec.description(), "Finds things.\n\nIn more than one place.");
    assert_eq!(spec.category(), Some("things"));
    assert_eq!(spec.timeout_ms(), Some(1500));
    assert_eq!(spec.ttl_seconds(), Some(60));
    assert!(!spec.requires_auth());
    assert!(!spec.ai_callable());
    assert!(spec.annotations().open_world());
}

#[test]
fn the_function_stays_a_function() {
    /// Doubles a number.
    #[ai_tool(effect = "read")]
    fn double(
        /// The number.
        number: u32,
    ) -> u32 {
        number * 2
    }

    assert_eq!(double(4), 8);
    assert_eq!(data(&runtime::<DoubleTool>(), "double", r#"{"number":4}"#), 8);
}

#[test]
fn foreign_attributes_change_nothing() {
    /// Is there.
    #[allow(clippy::unused_async)]
    #[cfg(not(any()))]
    #[ai_tool(effect = "read")]
    #[must_use]
    #[cfg(not(any(any())))]
    #[allow(clippy::let_and_return, reason = "stands below the tool's own attribute")]
    async fn present() -> &'static str {
        "here"
    }

    /// Is not there.
    #[ai_tool(effect = "read")]
    #[cfg(any())]
    async fn absent() -> &'static str {
        "here"
    }

    assert_eq!(data(&runtime::<PresentTool>(), "present", "{}"), "here");
}

#[test]
fn raw_identifiers_are_named_without_their_prefix() {
    /// Matches.
    #[ai_tool(effect = "read")]
    fn r#match(
        /// The kind.
        r#type: String,
        /// The look.
        #[arg(default = "plain")]
        r#dyn: String,
    ) -> String {
        format!("{type}/{dyn}")
    }

    let runtime = runtime::<MatchTool>();
    assert_eq!(data(&runtime, "match", r#"{"type":"a"}"#), "a/plain");
    assert_eq!(input_schema(&runtime, "match")["required"], json!(["type"]));
}

#[test]
fn a_tool_may_hold_functions_and_stand_in_one() {
    /// Counts.
    #[ai_tool(effect = "read")]
    fn outer() -> u32 {
        /// Counts inside.
        #[ai_tool(effect = "read", name = "inner_of_outer")]
        fn inner() -> u32 {
            1
        }
        fn helper() -> u32 {
            inner() + 1
        }
        helper()
    }

    assert_eq!(data(&runtime::<OuterTool>(), "outer", "{}"), 2);
}

#[test]
fn two_tools_share_parameter_names_and_defaults() {
    /// Gives one.
    #[ai_tool(effect = "read")]
    fn one(
        /// How many.
        #[arg(default = 1, range(1..=5))]
        limit: u32,
    ) -> u32 {
        limit
    }

    /// Gives another.
    #[ai_tool(effect = "read")]
    fn another(
        /// How many.
        #[arg(default = 2, range(1..=5))]
        limit: u64,
    ) -> u64 {
        limit
    }

    let runtime = build(Runtime::builder().tool::<OneTool>().tool::<AnotherTool>());
    assert_eq!(data(&runtime, "one", "{}"), 1);
    assert_eq!(data(&runtime, "another", "{}"), 2);
}

#[test]
fn a_tool_may_only_panic() {
    /// Is not written yet.
    #[ai_tool(effect = "read")]
    #[allow(clippy::unimplemented)]
    async fn later() {
        unimplemented!()
    }

    let error = error(&runtime::<LaterTool>(), "later", "{}");
    assert_eq!(error["type"], "FATAL");
    assert_eq!(error["code"], "INTERNAL");
}

#[test]
fn blocking_tools_take_text_and_state() {
    struct Prefix(&'static str);

    /// Greets slowly.
    #[ai_tool(effect = "read", blocking)]
    fn greet(
        prefix: &Prefix,
        /// Whom.
        name: &str,
        /// How often.
        #[arg(default = 1, range(..=3))]
        times: usize,
    ) -> Result<String, std::io::Error> {
        Ok(format!("{}{name}", prefix.0).repeat(times))
    }

    let runtime = build(Runtime::builder().tool::<GreetTool>().state(Prefix("hi ")));
    assert_eq!(data(&runtime, "greet", r#"{"name":"Ada"}"#), "hi Ada");
    assert_eq!(error(&runtime, "greet", r#"{"name":"Ada","times":9}"#)["type"], "VALIDATION");
}

#[test]
fn a_tool_may_be_named_like_a_type_of_its_module_or_of_the_prelude() {
    mod inner {
        use tool_runtime::prelude::*;

        /// The weather of a place.
        #[ai_type]
        pub(super) struct Weather {
            /// In degrees Celsius.
            degrees: i32,
        }

        /// Tells the weather.
        #[ai_tool(effect = "read")]
        pub(super) fn weather() -> Weather {
            Weather { degrees: 21 }
        }

        /// Reads a result.
        #[ai_tool(effect = "read")]
        pub(super) fn result() -> Result<String, std::fmt::Error> {
            Ok(String::from("first"))
        }

        /// Reads a string.
        #[ai_tool(effect = "read")]
        pub(super) fn string() -> Option<String> {
            Some(String::from("text"))
        }

        /// Has the suffix already.
        #[ai_tool(effect = "read")]
        pub(super) fn search_tool() -> u8 {
            1
        }
    }

    let runtime = Runtime::builder().tool::<inner::WeatherTool>().tool::<inner::ResultTool>();
    let runtime = build(runtime.tool::<inner::StringTool>().tool::<inner::SearchTool>());
    assert_eq!(data(&runtime, "weather", "{}"), json!({ "degrees": 21 }));
    assert_eq!(data(&runtime, "result", "{}"), "first");
    assert_eq!(data(&runtime, "string", "{}"), "text");
    assert_eq!(data(&runtime, "search_tool", "{}"), 1);
}

#[test]
fn handles_can_be_renamed_or_left_out() {
    mod inner {
        use tool_runtime::prelude::*;

        /// Has a handle of another name.
        #[ai_tool(effect = "read", handle = ByAnotherName)]
        pub(super) fn thing() -> u8 {
            1
        }

        #[allow(dead_code)]
        pub(super) struct NothingTool;

        /// Has no handle, because the name is taken.
        #[ai_tool(effect = "read", name = "without_handle", handle = none)]
        pub(super) fn nothing() -> u8 {
            2
        }
    }

    assert_eq!(inner::thing() + inner::nothing(), 3);
    assert_eq!(data(&runtime::<inner::ByAnotherName>(), "thing", "{}"), 1);
}

#[test]
fn renamed_dependencies_work() {
    mod elsewhere {
        pub(super) extern crate tool_runtime as renamed;

        use self::renamed::{ToolFailure, ai_tool, ai_toolkit, ai_type};

        /// A thing.
        #[ai_type(crate = renamed)]
        pub(super) struct Thing {
            /// Its size.
            #[arg(range(1..=3))]
            pub(super) size: u8,
        }

        #[derive(Debug, ToolFailure)]
        #[failure(NOT_FOUND, message = "there is none", crate = renamed)]
        pub(super) struct Missing;

        pub(super) struct Kit;

        /// Keeps things.
        #[ai_toolkit(crate = renamed)]
        impl Kit {
            /// Keeps.
            #[ai_tool(effect = "read")]
            #[allow(clippy::unused_self)]
            fn keep(&self) -> u8 {
                4
            }
        }

        /// Measures a thing.
        #[ai_tool(effect = "read", crate = renamed)]
        pub(super) fn measure(
            /// The thing.
            thing: Thing,
        ) -> Result<u8, Missing> {
            Some(thing.size).ok_or(Missing)
        }
    }

    let builder = Runtime::builder().tool::<elsewhere::MeasureTool>().toolkit(elsewhere::Kit);
    let runtime = build(builder);
    assert_eq!(data(&runtime, "measure", r#"{"thing":{"size":2}}"#), 2);
    assert_eq!(data(&runtime, "kit.keep", "{}"), 4);
}

#[test]
fn macros_by_example_may_write_tools() {
    macro_rules! tool {
        ($name:ident, $ty:ty, $default:expr) => {
            /// Is written by a macro.
            #[ai_tool(effect = "read")]
            fn $name(
                /// A value.
                #[arg(default = $default, range(1..=9))]
                value: $ty,
                /// Some text.
                #[arg(default = "x", length(1..))]
                text: &str,
            ) -> $ty {
                let _ = text;
                value
            }
        };
    }
    tool!(written, u16, 7);

    assert_eq!(data(&runtime::<WrittenTool>(), "written", "{}"), 7);
}

#[test]
fn writes_show_what_they_would_do() {
    /// Deletes a page.
    #[ai_tool(effect = "destructive", preview = preview_delete)]
    async fn delete(
        /// Which.
        page: &str,
    ) -> String {
        format!("deleted {page}")
    }

    async fn preview_delete(page: &str) -> Vec<String> {
        vec![page.to_owned()]
    }

    /// Renames a page.
    #[ai_tool(effect = "write", idempotent)]
    fn rename(
        dry_run: &DryRun,
        /// Which.
        page: &str,
    ) -> String {
        if dry_run.is_active() { format!("would rename {page}") } else { format!("renamed {page}") }
    }

    let runtime = build(Runtime::builder().tool::<DeleteTool>().tool::<RenameTool>());
    let arguments = r#"{"page":"p"}"#;
    assert_eq!(data(&runtime, "delete", arguments), "deleted p");
    assert_eq!(data(&runtime, "rename", arguments), "renamed p");
    let dry = super::context().dry_run(true).build().expect("a context");
    let shown = |name| super::answer_in(&runtime, name, arguments, &dry)["data"].clone();
    assert_eq!(shown("delete"), json!(["p"]));
    assert_eq!(shown("rename"), "would rename p");
}
