//! The tools by the Model Context Protocol: on standard streams as the README has it, and over HTTP.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::server::{Server, new_folder};

/// The README's entry for the configuration of a desktop program.
fn entry() -> Value {
    let readme = include_str!("../../README.md");
    let (_, block) = readme.split_once("```json\n{\n  \"mcpServers\"").expect("the entry");
    let (block, _) = block.split_once("\n```").expect("its end");
    serde_json::from_str(&format!("{{\"mcpServers\"{block}")).expect("it is JSON")
}

/// A request of revision 2026-07-28.
fn request(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn search() -> Value {
    json!({"name": "search_content", "arguments": {"query": "家训", "limit": 1}})
}

#[test]
fn a_desktop_program_uses_the_tools_by_the_entry_as_printed() {
    let entry = &entry()["mcpServers"]["heritage"];
    assert_eq!(entry["command"], "heritage-server");
    let folder = new_folder();
    let arguments = entry["args"].as_array().expect("arguments").iter().map(|it| it.as_str());
    // The folder of the test stands for the one of the entry, which is below the current one.
    let arguments = arguments.map(|it| match it {
        Some("heritage-data") => folder.to_str().expect("a path").to_owned(),
        other => other.expect("a text").to_owned(),
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_heritage-server"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("its input");
    let mut output = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut answered = |message: Value| -> Value {
        writeln!(input, "{message}").expect("it reads");
        let line = output.next().expect("an answer").expect("it is text");
        serde_json::from_str(&line).expect("standard output has messages only")
    };
    let listed = answered(request(1, "tools/list", json!({})));
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(7), "{listed}");
    let found = answered(request(2, "tools/call", search()));
    let items = &found["result"]["structuredContent"]["items"];
    assert_eq!(items[0]["id"], "zhuzi-jiaxun", "{found}");
    drop(input);
    let ended = child.wait_with_output().expect("it ends");
    assert!(ended.status.success());
    let log = String::from_utf8(ended.stderr).expect("text");
    assert!(log.contains("tool_call_success"), "{log}");
    std::fs::remove_dir_all(folder).expect("the folder goes");
}

#[test]
fn a_client_over_http_uses_the_tools_beside_the_api() {
    let server = Server::start_in(new_folder(), &["--mcp"]);
    assert!(server.greeting.contains("/api/mcp"), "{}", server.greeting);
    let answered = |method: &str, params: Value, name: &str| {
        let message = request(1, method, params);
        server.answer(&format!(
            "curl -X POST http://localhost:8000/api/mcp -H 'Content-Type: application/json' \\
             -H 'Accept: application/json, text/event-stream' \\
             -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: {method}' {name} -d '{message}'"
        ))
    };
    let listed = answered("tools/list", json!({}), "");
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(7), "{listed}");
    let found = answered("tools/call", search(), "-H 'Mcp-Name: search_content'");
    let items = &found["result"]["structuredContent"]["items"];
    assert_eq!(items[0]["id"], "zhuzi-jiaxun", "{found}");
}
