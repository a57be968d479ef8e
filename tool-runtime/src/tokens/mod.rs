//! Counts the tokens that a text costs a model.
//!
//! [`TokenEstimate`] needs no vocabulary; `ExactTokens` (feature `exact-tokens`) counts by the
//! encodings of `OpenAI`'s models. A [`TokenCounter`] of your own may ask a provider's library.

mod counter;
mod estimate;

pub use self::counter::{Encoding, TokenCounter, TokenMethod};
pub use self::estimate::TokenEstimate;
