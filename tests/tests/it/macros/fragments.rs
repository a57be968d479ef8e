//! Values that reach the macros through fragments of a user's own `macro_rules!`.

use serde_json::json;
use tool_runtime::prelude::*;

use super::{answer, build, data, error, input_schema, runtime};

#[test]
fn options_of_a_tool_may_be_fragments() {
    macro_rules! write_tool {
        ($effect:literal, $name:literal, $ttl:literal, $preview:path, $blocking:expr, $doc:literal) => {
            #[doc = $doc]
            #[ai_tool(
                                                                            effect = $effect,
                                                                            name = $name,
                                                                            timeout = $ttl,
                                                                            preview = $preview,
                                                                            blocking = $blocking
                                                                        )]
            fn save(#[doc = $doc] text: &str) -> String {
                text.to_owned()
            }
        };
    }
    mod previews {
        pub(super) fn of_save(text: &str) -> String {
            format!("would save {text}")
        }
    }

    write_tool!("write", "notes.save", "2s", previews::of_save, true, "  Saves a text.");
    let runtime = runtime::<SaveTool>();
    let spec = runtime.spec("notes.save").expect("the tool");
    assert_eq!((spec.effect(), spec.description()), (Effect::Write, "Saves a text."));
    assert_eq!(data(&runtime, "notes.save", r#"{"text":"tea"}"#), "tea");
}

#[test]
fn options_of_an_argument_may_be_fragments() {
    macro_rules! search_tool {
        ($limit:literal, $least:expr, $most:literal, $span:expr, $pattern:literal, $ty:ty, $host:ty) => {
            /// Searches.
            #[ai_tool(effect = "read")]
            fn search(
                words: $host,
                /// The number of items.
                #[arg(default = $limit, range($least..=$most))]
                limit: u32,
                /// The distance.
                #[arg(default = 4, range($span))]
                distance: $ty,
                /// The item.
                #[arg(pattern = $pattern, length(..=$most), default = "tea")]
                word: String,
            ) -> String {
                format!("{}{limit}{distance}{word}", words.0)
            }
        };
    }
    struct Words(u8);

    search_tool!(10, 1 + 1, 50, 3..9, "^[a-z]+$", u8, &Words);
    let runtime = build(tool_runtime::Runtime::builder().tool::<SearchTool>().state(Words(7)));
    assert_eq!(data(&runtime, "search", "{}"), "7104tea");
    let limit = &input_schema(&runtime, "search")["properties"]["limit"];
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(2), &json!(50)));
    for outside in [r#"{"limit":1}"#, r#"{"distance":9}"#, r#"{"word":"TEA"}"#] {
        assert_eq!(error(&runtime, "search", outside)["code"], "INVALID_ARGUMENT", "{outside}");
    }
}

#[test]
fn options_of_a_type_and_of_a_failure_may_be_fragments() {
    macro_rules! types {
        ($default:literal, $length:expr, $message:literal, $wait:literal, $status:expr, $ty:ty) => {
            /// A filter.
            #[ai_type]
            struct Filter {
                /// The words.
                #[arg(default = $default, length($length))]
                words: $ty,
            }

            #[derive(Debug, ToolFailure)]
            enum Trouble {
                #[failure(UNAVAILABLE, message = $message, retry_after = $wait, upstream_status = $status)]
                Closed,
            }
        };
    }
    types!("tea", 1..4, "the index is closed", "2s", 503, String);

    /// Filters.
    #[ai_tool(effect = "read")]
    fn filter(
        /// The filter.
        filter: Filter,
    ) -> Result<String, Trouble> {
        if filter.words == "no" { Err(Trouble::Closed) } else { Ok(filter.words) }
    }

    let runtime = runtime::<FilterTool>();
    assert_eq!(data(&runtime, "filter", r#"{"filter":{}}"#), "tea");
    let closed = answer(&runtime, "filter", r#"{"filter":{"words":"no"}}"#);
    assert_eq!(closed["error"]["message"], "the index is closed", "{closed}");
    let long = r#"{"filter":{"words":"coffee"}}"#;
    assert_eq!(error(&runtime, "filter", long)["code"], "INVALID_ARGUMENT");
}
