//! Marks for prompt caches.

use super::*;
use crate::{CacheLifetime, Disclosure, ToolSearch};

const MARKED: [Dialect; 2] = [Dialect::Anthropic, Dialect::BedrockConverse];

fn caching(dialect: Dialect) -> Adapter {
    let specs = ["a", "b"].map(|name| ToolSpec::builder(name, Effect::Read).build().unwrap());
    Adapter::builder(dialect).prompt_cache(CacheLifetime::FiveMinutes).build(&specs)
}

fn text(dialect: Dialect, role: &str, text: &str) -> Value {
    let block = match dialect {
        Dialect::BedrockConverse => json!({"text": text}),
        _ => json!({"type": "text", "text": text}),
    };
    json!({"role": role, "content": [block]})
}

/// The messages with a mark.
fn marked(messages: &[Value]) -> Vec<usize> {
    let has_mark = |message: &Value| {
        let text = message.to_string();
        text.contains("cache_control") || text.contains("cachePoint")
    };
    (0..messages.len()).filter(|at| has_mark(&messages[*at])).collect()
}

fn marks(value: &Value) -> usize {
    let text = value.to_string();
    text.matches("cache_control").count() + text.matches("cachePoint").count()
}

#[test]
fn the_last_tool_has_the_mark() {
    let tools = caching(Dialect::Anthropic).declarations().clone();
    assert_eq!(tools[1]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(marks(&tools), 1);

    let tools = caching(Dialect::BedrockConverse).declarations()["tools"].clone();
    assert_eq!(tools[2], json!({"cachePoint": {"type": "default"}}));
    assert_eq!(marks(&tools), 1);
}

#[test]
fn a_longer_lifetime_is_written_and_the_default_is_not() {
    let spec = ToolSpec::builder("a", Effect::Read).build().unwrap();
    let hour =
        |dialect| Adapter::builder(dialect).prompt_cache(CacheLifetime::OneHour).build([&spec]);
    let anthropic = hour(Dialect::Anthropic).declarations()[0]["cache_control"].clone();
    assert_eq!(anthropic, json!({"type": "ephemeral", "ttl": "1h"}));
    let bedrock = hour(Dialect::BedrockConverse).declarations()["tools"][1].clone();
    assert_eq!(bedrock, json!({"cachePoint": {"type": "default", "ttl": "1h"}}));
}

#[test]
fn a_deferred_tool_never_has_the_mark() {
    let specs = ["a", "b", "c"].map(|name| ToolSpec::builder(name, Effect::Read).build().unwrap());
    let adapter = Adapter::builder(Dialect::Anthropic)
        .disclosure(Disclosure::defer_above(1).always(["a"]))
        .prompt_cache(CacheLifetime::FiveMinutes)
        .build(&specs);
    let tools = adapter.declarations();
    assert_eq!(tools[1]["name"], "tool_search_tool_bm25");
    assert!(tools[1].get("cache_control").is_some() && marks(tools) == 1);
}

#[test]
fn tools_that_a_search_finds_follow_the_mark() {
    let specs = ["a", "search_tools"];
    let specs = specs.map(|name| ToolSpec::builder(name, Effect::Read).build().unwrap());
    for dialect in MARKED {
        let mut adapter = Adapter::builder(dialect)
            .disclosure(Disclosure::defer_above(0).search(ToolSearch::SearchTools))
            .prompt_cache(CacheLifetime::FiveMinutes)
            .build(&specs);
        let before = adapter.declarations().to_string();
        adapter.disclose(["a"]);
        let after = adapter.declarations().to_string();
        let beginning = before.trim_end_matches(['}', ']']);
        assert!(after.starts_with(beginning) && marks(adapter.declarations()) == 1, "{after}");
    }
}

#[test]
fn without_the_option_and_in_other_dialects_nothing_is_marked() {
    for dialect in Dialect::ALL {
        let plain = adapter(dialect);
        let mut messages = vec![text(dialect, "user", "Hello")];
        plain.mark_messages(&mut messages);
        assert_eq!((marks(plain.declarations()), marked(&messages).len()), (0, 0), "{dialect}");
        if !MARKED.contains(&dialect) {
            caching(dialect).mark_messages(&mut messages);
            assert_eq!(messages, [text(dialect, "user", "Hello")]);
            assert_eq!(marks(caching(dialect).declarations()), 0);
        }
    }
}

/// Requests of a conversation that grows by a turn with many calls each time.
#[test]
fn every_request_has_a_mark_where_the_one_before_ended() {
    for dialect in MARKED {
        let adapter = caching(dialect);
        let mut messages = vec![text(dialect, "user", "Hello")];
        let mut last_end = None;
        for round in 0..5 {
            adapter.mark_messages(&mut messages);
            let marked = marked(&messages);
            assert!(marked.len() <= 2 && marked.last() == Some(&(messages.len() - 1)));
            assert!(last_end.is_none_or(|end| marked.contains(&end)), "{dialect} {round}");
            last_end = Some(messages.len() - 1);

            let blocks = |role: &str| {
                let many: Vec<_> =
                    (0..30).map(|_| text(dialect, role, "x")["content"][0].clone()).collect();
                json!({"role": role, "content": many})
            };
            messages.extend([blocks("assistant"), blocks("user")]);
        }
        assert_eq!(messages.iter().map(marks).sum::<usize>(), 2, "{dialect}");
    }
}

#[test]
fn a_request_ends_where_the_last_of_the_users_messages_in_a_row_ends() {
    let adapter = caching(Dialect::Anthropic);
    let users = |words: &str| text(Dialect::Anthropic, "user", words);
    let assistant = text(Dialect::Anthropic, "assistant", "Hi");
    let mut messages = [users("a"), users("b"), assistant, users("c"), users("d")];
    adapter.mark_messages(&mut messages);
    assert_eq!(marked(&messages), [1, 4]);
}

#[test]
fn the_mark_is_at_a_block_that_can_have_one() {
    let adapter = caching(Dialect::Anthropic);
    let block = |text: &str| json!({"type": "text", "text": text});
    let mut messages = [json!({"role": "user", "content": [block("tea"), block(" ")]})];
    adapter.mark_messages(&mut messages);
    assert_eq!(marks(&messages[0]["content"][0]), 1);

    let mut odd = [json!({"role": "user"}), json!("text"), json!({"role": "user", "content": []})];
    let before = odd.clone();
    adapter.mark_messages(&mut odd);
    caching(Dialect::BedrockConverse).mark_messages(&mut odd);
    assert_eq!(odd, before);
}
