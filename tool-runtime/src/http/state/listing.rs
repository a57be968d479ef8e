//! The listings of the tools, serialized once.

use tool_contracts::ToolSpec;
use tool_contracts::server::ToolListing;

use crate::Runtime;

/// The listing of each tool as JSON, serialized once.
#[derive(Debug)]
pub(in crate::http) struct Listing(Vec<Box<str>>);

impl Listing {
    /// Serializes the tools of a runtime, in registration order.
    pub(in crate::http) fn of(runtime: &Runtime) -> Self {
        let written = |spec: &ToolSpec| {
            let listing = serde_json::to_string(&ToolListing::from(spec));
            listing.expect("a tool's spec is written as JSON").into_boxed_str()
        };
        Self(runtime.specs().map(written).collect())
    }

    /// Returns the listings, in registration order.
    pub(in crate::http) fn texts(&self) -> &[Box<str>] {
        &self.0
    }
}
