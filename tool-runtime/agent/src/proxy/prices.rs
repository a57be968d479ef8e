//! The prices of models.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::settings::read_as;
use crate::model::TokenUsage;

/// The price of a model's tokens, in US dollars for a million.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct ModelPrice {
    input: Dollars,
    output: Dollars,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cached_input: Option<Dollars>,
}

/// An amount that is finite and not negative.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
struct Dollars(#[schemars(range(min = 0))] f64);

impl ModelPrice {
    /// Creates a price; a number that is negative or not finite counts as 0.
    #[must_use]
    pub fn new(input: f64, output: f64) -> Self {
        Self { input: Dollars::new(input), output: Dollars::new(output), cached_input: None }
    }

    /// Sets the price of a million tokens that the provider reads from its cache of prompts. Contexts
    /// of sessions then keep their earlier messages as they are, unless rewriting them costs less.
    #[must_use]
    pub fn with_cached_input(self, cached_input: f64) -> Self {
        Self { cached_input: Some(Dollars::new(cached_input)), ..self }
    }

    /// Returns the price of a million tokens that the provider reads from its cache, if it has one.
    #[must_use]
    pub const fn cached_input(&self) -> Option<f64> {
        match self.cached_input {
            Some(Dollars(cached)) => Some(cached),
            None => None,
        }
    }

    /// Returns what a cached token costs as a share of the price of one that is not.
    pub(super) fn cached_input_share(&self) -> Option<f64> {
        let cached = self.cached_input().filter(|_| self.input() > 0.0)?;
        Some((cached / self.input()).min(1.0))
    }

    /// Returns the price of a million tokens that the model reads.
    #[must_use]
    pub const fn input(&self) -> f64 {
        self.input.0
    }

    /// Returns the price of a million tokens that the model writes.
    #[must_use]
    pub const fn output(&self) -> f64 {
        self.output.0
    }

    /// Returns the cost of the tokens that a provider reports, in US dollars: those that it read from its
    /// cache at their own price, if that is known.
    #[must_use]
    pub fn cost_of_usage(&self, usage: TokenUsage) -> f64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let discounted = Self { input: self.cached_input.unwrap_or(self.input), ..*self };
        self.cost(usage.input_tokens - cached, usage.output_tokens) + discounted.cost(cached, 0)
    }

    /// Returns the cost of so many tokens, in US dollars.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a count of tokens is far below 2^52")]
    pub fn cost(&self, input_tokens: u64, output_tokens: u64) -> f64 {
        (input_tokens as f64 * self.input() + output_tokens as f64 * self.output()) / 1e6
    }
}

impl Dollars {
    /// Returns an amount; a number that is negative or not finite counts as 0.
    fn new(amount: f64) -> Self {
        Self(if amount.is_finite() { amount.max(0.0) } else { 0.0 })
    }
}

impl<'de> Deserialize<'de> for Dollars {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let amount = |amount: f64| Some(amount).filter(|amount| *amount >= 0.0).map(Self::new);
        read_as(from, "a number from 0", amount)
    }
}

/// The prices of models by their names. It is empty by default, because prices change.
///
/// ```
/// use tool_runtime::agent::{ModelPrice, PriceTable};
///
/// let prices = PriceTable::default().with("openai/gpt-4o-mini", ModelPrice::new(0.15, 0.60));
/// assert_eq!(prices.price_for("openai/gpt-4o-mini-2024-07-18").map(|price| price.input()), Some(0.15));
/// assert_eq!(prices.price_for("openai/gpt-4o"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PriceTable(BTreeMap<String, ModelPrice>);

impl PriceTable {
    /// Sets the price of a model and of its versions, whose names begin with it.
    #[must_use]
    pub fn with(mut self, model: impl Into<String>, price: ModelPrice) -> Self {
        self.0.insert(model.into(), price);
        self
    }

    /// Returns the price of a model: by its own name, or else by the longest name of which it is a
    /// version. The provider before a name may be missing in either.
    ///
    /// A version has a date, a number, `latest`, `preview` or `exp` after the name
    /// (`gpt-4o-2024-08-06`), or any text after a colon or an at sign; `gpt-4o-mini` is another model
    /// than `gpt-4o`.
    #[must_use]
    pub fn price_for(&self, model: &str) -> Option<ModelPrice> {
        let bare = |name: &str| name.split_once('/').map_or(name, |(_, bare)| bare).to_owned();
        if let Some(price) = self.0.get(model) {
            return Some(*price);
        }
        let fits =
            |known: &&String| is_version(known, model) || is_version(&bare(known), &bare(model));
        let best = self
            .0
            .keys()
            .filter(fits)
            .max_by_key(|known| (bare(known).len(), is_version(known, model)))?;
        self.0.get(best).copied()
    }

    /// Returns the models that have a price.
    pub(super) fn models(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// The words of versions that have no number.
const VERSIONS: [&str; 3] = ["exp", "latest", "preview"];

/// Returns whether a name is this model's, or that of a version of it.
fn is_version(known: &str, name: &str) -> bool {
    let Some(rest) = name.strip_prefix(known) else { return false };
    match rest.strip_prefix('-') {
        Some(version) => {
            version.starts_with(|it: char| it.is_ascii_digit())
                || VERSIONS.contains(&version.split('-').next().unwrap_or_default())
        }
        None => rest.is_empty() || rest.starts_with([':', '@']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_the_price_of_its_model_and_another_model_has_none() {
        let price = |dollars: f64| ModelPrice::new(dollars, dollars);
        let prices = PriceTable::default()
            .with("azure_ai/gpt-4o", price(9.0))
            .with("openai/gpt-4o", price(2.0))
            .with("gemini-2.0-flash", price(1.0));
        let of = |model: &str| prices.price_for(model).map(|price| price.input());
        assert_eq!(of("openai/gpt-4o"), Some(2.0), "the exact name comes first");
        assert_eq!(of("openai/gpt-4o-2024-08-06"), Some(2.0));
        assert_eq!(of("openai/gpt-4o:free"), Some(2.0));
        assert_eq!(of("openai/gpt-4o-mini"), None);
        assert_eq!(of("gemini/gemini-2.0-flash-001"), Some(1.0));
        assert_eq!(of("gemini/gemini-2.0-flash-lite"), None);
    }
}
