//! Tests of whole expansions: their text, and the spans that editors follow.

mod editor_spans;
mod golden;
