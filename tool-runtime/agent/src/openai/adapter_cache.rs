//! The adapters of a client, kept between requests: the conversion of a set of tools costs more than the
//! rest of a turn.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tool_contracts::ToolSpec;
use tool_runtime_adapters::{Adapter, Dialect};

/// The number of sets of tools whose adapters are kept: those of the loops that share a client.
const MAX_SETS: usize = 8;

/// The adapters of the sets of tools that were used last.
#[derive(Default)]
pub(super) struct AdapterCache {
    /// The newest first.
    entries: Mutex<VecDeque<CachedAdapter>>,
}

#[derive(Clone)]
struct CachedAdapter {
    /// A set is the same if it has the same specs in memory, which the entry keeps alive.
    specs: Vec<Arc<ToolSpec>>,
    adapter: Arc<Adapter>,
}

impl AdapterCache {
    /// Returns the adapter of these tools, and converts them if they are not those of a recent request.
    pub(super) fn get(&self, specs: &[Arc<ToolSpec>], max_response_bytes: usize) -> Arc<Adapter> {
        if let Some(adapter) = self.find(specs) {
            return adapter;
        }
        let builder = Adapter::builder(Dialect::OpenAiChat).max_response_bytes(max_response_bytes);
        let adapter = Arc::new(builder.build(specs.iter().cloned()));
        let entry = CachedAdapter { specs: specs.to_vec(), adapter: Arc::clone(&adapter) };
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push_front(entry);
        entries.truncate(MAX_SETS);
        adapter
    }

    fn find(&self, specs: &[Arc<ToolSpec>]) -> Option<Arc<Adapter>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let position = entries.iter().position(|entry| entry.has(specs))?;
        let entry = entries.remove(position)?;
        let adapter = Arc::clone(&entry.adapter);
        entries.push_front(entry);
        Some(adapter)
    }
}

impl CachedAdapter {
    fn has(&self, specs: &[Arc<ToolSpec>]) -> bool {
        let is_same = |(cached, spec): (&Arc<ToolSpec>, &Arc<ToolSpec>)| Arc::ptr_eq(cached, spec);
        self.specs.len() == specs.len() && self.specs.iter().zip(specs).all(is_same)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_contracts::Effect;

    use super::*;

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
        let cache = AdapterCache::default();
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

    #[test]
    fn the_sets_that_were_not_used_for_the_longest_time_are_dropped() {
        let cache = AdapterCache::default();
        let (tools, others) = (specs(1), specs(MAX_SETS));
        let first = cache.get(&tools, 1_000);
        for other in &others[1..] {
            cache.get(std::slice::from_ref(other), 1_000);
            assert!(Arc::ptr_eq(&first, &cache.get(&tools, 1_000)));
        }
        let count = || cache.entries.lock().unwrap().len();
        assert_eq!(count(), MAX_SETS);
        cache.get(&[], 1_000);
        assert_eq!(count(), MAX_SETS);
        assert!(Arc::ptr_eq(&first, &cache.get(&tools, 1_000)));
    }
}
