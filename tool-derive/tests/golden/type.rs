/// A filter.
#[ai_type]
#[derive(Debug)]
#[serde(rename_all = "camelCase")]
pub struct Filter<T> {
    /// Least score.
    #[arg(range(0..=100), default = 50)]
    score: u8,
    /// Words.
    #[arg(default, length(..3))]
    words: Vec<T>,
    /// A name.
    #[arg(rename = "called", pattern = "^[a-z]+$", length(1..=5), example = "ada", pii)]
    name: Option<String>,
    /// The rest.
    #[serde(skip)]
    rest: Vec<u8>,
}

/// A shape.
#[ai_type(serialize_only, open, crate = renamed)]
enum Shape {
    /// None.
    Empty,
    /// Round.
    Circle {
        /// Its radius.
        #[arg(range(0.0..10.0))]
        radius: f64,
    },
}
