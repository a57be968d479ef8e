//! Deferred tools: declarations, the provider's own search, and tools that are found.

use super::*;
use crate::{Disclosure, ToolSearch};
use tool_contracts::ToolkitSpec;

const NATIVE: [Dialect; 2] = [Dialect::Anthropic, Dialect::OpenAiResponses];

fn spec(name: &str) -> ToolSpec {
    let builder = ToolSpec::builder(name, Effect::Read).description("Does it.");
    match name.split_once('.') {
        Some((toolkit, _)) => {
            builder.toolkit(ToolkitSpec::new(toolkit, format!("Works with {toolkit}.")).unwrap())
        }
        None => builder,
    }
    .build()
    .unwrap()
}

fn specs() -> Vec<ToolSpec> {
    ["mail.list", "mail.read", "now", "pages.find", "search_tools"].map(spec).into()
}

fn built(dialect: Dialect, disclosure: Disclosure) -> Adapter {
    Adapter::builder(dialect).disclosure(disclosure).build(specs())
}

fn names(adapter: &Adapter) -> Vec<&str> {
    adapter.tools().iter().map(crate::DeclaredTool::name).collect()
}

#[test]
fn few_tools_are_declared_in_full() {
    for dialect in Dialect::ALL {
        let adapter = built(dialect, Disclosure::defer_above(5));
        assert_eq!(names(&adapter).len(), 5, "{dialect}");
        assert_eq!(adapter.declarations(), Adapter::new(dialect, specs()).declarations());
        assert_eq!(adapter.withheld().count(), 0);
    }
}

#[test]
fn anthropic_searches_deferred_tools_by_itself() {
    let adapter = built(Dialect::Anthropic, Disclosure::defer_above(4).always(["now"]));
    let declared = adapter.declarations().as_array().unwrap();
    let fields = |tool: &Value| (tool["name"].clone(), tool.get("defer_loading").cloned());
    let deferred = |name: &str| (json!(name), Some(json!(true)));
    assert_eq!(
        declared.iter().map(fields).collect::<Vec<_>>(),
        [
            (json!("now"), None),
            (json!("tool_search_tool_bm25"), None),
            deferred("mail_list"),
            deferred("mail_read"),
            deferred("pages_find"),
        ]
    );
    assert_eq!(declared[1]["type"], "tool_search_tool_bm25_20251119");
    assert!(adapter.tools()[0].is_deferred() && adapter.wire_name("search_tools").is_none());

    let regex = Disclosure::defer_above(4).search(ToolSearch::ProviderRegex);
    let declared = built(Dialect::Anthropic, regex).declarations()[0].clone();
    let expected =
        json!({"type": "tool_search_tool_regex_20251119", "name": "tool_search_tool_regex"});
    assert_eq!(declared, expected);
}

#[test]
fn openai_searches_toolkits_as_namespaces() {
    let disclosure = Disclosure::defer_above(4).always(["pages"]).search(ToolSearch::Provider);
    let adapter = built(Dialect::OpenAiResponses, disclosure);
    let declared = adapter.declarations().as_array().unwrap();
    assert_eq!((declared.len(), &declared[0]["name"]), (4, &json!("pages_find")));
    assert_eq!(declared[1], json!({"type": "tool_search"}));
    assert_eq!(declared[2]["type"], "namespace");
    assert_eq!(
        (&declared[2]["name"], &declared[2]["description"]),
        (&json!("mail"), &json!("Works with mail."))
    );
    let inner = declared[2]["tools"].as_array().unwrap();
    let deferred = |tool: &Value| tool["defer_loading"] == true && tool["type"] == "function";
    assert!(inner.len() == 2 && inner.iter().all(deferred), "{inner:?}");
    assert_eq!(
        (&declared[3]["name"], &declared[3]["defer_loading"]),
        (&json!("now"), &json!(true))
    );
}

