//! The tools of a client's requests, kept between turns: converting a set of tools costs more than the
//! rest of a turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::{RawValue, to_raw_value};
use tool_contracts::ToolSpec;
use tool_runtime_adapters::{Adapter, Dialect};

/// The number of sets of tools that are kept: the loops that share a client have a set each.
const MAX_SETS: usize = 8;

/// The sets of tools that were used last.
#[derive(Default)]
pub(super) struct ToolSetCache {
    /// The newest first.
    sets: Mutex<VecDeque<Arc<ToolSet>>>,
}

/// A set of tools, as it is declared to models.
pub(super) struct ToolSet {
    /// A set is the same if it has the same specs in memory, which the cache keeps alive.
    specs: Vec<Arc<ToolSpec>>,
    pub(super) adapter: Adapter,
    /// The declarations as the JSON text that each request repeats; none without tools, because some
    /// providers refuse an empty list.
    pub(super) declarations: Option<Box<RawValue>>,
}

impl ToolSetCache {
    /// Returns the set of these tools, and converts them unless a recent request had the same.
    pub(super) fn get(&self, specs: &[Arc<ToolSpec>], max_response_bytes: usize) -> Arc<ToolSet> {
        if let Some(set) = self.find(specs) {
            return set;
        }
        // Other requests are not held up while tools are converted.
        let set = Arc::new(ToolSet::new(specs, max_response_bytes));
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.push_front(Arc::clone(&set));
        sets.truncate(MAX_SETS);
        set
    }

    fn find(&self, specs: &[Arc<ToolSpec>]) -> Option<Arc<ToolSet>> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        let position = sets.iter().position(|set| set.has(specs))?;
        let set = sets.remove(position)?;
        sets.push_front(Arc::clone(&set));
        Some(set)
    }
}

impl ToolSet {
    fn new(specs: &[Arc<ToolSpec>], max_response_bytes: usize) -> Self {
        let builder = Adapter::builder(Dialect::OpenAiChat).max_response_bytes(max_response_bytes);
        let adapter = builder.build(specs.iter().cloned());
        let declarations = (!specs.is_empty()).then(|| {
            to_raw_value(adapter.declarations()).expect("values are written to memory as JSON")
        });
        Self { specs: specs.to_vec(), adapter, declarations }
    }

    fn has(&self, specs: &[Arc<ToolSpec>]) -> bool {
        let is_same = |(own, spec): (&Arc<ToolSpec>, &Arc<ToolSpec>)| Arc::ptr_eq(own, spec);
        self.specs.len() == specs.len() && self.specs.iter().zip(specs).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use serde_json::json;
    use tool_contracts::{Effect, ToolContext};
    use tool_runtime_core::runtime::Runtime;
    use tool_runtime_core::{DynamicTool, Failure};

    use super::*;
    use crate::error::AgentError;
    use crate::model::{AssistantMessage, ChatModel, ChatReply, ChatRequest, ModelCall};
    use crate::tool_loop::ToolLoop;

    fn specs(count: usize) -> Vec<Arc<ToolSpec>> {
        let spec = |number: usize| {
            ToolSpec::builder(format!("tool_{number}"), Effect::Read)
                .description("Reads.")
                .input_schema(json!({"type": "object"}))
                .build()
                .unwrap()
                .into()
        };
        (0..count).map(spec).collect()
    }

    #[test]
    fn a_set_of_tools_is_converted_once() {
        let cache = ToolSetCache::default();
        let tools = specs(2);
        let first = cache.get(&tools, 1_000);
        assert!(Arc::ptr_eq(&first, &cache.get(&tools, 1_000)));
        // A tool that was replaced has another spec, and the set is another one.
        let mut replaced = tools.clone();
        replaced[1] = specs(2).remove(1);
        assert!(!Arc::ptr_eq(&first, &cache.get(&replaced, 1_000)));
        assert!(!Arc::ptr_eq(&first, &cache.get(&tools[..1], 1_000)));
        assert!(Arc::ptr_eq(&first, &cache.get(&tools, 1_000)));
    }

    /// Keeps the tools of each turn; calls a tool in two turns, and answers in the third.
    #[derive(Debug, Clone, Default)]
    struct RecordingModel {
        turns: Arc<Mutex<Vec<Vec<Arc<ToolSpec>>>>>,
    }

    #[async_trait]
    impl ChatModel for RecordingModel {
        async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, AgentError> {
            let mut turns = self.turns.lock().unwrap();
            turns.push(request.tools().to_vec());
            if turns.len() % 3 == 0 {
                return Ok(ChatReply::new("m", "done"));
            }
            let call = ModelCall::new("c", "look", "{}");
            let message = AssistantMessage::new("").with_calls([call]);
            Ok(ChatReply::from_message("m", message))
        }
    }

    fn look(description: &str) -> DynamicTool {
        DynamicTool::new("look", Effect::Read)
            .description(description)
            .input_schema(json!({"type": "object"}))
            .sync_handler(|_| Ok::<_, Failure>(1))
    }

    #[tokio::test]
    async fn the_turns_of_a_loop_convert_their_tools_once_until_a_tool_changes() {
        let runtime = Runtime::builder().dynamic(look("Looks.")).build().unwrap();
        let model = RecordingModel::default();
        let agent = ToolLoop::new(runtime.clone(), model.clone());
        let cx = ToolContext::local();
        agent.run("Look twice.", &cx).await.unwrap();
        runtime.tools().replace(look("Looks again.")).unwrap();
        agent.run("Look twice.", &cx).await.unwrap();
        let cache = ToolSetCache::default();
        let turns = model.turns.lock().unwrap();
        let sets: Vec<_> = turns.iter().map(|specs| cache.get(specs, 1_000)).collect();
        assert_eq!(sets.len(), 6);
        assert!(sets[..3].iter().all(|set| Arc::ptr_eq(set, &sets[0])));
        assert!(sets[3..].iter().all(|set| Arc::ptr_eq(set, &sets[3])));
        assert!(!Arc::ptr_eq(&sets[0], &sets[3]));
    }

    #[test]
    fn the_sets_that_were_not_used_for_the_longest_time_are_dropped() {
        let cache = ToolSetCache::default();
        let (tools, others) = (specs(1), specs(MAX_SETS));
        let first = cache.get(&tools, 1_000);
        for other in &others[1..] {
            cache.get(std::slice::from_ref(other), 1_000);
            assert!(Arc::ptr_eq(&first, &cache.get(&tools, 1_000)));
        }
        let count = || cache.sets.lock().unwrap().len();
        assert_eq!(count(), MAX_SETS);
        cache.get(&[], 1_000);
        assert_eq!(count(), MAX_SETS);
        assert!(Arc::ptr_eq(&first, &cache.get(&tools, 1_000)));
    }
}
