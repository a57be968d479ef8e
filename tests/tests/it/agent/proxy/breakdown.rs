//! The breakdown of a request's time, compared with clocks of the test's own.

use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use tool_runtime::agent::{AgentError, ChatModel, ChatReply, ChatRequest};
use tool_runtime::assess::{Assessor, CompressionError, ContextCompressor};
use tool_runtime::contracts::act::{ToolRequest, ToolType};
use tool_runtime::contracts::assess::{CompressionMethod, ContextData};
use tool_runtime::contracts::proxy::ProxyRequest;
use tool_runtime::prelude::*;

use super::{agent_of, context};

/// Works for a while, and keeps how long it took.
#[derive(Debug, Clone, Default)]
struct Work(Arc<Mutex<Duration>>);

impl Work {
    fn run(&self, least: Duration) {
        let started = Instant::now();
        while started.elapsed() < least {
            black_box(0);
        }
        *self.0.lock().unwrap() = started.elapsed();
    }

    fn took_ms(&self) -> f64 {
        self.0.lock().unwrap().as_secs_f64() * 1e3
    }
}

/// Works, and returns a text.
#[ai_tool(effect = "read", name = "orders.work")]
async fn work(work: &Work) -> String {
    work.run(Duration::from_millis(7));
    "The order is open. ".repeat(200)
}

#[async_trait]
impl ContextCompressor for Work {
    fn method(&self) -> CompressionMethod {
        CompressionMethod::SemanticPruning
    }

    async fn compress(&self, _: &ContextData, _: u64) -> Result<String, CompressionError> {
        self.run(Duration::from_millis(11));
        Ok("In short.".to_owned())
    }
}

#[async_trait]
impl ChatModel for Work {
    async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, AgentError> {
        self.run(Duration::from_millis(13));
        Ok(ChatReply::new("m", "ok"))
    }
}

#[tokio::test]
async fn each_part_is_what_the_step_took_and_all_together_are_the_total() {
    let [tool, compressor, model] = [Work::default(), Work::default(), Work::default()];
    let runtime = Runtime::builder().tool::<WorkTool>().state(tool.clone()).build().unwrap();
    let agent = agent_of(runtime, model.clone(), "compression_threshold_tokens = 200")
        .assessor(Assessor::new().compressor(compressor.clone()))
        .build();
    let call = ToolRequest::builder("orders", ToolType::DatabaseQuery, "work").build().unwrap();
    let request = ProxyRequest::builder("?").required_tools([call]).build().unwrap();

    let started = Instant::now();
    let response = agent.answer(&request, &context()).await.unwrap();
    let whole = started.elapsed().as_secs_f64() * 1e3;

    let parts = response.breakdown();
    let measured = [
        (parts.tool_execution_ms(), tool.took_ms()),
        (parts.context_compression_ms(), compressor.took_ms()),
        (parts.llm_inference_ms(), model.took_ms()),
    ];
    for (at, (part, own)) in measured.into_iter().enumerate() {
        let others = whole - measured.iter().map(|(_, own)| own).sum::<f64>();
        assert!(own > 0.0 && part >= own, "{at}: {part} of {own}");
        assert!(part <= own + others, "{at}: {part} is more than {own} and what no step took");
    }
    let total = response.total_latency_ms();
    let rest = parts.output_serialization_ms() + parts.overhead_ms();
    let sum = measured.iter().map(|(part, _)| part).sum::<f64>() + rest;
    assert!((total - sum).abs() < 1e-6, "{total} and {sum}");
    assert!(total <= whole, "{total} of {whole}");
    assert!(total >= measured.iter().map(|(_, own)| own).sum::<f64>(), "{total}");
}
