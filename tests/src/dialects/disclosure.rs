//! Conversations with deferred tools, examples, marks for prompt caches and programs that call tools.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, CacheLifetime, Dialect, Disclosure, ToolAnswer, ToolSearch};
use tool_runtime::contracts::{Effect, ToolSpec, ToolSpecBuilder, ToolkitSpec};

/// Returns by dialect: declarations with each search, a response with the provider's own search, and
/// the messages of the next request, with marks.
///
/// # Errors
/// A tool or a response is not valid.
pub fn conversations() -> Result<Value, String> {
    let made = Dialect::ALL.into_iter().map(|dialect| {
        let conversation = conversation(dialect).map_err(|error| format!("{dialect}: {error}"));
        conversation.map(|conversation| (dialect.as_str(), conversation))
    });
    made.collect::<Result<BTreeMap<_, _>, _>>().map(|made| json!(made))
}

fn conversation(dialect: Dialect) -> Result<Value, Box<dyn std::error::Error>> {
    let specs = specs()?;
    let adapter = |search| {
        let callers = match dialect {
            Dialect::Anthropic => "code_execution_20260120",
            _ => "programmatic",
        };
        Adapter::builder(dialect)
            .disclosure(Disclosure::defer_above(2).always(["weather"]).search(search))
            .prompt_cache(CacheLifetime::OneHour)
            .allowed_callers("mail.list", ["direct", callers])
            .build(&specs)
    };
    let mut own = adapter(ToolSearch::SearchTools);
    own.disclose(["mail.list"]);
    let provider = adapter(ToolSearch::Provider);
    let client = adapter(ToolSearch::ClientExecuted);
    let mut declarations = [&own, &provider, &client].map(|it| it.declarations().clone()).to_vec();
    declarations.push(Adapter::new(dialect, &specs).declarations().clone());

    let Some(response) = response(dialect) else {
        return Ok(json!({ "declarations": declarations }));
    };
    let turn = provider.read(&response.to_string())?;
    let answers =
        turn.calls().iter().map(|call| ToolAnswer::from_text(call.call_id(), "two letters"));
    let mut messages = turn.messages().to_vec();
    messages.extend(provider.answer_messages(&turn, answers)?);
    provider.mark_messages(&mut messages);
    let mut conversations = vec![json!({ "response": response, "messages": messages })];
    if dialect == Dialect::OpenAiResponses {
        conversations.push(client_executed(&client)?);
    }
    Ok(json!({ "declarations": declarations, "conversations": conversations }))
}

/// A response in which the model searches, and the tools that this process has found for it.
fn client_executed(adapter: &Adapter) -> Result<Value, Box<dyn std::error::Error>> {
    let response = response_of(&json!([
        {"type": "tool_search_call", "id": "tsc_1", "call_id": "call_1", "execution": "client",
            "status": "completed", "arguments": {"folder": "inbox"}},
    ]));
    let turn = adapter.read(&response.to_string())?;
    let found = json!({"tools": [{"name": "mail.list"}, {"name": "trains"}]});
    let answer = ToolAnswer::from_text("call_1", "").with_data(found.to_string());
    let mut messages = turn.messages().to_vec();
    messages.extend(adapter.answer_messages(&turn, [answer])?);
    Ok(json!({ "response": response, "messages": messages }))
}

fn specs() -> Result<Vec<ToolSpec>, Box<dyn std::error::Error>> {
    let schema = json!({
        "type": "object",
        "properties": {
            "$top": {"type": "integer"},
            "folder": {"type": "string", "enum": ["inbox", "sent"]},
        },
        "required": ["folder"],
        "additionalProperties": false,
    });
    let with = |name: &str| -> ToolSpecBuilder {
        ToolSpec::builder(name, Effect::Read)
            .description("Reads it.")
            .input_schema(schema.clone())
            .input_example(json!({"folder": "inbox"}))
            .input_example(json!({"folder": "sent", "$top": 3}))
    };
    let mail = ToolkitSpec::new("mail", "Reads the letters of a person.")?;
    Ok(vec![
        with("mail.list").toolkit(mail.clone()).build()?,
        with("mail.count").toolkit(mail).build()?,
        with("weather").build()?,
        with("trains").build()?,
        with("search_tools").build()?,
    ])
}

/// A response in which the provider has searched, and a program calls what it found.
fn response(dialect: Dialect) -> Option<Value> {
    match dialect {
        Dialect::Anthropic => Some(anthropic()),
        Dialect::OpenAiResponses => Some(responses()),
        Dialect::BedrockConverse => Some(json!({
            "output": {"message": {"role": "assistant", "content": [
                {"toolUse": {"toolUseId": "a", "name": "weather", "input": {"folder": "inbox"}}},
            ]}},
            "stopReason": "tool_use",
        })),
        _ => None,
    }
}

fn anthropic() -> Value {
    let search = json!({"type": "server_tool_use", "id": "srvtoolu_1",
        "name": "tool_search_tool_bm25", "input": {"query": "letters"}});
    let found = json!({"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1",
    "content": {
        "type": "tool_search_tool_search_result",
        "tool_references": [{"type": "tool_reference", "tool_name": "mail_list"}],
    }});
    let program = json!({"type": "server_tool_use", "id": "srvtoolu_2", "name": "code_execution",
        "input": {"code": "print(await mail_list(folder='inbox'))"}});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "mail_list",
        "input": {"folder": "inbox"},
        "caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_2"}});
    json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [search, found, program, call], "stop_reason": "tool_use",
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}})
}

fn responses() -> Value {
    let function = json!({"type": "function", "name": "mail_list", "description": "Reads it.",
        "parameters": {"type": "object", "properties": {}}, "strict": false,
        "defer_loading": true});
    let items = json!([
        {"type": "tool_search_call", "id": "tsc_1", "execution": "server", "status": "completed",
            "arguments": {"paths": ["mail"]}},
        {"type": "tool_search_output", "id": "tso_1", "execution": "server", "status": "completed",
            "tools": [function]},
        {"type": "program", "id": "prog_1", "call_id": "call_p", "code": "mail_list()",
            "fingerprint": "f"},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "mail_list",
            "namespace": "mail", "arguments": "{\"folder\":\"inbox\",\"$top\":null}",
            "status": "completed", "caller": {"type": "program", "caller_id": "call_p"}},
    ]);
    response_of(&items)
}

fn response_of(items: &Value) -> Value {
    json!({"id": "resp_1", "object": "response", "created_at": 0, "model": "m",
        "status": "completed", "output": items, "parallel_tool_calls": true,
        "tool_choice": "auto", "tools": []})
}