#[test]
fn elsewhere_found_tools_are_declared_after_all_others() {
    let own = Disclosure::defer_above(4).search(ToolSearch::SearchTools);
    for dialect in Dialect::ALL {
        let mut adapter = built(dialect, own.clone().always(["now"]));
        assert_eq!(names(&adapter), ["now", "search_tools"], "{dialect}");
        assert_eq!(
            adapter.withheld().collect::<Vec<_>>(),
            ["mail.list", "mail.read", "pages.find"]
        );
        let before = adapter.declarations().to_string();
        assert!(!before.contains("defer_loading") && !before.contains("tool_search_tool"));

        assert_eq!(adapter.disclose(["pages.find", "now", "unknown", "pages.find"]), 1);
        assert_eq!(names(&adapter)[..2], ["now", "search_tools"]);
        assert_eq!(adapter.tool_name(names(&adapter)[2]), Some("pages.find"));
        let declared = adapter.declarations().to_string();
        let place = |name: &str| declared.find(&format!(r#""name":"{name}""#)).unwrap();
        assert!(place("search_tools").max(place("now")) < place(names(&adapter)[2]), "{declared}");
        assert_eq!((adapter.disclose(["pages.find"]), adapter.withheld().count()), (0, 2));
    }
}

#[test]
fn nothing_is_deferred_where_no_search_could_find_it() {
    let specs = ["mail.list", "mail.read"].map(spec);
    for dialect in Dialect::ALL.into_iter().filter(|dialect| !NATIVE.contains(dialect)) {
        let adapter =
            Adapter::builder(dialect).disclosure(Disclosure::defer_above(0)).build(&specs);
        assert_eq!(names(&adapter).len(), 2, "{dialect}");
    }
}

#[test]
fn each_deferred_tool_describes_its_toolkit() {
    let adapter = built(Dialect::Anthropic, Disclosure::defer_above(0));
    let says = |at: usize| adapter.tools()[at].description().contains("Works with mail.");
    assert!(says(0) && says(1));
}

#[test]
fn a_call_of_a_deferred_tool_is_one_of_a_declared_tool() {
    for disclosure in
        [Disclosure::defer_above(0), Disclosure::defer_above(0).search(ToolSearch::SearchTools)]
    {
        let adapter = built(Dialect::Anthropic, disclosure);
        let call = json!({"type": "tool_use", "id": "a", "name": "pages_find", "input": {}});
        let response = json!({"content": [call], "stop_reason": "tool_use"});
        let turn = adapter.read(&response.to_string()).unwrap();
        assert_eq!(turn.requests().next().unwrap().name(), "pages.find");
    }
}

#[test]
fn the_search_of_anthropic_is_repeated_as_it_came() {
    let content = json!([
        {"type": "text", "text": "I look for a tool."},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "tool_search_tool_bm25",
            "input": {"query": "pages"}, "caller": {"type": "direct"}},
        {"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": {
            "type": "tool_search_tool_search_result",
            "tool_references": [{"type": "tool_reference", "tool_name": "pages_find"}],
        }},
        {"type": "tool_use", "id": "toolu_1", "name": "pages_find", "input": {},
            "caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_2"}},
    ]);
    let adapter = built(Dialect::Anthropic, Disclosure::defer_above(0));
    let response = json!({"content": content, "stop_reason": "tool_use"});
    let turn = adapter.read(&response.to_string()).unwrap();
    assert_eq!(turn.messages(), [json!({"role": "assistant", "content": content})]);
    assert_eq!(turn.calls().len(), 1);
}

