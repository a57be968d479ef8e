//! The listings of the tools, serialized once for each version of the catalogue.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use tool_contracts::ToolSpec;
use tool_contracts::server::ToolListing;

use crate::ToolList;

/// A cache of the listings of the current tools.
pub(in crate::http) struct Listing(ArcSwap<ListedTools>);

/// The tools of one version of the catalogue.
pub(in crate::http) struct ListedTools {
    version: u64,
    /// In the order of their names, each with its listing as JSON.
    pub(in crate::http) tools: Vec<(Arc<ToolSpec>, Box<str>)>,
}

impl Listing {
    /// Serializes the tools of a runtime.
    pub(in crate::http) fn of(tools: &ToolList) -> Self {
        Self(ArcSwap::from_pointee(ListedTools::of(tools)))
    }

    /// Returns the listings of these tools, and keeps them if they are newer.
    pub(in crate::http) fn get(&self, tools: &ToolList) -> Arc<ListedTools> {
        let kept = self.0.load_full();
        if kept.version == tools.version() {
            return kept;
        }
        let written = Arc::new(ListedTools::of(tools));
        self.0.rcu(|kept| if kept.version < written.version { &written } else { kept }.clone());
        written
    }
}

impl ListedTools {
    fn of(tools: &ToolList) -> Self {
        let written = |spec: &Arc<ToolSpec>| {
            let listing = serde_json::to_string(&ToolListing::from(&**spec));
            let text = listing.expect("a tool's spec is written as JSON").into_boxed_str();
            (spec.clone(), text)
        };
        Self { version: tools.version(), tools: tools.specs().map(written).collect() }
    }
}

impl fmt::Debug for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listing").field("version", &self.0.load().version).finish()
    }
}
