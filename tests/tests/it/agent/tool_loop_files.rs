//! The images and files of results in a loop: what the model is shown, and what it reads of.

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_runtime::agent::{
    AgentError, ChatModel, ChatReply, ChatRequest, LoopEnd, ModelMessage, SuspendedRun, ToolLoop,
};
use tool_runtime::assess::{AssessOptions, Assessor};
use tool_runtime::contracts::Audience;
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;
use tool_runtime::{Attachment, AttachmentError, Attachments};

use super::server::{Server, message, text};
use super::tool_loop::{Script, calls, cx, says};

/// Draws a chart, with its table for the user.
#[ai_tool(effect = "read")]
async fn chart(
    attachments: &Attachments,
    /// The size of the picture in bytes.
    #[arg(default = 3)]
    bytes: u32,
) -> Result<u32, AttachmentError> {
    let picture = vec![7; bytes as usize];
    attachments.add(Attachment::bytes("image/png", picture).with_name("chart.png"))?;
    let table = Attachment::text("text/csv", "planted").with_name("table.csv");
    attachments.add(table.with_audience([Audience::User]))?;
    Ok(1)
}

/// Sends a report.
#[ai_tool(effect = "write")]
async fn report(dry: &DryRun, attachments: &Attachments) -> Result<u32, AttachmentError> {
    let _ = dry;
    attachments.add(Attachment::bytes("image/png", vec![8; 90_000]).with_name("sent.png"))?;
    Ok(2)
}

fn runtime(store: &MemoryStore) -> Runtime {
    let keys = KeyRing::new("k", &[7; 32]).unwrap();
    Runtime::builder()
        .tool::<ChartTool>()
        .tool::<ReportTool>()
        .policy(Policy::new().ticket_keys(keys).store(store.clone()))
        .build()
        .unwrap()
}

/// A scripted model that sees pictures.
#[derive(Debug, Clone)]
struct Seeing(Script);

#[async_trait]
impl ChatModel for Seeing {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        self.0.chat(request).await
    }

    fn accepts(&self, attachment: &Attachment) -> bool {
        attachment.media_type() == "image/png"
    }
}

/// The names of the pictures that the last request showed, with their sizes.
fn shown(script: &Script) -> Vec<(String, usize)> {
    let told = script.told();
    let files = told.last().unwrap().messages().iter().flat_map(ModelMessage::attachments);
    let described = |file: &Attachment| {
        (file.name().unwrap().to_owned(), file.as_bytes().expect("its content is here").len())
    };
    files.map(described).collect()
}

fn picture(name: &str, bytes: usize) -> (String, usize) {
    (name.to_owned(), bytes)
}

/// A run over real HTTP with two charts in one round; returns the messages of the second request.
async fn second_request(sends_files: bool) -> Vec<Value> {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "chart", "arguments": "{}"}});
    let asked = json!({"role": "assistant", "content": null, "tool_calls": [call("a"), call("b")]});
    let server = Server::start([message(&asked), text("Two charts.")]).await;
    let model = server.builder().attachments(sends_files).build().unwrap();
    let report = ToolLoop::new(runtime(&MemoryStore::new()), model).run("Draw.", &cx()).await;
    assert_eq!(report.unwrap().text(), Some("Two charts."));
    server.received()[1].body["messages"].as_array().unwrap().clone()
}

