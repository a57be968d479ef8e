//! The agent's parts over real HTTP, with scripted models.

use async_trait::async_trait;
use axum::http::StatusCode;
use proxy_agent::demo::conversation::{Conversation, SavedRun, Verdict};
use proxy_agent::demo::{failures, question};
use proxy_agent::servers::{ModelReply, ModelServer};
use proxy_agent::{Host, Models, Options, context, script};
use serde_json::{Value, json};
use tool_runtime::agent::{
    AgentError, AgentErrorKind, ChatModel, ChatReply, ChatRequest, FinishReason, LoopEnd,
    ModelMessage, OpenAiModel, ToolLoop,
};
use tool_runtime::contracts::act::{ActResult, ToolRequest, ToolType};
use tool_runtime::contracts::assess::CompressionMethod;

use crate::{Place, has_python};

async fn models() -> Models {
    Models::start(&Options::default()).await.unwrap()
}

fn server(models: &Models) -> &ModelServer {
    let Models::Scripted(server) = models else { panic!("they are scripted") };
    server
}

#[tokio::test]
async fn a_question_is_answered_from_tools_of_all_types() {
    let place = Place::with_failing_rates([StatusCode::SERVICE_UNAVAILABLE]).await;
    let models = models().await;
    let response = question::answer(&place.host, &models).await.unwrap();
    let requests = question::required_tools(&place.host).unwrap();
    let results = response.tool_results();
    assert!(results.iter().all(ActResult::success), "{results:?}");
    assert_eq!(results[1].retry_count(), 1);
    let types: Vec<ToolType> = requests.iter().map(ToolRequest::tool_type).collect();
    let all = [
        ToolType::DatabaseQuery,
        ToolType::ApiCall,
        ToolType::RagRetrieval,
        ToolType::FileOperation,
        ToolType::PythonFunction,
    ];
    assert_eq!(types, all[..if has_python() { 5 } else { 4 }]);
    let cost = response.cost_analysis();
    assert!(cost.optimized_input_tokens() * 100 <= cost.raw_input_tokens() * 36, "{cost:?}");
    assert!(cost.actual_cost() > 0.0 && cost.actual_cost() < cost.baseline_cost(), "{cost:?}");
    let method = response.context_optimization().method_used();
    assert_eq!(method, CompressionMethod::SemanticPruning);
    let answer = response.llm_response().content().as_str().unwrap();
    for found in ["渭川田家", "156.41", "21 days ahead", "suspended"] {
        assert!(answer.contains(found), "{found}: {answer}");
    }
    assert_eq!(answer.contains("in 73 days"), has_python(), "{answer}");
}

/// Begins the conversation, and returns its suspended run as a file has it.
async fn suspended(host: &Host, models: &Models) -> String {
    let conversation = Conversation::begin(host, models).await.unwrap();
    serde_json::to_string(&conversation.saved().expect("a write waits")).unwrap()
}

#[tokio::test]
async fn a_conversation_mends_a_call_and_waits_for_a_person_before_it_writes() {
    let (place, models) = (Place::new().await, models().await);
    let conversation = Conversation::begin(&place.host, &models).await.unwrap();
    let messages = conversation.report.messages().iter();
    let refused = messages.filter(|it| it.text().contains("INVALID_ARGUMENT")).count();
    assert_eq!(refused, 1);
    let saved = conversation.saved().expect("a write waits");
    assert_eq!(saved.run.pending().len(), 1);
    let waiting = saved.waiting(&place.host).await.unwrap();
    let preview = waiting[0].preview();
    assert_eq!(preview.name(), "files.write");
    assert!(preview.answer().unwrap().contains("reading-day.md"), "{preview}");
    assert!(!place.folder.notes().join("reading-day.md").exists());
}

#[tokio::test]
async fn a_second_runtime_continues_the_run_from_its_text_and_writes_once() {
    let (place, models) = (Place::new().await, models().await);
    let text = suspended(&place.host, &models).await;
    let Place { host, folder, rates } = place;
    drop(host);

    let host = Host::start(&folder, rates.url()).await.unwrap();
    let saved: SavedRun = serde_json::from_str(&text).unwrap();
    let approved = Verdict::ApprovedBy("jane");
    let ended = saved.clone().decide(approved, &host, &models).await.unwrap();
    assert_eq!(ended.report.text(), Some("The plan is saved in reading-day.md."));
    let plan = std::fs::read_to_string(folder.notes().join("reading-day.md")).unwrap();
    assert!(plan.contains("渭川田家") && plan.contains("156.41 US dollars"), "{plan}");
    assert_eq!(plan.contains("2027-01-15"), has_python(), "{plan}");

    std::fs::remove_file(folder.notes().join("reading-day.md")).unwrap();
    assert!(saved.decide(approved, &host, &models).await.is_err(), "a ticket is used once");
    assert!(!folder.notes().join("reading-day.md").exists());
}

