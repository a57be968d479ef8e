//! Canonical arguments are completed by the defaults of a tool's parameters and fields.

use tool_runtime_derive::{ai_tool, ai_type};
use tool_runtime_schema::canonical::{Defaults, canonicalize_exactly};

use crate::{Registry, Tool};

/// A filter of a search.
#[ai_type(crate = crate)]
#[derive(Debug)]
struct Filter {
    /// Least score.
    #[arg(range(0..=100), default = 50)]
    score: u8,
    /// Words that must not occur.
    #[arg(default)]
    without: Vec<String>,
    /// The unit.
    #[serde(default = "metres")]
    unit: String,
}

fn metres() -> String {
    "m".to_owned()
}

/// The display of hits.
#[ai_type(crate = crate)]
#[serde(default)]
#[derive(Debug)]
struct Page {
    /// The number of hits.
    size: u8,
    /// Where it begins.
    from: Option<String>,
}

impl Default for Page {
    fn default() -> Self {
        Self { size: 20, from: None }
    }
}

/// A type without `Serialize`.
#[ai_type(crate = crate, deserialize_only)]
#[derive(Debug, Default)]
struct OneWay {
    /// A word.
    #[arg(default)]
    word: String,
}

#[track_caller]
fn check_tool<T: Tool>(text: &str, expected: &str) {
    let specs = Registry::new().tool::<T>().specs().expect("a tool");
    let spec = specs.first().expect("it is listed");
    let schema = serde_json::to_value(spec.input_schema()).expect("a schema");
    let mut out = Vec::new();
    canonicalize_exactly(text, &Defaults::compile(&schema), &mut out).expect(text);
    assert_eq!(String::from_utf8(out).expect("text"), expected, "{text}");
}

#[test]
fn defaults_of_parameters_and_fields_are_filled_in() {
    /// Searches.
    #[ai_tool(effect = "read", crate = crate)]
    fn search(
        /// Words to look for.
        query: &str,
        /// Most hits.
        #[arg(default = 10, range(1..=50))]
        limit: u32,
        /// Only these tags.
        #[arg(default)]
        tags: Vec<String>,
        /// In what order.
        #[arg(default = "best")]
        order: &str,
        /// The user.
        #[arg(default)]
        who: Option<String>,
        /// The first filter.
        by: Filter,
        /// Further filters.
        #[arg(default)]
        and: Vec<Filter>,
        /// The page.
        #[arg(default)]
        page: Page,
    ) -> String {
        format!("{query} {limit} {tags:?} {order} {who:?} {by:?} {and:?} {page:?}")
    }

    let whole = concat!(
        r#"{"and":[{"score":1,"unit":"m","without":[]}],"by":{"score":50,"unit":"m","without":[]},"#,
        r#""limit":10,"order":"best","page":{"from":null,"size":20},"query":"tea","tags":[],"who":null}"#,
    );
    check_tool::<SearchTool>(r#"{"query":"tea","by":{},"and":[{"score":1}]}"#, whole);
    check_tool::<SearchTool>(
        r#"{"limit":10,"page":{},"and":[{"score":1}],"by":{},"query":"tea"}"#,
        whole,
    );
    check_tool::<SearchTool>(whole, whole);
}

#[test]
fn defaults_that_no_schema_shows_or_only_a_branch_has_stay_absent() {
    /// A speed.
    #[ai_type(crate = crate)]
    #[serde(tag = "mode")]
    #[derive(Debug)]
    enum Speed {
        /// At a speed.
        At {
            /// The gear.
            #[arg(default = 7)]
            gear: u8,
        },
    }

    /// A type whose empty fields are skipped.
    #[ai_type(crate = crate)]
    #[derive(Debug)]
    struct Skipped {
        /// Words.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        words: Vec<String>,
    }

    /// Searches.
    #[ai_tool(effect = "read", crate = crate)]
    fn search(
        /// Has no JSON form.
        #[arg(default)]
        one_way: OneWay,
        /// Has none that schemars shows.
        skipped: Skipped,
        /// Lies in a branch: it may be null.
        page: Option<Page>,
        /// Lies in a branch: a variant.
        speed: Speed,
        /// Is null by default.
        note: Option<String>,
    ) -> String {
        format!("{} {skipped:?} {page:?} {speed:?} {note:?}", one_way.word)
    }

    let text = r#"{"page":{},"skipped":{},"speed":{"mode":"At"}}"#;
    let whole = r#"{"note":null,"page":{},"skipped":{},"speed":{"mode":"At"}}"#;
    check_tool::<SearchTool>(text, whole);
}
