//! A model that follows a plan in the user's message, tools that count what they did, and a client.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tool_runtime::ag_ui::{AgUi, AgUiCaller, AgUiLimits, Authenticator, RunStore, Unauthenticated};
use tool_runtime::agent::{
    AgentError, AgentErrorKind, AssistantMessage, ChatModel, ChatReply, ChatRequest, ModelCall,
    ModelMessage, OnText, TokenUsage, ToolLoop,
};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tower::ServiceExt;

/// The card number that no event may contain.
pub(crate) const SECRET: &str = "4111-1111";

/// The payments that were made, by their ids.
#[derive(Default)]
pub(crate) struct Paid(pub(crate) Mutex<BTreeMap<String, u32>>);

impl Paid {
    pub(crate) fn times(&self, id: &str) -> u32 {
        self.0.lock().unwrap().get(id).copied().unwrap_or_default()
    }
}

/// Adds two numbers.
#[ai_tool(effect = "read")]
async fn add(
    /// The first.
    a: i64,
    /// The second.
    b: i64,
) -> i64 {
    a + b
}

/// Pays.
#[ai_tool(effect = "write")]
async fn pay(
    paid: &Paid,
    dry_run: &DryRun,
    /// The payment.
    id: String,
    /// The number of the card.
    #[arg(secret)]
    card: String,
) -> String {
    if !dry_run.is_active() {
        *paid.0.lock().unwrap().entry(id.clone()).or_default() += 1;
    }
    format!("paid {id} with {} digits", card.len())
}

/// Answers as the plan in the user's last message says: a list of turns, each a text, `"fail"` or an
/// object with `text` and `calls`.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlannedModel {
    /// The conversations that the model has read.
    pub(crate) requests: Arc<Mutex<Vec<Vec<ModelMessage>>>>,
    /// The tools of the last request.
    pub(crate) tools: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl ChatModel for PlannedModel {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        let messages = request.messages();
        self.requests.lock().unwrap().push(messages.to_vec());
        let names = request.tools().iter().map(|spec| spec.name().to_owned());
        *self.tools.lock().unwrap() = names.collect();
        let is_user = |message: &ModelMessage| matches!(message, ModelMessage::User(_));
        let user = messages.iter().rposition(is_user).unwrap();
        let plan: Vec<Value> = serde_json::from_str(messages[user].text()).unwrap_or_default();
        let replies = messages[user..].iter().filter(|it| matches!(it, ModelMessage::Assistant(_)));
        Ok(match plan.get(replies.count()) {
            None => ChatReply::new("planned", "done").with_usage(TokenUsage::new(10, 2)),
            Some(Value::String(text)) if text == "fail" => {
                let message = format!("the model's own text with {SECRET}");
                return Err(AgentError::new(AgentErrorKind::Llm, message));
            }
            Some(Value::String(text)) if text == "panic" => panic!("a client of a model"),
            Some(Value::String(text)) => ChatReply::new("planned", text),
            Some(turn) => {
                let calls = turn["calls"].as_array().into_iter().flatten().map(|call| {
                    let arguments = match &call[1] {
                        Value::String(text) => text.clone(),
                        arguments => arguments.to_string(),
                    };
                    // Models number the calls of each turn anew.
                    ModelCall::new("call_1", call[0].as_str().unwrap(), arguments)
                });
                let message = AssistantMessage::new(turn["text"].as_str().unwrap_or_default());
                ChatReply::from_message("planned", message.with_calls(calls))
            }
        })
    }

    async fn chat_streamed(
        &self,
        request: &ChatRequest,
        on_text: &OnText<'_>,
    ) -> Result<ChatReply, AgentError> {
        let reply = self.chat(request).await?;
        for word in reply.text().split_inclusive(' ') {
            on_text(word);
        }
        Ok(reply)
    }
}

/// Takes the user of the header `user`; the user `program` approves nothing.
#[derive(Debug)]
struct ByHeader;

