use serde_json::{Value, json};

use crate::server::{Server, made_database, new_folder};

/// Returns the README's commands, in order.
fn blocks() -> Vec<&'static str> {
    let readme = include_str!("../../README.md");
    let blocks = readme.split("\n```bash\n").skip(1);
    blocks.filter_map(|block| block.split("\n```").next()).collect()
}

/// Finds the only block that contains this text.
#[track_caller]
fn block(mark: &str) -> &'static str {
    let found: Vec<_> = blocks().into_iter().filter(|block| block.contains(mark)).collect();
    let [block] = found[..] else { panic!("{} blocks with {mark}", found.len()) };
    block
}

#[track_caller]
fn output<'a>(answer: &'a Value, tool: &str) -> &'a Value {
    assert_eq!(answer["success"], true, "{answer}");
    let audit = &answer["audit"];
    assert_eq!((&audit["tool_name"], &audit["status"]), (&json!(tool), &json!("success")));
    assert!(audit["latency_ms"].is_u64(), "{audit}");
    // The header and the body name different traces; the header's is used.
    assert!(audit["trace_id"].as_str().is_some_and(|id| id.starts_with("trace-1")), "{audit}");
    let hash = audit["request_payload_hash"].as_str().expect("a hash");
    assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    &answer["output"]
}

#[test]
fn the_lines_work_as_printed() {
    check_lines(&Server::start());
}

#[test]
fn the_lines_work_as_printed_on_postgresql() {
    if let Some(database) = made_database() {
        check_lines(&Server::start_in(new_folder(), &["--database", &database]));
    }
}

#[test]
fn an_extra_key_of_a_printed_request_is_refused_in_each_object() {
    let server = Server::start();
    let printed = [
        "/tools/list",
        "严氏家训",
        "\"npc_id\": \"ancestor_yan\"\n    },",
        "严田村古井传说",
        "get_prompt_active\",",
    ];
    for block in printed.map(block) {
        let (_, body) = block.split_once("-d '").expect("it has a body");
        let (body, _) = body.split_once('\'').expect("the body ends");
        let body: Value = serde_json::from_str(body).expect("the body is JSON");
        let inner = body.as_object().expect("an object").iter().filter(|(_, it)| it.is_object());
        let pointers = inner.map(|(name, _)| format!("/{name}"));
        for pointer in pointers.chain([String::new()]) {
            let mut extended = body.clone();
            let object = extended.pointer_mut(&pointer).and_then(Value::as_object_mut);
            object.expect("an object").insert("no_such_key".to_owned(), 1.into());
            let (head, _) = block.split_once("-d '").expect("it has a body");
            let refused = server.answer(&format!("{head}-d '{extended}'"));
            assert_eq!(refused["error_type"], "INVALID_ARGUMENT", "{pointer}: {refused}");
            assert!(refused.to_string().contains("no_such_key"), "{pointer}: {refused}");
        }
    }
}

#[test]
fn a_draft_waits_for_somebody_else_where_the_server_asks_first() {
    let server = Server::start_in(new_folder(), &["--ask-first"]);
    let waits = server.answer(block("廊桥"));
    assert_eq!(waits["error_type"], "NEEDS_USER_CONFIRMATION", "{waits}");
    let later = block("廊桥").replace("廊桥", "石桥").replace("trace-1", "trace-2");
    assert_eq!(server.answer(&later)["error_type"], "NEEDS_USER_CONFIRMATION");
    let own = block("/approvals").replace("editor-1", "visitor-1");
    assert_eq!(server.answer(&own)["error_type"], "FORBIDDEN");
    let approved = server.answer(block("/approvals"));
    assert_eq!(output(&approved, "create_draft_content")["status"], "draft");
    assert_eq!(approved["audit"]["trace_id"], "trace-1", "what has waited longest comes first");
    let drafts =
        block("\"query\": \"桃花源\"").replace("\"桃花源\"", "\"廊桥\", \"status\": \"draft\"");
    assert_eq!(server.answer(&drafts)["output"]["total"], 1);
}

#[test]
fn every_line_is_checked() {
    // A new block in the README needs a check above, which finds it by a text in the block.
    assert_eq!(blocks().len(), 18);
    assert!(blocks().iter().all(|block| block.contains("http://localhost:8000/api/")));
}

fn check_lines(server: &Server) {
    check_list(server);
    check_reads(server);
    check_searches(server);
    check_body_trace(server);
    check_writes(server);
    check_refusal(server);
    check_other_tenant(server);
    check_looking_back(server);
}

fn check_list(server: &Server) {
    let list = server.answer(block("/tools/list"));
    let tools = list["tools"].as_array().expect("tools");
    let mut names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    let expected = [
        "create_draft_content",
        "draw_site_map",
        "get_npc_profile",
        "get_prompt_active",
        "get_site_map",
        "log_user_event",
        "search_content",
    ];
    assert_eq!(names, expected);
    assert_eq!(list["total"], 7);
    for tool in tools {
        assert_eq!(tool["input_schema"]["type"], "object", "{tool}");
        assert_eq!((&tool["requires_auth"], &tool["ai_callable"]), (&json!(true), &json!(true)));
    }
}

