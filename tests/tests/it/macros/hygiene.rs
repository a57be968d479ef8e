//! Names that a user may have, and that generated code must not stumble over.

use tool_runtime::prelude::*;

use super::{data, runtime};

mod shadowed {
    #![allow(
        dead_code,
        non_camel_case_types,
        unused_macros,
        reason = "they are there to be in the way"
    )]

    use ::tool_runtime::prelude::{ToolFailure, ai_tool, ai_toolkit, ai_type};

    struct Option;
    struct None;
    struct Result;
    struct Ok;
    struct Err;
    struct String;
    struct Vec;
    struct Box;
    struct Cow;
    struct Probe;
    struct Tool;
    struct Default;
    struct Schema;
    struct std;
    struct core;
    struct serde;
    struct tool_runtime;
    trait From {}
    trait Clone {}
    trait Send {}
    trait Debug {}
    macro_rules! concat {
        () => {};
    }
    macro_rules! panic {
        () => {};
    }
    macro_rules! format {
        () => {};
    }

    /// A thing.
    #[ai_type]
    pub(super) struct Thing {
        /// Its size.
        #[arg(range(1..=3), default = 2)]
        pub(super) size: u8,
    }

    #[derive(ToolFailure)]
    pub(super) enum Trouble {
        #[failure(NOT_FOUND, message = "none of {size}", retry_after_ms = wait, details(size))]
        Lost { size: u8, wait: u64 },
    }

    /// Measures.
    #[ai_tool(effect = "read")]
    pub(super) fn measure(
        /// A thing.
        thing: Thing,
        /// Its name.
        #[arg(default = "x", length(1..))]
        name: &str,
    ) -> ::core::result::Result<u8, Trouble> {
        let _ = name;
        if thing.size == 3 {
            return ::core::result::Result::Err(Trouble::Lost { size: 3, wait: 1 });
        }
        ::core::result::Result::Ok(thing.size)
    }

    pub(super) struct Kit;

    /// Keeps.
    #[ai_toolkit]
    impl Kit {
        /// Lists.
        #[ai_tool(effect = "read")]
        pub(super) async fn list(
            &self,
            /// How many.
            count: u8,
        ) -> impl Iterator_ {
            count
        }
    }

    pub(super) trait Iterator_: ::serde::Serialize + ::schemars::JsonSchema {}
    impl Iterator_ for u8 {}
}

#[test]
fn a_users_names_do_not_get_in_the_way() {
    let builder = Runtime::builder().tool::<shadowed::MeasureTool>().toolkit(shadowed::Kit);
    let runtime = super::build(builder);
    assert_eq!(data(&runtime, "measure", r#"{"thing":{}}"#), 2);
    let error = super::error(&runtime, "measure", r#"{"thing":{"size":3}}"#);
    assert_eq!(error["message"], "none of 3");
    assert_eq!(data(&runtime, "kit.list", r#"{"count":4}"#), 4);
}

#[no_implicit_prelude]
mod without_prelude {
    use ::std::string::String;
    use ::std::vec::Vec;
    use ::tool_runtime::{Cancellation, DryRun, Reconciled, ToolFailure, ai_tool, ai_toolkit};

    mod types {
        // The derive of schemars needs names of the prelude.
        use ::std::prelude::rust_2024::*;
        use ::tool_runtime::ai_type;

        /// A filter.
        #[ai_type]
        #[derive(Debug)]
        pub(in super::super) struct Filter {
            /// The words.
            #[arg(default = "tea", length(1..=9))]
            pub(super) words: String,
            /// The caller's name.
            #[arg(pii, default)]
            pub(super) name: String,
        }
    }

    #[derive(Debug, ToolFailure)]
    pub(super) enum Trouble {
        #[failure(UNAVAILABLE, message = "in {wait}", retry_after_ms = wait, endpoint = place)]
        Closed { wait: u64, place: String },
        #[failure(transparent)]
        Absent(Absent),
    }

    #[derive(Debug, ToolFailure)]
    #[failure(NOT_FOUND, hide)]
    pub(super) struct Absent;

    pub(super) struct Index;

    /// Searches.
    #[ai_tool(effect = "read", ttl = "2s")]
    pub(super) async fn search(
        _: &Index,
        _: &Cancellation,
        /// The words.
        #[arg(default = "tea", length(1..))]
        words: &str,
        /// The filter.
        filter: types::Filter,
    ) -> ::std::result::Result<Vec<String>, Trouble> {
        if words == "none" {
            return ::std::result::Result::Err(Trouble::Absent(Absent));
        }
        if words == "later" {
            return ::std::result::Result::Err(Trouble::Closed { wait: 1, place: filter.name });
        }
        ::std::result::Result::Ok(::std::vec![filter.words])
    }

    /// Saves.
    #[ai_tool(effect = "write", blocking, preview = preview_save)]
    pub(super) fn save(
        /// The text.
        #[arg(default = "tea")]
        text: String,
        /// The number of repeats.
        #[arg(default, example = 2, range(..9))]
        times: u8,
    ) -> impl ::serde::Serialize + ::schemars::JsonSchema {
        let _ = times;
        text
    }

    fn preview_save(text: String, _: u8) -> String {
        text
    }

    pub(super) struct Kit;

    /// Keeps.
    #[ai_toolkit]
    impl Kit {
        /// Lists.
        #[ai_tool(effect = "write", reconcile = find)]
        async fn list(&self, dry_run: &DryRun) -> u8 {
            ::core::convert::From::from(!dry_run.is_active())
        }

        async fn find(&self, _: &DryRun) -> Reconciled<u8> {
            Reconciled::Unknown
        }
    }
}

#[test]
fn tools_need_no_name_of_the_prelude() {
    use without_prelude::{Index, Kit, SaveTool, SearchTool};

    let builder = Runtime::builder().tool::<SearchTool>().tool::<SaveTool>();
    let runtime = super::build(builder.toolkit(Kit).state(Index));
    assert_eq!(data(&runtime, "search", r#"{"filter":{}}"#), serde_json::json!(["tea"]));
    let none = super::error(&runtime, "search", r#"{"words":"none","filter":{}}"#);
    assert_eq!(none["code"], "NOT_FOUND");
    assert_eq!(data(&runtime, "save", "{}"), "tea");
    assert_eq!(data(&runtime, "kit.list", "{}"), 1);
}

#[test]
fn arguments_may_be_called_like_generated_names() {
    /// Takes odd names.
    #[ai_tool(effect = "read")]
    #[allow(clippy::used_underscore_binding)]
    fn odd(
        call: &ToolContext,
        /// One.
        __call: u8,
        /// Two.
        __args: u8,
        /// Three.
        __h0: u8,
        /// Four.
        value: u8,
    ) -> u8 {
        let _ = call;
        __call + __args + __h0 + value
    }

    let arguments = r#"{"__call":1,"__args":2,"__h0":3,"value":4}"#;
    assert_eq!(data(&runtime::<OddTool>(), "odd", arguments), 10);
}

#[test]
fn generic_functions_may_hold_tools() {
    fn hold<T: std::fmt::Debug>(value: T) -> String {
        /// Is inside of a generic function.
        #[ai_tool(effect = "read", name = "held")]
        fn held() -> u8 {
            1
        }
        format!("{value:?}{}", data(&runtime::<HeldTool>(), "held", "{}"))
    }

    assert_eq!(hold("a"), "\"a\"1");
}