#[async_trait]
impl Authenticator for ByHeader {
    async fn authenticate(&self, head: &Parts) -> Result<AgUiCaller, Unauthenticated> {
        let user = head.headers.get("user").and_then(|value| value.to_str().ok());
        let user = user.ok_or_else(Unauthenticated::new)?;
        // The trace differs between two requests of a person.
        let cx = ToolContext::builder(Uuid::from_u128(7), Uuid::now_v7().to_string());
        let cx = cx.run_id("run-1").user_id(user.trim_end_matches("-program")).build().unwrap();
        let caller = AgUiCaller::new(cx);
        Ok(if user.ends_with("program") { caller } else { caller.with_approver(user) })
    }
}

/// A server, and a client with one thread.
pub(crate) struct Fixture {
    pub(crate) ag_ui: AgUi,
    pub(crate) router: Router,
    pub(crate) paid: Arc<Paid>,
    pub(crate) model: PlannedModel,
    pub(crate) runtime: Runtime,
    pub(crate) messages: Vec<Value>,
    pub(crate) tools: Value,
    pub(crate) user: &'static str,
    runs: u32,
}

/// The events of one run.
#[derive(Debug)]
pub(crate) struct Events(pub(crate) Vec<Value>);

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with_limits(AgUiLimits::new())
    }

    pub(crate) fn with_limits(limits: AgUiLimits) -> Self {
        let paid = Arc::new(Paid::default());
        let keys = KeyRing::new("k", &[7; 32]).unwrap();
        let runtime = Runtime::builder()
            .tool::<AddTool>()
            .tool::<PayTool>()
            .shared_state(paid.clone())
            .policy(Policy::new().ticket_keys(keys))
            .build()
            .unwrap();
        let model = PlannedModel::default();
        let agent = ToolLoop::new(runtime.clone(), model.clone());
        let ag_ui = AgUi::new(agent, ByHeader).limits(limits);
        let router = ag_ui.clone().router("/agent");
        let tools = json!([{"name": "choose", "description": "Lets the user choose.",
            "parameters": {"type": "object", "properties": {"of": {"type": "string"}}}}]);
        let (messages, user) = (Vec::new(), "jane");
        Self { ag_ui, router, paid, model, runtime, messages, tools, user, runs: 0 }
    }

    /// Keeps runs that wait in this store.
    pub(crate) fn with_store(self, store: impl RunStore + 'static) -> Self {
        let router = self.ag_ui.clone().run_store(store).router("/agent");
        Self { router, ..self }
    }

    /// Posts a text as the body.
    pub(crate) async fn post(&self, user: Option<&str>, body: String) -> (StatusCode, String) {
        let mut request = Request::post("/agent").header("content-type", "application/json");
        if let Some(user) = user {
            request = request.header("user", user);
        }
        let response = self.router.clone().oneshot(request.body(Body::from(body)).unwrap()).await;
        let response = response.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    pub(crate) fn input(&mut self, resume: Value) -> Value {
        self.runs += 1;
        json!({"threadId": "t", "runId": format!("r{}", self.runs), "messages": self.messages,
            "tools": self.tools, "context": [], "state": {}, "forwardedProps": {}, "resume": resume})
    }

    /// Sends the conversation, with answers to interrupts.
    pub(crate) async fn send(&mut self, resume: Value) -> Events {
        let body = self.input(resume).to_string();
        let (status, body) = self.post(Some(self.user), body).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        assert!(!body.contains(SECRET), "{body}");
        let events = body.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
        let events = Events(events.map(|it| serde_json::from_str(it).unwrap()).collect());
        events.check_order();
        self.take_messages(&events);
        events
    }

    /// Adds a message of the user with a plan, and sends the conversation.
    pub(crate) async fn ask(&mut self, plan: Value) -> Events {
        let id = format!("user-{}", self.messages.len());
        self.messages.push(json!({"id": id, "role": "user", "content": plan.to_string()}));
        self.send(json!([])).await
    }

    /// Adds the result of a client's tool.
    pub(crate) fn client_result(&mut self, call_id: &str, text: &str) {
        let id = format!("result-{call_id}");
        let message = json!({"id": id, "role": "tool", "toolCallId": call_id, "content": text});
        self.messages.push(message);
    }

    /// Keeps the messages that the events build, as a client does.
    fn take_messages(&mut self, events: &Events) {
        for event in &events.0 {
            let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            match &*text("type") {
                "TEXT_MESSAGE_CONTENT" => {
                    let message = self.assistant(&text("messageId"));
                    let content =
                        format!("{}{}", message["content"].as_str().unwrap(), text("delta"));
                    message["content"] = json!(content);
                }
                "TOOL_CALL_START" => {
                    let call = json!({"id": text("toolCallId"), "type": "function",
                        "function": {"name": text("toolCallName"), "arguments": ""}});
                    let message = self.assistant(&text("parentMessageId"));
                    message["toolCalls"].as_array_mut().unwrap().push(call);
                }
                "TOOL_CALL_ARGS" => {
                    let calls =
                        self.messages.iter_mut().filter_map(|it| it["toolCalls"].as_array_mut());
                    let call =
                        calls.flatten().find(|call| call["id"] == event["toolCallId"]).unwrap();
                    call["function"]["arguments"] = event["delta"].clone();
                }
                "TOOL_CALL_RESULT" => self.client_result(&text("toolCallId"), &text("content")),
                _ => {}
            }
        }
    }

    fn assistant(&mut self, id: &str) -> &mut Value {
        if !self.messages.iter().any(|message| message["id"] == id) {
            let message = json!({"id": id, "role": "assistant", "content": "", "toolCalls": []});
            self.messages.push(message);
        }
        self.messages.iter_mut().find(|message| message["id"] == id).unwrap()
    }
}

