//! The settings of compression.

/// Sets when contexts are compressed, and by how much.
///
/// ```
/// use tool_runtime::assess::AssessOptions;
///
/// let options = AssessOptions::default().with_target_ratio(0.5).with_threshold_tokens(4_000);
/// assert_eq!(options.threshold_tokens(), 4_000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssessOptions {
    threshold_tokens: u64,
    target_ratio: f64,
    verbatim_rounds: usize,
    drop_nulls: bool,
    drop_links: bool,
    dollars_per_million: f64,
    prompt_cache: Option<PromptCache>,
}

/// The price of cached tokens, and for how long they are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PromptCache {
    /// The price of a cached token as a share of the price of one that is not.
    pub(super) price_share: f64,
    /// The turns that are still expected, this one included.
    pub(super) turns: u32,
}

impl Default for AssessOptions {
    fn default() -> Self {
        Self {
            threshold_tokens: 10_000,
            target_ratio: 0.35,
            verbatim_rounds: 3,
            drop_nulls: false,
            drop_links: false,
            dollars_per_million: 0.0,
            prompt_cache: None,
        }
    }
}

impl AssessOptions {
    /// Sets how many tokens a context must exceed to be compressed; 10,000 by default.
    ///
    /// A context that exceeds its own `max_tokens` is compressed in any case.
    #[must_use]
    pub fn with_threshold_tokens(self, tokens: u64) -> Self {
        Self { threshold_tokens: tokens, ..self }
    }

    /// Sets the share of the tokens that a compressed context may take; 0.35 by default. It is
    /// limited to 0.05 to 1. What the question refers to may take more, up to half of the tokens.
    #[must_use]
    pub fn with_target_ratio(self, ratio: f64) -> Self {
        let ratio = if ratio.is_nan() { 1.0 } else { ratio.clamp(0.05, 1.0) };
        Self { target_ratio: ratio, ..self }
    }

    /// Sets how many of the newest rounds of messages a compaction keeps word for word; 3 by default.
    /// A round is a message of the user with the answers that follow.
    #[must_use]
    pub fn with_verbatim_rounds(self, rounds: usize) -> Self {
        Self { verbatim_rounds: rounds, ..self }
    }

    /// Sets whether a compression leaves fields that are null or empty out of results in JSON; off by
    /// default. A context that is not compressed keeps them.
    #[must_use]
    pub fn with_nulls_dropped(self, drop_nulls: bool) -> Self {
        Self { drop_nulls, ..self }
    }

    /// Sets whether a compression leaves fields whose value is a link out of results in JSON; off by
    /// default. A context that is not compressed keeps them.
    #[must_use]
    pub fn with_links_dropped(self, drop_links: bool) -> Self {
        Self { drop_links, ..self }
    }

    /// Sets the price of the model's input, in US dollars for a million tokens; 0 by default.
    #[must_use]
    pub fn with_dollars_per_million(self, dollars: f64) -> Self {
        let dollars = if dollars.is_finite() { dollars.max(0.0) } else { 0.0 };
        Self { dollars_per_million: dollars, ..self }
    }

    /// Says that the provider caches prompts: what a cached token costs as a share of the price of
    /// one that is not (0.1 for most), and how many turns are still expected, this one included.
    ///
    /// Earlier messages are then rewritten only if that saves more than the lost cache costs.
    #[must_use]
    pub fn with_prompt_cache(self, price_share: f64, turns: u32) -> Self {
        let price_share = if price_share.is_nan() { 1.0 } else { price_share.clamp(0.0, 1.0) };
        Self { prompt_cache: Some(PromptCache { price_share, turns }), ..self }
    }

    /// Returns how many tokens a context must exceed to be compressed.
    #[must_use]
    pub const fn threshold_tokens(&self) -> u64 {
        self.threshold_tokens
    }

    /// Returns the share of the tokens that a compressed context may take.
    #[must_use]
    pub const fn target_ratio(&self) -> f64 {
        self.target_ratio
    }

    /// Returns how many of the newest rounds of messages a compaction keeps word for word.
    #[must_use]
    pub const fn verbatim_rounds(&self) -> usize {
        self.verbatim_rounds
    }

    pub(super) const fn prompt_cache(&self) -> Option<PromptCache> {
        self.prompt_cache
    }

    /// Returns what a cached token costs as a share of the full price; 1 if nothing is cached.
    pub(crate) const fn cached_price_share(&self) -> f64 {
        match self.prompt_cache {
            Some(cache) => cache.price_share,
            None => 1.0,
        }
    }

    pub(super) const fn drops_nulls(&self) -> bool {
        self.drop_nulls
    }

    pub(super) const fn drops_links(&self) -> bool {
        self.drop_links
    }

    /// Returns the price of the model's input, in US dollars for a million tokens.
    #[must_use]
    pub const fn dollars_per_million(&self) -> f64 {
        self.dollars_per_million
    }
}
