use tool_runtime::prelude::*;

/// A unit.
#[ai_type]
#[derive(Debug)]
enum Unit {
    /// Degrees.
    #[serde(alias = "c")]
    Celsius,
    /// Something else.
    #[serde(other)]
    Other,
}

fn main() {}
