//! Writes structured data as text for a model, in the format that takes the fewest tokens.

mod articulator;
mod json_sink;
mod json_source;
mod json_text;
mod rendering;
mod schema_tables;
mod shape;
mod toon;

#[cfg(test)]
mod tests;

pub use self::articulator::Articulator;