fn result(id: &str, notes: &[&str]) -> Value {
    let content = json!({"data": 1, "notes": notes}).to_string();
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

const TABLE: &str = "attached for the user, and not shown here: table.csv (text/csv, 7 bytes)";

#[tokio::test]
async fn pictures_of_a_round_follow_all_its_results_in_one_message() {
    let messages = second_request(true).await;
    let notes = [TABLE, "attached: chart.png (image/png, 3 bytes)"];
    assert_eq!(messages[2..4], [result("a", &notes), result("b", &notes)]);
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,BwcH"}});
    let caption = json!({"type": "text", "text": "Files of the tool results above:"});
    assert_eq!(messages[4], json!({"role": "user", "content": [caption, image, image]}));
    let sent = json!(messages).to_string();
    assert!(!sent.contains("planted") && !sent.contains("cGxhbnRlZA"), "{sent}");
}

#[tokio::test]
async fn a_model_reads_of_pictures_only_unless_the_host_sends_them() {
    let messages = second_request(false).await;
    let notes = [TABLE, "attached, but not shown here: chart.png (image/png, 3 bytes)"];
    assert_eq!(messages[2..], [result("a", &notes), result("b", &notes)]);
}

/// A run that waits for `report` after two charts, one of them too large for an envelope.
async fn waiting_run(store: &MemoryStore) -> SuspendedRun {
    let large = json!({"bytes": 100_000});
    let turns = [
        calls(&[("1", "chart", large)]),
        calls(&[("2", "chart", json!({})), ("3", "report", json!({}))]),
    ];
    let here = ToolLoop::new(runtime(store), Seeing(Script::of(turns)));
    let LoopEnd::Suspended(run) = here.run("Report.", &cx()).await.unwrap().into_end() else {
        panic!("it waits")
    };
    let stored = serde_json::to_string(&run).unwrap();
    assert!(stored.len() < 10_000 && stored.contains("att_"), "{} bytes", stored.len());
    assert!(!stored.contains("planted") && !stored.contains("cGxhbnRlZA"), "{stored}");
    assert!(!format!("{run:?}").contains("7, 7"), "{run:?}");
    let mut run: SuspendedRun = serde_json::from_str(&stored).unwrap();

    let there = runtime(store);
    let pending = run.pending()[0].clone();
    let mut call = there.tickets().resume(pending.ticket(), &cx()).await;
    call.approve("joe").unwrap();
    call.execute().await;
    run.answer(pending.call_id(), &call).await.unwrap();
    // It is stored once more before it continues.
    serde_json::from_str(&serde_json::to_string(&run).unwrap()).unwrap()
}

#[tokio::test]
async fn a_run_that_another_process_continues_has_its_pictures() {
    let store = MemoryStore::new();
    let run = waiting_run(&store).await;
    let script = Script::of([says("Sent.")]);
    let there = ToolLoop::new(runtime(&store), Seeing(script.clone()));
    assert_eq!(there.resume(run, &cx()).await.unwrap().text(), Some("Sent."));
    let all = [picture("chart.png", 100_000), picture("chart.png", 3), picture("sent.png", 90_000)];
    assert_eq!(shown(&script), all);
}

#[tokio::test]
async fn a_picture_that_has_expired_or_that_the_model_does_not_show_stays_a_note() {
    let run = waiting_run(&MemoryStore::new()).await;
    let script = Script::of([says("Sent.")]);
    let elsewhere = ToolLoop::new(runtime(&MemoryStore::new()), Seeing(script.clone()));
    elsewhere.resume(run.clone(), &cx()).await.unwrap();
    assert_eq!(shown(&script), [picture("chart.png", 3)]);
    let told = script.told();
    let texts: Vec<_> = told[0].messages().iter().map(ModelMessage::text).collect();
    let expired = "no longer available: chart.png (image/png, 100000 bytes)";
    assert!(texts[2].ends_with(expired), "{}", texts[2]);
    assert!(texts[5].contains("attached, but no longer available: sent.png"), "{}", texts[5]);

    let blind = Script::of([says("Sent.")]);
    ToolLoop::new(runtime(&MemoryStore::new()), blind.clone()).resume(run, &cx()).await.unwrap();
    assert_eq!(shown(&blind), []);
    let answers = blind.last_answers();
    assert!(answers[0].contains("attached, but not shown here: chart.png"), "{answers:?}");
}

#[tokio::test]
async fn pictures_of_compacted_rounds_are_no_longer_sent() {
    let draw = |id: &str| calls(&[(id, "chart", json!({}))]);
    let script = Script::of([draw("1"), draw("2"), draw("3"), says("Three.")]);
    let options = AssessOptions::default().with_threshold_tokens(2_500).with_verbatim_rounds(1);
    let agent = ToolLoop::new(runtime(&MemoryStore::new()), Seeing(script.clone()))
        .history_assessor(Assessor::new().options(options));
    agent.run("Draw.", &cx()).await.unwrap();
    assert_eq!(shown(&script).len(), 1, "the newest round keeps its picture");
    let told = script.told();
    let texts: Vec<_> = told[3].messages().iter().map(ModelMessage::text).collect();
    assert!(texts[2].ends_with("no longer shown: chart.png (image/png, 3 bytes)"), "{}", texts[2]);
    assert!(texts[6].contains("attached: chart.png") && !texts[6].contains("no longer"));
}

#[tokio::test]
async fn a_request_shows_the_newest_twenty_pictures_at_most() {
    let ids: Vec<String> = (0..15).map(|n| n.to_string()).collect();
    let round: Vec<_> = ids.iter().map(|id| (id.as_str(), "chart", json!({}))).collect();
    let script = Script::of([calls(&round), calls(&round), says("Thirty.")]);
    let agent = ToolLoop::new(runtime(&MemoryStore::new()), Seeing(script.clone()));
    agent.run("Draw.", &cx()).await.unwrap();
    assert_eq!(shown(&script).len(), 20);
    let told = script.told();
    let texts: Vec<_> = told[2].messages().iter().map(ModelMessage::text).collect();
    let dropped = texts.iter().filter(|text| text.contains("no longer shown: chart.png")).count();
    assert!(dropped == 10 && texts[2].contains("no longer shown"), "{dropped}");
}
