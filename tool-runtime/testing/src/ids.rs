//! Reproducible ids, and a context to call tools in.

use std::iter;

use tool_contracts::{ToolContext, ToolContextBuilder};
use tool_runtime_schema::instances::SeededRng;
use uuid::{Builder, Uuid};

/// Makes a sequence of ids that is the same for the same seed.
///
/// ```
/// use tool_runtime::testing::{context, ids};
///
/// let mut ids = ids(7);
/// let cx = context().build()?.with_invocation_id(ids.next_id());
/// assert_eq!(cx.invocation_id(), tool_runtime::testing::ids(7).next_id());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn ids(seed: u64) -> Ids {
    Ids::seeded(seed)
}

/// An endless sequence of ids, UUIDs of version 4; made by [`ids`].
#[derive(Debug, Clone)]
pub struct Ids(SeededRng);

impl Ids {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(SeededRng::seeded(seed))
    }

    /// Returns the next id.
    pub fn next_id(&mut self) -> Uuid {
        let (high, low) = (self.0.next_u64(), self.0.next_u64());
        let bytes: Vec<u8> = iter::once(high).chain([low]).flat_map(u64::to_be_bytes).collect();
        let bytes = bytes.try_into().unwrap_or_default();
        Builder::from_random_bytes(bytes).into_uuid()
    }
}

impl Iterator for Ids {
    type Item = Uuid;

    fn next(&mut self) -> Option<Uuid> {
        Some(self.next_id())
    }
}

/// Starts a context in which every tool can be called, with the same values every time.
///
/// It has the user `user-1`, the run `run-1` and the nil UUID as tenant, which suffices for keys
/// and tickets. Set the values that the tool reads, and build it.
///
/// ```
/// use tool_runtime::testing::context;
///
/// let cx = context().user_id("ada").locale("en-GB").build()?;
/// assert_eq!((cx.user_id(), cx.run_id()), (Some("ada"), Some("run-1")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn context() -> ToolContextBuilder {
    ToolContext::builder(Uuid::nil(), "trace-1")
        .run_id("run-1")
        .user_id("user-1")
        .invocation_id(Uuid::from_u128(1))
}
