//! The settings that the host gives to all tools of a runtime.

use std::collections::BTreeMap;
use std::time::Duration;

use tool_contracts::{Effect, Permission};
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::Coerce;

/// The runtime's settings for tools.
#[derive(Debug, Clone)]
pub struct ToolSettings {
    pub(crate) timeout: Duration,
    pub(crate) coerce_reads: Coerce,
    pub(crate) coerce_writes: Coerce,
    /// By tool or toolkit.
    pub(crate) permissions: BTreeMap<String, Permission>,
    pub(crate) limits: Limits,
    /// The most bytes of the definitions of all tools together, as JSON.
    pub(crate) listing_bytes: usize,
}

/// The default of [`ToolSettings::listing_bytes`]: 4 MiB, about a million tokens, which is more than
/// a model reads in one request.
const DEFAULT_LISTING_BYTES: usize = 4 * 1024 * 1024;

impl Default for ToolSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            coerce_reads: Coerce::Lossless,
            coerce_writes: Coerce::Off,
            permissions: BTreeMap::new(),
            limits: Limits::default(),
            listing_bytes: DEFAULT_LISTING_BYTES,
        }
    }
}

impl ToolSettings {
    /// The tool's own permission, else its toolkit's, else the default of its effect.
    pub(super) fn permission(
        &self,
        name: &str,
        toolkit: Option<&str>,
        effect: Effect,
    ) -> Permission {
        let set = narrowest_first(name, toolkit).find_map(|name| self.permissions.get(name));
        set.copied().unwrap_or_else(|| effect.default_permission())
    }

    pub(super) fn coerce(&self, effect: Effect) -> Coerce {
        if effect == Effect::Read { self.coerce_reads } else { self.coerce_writes }
    }
}

/// Lists the names under which a host may configure a tool: its own, the part before its last dot,
/// its toolkit's.
pub fn narrowest_first<'n>(
    name: &'n str,
    toolkit: Option<&'n str>,
) -> impl Iterator<Item = &'n str> {
    let prefix = name.rsplit_once('.').map(|(prefix, _)| prefix);
    // The toolkit is not always the prefix: a tool's own name may have dots, and its toolkit's
    // permission applies all the same.
    let toolkit = toolkit.filter(|toolkit| Some(*toolkit) != prefix);
    [Some(name), prefix, toolkit].into_iter().flatten()
}
