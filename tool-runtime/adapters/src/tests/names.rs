//! The declared names of tools.

use super::super::names::{ToolNames, property};
use super::Dialect;

fn tool_names<'t>(dialect: Dialect, tools: impl IntoIterator<Item = &'t str>) -> ToolNames {
    ToolNames::new(dialect.format().name_rules(), tools)
}

#[track_caller]
fn check(dialect: Dialect, tools: &[&str], declared_names: &[&str]) {
    let names = tool_names(dialect, tools.iter().copied());
    let found: Vec<_> = tools.iter().map(|tool| names.wire(tool).expect("named")).collect();
    assert_eq!(found, declared_names);
    for (tool, wire) in tools.iter().zip(found) {
        assert_eq!(names.tool(wire), Some(*tool));
    }
}

#[test]
fn dots_become_underscores_where_they_are_not_taken() {
    check(Dialect::OpenAiChat, &["content.search"], &["content_search"]);
    check(Dialect::Gemini, &["content.search", "2nd"], &["content.search", "_2nd"]);
}

#[test]
fn a_tool_that_is_called_just_that_keeps_its_name() {
    check(
        Dialect::Anthropic,
        &["content.search", "content_search"],
        &["content_search_da954167", "content_search"],
    );
}

#[test]
fn a_tools_own_name_means_it_where_it_means_no_other() {
    let names = tool_names(Dialect::OpenAiChat, ["content.search", "content_search", "a.b"]);
    assert_eq!(names.tool("a.b"), Some("a.b"));
    assert_eq!(names.tool("content.search"), Some("content.search"));
    assert_eq!(names.tool("content_search"), Some("content_search"));
    assert_eq!(names.tool("a.c"), None);
}

#[test]
fn tools_that_would_be_called_alike_are_both_marked() {
    let names = tool_names(Dialect::Ollama, ["a.b-c", "a.b.c", "a_b.c"]);
    let declared_names = ["a.b-c", "a.b.c", "a_b.c"].map(|tool| names.wire(tool).expect("named"));
    assert_eq!(declared_names[0], "a_b-c");
    assert!(declared_names[1].starts_with("a_b_c_") && declared_names[2].starts_with("a_b_c_"));
    assert_ne!(declared_names[1], declared_names[2]);
}

#[test]
fn a_tool_that_is_called_as_anothers_mark_takes_no_call_of_it() {
    let tools = ["content.search", "content.search.da954167", "content_search"];
    let names = tool_names(Dialect::Anthropic, tools);
    assert_eq!(names.wire(tools[1]), Some("content_search_da954167"));
    for tool in tools {
        let wire = names.wire(tool).expect("named");
        assert_eq!(names.tool(wire), Some(tool));
    }
}

#[test]
fn a_long_name_is_cut_and_the_same_beside_any_other() {
    let long = "x".repeat(100);
    let alone = tool_names(Dialect::BedrockConverse, [long.as_str()]);
    let longer = "x".repeat(101);
    let beside = tool_names(Dialect::BedrockConverse, [longer.as_str(), long.as_str()]);
    assert_eq!(alone.wire(&long).map(str::len), Some(64));
    assert_eq!(alone.wire(&long), beside.wire(&long));
    assert_ne!(beside.wire(&long), beside.wire(&longer));
}

#[test]
fn a_property_stays_what_it_is_unless_it_cannot() {
    assert_eq!(property("max_count"), "max_count");
    assert!(property("$top").starts_with("_top_"));
    assert_ne!(property("$top"), property("@top"));
    assert_eq!(property(&"é".repeat(80)).len(), 64);
}

#[test]
fn a_call_is_repeated_under_a_name_that_the_provider_accepts() {
    let names = tool_names(Dialect::OpenAiChat, ["content.search", "content_search", "a.b"]);
    let long = "x".repeat(300);
    let odd = ["multi_tool_use.parallel", "search content!", "", " ", "b.b", "naïve", &long];
    for called in odd {
        let repeated = names.repeatable(called);
        let is_accepted = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        assert!(
            (1..=64).contains(&repeated.len()) && repeated.chars().all(is_accepted),
            "{repeated}"
        );
        assert_eq!(names.tool(&repeated), None, "{called}");
    }
    assert!(names.repeatable("multi_tool_use.parallel").starts_with("multi_tool_use_parallel_"));
    assert!(names.repeatable("").starts_with("unnamed_"));
    assert_eq!(names.repeatable("unheard_of"), "unheard_of");
    // A tool's own name is repeated as the one that it is declared by.
    assert_eq!(names.repeatable("a.b"), "a_b");
}