fn check_reads(server: &Server) {
    let profile = server.answer(block("\"npc_id\": \"ancestor_yan\"\n    },"));
    let profile = output(&profile, "get_npc_profile");
    assert_eq!((&profile["name"], &profile["version"]), (&json!("严氏先祖"), &json!(1)));
    assert_eq!(profile["knowledge_domains"], json!(["严氏家族历史", "祖训家规"]));

    let prompt = server.answer(block("get_prompt_active\","));
    let prompt = output(&prompt, "get_prompt_active");
    assert!(prompt["prompt_text"].as_str().is_some_and(|text| text.starts_with("你是严氏先祖")));
    assert_eq!(prompt["metadata"]["name"], "严氏先祖");

    let map = server.answer(block("include_routes\": true"));
    let map = output(&map, "get_site_map");
    assert_eq!(map["pois"][0]["name"], "严氏祠堂");
    assert_eq!(map["routes"].as_array().map(Vec::len), Some(2));

    let drawn = server.answer(block("draw_site_map"));
    let legend = output(&drawn, "draw_site_map");
    assert_eq!(legend["points"][0]["name"], "严氏祠堂");
    let picture = &drawn["meta"]["attachments"][0];
    assert_eq!(
        (&picture["media_type"], &picture["name"]),
        (&json!("image/png"), &json!("yantian-main.png"))
    );
    // The signature of a PNG, in base64.
    let data = picture["data"].as_str().expect("it is in the envelope");
    assert!(data.starts_with("iVBORw0KGgo"), "{data}");
}

fn check_searches(server: &Server) {
    let found = server.answer(block("严氏家训"));
    let found = output(&found, "search_content");
    assert_eq!(found["query"], "严氏家训");
    assert_eq!(found["items"].as_array().map(Vec::len), Some(5));
    assert!(found["total"].as_u64().is_some_and(|total| total > 5), "{}", found["total"]);
    let first = &found["items"][0];
    assert_eq!((&first["id"], &first["verified"]), (&json!("zhuzi-jiaxun"), &json!(true)));
    assert!(first["body"].as_str().is_some_and(|body| body.starts_with("黎明即起")));

    let found = server.answer(block("farming villages"));
    let found = output(&found, "search_content");
    assert_eq!(found["items"][0]["id"], "guorenzhuang-en");
}

fn check_writes(server: &Server) {
    let draft = server.answer(block("严田村古井传说"));
    let draft = output(&draft, "create_draft_content");
    assert_eq!(draft["status"], "draft");
    assert!(draft["content_id"].is_string() && draft["created_at"].is_string(), "{draft}");

    let plan = server.answer(block("dry_run"));
    let plan = output(&plan, "create_draft_content");
    assert!(plan["content_id"].is_null() && plan["title"] == "水口古樟", "{plan}");

    let events = server.paste(block("Idempotency-Key"));
    let events: Vec<Value> =
        events.lines().map(|line| serde_json::from_str(line).expect("an answer")).collect();
    let [first, again] = &events[..] else { panic!("{events:?}") };
    assert!(output(first, "log_user_event")["event_id"].is_string());
    assert_eq!(first["output"], again["output"]);
}

/// The body of the guide's first call names a trace that the header overrides.
fn check_body_trace(server: &Server) {
    let by_trace = block("traces/trace-1-of-a-visit \\");
    let by_request = by_trace.replace("traces/trace-1-of-a-visit", "traces?request_id=trace-001");
    let found = server.answer(&by_request);
    let records = found["records"].as_array().expect("a list");
    assert_eq!(records.len(), 1, "{found}");
    assert_eq!(records[0]["call"]["request_id"], "trace-001", "{found}");
    assert_ne!(records[0]["call"]["trace_id"], "trace-001", "{found}");
}

fn check_refusal(server: &Server) {
    let refused = server.answer(block("unknown_npc"));
    assert_eq!(refused["success"], false, "{refused}");
    assert_eq!(refused["error"], "NPC profile not found");
    assert_eq!(refused["error_type"], "NOT_FOUND");
    assert_eq!(refused["audit"]["status"], "error");
    let status = block("unknown_npc").replacen("curl", "curl -o /dev/null -w '%{http_code}'", 1);
    assert_eq!(server.paste(&status), "404");
}

fn check_other_tenant(server: &Server) {
    let found = server.answer(block("X-Tenant-ID: tianshui"));
    let found = output(&found, "search_content");
    assert_eq!((&found["total"], &found["items"][0]["id"]), (&json!(1), &json!("house-rules")));
}

fn check_looking_back(server: &Server) {
    let found = server.answer(block("\"query\": \"桃花源\""));
    assert_eq!(output(&found, "search_content")["items"][0]["id"], "taohuayuan");
    let trace = server.answer(block("traces/trace-1-of-a-visit \\"));
    assert_eq!(trace["trace_id"], "trace-1-of-a-visit", "{trace}");
    assert_eq!(trace["records"].as_array().map(Vec::len), Some(1), "{trace}");
    let replay = server.answer(block("/replay")).to_string();
    assert!(replay.contains("search_content") && replay.contains("same"), "{replay}");
    let listed = server.answer(block("/evidence?trace="));
    let proofs = listed["evidence"].as_array().expect("a list");
    assert_eq!((proofs.len(), &proofs[0]["tool"]), (1, &json!("search_content")), "{listed}");
    assert_eq!(proofs[0]["input_summary"]["query"], "桃花源", "{listed}");
    assert_eq!(proofs[0]["sealed"], json!(["arguments", "output"]), "{listed}");
}
