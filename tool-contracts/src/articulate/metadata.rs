//! Further figures of serialized data.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads},
};

/// How serialized data compares with compact JSON, and how its tokens were counted.
///
/// ```
/// use tool_contracts::articulate::SerializationMetadata;
///
/// let metadata = SerializationMetadata::new("o200k_base", 120)?.with_fallback("a key is not text");
/// assert_eq!((metadata.token_method(), metadata.compact_json_tokens()), ("o200k_base", 120));
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("serialization_metadata"))]
pub struct SerializationMetadata {
    /// The encoding by which the tokens were counted, or `estimate`.
    #[schemars(length(min = 1))]
    token_method: String,
    /// The tokens of the same data as compact JSON.
    compact_json_tokens: u64,
    /// The share of the compact JSON that is in tables: 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    table_share: Option<f64>,
    /// The reason for which compact JSON was written in place of the chosen format.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    fallback: Option<String>,
}

impl SerializationMetadata {
    /// Creates metadata with the name of the encoding, or `estimate`, and the tokens of the same
    /// data as compact JSON.
    ///
    /// # Errors
    /// Returns an error if the name is empty.
    pub fn new(
        token_method: impl Into<String>,
        compact_json_tokens: u64,
    ) -> Result<Self, ContractError> {
        let token_method = token_method.into();
        let metadata =
            Self { token_method, compact_json_tokens, table_share: None, fallback: None };
        metadata.checked()
    }

    /// Sets the share of the compact JSON that is in tables; it is limited to 0 to 1.
    #[must_use]
    pub fn with_table_share(self, share: f64) -> Self {
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        Self { table_share: Some(share), ..self }
    }

    /// Sets the reason for which compact JSON was written in place of the chosen format.
    #[must_use]
    pub fn with_fallback(self, reason: impl Into<String>) -> Self {
        Self { fallback: Some(reason.into()).filter(|reason| !reason.is_empty()), ..self }
    }

    /// Returns the encoding by which the tokens were counted, or `estimate`.
    #[must_use]
    pub fn token_method(&self) -> &str {
        &self.token_method
    }

    /// Returns the tokens of the same data as compact JSON.
    #[must_use]
    pub const fn compact_json_tokens(&self) -> u64 {
        self.compact_json_tokens
    }

    /// Returns the share of the compact JSON that is in tables: 0 to 1.
    #[must_use]
    pub const fn table_share(&self) -> Option<f64> {
        self.table_share
    }

    /// Returns the reason for which compact JSON was written in place of the chosen format.
    #[must_use]
    pub fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("SerializationMetadata");
        problems.filled("token_method", Some(&self.token_method));
        problems.finish().map(|()| self)
    }
}

reads! {
    SerializationMetadata, "the metadata of serialized data";
    required token_method = "token_method", leaf wire::FilledText;
    required compact_json_tokens = "compact_json_tokens", leaf wire::Whole<u64>;
    optional table_share = "table_share", leaf wire::Share;
    optional fallback = "fallback", leaf wire::FilledText;
    => Ok(SerializationMetadata { token_method, compact_json_tokens, table_share, fallback })
}
