//! Writes structured data as text for a model, in the format that takes the fewest tokens.
//!
//! [`Articulator`] implements [`OutputSerializer`](tool_contracts::articulate::OutputSerializer).
//! Without the feature `toon` every text is compact JSON.

mod articulator;
mod json_text;
mod rendering;
mod schema_tables;
mod shape;

#[cfg(feature = "toon")]
mod header_width;
#[cfg(feature = "toon")]
mod json_sink;
#[cfg(feature = "toon")]
mod json_source;
#[cfg(not(feature = "toon"))]
mod no_toon;
#[cfg(feature = "toon")]
mod toon;

#[cfg(all(test, feature = "toon"))]
mod tests;

pub use self::articulator::Articulator;
pub use self::json_text::{COMPACT, json_text_without};
#[cfg(not(feature = "toon"))]
use self::no_toon as toon;
#[cfg(feature = "toon")]
pub use self::toon::{from_toon, to_toon};
