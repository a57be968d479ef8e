//! The listings of the tools, serialized once for each version of the catalogue.

use std::sync::Arc;

use tool_contracts::ToolSpec;
use tool_contracts::server::ToolListing;
use tool_runtime_core::ToolList;

use super::per_version::{PerVersion, Versioned};

/// A cache of the listings of the current tools.
#[derive(Debug)]
pub(crate) struct ToolListCache(PerVersion<SerializedTools>);

/// The tools of one version of the catalogue, in the order of their names, each with its listing as JSON.
pub(crate) struct SerializedTools {
    pub(crate) tools: Vec<(Arc<ToolSpec>, Box<str>)>,
}

impl ToolListCache {
    /// Serializes the tools of a runtime.
    pub(crate) fn new(tools: &ToolList) -> Self {
        Self(PerVersion::new(tools, SerializedTools::new))
    }

    /// Returns the listings of these tools, and keeps them if they are newer.
    pub(crate) fn get(&self, tools: &ToolList) -> Arc<Versioned<SerializedTools>> {
        self.0.get(tools, SerializedTools::new)
    }
}

impl SerializedTools {
    fn new(tools: &ToolList) -> Self {
        let listing_of_tool = |spec: &Arc<ToolSpec>| {
            let listing = serde_json::to_string(&ToolListing::from(&**spec));
            let text = listing.expect("a tool's spec is written as JSON").into_boxed_str();
            (spec.clone(), text)
        };
        Self { tools: tools.specs().map(listing_of_tool).collect() }
    }
}
