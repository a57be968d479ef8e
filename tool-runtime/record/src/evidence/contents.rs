//! The contents of a call that are sealed: its exact arguments and its full output.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::Snapshot;

/// The contents of a call that a snapshot may keep sealed.
///
/// `Debug` shows lengths only. The texts are overwritten in memory when they are dropped.
///
/// # Examples
/// ```
/// use tool_runtime::evidence::Contents;
///
/// let contents = Contents::new().with_arguments(r#"{"card":"4111"}"#).with_output("17");
/// assert_eq!(contents.output(), Some("17"));
/// assert!(!format!("{contents:?}").contains("4111"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Contents {
    arguments: Option<Zeroizing<String>>,
    output: Option<Zeroizing<String>>,
}

/// A part of a call's contents.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentsPart {
    /// The exact arguments.
    Arguments,
    /// The full output.
    Output,
}

/// A snapshot, with its sealed contents opened where the authorizer allows it.
///
/// `Debug` shows nothing that was sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenedSnapshot {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The contents; empty if nothing was sealed, or if it is withheld.
    pub contents: Contents,
    /// True if something is sealed and the authorizer withholds it
    /// ([`AllowRedacted`](super::EvidenceVerdict::AllowRedacted)).
    pub redacted: bool,
}

impl Contents {
    /// Makes empty contents.
    #[must_use]
    pub const fn new() -> Self {
        Self { arguments: None, output: None }
    }

    /// Sets the exact arguments, as the text that was sent.
    #[must_use]
    pub fn with_arguments(mut self, json: impl Into<String>) -> Self {
        self.arguments = Some(Zeroizing::new(json.into()));
        self
    }

    /// Sets the full output, as its JSON text.
    #[must_use]
    pub fn with_output(mut self, json: impl Into<String>) -> Self {
        self.output = Some(Zeroizing::new(json.into()));
        self
    }

    /// Returns the exact arguments.
    #[must_use]
    pub fn arguments(&self) -> Option<&str> {
        self.part(ContentsPart::Arguments)
    }

    /// Returns the full output.
    #[must_use]
    pub fn output(&self) -> Option<&str> {
        self.part(ContentsPart::Output)
    }

    /// Returns whether there is nothing to seal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts().is_empty()
    }

    /// Returns one part.
    #[must_use]
    pub fn part(&self, part: ContentsPart) -> Option<&str> {
        let text = match part {
            ContentsPart::Arguments => &self.arguments,
            ContentsPart::Output => &self.output,
        };
        text.as_ref().map(|text| text.as_str())
    }

    /// Returns the parts that are set.
    pub(super) fn parts(&self) -> Vec<ContentsPart> {
        let all_parts = [ContentsPart::Arguments, ContentsPart::Output];
        all_parts.into_iter().filter(|part| self.part(*part).is_some()).collect()
    }
}

impl ContentsPart {
    /// Returns the part's name, which is in the associated data of its encryption.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arguments => "arguments",
            Self::Output => "output",
        }
    }
}

impl fmt::Debug for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents")
            .field("arguments_bytes", &self.arguments().map(str::len))
            .field("output_bytes", &self.output().map(str::len))
            .finish()
    }
}
