//! The chain that shows if records were altered, removed or reordered: types and arithmetic, no
//! I/O.

mod auditor;
mod checkpoint;
mod control_record;
mod entry;
mod fault;
mod frontier;
mod head;
mod keys;
mod mismatch;
mod missing_bodies;
mod verifier;

#[cfg(test)]
mod tests;

pub use self::auditor::{AuditedChain, Auditor, TreeHead};
pub use self::checkpoint::Checkpoint;
pub use self::entry::ChainEntry;
pub use self::fault::{ChainFault, ChainFaultKind};
pub use self::frontier::MerkleFrontier;
pub use self::head::{ChainHead, InvalidChainHead};
pub use self::keys::ChainKeys;
pub use self::verifier::{VerifiedChain, Verifier};
