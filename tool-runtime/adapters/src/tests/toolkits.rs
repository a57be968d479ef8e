//! Toolkit descriptions in declarations.

use tool_contracts::ToolkitSpec;

use super::*;
use crate::ToolkitText;

fn spec(name: &str, toolkit: Option<(&str, &str)>) -> ToolSpec {
    let builder = ToolSpec::builder(name, Effect::Read).description("Does it.");
    let builder = match toolkit {
        Some((name, says)) => builder.toolkit(ToolkitSpec::new(name, says).unwrap()),
        None => builder,
    };
    builder.build().unwrap()
}

const NOTES: Option<(&str, &str)> =
    Some(("desk.notes", "Keeps notes\nfor a while.\n\nA second paragraph about its storage."));

fn specs() -> [ToolSpec; 4] {
    [
        spec("alone", None),
        spec("desk.notes.add", NOTES),
        spec("desk.notes.list", NOTES),
        spec("mail.send", Some(("mail", "Sends mail."))),
    ]
}

fn descriptions(adapter: &Adapter) -> Vec<String> {
    let tools = adapter.declarations();
    let lists = ["/0/functionDeclarations", "/tools", ""];
    let list = lists.iter().find_map(|place| tools.pointer(place)?.as_array()).unwrap();
    let places = ["/description", "/function/description", "/toolSpec/description"];
    let said = |tool: &Value| {
        places.iter().find_map(|place| tool.pointer(place)?.as_str().map(str::to_owned))
    };
    list.iter().map(|tool| said(tool).unwrap()).collect()
}

#[test]
fn a_toolkit_is_described_once_by_default() {
    for dialect in Dialect::ALL {
        let prefix = if dialect == Dialect::Gemini { "desk.notes.…" } else { "desk_notes_…" };
        let mail = if dialect == Dialect::Gemini { "mail.…" } else { "mail_…" };
        let expected = [
            "Does it.".to_owned(),
            format!("Does it.\n\nAll `{prefix}` tools: Keeps notes for a while."),
            "Does it.".to_owned(),
            format!("Does it.\n\nAll `{mail}` tools: Sends mail."),
        ];
        let adapter = Adapter::new(dialect, specs());
        assert_eq!(descriptions(&adapter), expected, "{dialect}");
        let silent = Adapter::builder(dialect).toolkits(ToolkitText::Omitted).build(specs());
        assert_eq!(adapter.report(), silent.report(), "{dialect}");
    }
}

#[test]
fn a_toolkit_is_described_in_each_tool_or_in_none_where_the_host_says_so() {
    let said = |text| {
        let adapter = Adapter::builder(Dialect::Anthropic).toolkits(text).build(specs());
        descriptions(&adapter)
    };
    let notes = "Does it.\n\nAll `desk_notes_…` tools: Keeps notes for a while.";
    let mail = "Does it.\n\nAll `mail_…` tools: Sends mail.";
    assert_eq!(said(ToolkitText::EachTool), ["Does it.", notes, notes, mail]);
    assert_eq!(said(ToolkitText::Omitted), ["Does it."; 4]);
    assert_eq!(said(ToolkitText::Once), said(ToolkitText::default()));
}

#[test]
fn the_first_tool_that_is_declared_carries_the_description() {
    let adapter = Adapter::new(Dialect::OpenAiChat, &specs()[2..]);
    let first = &descriptions(&adapter)[0];
    assert!(first.ends_with("tools: Keeps notes for a while."), "{first}");
}

#[test]
fn toolkits_of_one_name_are_both_described() {
    let specs = [spec("a.b", Some(("a", "One."))), spec("a.c", Some(("a", "Two.")))];
    let all = descriptions(&Adapter::new(Dialect::OpenAiChat, &specs));
    assert!(all[0].ends_with("tools: One.") && all[1].ends_with("tools: Two."), "{all:?}");
}

#[test]
fn a_tool_without_a_description_has_its_toolkits() {
    let toolkit = ToolkitSpec::new("mail", "Sends mail.").unwrap();
    let spec = ToolSpec::builder("mail.send", Effect::Read).toolkit(toolkit).build().unwrap();
    let all = descriptions(&Adapter::new(Dialect::Ollama, [&spec]));
    assert_eq!(all, ["All `mail_…` tools: Sends mail."]);
}
