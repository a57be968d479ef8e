//! The errors of `build()`, reported all at once, and the lists of a runtime.

use serde_json::json;
use tool_runtime::prelude::*;
use tool_runtime::{BuildProblem, Registry};

/// Needs two values.
#[ai_tool(effect = "read")]
async fn needy(first: &Vec<u16>, second: &Vec<u8>) -> usize {
    first.len() + second.len()
}

/// Has a twin.
#[ai_tool(effect = "read", name = "twin", handle = TwinOne)]
async fn twin_one() {}

/// Has a twin too.
#[ai_tool(effect = "read", name = "twin", handle = TwinTwo)]
async fn twin_two() {}

fn problems(builder: tool_runtime::RuntimeBuilder) -> Vec<BuildProblem> {
    builder.build().unwrap_err().problems().to_vec()
}

fn nothing(name: &str) -> DynamicTool {
    DynamicTool::new(name, Effect::Read)
        .description("Does nothing.")
        .input_schema(json!({ "type": "object" }))
        .sync_handler(|_| Ok::<_, Failure>(()))
}

#[test]
fn every_missing_state_is_told_at_once() {
    let found = problems(Runtime::builder().tool::<NeedyTool>());
    let missing: Vec<_> = found
        .iter()
        .filter_map(|problem| match problem {
            BuildProblem::MissingState { tool, type_name, .. } => Some((tool.as_str(), *type_name)),
            _ => None,
        })
        .collect();
    assert_eq!(missing, [("needy", "alloc::vec::Vec<u16>"), ("needy", "alloc::vec::Vec<u8>")]);
}

#[test]
fn a_duplicate_name_is_told_with_both_places() {
    let found = Runtime::builder().tool::<TwinOne>().tool::<TwinTwo>().build().unwrap_err();
    let text = found.to_string();
    assert_eq!(text.matches("build.rs:").count(), 2, "{text}");
    assert!(text.contains("`twin`"), "{text}");

    let found = problems(Runtime::builder().dynamic(nothing("one")).dynamic(nothing("one")));
    assert!(matches!(found[..], [BuildProblem::DuplicateName { .. }]), "{found:?}");
}

#[test]
fn a_tool_that_is_registered_and_discovered_is_one_tool() {
    let registry = Registry::new().tool::<NeedyTool>().tool::<NeedyTool>();
    assert_eq!(registry.specs().unwrap().len(), 1);
    // Other modules' tools are discovered too, and some of those have twins.
    let error = Registry::new().tool::<NeedyTool>().discover().specs().unwrap_err();
    assert!(!error.to_string().contains("`needy`"), "{error}");
}

#[test]
fn a_dynamic_write_must_handle_dry_runs() {
    let write = || {
        DynamicTool::new("w", Effect::Write)
            .description("Writes.")
            .input_schema(json!({ "type": "object" }))
            .sync_handler(|_| Ok::<_, Failure>(()))
    };
    let found = problems(Runtime::builder().dynamic(write()));
    assert!(found[0].to_string().contains("dry run"), "{found:?}");
    assert!(Runtime::builder().dynamic(write().handles_dry_run()).build().is_ok());
}

fn with_pattern(name: &str, pattern: &str) -> DynamicTool {
    nothing(name).input_schema(json!({
        "type": "object",
        "properties": {"word": {"type": "string", "pattern": pattern, "maxLength": 9}},
    }))
}

/// Has a pattern that is not checked.
#[ai_tool(effect = "read")]
fn ahead(
    /// A word.
    #[arg(pattern = "^(?!x)[a-z]+$")]
    word: String,
) -> String {
    word
}

