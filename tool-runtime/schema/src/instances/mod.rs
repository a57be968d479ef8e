//! Values that a JSON Schema admits, and texts that it rejects, made from the schema alone.

mod array;
mod document;
mod error;
mod generator;
mod mutation;
mod number;
mod object;
mod pattern;
mod positions;
mod rng;
mod rules;
mod shrink;
mod text;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use self::document::SchemaDocument;
pub use self::error::InstancesError;
use self::generator::ValueSize;
pub use self::mutation::{InvalidInstance, Mutation};
pub use self::positions::SensitivityKind;
pub use self::rng::SeededRng;
pub use self::shrink::simpler_values;

/// Makes values that a schema admits and texts that it rejects.
///
/// The same seed makes the same value on every machine: a failing test prints the seed, which
/// reproduces the value. The first seeds are edge cases (0: the smallest value, 1: a large one);
/// the others mix bounds, empty, long and Unicode texts, absent optional properties and ordinary
/// values.
///
/// Everything is checked: the [`Validator`](crate::schema::Validator) admits every value that
/// [`valid`](Self::valid) returns. References, recursion, combinators, formats and patterns are
/// followed, and examples and defaults are used sometimes. A schema that admits nothing is an
/// error, never an endless loop.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::testing::Instances;
///
/// let instances = Instances::for_schema(&json!({
///     "type": "object",
///     "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 50}},
///     "required": ["limit"],
///     "additionalProperties": false,
/// }))?;
/// assert_eq!(instances.valid(0), json!({"limit": 1}));
/// for seed in 0..100 {
///     let limit = instances.valid(seed)["limit"].as_u64().expect("an integer");
///     assert!((1..=50).contains(&limit));
///     let invalid = instances.invalid(seed);
///     println!("{} breaks {:?} at {:?}", invalid.text(), invalid.mutation(), invalid.pointer());
/// }
/// # Ok::<(), tool_runtime::testing::InstancesError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Instances {
    document: Arc<SchemaDocument>,
    /// The value of seed 0, and of every seed for which no other value is found.
    least: Value,
}

impl Instances {
    /// Compiles a schema, and searches for a first instance.
    ///
    /// # Errors
    /// The schema cannot be compiled, or no instance was found: it contradicts itself, nests
    /// without end, or describes its values in a way that cannot be inverted.
    pub fn for_schema(schema: &Value) -> Result<Self, InstancesError> {
        let document = SchemaDocument::new(schema)?;
        let least = (0..FIRST_TRIES)
            .map(|seed| document.make(ValueSize::Least, seed))
            .reduce(|first, next| first.or_else(|error| next.map_err(|_| error)))
            .unwrap_or_else(|| Err(InstancesError::new("", "nothing was tried")))?;
        Ok(Self { document: Arc::new(document), least })
    }

    /// Makes a value that the schema admits.
    #[must_use]
    pub fn valid(&self, seed: u64) -> Value {
        let wanted_size = match seed {
            0 => return self.least.clone(),
            1 => ValueSize::Most,
            _ => ValueSize::Any,
        };
        self.document.make(wanted_size, seed).unwrap_or_else(|_| self.least.clone())
    }

    /// Makes a text that the schema rejects: a valid one with one violation.
    ///
    /// The arguments of a call reject it too: `null` never stands for an optional property, since a
    /// call takes it for one that is left out.
    #[must_use]
    pub fn invalid(&self, seed: u64) -> InvalidInstance {
        mutation::invalid(&self.document, &self.valid(seed), &mut SeededRng::seeded(!seed))
    }

    /// Lists simpler values that the schema admits, the simplest first.
    ///
    /// To shrink a value that makes a test fail, take the first of them that makes it fail too,
    /// and repeat until there is none.
    #[must_use]
    pub fn simpler(&self, value: &Value) -> Vec<Value> {
        let mut candidates: Vec<Value> = simpler_values(value).collect();
        if self.least.to_string().len() < value.to_string().len() {
            candidates.insert(0, self.least.clone());
        }
        candidates.retain(|candidate| self.document.admits(candidate));
        candidates
    }

    /// Lists the sensitive leaves of a value, by pointer.
    #[doc(hidden)]
    #[must_use]
    pub fn sensitive(&self, value: &Value) -> Vec<(String, SensitivityKind)> {
        positions::sensitive(&self.document, value)
    }

    /// Changes a value in ways that each violate one rule of the schema: at most so many.
    ///
    /// The value may be one that the schema rejects, or that another schema admits.
    #[doc(hidden)]
    pub fn violations(&self, value: &Value, count: usize, rng: &mut SeededRng) -> Vec<Value> {
        mutation::violations(&self.document, value, count, rng)
    }

    /// Returns whether every text with a known format is a sample of that format: the validator
    /// admits any text, and the type that reads the value does not.
    #[doc(hidden)]
    #[must_use]
    pub fn has_known_formats(&self, value: &Value) -> bool {
        positions::has_known_formats(&self.document, value)
    }

    /// Returns whether the schema marks any value as sensitive.
    #[doc(hidden)]
    #[must_use]
    pub fn marks_sensitivity(&self) -> bool {
        self.document.marks_sensitivity()
    }

    /// Returns whether the schema admits a value without coercion.
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {
        self.document.admits(value)
    }
}

/// The most tries to find a first instance.
const FIRST_TRIES: u64 = 8;
