//! The savings of a compression, with and without the provider's prompt cache.

use tool_contracts::assess::ContextData;
use tool_runtime_core::tokens::TokenCounter;

use super::compression::Compressed;
use super::options::AssessOptions;

/// The savings of a compression, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Savings {
    /// Includes the cost of the compression and of the lost cache.
    pub(super) net: f64,
    /// As if no token were cached.
    pub(super) without_cache: f64,
    /// The saved tokens at the price of one that is not cached, over the remaining turns.
    pub(super) net_tokens: f64,
}

/// Computes the savings of a text that takes so many tokens in place of the original ones.
pub(super) fn savings(
    context: &ContextData,
    (original, tokens): (u64, u64),
    compressed: &Compressed,
    options: &AssessOptions,
    counter: &dyn TokenCounter,
) -> Savings {
    let price = options.dollars_per_million() / 1e6;
    let saved = to_f64(original) - to_f64(tokens);
    let net_tokens = match options.prompt_cache() {
        None => saved,
        Some(cache) => {
            let messages = context.message_history().iter();
            let before: u64 = messages.map(|message| counter.count(message.content()) + 3).sum();
            let after = if compressed.keeps_messages {
                before
            } else {
                before.saturating_sub(original.saturating_sub(tokens))
            };
            let results = saved - (to_f64(before) - to_f64(after));
            // Unchanged messages are read from the cache; changed ones are paid in full once.
            let is_changed = after != before;
            let turns = f64::from(cache.turns.max(1));
            let unchanged = to_f64(before) * cache.price_share * turns;
            let rewritten = to_f64(after) * (1.0 + cache.price_share * (turns - 1.0));
            results + if is_changed { unchanged - rewritten } else { 0.0 }
        }
    };
    Savings {
        net: net_tokens * price - compressed.cost,
        without_cache: saved * price - compressed.cost,
        net_tokens,
    }
}

/// Converts a count of tokens to a float.
#[allow(clippy::cast_precision_loss, reason = "a count of tokens is far below 2^52")]
pub(crate) fn to_f64(tokens: u64) -> f64 {
    tokens as f64
}

/// Returns the price of so many tokens, in US dollars.
pub(super) fn dollars(tokens: u64, per_million: f64) -> f64 {
    to_f64(tokens) * per_million / 1e6
}
