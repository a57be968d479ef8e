//! Caches the answers of models.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tool_contracts::ToolContext;
use tool_runtime_core::store::principal::principal_of;
use tool_runtime_schema::canonical::Digest;

use crate::model::{ChatReply, ChatRequest};

/// The bytes of all cached answers together.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// The size of an entry without its texts, in bytes.
const ENTRY_OVERHEAD_BYTES: u64 = 512;

/// Answers by a hash of the whole request to the model, and of the tenant and the principal.
pub(super) struct AnswerCache {
    answers: Cache<Digest, Arc<CachedReply>, AnswerWeigher>,
    ttl: Duration,
}

struct CachedReply {
    reply: ChatReply,
    expires_at: Instant,
}

#[derive(Clone)]
struct AnswerWeigher;

impl Weighter<Digest, Arc<CachedReply>> for AnswerWeigher {
    fn weight(&self, _: &Digest, cached: &Arc<CachedReply>) -> u64 {
        let bytes = cached.reply.text().len() + cached.reply.model().len();
        ENTRY_OVERHEAD_BYTES + u64::try_from(bytes).unwrap_or(u64::MAX / 2)
    }
}

impl AnswerCache {
    pub(super) fn new(ttl: Duration) -> Self {
        Self { answers: Cache::with_weighter(1_024, MAX_BYTES, AnswerWeigher), ttl }
    }

    pub(super) fn get(&self, key: &Digest, now: Instant) -> Option<ChatReply> {
        let cached = self.answers.get(key)?;
        if cached.expires_at <= now {
            self.answers.remove(key);
            return None;
        }
        Some(cached.reply.clone().with_latency(Duration::ZERO))
    }

    /// Keeps an answer without the provider's own messages, which may be long and are not read again.
    pub(super) fn put(&self, key: Digest, reply: ChatReply, now: Instant) {
        let Some(expires_at) = now.checked_add(self.ttl) else { return };
        let reply = reply.without_provider_messages();
        self.answers.insert(key, Arc::new(CachedReply { reply, expires_at }));
    }
}

/// Returns the key of a request: its principal and its tenant, its model, messages and limits. None in a
/// context without a user and an actor, whose answers are not kept.
pub(super) fn request_key(cx: &ToolContext, request: &ChatRequest) -> Option<Digest> {
    let principal = principal_of(cx)?;
    let mut bytes = Vec::new();
    let mut push = |part: &str| {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    };
    push(&cx.tenant_id().to_string());
    push(&principal);
    push(request.model().unwrap_or_default());
    push(&request.schema().map(ToString::to_string).unwrap_or_default());
    push(&request.max_output_tokens().unwrap_or_default().to_string());
    for message in request.messages() {
        push(message.text());
    }
    Some(Digest::compute("tool-runtime/agent-answer/v1", &bytes))
}

impl fmt::Debug for AnswerCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerCache").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::AssistantMessage;

    #[test]
    fn an_answer_is_kept_without_what_only_its_provider_reads() {
        let cache = AnswerCache::new(Duration::from_secs(60));
        let reasoning = json!({"role": "assistant", "reasoning_content": "so ".repeat(1_000_000)});
        let message = AssistantMessage::new("42").with_provider_messages([reasoning]);
        let (key, now) = (Digest::compute("test", b"1"), Instant::now());
        cache.put(key, ChatReply::from_message("m", message), now);
        let reply = cache.get(&key, now).expect("it is in the cache");
        assert_eq!((reply.text(), reply.model()), ("42", "m"));
        assert!(reply.message().provider_messages().is_empty());
        let name = "m".repeat(1_000_000);
        cache.put(Digest::compute("test", b"2"), ChatReply::new(name, "42"), now);
        assert!(cache.answers.weight() > 1_000_000, "{} bytes", cache.answers.weight());
    }
}