impl Events {
    pub(crate) fn with_type<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Value> {
        self.0.iter().filter(move |event| event["type"] == name)
    }

    pub(crate) fn last(&self) -> &Value {
        self.0.last().expect("an event")
    }

    pub(crate) fn interrupts(&self) -> Vec<Value> {
        self.last()["outcome"]["interrupts"].as_array().cloned().unwrap_or_default()
    }

    pub(crate) fn pending_client_calls(&self) -> Vec<String> {
        let ids = self.last()["outcome"]["pendingToolCallIds"].as_array().into_iter().flatten();
        ids.map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// Returns the ids of the calls of a tool.
    pub(crate) fn calls_of(&self, tool: &str) -> Vec<String> {
        let starts = self.with_type("TOOL_CALL_START").filter(|it| it["toolCallName"] == tool);
        starts.map(|event| event["toolCallId"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn text(&self) -> String {
        self.with_type("TEXT_MESSAGE_CONTENT").filter_map(|it| it["delta"].as_str()).collect()
    }

    /// Checks what the official client's verifier checks.
    fn check_order(&self) {
        let mut open = std::collections::BTreeSet::new();
        for (index, event) in self.0.iter().enumerate() {
            let name = event["type"].as_str().unwrap();
            assert_eq!(index == 0, name == "RUN_STARTED", "{self:?}");
            let is_last = index + 1 == self.0.len();
            assert_eq!(is_last, ["RUN_FINISHED", "RUN_ERROR"].contains(&name), "{self:?}");
            let id =
                event["toolCallId"].as_str().or(event["messageId"].as_str()).unwrap_or_default();
            match name {
                "TEXT_MESSAGE_START" | "TOOL_CALL_START" => assert!(open.insert(id), "{self:?}"),
                "TEXT_MESSAGE_CONTENT" | "TOOL_CALL_ARGS" => assert!(open.contains(id), "{self:?}"),
                "TEXT_MESSAGE_END" | "TOOL_CALL_END" => assert!(open.remove(id), "{self:?}"),
                _ => {}
            }
        }
        assert!(open.is_empty(), "{self:?}");
    }
}

/// A planned payment.
pub(crate) fn payment(id: &str) -> Value {
    json!(["pay", {"id": id, "card": SECRET}])
}

/// The answer to an interrupt.
pub(crate) fn resolved(interrupt: &Value, payload: Value) -> Value {
    json!({"interruptId": interrupt["id"], "status": "resolved", "payload": payload})
}
