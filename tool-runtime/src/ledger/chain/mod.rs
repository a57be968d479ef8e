//! The chain that shows what was altered, removed or reordered: types and arithmetic, no I/O.

mod auditor;
mod checkpoint;
mod entry;
mod fault;
mod forgotten;
mod frontier;
mod head;
mod keys;
mod note;
mod suspicion;
mod verifier;

#[cfg(test)]
mod tests;

pub use self::auditor::{Audited, Auditor, TreeHead};
pub use self::checkpoint::Checkpoint;
pub use self::entry::Entry;
pub use self::fault::{Fault, FaultKind};
pub use self::frontier::Frontier;
pub use self::head::{Head, InvalidHead};
pub use self::keys::ChainKeys;
pub use self::verifier::{Verified, Verifier};
