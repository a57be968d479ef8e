//! Warnings of the providers' published limits.

use super::*;

fn warnings(dialect: Dialect, count: usize, description: &str) -> Vec<String> {
    let spec = |at: usize| {
        ToolSpec::builder(format!("t{at}"), Effect::Read).description(description).build().unwrap()
    };
    let specs: Vec<_> = (0..count).map(spec).collect();
    let adapter = Adapter::new(dialect, &specs);
    assert_eq!(adapter.tools().len(), count, "nothing is left out");
    adapter.report().warnings().map(ToString::to_string).collect()
}

#[test]
fn more_tools_than_a_request_may_have_are_a_warning() {
    let limited =
        [(Dialect::OpenAiChat, 128), (Dialect::OpenAiResponses, 128), (Dialect::Gemini, 512)];
    for (dialect, limit) in limited {
        assert!(warnings(dialect, limit, "Short.").is_empty(), "{dialect}");
        let expected = format!("{} tools, of which the provider accepts {limit}", limit + 1);
        assert_eq!(warnings(dialect, limit + 1, "Short."), [expected]);
    }
    for dialect in [Dialect::Anthropic, Dialect::BedrockConverse, Dialect::Ollama] {
        assert!(warnings(dialect, 600, "Short.").is_empty(), "{dialect}: no limit is published");
    }
}

#[test]
fn a_longer_description_than_openai_accepts_is_a_warning() {
    assert!(warnings(Dialect::OpenAiChat, 1, &"é".repeat(1_024)).is_empty());
    let expected = "t0: 1025 characters of the description, of which the provider accepts 1024";
    assert_eq!(warnings(Dialect::OpenAiChat, 1, &"é".repeat(1_025)), [expected]);
    assert!(warnings(Dialect::OpenAiResponses, 1, &"é".repeat(1_025)).is_empty());
}

#[test]
fn a_name_that_is_shortened_is_a_warning() {
    let long = "n".repeat(65);
    let spec = |name: &str| ToolSpec::builder(name, Effect::Read).build().unwrap();
    for dialect in Dialect::ALL {
        let adapter = Adapter::new(dialect, [&spec(&long), &spec(&long[..64])]);
        let warnings: Vec<_> = adapter.report().warnings().map(ToString::to_string).collect();
        let text = "65 characters of the name, of which the provider accepts 64";
        if dialect == Dialect::Anthropic {
            assert!(warnings.is_empty(), "{warnings:?}");
        } else {
            assert_eq!(warnings, [format!("{long}: {text}")], "{dialect}");
        }
    }
}
