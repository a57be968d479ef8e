//! Counts the tokens that a text takes in a model's context.
//!
//! [`TokenEstimate`] needs no vocabulary; `ExactTokens` (feature `exact-tokens`) counts by the
//! encodings of OpenAI's models. A [`TokenCounter`] of your own may count for other models.

mod counter;
mod encoding;
mod estimate;
#[cfg(feature = "exact-tokens")]
mod exact;

pub use self::counter::{TokenCounter, counter_for_model};
pub use self::encoding::{Encoding, TokenMethod};
pub use self::estimate::TokenEstimate;
#[cfg(feature = "exact-tokens")]
pub use self::exact::ExactTokens;
