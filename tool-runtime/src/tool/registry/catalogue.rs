//! The registered tools, by name and in sorted order.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use tool_contracts::{Permission, ToolSpec};

use super::Registered;

/// The tools of a runtime.
pub(crate) struct ToolCatalogue {
    sorted: Vec<Arc<Registered>>,
    by_name: HashMap<Box<str>, Arc<Registered>, BuildHasherDefault<NameHasher>>,
    has_secrets: bool,
}

impl ToolCatalogue {
    /// Creates a catalogue of tools that are sorted by unique names.
    pub(crate) fn new(sorted: Vec<Registered>) -> Self {
        let sorted: Vec<_> = sorted.into_iter().map(Arc::new).collect();
        let by_name = sorted.iter().map(|tool| (tool.spec.name().into(), tool.clone())).collect();
        let has_secrets = sorted.iter().any(|tool| tool.has_secrets);
        Self { sorted, by_name, has_secrets }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Registered>> {
        self.by_name.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.sorted.iter().map(|tool| &**tool)
    }

    /// Lists the tools in the order of their names, but for the denied ones.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &ToolSpec> {
        self.iter().map(|tool| &tool.spec).filter(|spec| is_listed(spec))
    }

    /// Lists the tools that models may call, in the order of their names.
    pub(crate) fn listed_for_model(&self) -> impl Iterator<Item = &ToolSpec> {
        self.listed().filter(|spec| spec.ai_callable())
    }

    /// Returns whether any tool takes a secret argument.
    pub(crate) fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }
}

/// Hashes tools' names in a few instructions, without a secret seed.
///
/// The host chooses the names in the table, and the table never changes. A caller that sends other
/// names can only look them up, which no choice of names makes slower than the table's own names do.
#[derive(Default)]
struct NameHasher(u64);

impl NameHasher {
    fn add(&mut self, word: u64) {
        // An odd number with bits all over the word: 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last_chunk() else {
            return self.add(bytes.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)));
        };
        let mut rest = bytes;
        while let Some((word, after)) = rest.split_first_chunk() {
            self.add(u64::from_le_bytes(*word));
            rest = after;
        }
        self.add(u64::from_le_bytes(*last));
    }

    /// Leaves out the byte by which the standard library ends a text: a table's key is one text.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        // The table reads the lowest and the highest bits; a product's low bits are the weaker ones.
        self.0 ^ (self.0 >> 32)
    }
}

/// Returns whether lists of tools contain this one: a denied tool is in none.
pub(crate) fn is_listed(spec: &ToolSpec) -> bool {
    spec.permission() != Permission::Deny
}