#[tokio::test]
async fn a_declined_write_is_told_to_the_model() {
    let (place, models) = (Place::new().await, models().await);
    let saved: SavedRun = serde_json::from_str(&suspended(&place.host, &models).await).unwrap();
    let declined = Verdict::DeclinedBy("jane", "the day has moved");
    let ended = saved.decide(declined, &place.host, &models).await.unwrap();
    assert!(ended.report.text().unwrap().starts_with("The plan is not saved"));
    let told = ended.report.messages().iter().rev();
    let told: Vec<_> = told.filter(|it| matches!(it, ModelMessage::ToolResult { .. })).collect();
    assert!(told[0].text().contains("the day has moved"), "{}", told[0].text());
    assert!(!place.folder.notes().join("reading-day.md").exists());
}

#[tokio::test]
async fn failures_of_the_models_server_are_outlasted_or_reported() {
    let models = models().await;
    let (reply, pieces) = failures::busy(&models).await.unwrap();
    assert_eq!(pieces.concat(), reply.text());
    assert!(pieces.len() > 5, "{pieces:?}");
    let limited = Some(StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(server(&models).responses_of(script::BUSY), [limited, Some(StatusCode::OK)]);

    let reply = failures::broken(&models).await.unwrap();
    assert_eq!(reply.model(), script::STANDBY);
    let failed = Some(StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(server(&models).responses_of(script::BROKEN), [failed; 3]);

    let error = failures::slow(&models).await.unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Llm);
    assert_eq!(
        (&error.details()["reason"], &error.details()["attempts"]),
        (&json!("timeout"), &json!(2))
    );
    assert_eq!(server(&models).responses_of(script::SLOW), [None; 2]);
}

/// A model that is always asked for a stream.
#[derive(Debug)]
struct Streaming(OpenAiModel);

#[async_trait]
impl ChatModel for Streaming {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        self.0.chat_streamed(request, &|_| {}).await
    }
}

/// A server whose model calls two tools at first, and then says how long their answers are.
async fn calling_server() -> Models {
    let server = ModelServer::start(|asked| match asked.turn() {
        0 => ModelReply::Calls(vec![
            ("rates.convert", json!({"amount": 140.5, "from": "EUR", "to": "USD"})),
            (
                "village.texts",
                json!({"content_type": "poem", "tag": "村落", "min_credibility": 0.9}),
            ),
        ]),
        _ => ModelReply::Text(format!(
            "rates {}, texts {}",
            asked.json_of("rates.convert")["amount"],
            asked.json_of("village.texts").as_array().map_or(0, Vec::len)
        )),
    });
    Models::Scripted(server.await.unwrap())
}

#[tokio::test]
async fn calls_that_arrive_in_pieces_are_put_together() {
    let (place, models) = (Place::new().await, calling_server().await);
    let model = models.client("scripted/caller").build().unwrap();
    let request = ChatRequest::new("Convert, and look the texts up.")
        .with_tools(place.host.runtime().specs_for_model());
    let shown = std::sync::Mutex::new(String::new());
    let show = |text: &str| shown.lock().unwrap().push_str(text);
    let streamed = model.chat_streamed(&request, &show).await.unwrap();
    let whole = model.chat(&request).await.unwrap();
    assert_eq!(streamed.calls(), whole.calls());
    let calls: Vec<_> = streamed.calls().iter().map(|call| (call.call_id(), call.name())).collect();
    assert_eq!(calls, [("call_0_0", "rates.convert"), ("call_0_1", "village.texts")]);
    let arguments: Value = serde_json::from_str(streamed.calls()[1].arguments()).unwrap();
    assert_eq!(arguments["tag"], "村落");
    assert_eq!(streamed.finish_reason(), &FinishReason::ToolCalls);
    assert!(streamed.usage().is_some());
    assert_eq!(*shown.lock().unwrap(), "", "a call is no text");
}

#[tokio::test]
async fn a_loop_runs_calls_that_arrive_in_pieces() {
    let (place, models) = (Place::new().await, calling_server().await);
    let model = Streaming(models.client("scripted/caller").build().unwrap());
    let agent = ToolLoop::new(place.host.runtime().clone(), model);
    let report = agent.run("How much is it?", &context("trace-1").unwrap()).await.unwrap();
    assert_eq!((report.turns(), report.calls()), (2, 2));
    let text = report.text().unwrap();
    assert!(text.starts_with("rates 156.") && !text.ends_with("texts 0"), "{text}");
}

#[tokio::test]
async fn a_model_that_no_script_has_is_not_found() {
    let models = models().await;
    let model = models.client("scripted/unknown").build().unwrap();
    let error = model.chat(&ChatRequest::new("Hello?")).await.unwrap_err();
    assert_eq!(error.details()["reason"], "not_found");
}

#[tokio::test]
async fn a_conversation_without_a_waiting_call_has_nothing_to_save() {
    let place = Place::new().await;
    let server = ModelServer::start(|_| ModelReply::Text("Done.".to_owned()));
    let models = Models::Scripted(server.await.unwrap());
    let conversation = Conversation::begin(&place.host, &models).await.unwrap();
    assert!(matches!(conversation.report.end(), LoopEnd::Answered(_)));
    assert_eq!(conversation.saved(), None);
}
