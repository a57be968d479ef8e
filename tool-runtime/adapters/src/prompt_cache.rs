//! Marks the parts of a request that a provider caches, so that a longer conversation still hits.

use serde_json::Value;

use super::Adapter;

/// The time for which a provider keeps a cached prefix; each use renews it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CacheLifetime {
    /// Five minutes, the providers' default.
    #[default]
    FiveMinutes,
    /// One hour, at a higher price for writing.
    OneHour,
}

/// The most messages with a mark.
///
/// Anthropic and Bedrock accept four marks in a request: one after the tools, one that the host may
/// set after its system prompt, and these.
const MARKED_MESSAGES: usize = 2;

/// Marks messages for prompt caches.
impl Adapter {
    /// Marks the messages of a request, so that the provider caches the conversation up to its end,
    /// and finds what it cached for the request before.
    ///
    /// Call it with all messages of each request. It takes out earlier marks, and marks the end of
    /// this request and of the one before it: the last messages of the user's last two turns, answers
    /// of tools included. Providers look for a cached prefix at each mark and at most 20 blocks before
    /// it. The second mark is exactly where the last request had its first, so that the prefix is
    /// found however many calls were answered in between. The messages must begin as they did in the
    /// last request, byte for byte.
    ///
    /// It changes nothing if the adapter was built without
    /// [`prompt_cache`](super::AdapterBuilder::prompt_cache), or if the dialect has no marks: OpenAI
    /// and Gemini cache prefixes by themselves, and Ollama has no prices.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::adapters::{Adapter, CacheLifetime, Dialect};
    ///
    /// let adapter = Adapter::builder(Dialect::Anthropic)
    ///     .prompt_cache(CacheLifetime::FiveMinutes)
    ///     .build(&[]);
    /// let mut messages = vec![json!({"role": "user", "content": "Good morning!"})];
    /// adapter.mark_messages(&mut messages);
    /// let marked = json!([
    ///     {"type": "text", "text": "Good morning!", "cache_control": {"type": "ephemeral"}},
    /// ]);
    /// assert_eq!(messages[0]["content"], marked);
    /// ```
    pub fn mark_messages(&self, messages: &mut [Value]) {
        let Some(lifetime) = self.cache else { return };
        let format = self.dialect.format();
        for message in &mut *messages {
            format.unmark_message(message);
        }
        let mut ends = ends_of_user_turns(messages);
        ends.reverse();
        let mut marks = 0;
        for at in ends {
            if marks < MARKED_MESSAGES && format.mark_message(&mut messages[at], lifetime) {
                marks += 1;
            }
        }
    }
}

/// The last message of each sequence of messages of the user.
fn ends_of_user_turns(messages: &[Value]) -> Vec<usize> {
    let is_users = |at: usize| messages.get(at).is_some_and(|message| message["role"] == "user");
    (0..messages.len()).filter(|at| is_users(*at) && !is_users(at + 1)).collect()
}