#[test]
fn the_search_of_openai_is_repeated_as_it_came() {
    let items = json!([
        {"type": "tool_search_call", "id": "tsc_1", "execution": "server", "status": "completed",
            "arguments": {"paths": ["pages"]}},
        {"type": "tool_search_output", "id": "tso_1", "execution": "server", "status": "completed",
            "tools": [{"type": "namespace", "name": "pages", "description": "d", "tools": []}]},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "pages_find",
            "namespace": "pages", "arguments": "{}", "status": "completed"},
    ]);
    let disclosure = Disclosure::defer_above(0).search(ToolSearch::Provider);
    let adapter = built(Dialect::OpenAiResponses, disclosure);
    let response = json!({"output": items, "status": "completed"});
    let turn = adapter.read(&response.to_string()).unwrap();
    assert_eq!(turn.messages(), items.as_array().unwrap());
    assert_eq!(turn.requests().next().unwrap().name(), "pages.find");
}

#[test]
fn a_tool_declares_its_callers_where_the_provider_has_the_field() {
    for dialect in Dialect::ALL {
        let builder =
            Adapter::builder(dialect).allowed_callers("pages.find", ["direct", "programmatic"]);
        let declared = builder.build(specs()).declarations().to_string();
        let expected = r#""allowed_callers":["direct","programmatic"]"#;
        assert_eq!(
            declared.matches(expected).count(),
            usize::from(NATIVE.contains(&dialect)),
            "{dialect}"
        );
        assert_eq!(declared.matches("allowed_callers").count(), declared.matches(expected).count());
    }
}

#[test]
fn the_answer_of_a_programs_call_names_the_program() {
    let caller = json!({"type": "program", "caller_id": "prog_1"});
    let call = |id: &str, caller: Value| json!({"type": "function_call", "call_id": id, "name": "now", "arguments": "{}", "caller": caller});
    let output = [call("a", caller.clone()), call("b", Value::Null)];
    let adapter = built(Dialect::OpenAiResponses, Disclosure::defer_above(5));
    let response = json!({"output": output, "status": "completed"});
    let turn = adapter.read(&response.to_string()).unwrap();
    assert_eq!(turn.messages()[0]["caller"], caller);
    let answers = ["a", "b"].map(|id| ToolAnswer::from_text(id, "noon"));
    let messages = adapter.answer_messages(&turn, answers).unwrap();
    assert_eq!(messages[0]["caller"], caller);
    assert!(messages[1].get("caller").is_none());
}

#[test]
fn each_toolkit_has_a_namespace_of_its_own_with_a_name_that_openai_accepts() {
    let long = format!("{}.k", "k".repeat(62));
    let toolkits = [("a.b", "Reads a."), ("a_b", "Reads b."), (&long, "Reads c.")];
    let specs = toolkits.map(|(toolkit, text)| {
        let name = format!("{toolkit}.list");
        let toolkit = ToolkitSpec::new(toolkit, text).unwrap();
        ToolSpec::builder(name, Effect::Read).toolkit(toolkit).build().unwrap()
    });
    let disclosure = Disclosure::defer_above(0).search(ToolSearch::Provider);
    let adapter = Adapter::builder(Dialect::OpenAiResponses).disclosure(disclosure).build(&specs);
    let declared = adapter.declarations().as_array().unwrap();
    let namespaces: Vec<_> = declared.iter().filter(|it| it["type"] == "namespace").collect();
    let texts: Vec<_> = namespaces.iter().map(|it| it["description"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Reads a.", "Reads b.", "Reads c."]);
    let names: Vec<_> = namespaces.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(names[0] != names[1] && names[1] == "a_b" && names[2].len() == 64, "{names:?}");
}

#[test]
fn openai_asks_this_process_to_search_if_it_can() {
    let adapter = built(Dialect::OpenAiResponses, Disclosure::defer_above(4));
    let declared = adapter.declarations().as_array().unwrap();
    assert_eq!((declared.len(), &declared[0]["execution"]), (1, &json!("client")));
    let specs: Vec<_> = specs().into_iter().filter(|it| it.name() != "search_tools").collect();
    let disclosure =
        Adapter::builder(Dialect::OpenAiResponses).disclosure(Disclosure::defer_above(3));
    let declared = disclosure.build(&specs).declarations().clone();
    assert_eq!(declared[0], json!({"type": "tool_search"}));
}