#[tokio::test]
async fn look_around_of_a_dynamic_tool_is_not_checked_and_said_so() {
    let tool = with_pattern("find", r"^(?!\.)[a-z.]+$");
    assert!(tool.check().is_ok());
    let runtime = Runtime::builder().dynamic(tool).build().unwrap();
    let unchecked: Vec<_> =
        runtime.tools().unchecked_rules().map(|(tool, rule)| format!("{tool}: {rule}")).collect();
    assert_eq!(unchecked, ["find: input `/properties/word/pattern`: look-ahead is not checked"]);
    // The other rules are checked, and a model still reads the pattern.
    let cx = crate::support::cx();
    let mut unmatched = runtime.call("find", r#"{"word":".a"}"#, &cx);
    assert!(unmatched.execute().await.is_ok());
    assert_eq!(
        runtime.call("find", r#"{"word":"aaaaaaaaaa"}"#, &cx).status(),
        CallStatus::Rejected
    );
    let spec = runtime.spec("find").unwrap();
    assert_eq!(spec.input_schema()["properties"]["word"]["pattern"], r"^(?!\.)[a-z.]+$");
}

#[test]
fn look_around_of_a_tool_of_the_program_is_refused() {
    let error = Runtime::builder().tool::<AheadTool>().build().unwrap_err().to_string();
    assert!(
        error.contains("the input schema of `ahead`") && error.contains("no look-around"),
        "{error}"
    );
}

#[test]
fn every_dynamic_tool_that_cannot_be_used_is_named_at_once_and_may_be_left_out() {
    let tools = || [with_pattern("one", "[a-z"), nothing("two"), with_pattern("three", "(a")];
    let builder =
        tools().into_iter().fold(Runtime::builder(), |builder, tool| builder.dynamic(tool));
    let found: Vec<_> = problems(builder).iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with(
        "the input schema of `one` cannot be used: schema at `#/properties/word/pattern`"
    ));
    assert!(found[1].starts_with("the input schema of `three`"), "{found:?}");
    let usable = tools().into_iter().filter(|tool| tool.check().is_ok());
    let builder = usable.fold(Runtime::builder(), |builder, tool| builder.dynamic(tool));
    assert_eq!(names(&builder.build().unwrap()), ["two"]);
}

#[test]
fn of_many_foreign_tools_those_that_cannot_be_used_are_left_out_and_listed_with_their_reasons() {
    let tools = [
        with_pattern("unclosed", "[a-z"),
        nothing("good"),
        nothing("two words"),
        nothing("silent").description(" ").input_schema(json!({"type": "string"})),
        nothing("odd").input_schema(json!({"type": "object", "minProperties": "one"})),
        nothing("shown").input_example(json!({"word": 3})),
        with_pattern("ahead", r"^(?!\.)[a-z.]+$"),
    ];
    let runtime = Runtime::builder().dynamic_if_valid(tools).build().unwrap();
    assert_eq!(names(&runtime), ["ahead", "good"]);
    let refused: Vec<_> = runtime.tools().refused().collect();
    let found: Vec<_> = refused.iter().map(|tool| tool.name()).collect();
    assert_eq!(found, ["odd", "shown", "silent", "two words", "unclosed"]);
    let problems: Vec<_> = refused.iter().map(|tool| tool.error().problems().len()).collect();
    assert_eq!(problems, [1, 1, 2, 1, 1]);
    let text = refused[4].to_string();
    assert!(text.starts_with("`unclosed`, registered at ") && text.contains("build.rs:"), "{text}");
    assert!(text.contains("`#/properties/word/pattern`"), "{text}");
    assert_eq!(
        runtime.tools().unchecked_rules().map(|(tool, _)| tool).collect::<Vec<_>>(),
        ["ahead"]
    );
}

#[test]
fn a_foreign_tool_takes_no_name_of_another_tool() {
    let foreign = || nothing("twin").description("Is foreign.");
    let builder = Runtime::builder().dynamic_if_valid([foreign(), nothing("own")]);
    let runtime = builder.tool::<TwinOne>().build().unwrap();
    assert_eq!(names(&runtime), ["own", "twin"]);
    assert_eq!(runtime.spec("twin").unwrap().description(), "Has a twin.");
    let [refused] = runtime.tools().refused().collect::<Vec<_>>()[..] else {
        panic!("one is refused")
    };
    assert!(matches!(refused.error().problems(), [BuildProblem::DuplicateName { .. }]));

    // Of two foreign ones the first that can be used has the name.
    let tools = [with_pattern("twin", "[a"), foreign(), nothing("twin").description("Is later.")];
    let runtime = Runtime::builder().dynamic_if_valid(tools).build().unwrap();
    assert_eq!(runtime.spec("twin").unwrap().description(), "Is foreign.");
    assert_eq!(runtime.tools().refused().count(), 2);
}

#[test]
fn a_tool_of_the_program_that_cannot_be_used_fails_the_build_beside_foreign_ones() {
    let builder = Runtime::builder().dynamic_if_valid([with_pattern("foreign", "[a")]);
    let found = problems(builder.dynamic(with_pattern("own", "[a")));
    assert!(
        matches!(&found[..], [BuildProblem::Schema { tool, .. }] if tool == "own"),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_permission_of_a_foreign_tool_that_is_left_out_is_no_error() {
    let builder = Runtime::builder().dynamic_if_valid([with_pattern("foreign", "[a")]);
    let runtime = builder.permission("foreign", Permission::Ask).build().unwrap();
    let mut call = runtime.call("foreign", "{}", &crate::support::cx());
    assert_eq!(call.execute().await.error().unwrap().code(), Some("NOT_FOUND"));
}

#[test]
fn a_schema_that_cannot_be_checked_is_refused_with_its_place() {
    let odd = DynamicTool::new("odd", Effect::Read)
        .description("Has an odd schema.")
        .input_schema(json!({ "type": "object", "properties": { "a": { "pattern": "(" } } }))
        .sync_handler(|_| Ok::<_, Failure>(()));
    let found = problems(Runtime::builder().dynamic(odd));
    assert!(found[0].to_string().contains("/properties/a/pattern"), "{}", found[0]);
}

#[test]
fn names_permissions_and_bounds_are_checked() {
    let found = problems(Runtime::builder().dynamic(nothing("not a name")));
    assert!(matches!(found[..], [BuildProblem::Contract { .. }]), "{found:?}");
    let found =
        problems(Runtime::builder().dynamic(nothing("one")).permission("two", Permission::Allow));
    assert!(matches!(found[..], [BuildProblem::UnknownPermission { .. }]), "{found:?}");
    for count in [0, 21] {
        let found = problems(Runtime::builder().max_concurrent_tools(count));
        assert!(matches!(found[..], [BuildProblem::OutOfRange { .. }]), "{found:?}");
    }
    let found = problems(Runtime::builder().max_blocking_tools(0));
    assert_eq!(found[0].to_string(), "`max_blocking_tools` is 1 to 100000, not 0");
}

#[test]
fn tools_are_listed_in_the_order_of_their_names() {
    let runtime = Runtime::builder()
        .dynamic(nothing("b"))
        .dynamic(nothing("a.z"))
        .dynamic(nothing("a.b"))
        .build()
        .unwrap();
    assert_eq!(names(&runtime), ["a.b", "a.z", "b"]);
}

fn names(runtime: &Runtime) -> Vec<String> {
    runtime.specs().map(|spec| spec.name().to_owned()).collect()
}

/// Counts.
#[derive(Default)]
struct Counter(u32);

/// A counter.
#[ai_toolkit]
impl Counter {
    /// Returns the count.
    #[ai_tool(effect = "read")]
    fn count(&self) -> u32 {
        self.0
    }
}

#[test]
fn a_toolkit_that_is_registered_twice_is_named() {
    let twice = Runtime::builder().toolkit(Counter(1)).toolkit(Counter(2));
    let found = problems(twice);
    assert!(matches!(found[..], [BuildProblem::ToolkitTwice { .. }]), "{found:?}");
    let text = found[0].to_string();
    assert!(text.starts_with("the toolkit `") && text.contains("registered twice"), "{text}");
}

#[test]
fn an_unknown_type_is_named_where_it_stands() {
    for (schema, place) in [
        (json!({"type": "objekt"}), "`#/type`: found the unknown type `objekt`"),
        (
            json!({"type": "object", "properties": {"n": {"type": ["null", "int"]}}}),
            "`#/properties/n/type`: found the unknown type `int`",
        ),
    ] {
        let found = problems(Runtime::builder().dynamic(nothing("x").input_schema(schema)));
        let text: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert!(matches!(&text[..], [only] if only.contains(place)), "{text:?}");
    }
    let text = problems(Runtime::builder().dynamic(nothing("x").input_schema(json!({}))));
    assert!(text[0].to_string().contains("admits more than objects"), "{text:?}");
}

#[test]
fn every_problem_of_a_dynamic_tool_is_told_at_once() {
    let tool = DynamicTool::new("a b", Effect::Write).input_schema(json!({
        "type": "object",
        "properties": {"n": {"type": "int"}},
    }));
    let error = Runtime::builder().dynamic(tool).build().unwrap_err().to_string();
    let parts =
        ["has no description", "nothing to run", "no dry run", "unknown type `int`", "letters A-Z"];
    for part in parts {
        assert!(error.contains(part), "{part}: {error}");
    }
    let bare = DynamicTool::new("a b", Effect::Read);
    let error = Runtime::builder().dynamic(bare).build().unwrap_err().to_string();
    assert!(error.contains("has no input schema") && error.contains("letters A-Z"), "{error}");
}
