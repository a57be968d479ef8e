//! What calls prove, and who may look at it.
//!
//! A call that leaves evidence leaves a [`Snapshot`]: which tool ran, in which version and build,
//! by which rules, out of which sources, and the hashes of what went in and came out. It holds a
//! redacted summary of the input and nothing else of the call. The exact arguments and the full
//! output ([`Contents`]) may be kept beside it, sealed.
//!
//! A [`Vault`] seals, opens and destroys; an [`EvidenceStore`] keeps what the vault gives it and
//! can read none of it; an [`AccessLog`] is told of each reading before anybody gets to see what was
//! read.
//!
//! # The keys
//! ```text
//! KeyRing            a secret of the host's, in no store
//!    └─ tenant key   one a tenant and version, random; stored, wrapped by a key out of the ring
//!         └─ data key   one a snapshot, random; stored with it, wrapped by the tenant key
//!              └─ arguments, output
//! ```
//! So a new secret on the ring costs one wrapping a tenant ([`Vault::rewrap_tenant_keys`]), a new
//! key of a tenant one wrapping a snapshot ([`Vault::rotate`]), and what was sealed stays as it is.
//! A tenant whose keys are destroyed ([`Vault::shred`]) has snapshots that nobody can open.
//!
//! Everything sealed is `1 · salt (32) · ciphertext · tag (16)`: AES-256-GCM under a key and a nonce
//! that HKDF-SHA-256 derives from the wrapping key and the salt, for this one text. Authenticated
//! with it is where it belongs: the tenant, and for a tenant key its version and the ring key's id,
//! for a data key the snapshot and the tenant key's version, for a part the snapshot, the part's name
//! and the hash of the whole snapshot. What was moved, exchanged or changed does not open.
//!
//! Each stored snapshot carries a checksum over all of its columns: `1 · version (4) · HMAC-SHA-256
//! (32)` under a random key of the store's, which the ring wraps as it wraps tenants' keys. Each
//! reading checks it, and with it what the [ledger](Vault::with_ledger) says of the snapshot.
//!
//! No key is kept in memory beyond the operation that needs it. Each reading asks the store, so that
//! what is destroyed is destroyed for all processes at once.

mod access;
mod authorizer;
mod checksum;
mod contents;
mod error;
mod id;
mod keeper;
mod keys;
mod listing;
mod reading;
mod recorded;
mod replay;
mod rotation;
mod seal;
mod snapshot;
mod store;
#[cfg(test)]
mod tests;
mod upgrade;
mod vault;

pub use async_trait::async_trait;

pub use self::access::{Access, AccessAction, AccessLog, AccessOutcome, AccessRecord};
pub use self::authorizer::{EvidenceAuthorizer, EvidenceRequest, EvidenceVerdict};
pub use self::contents::{Contents, ContentsPart, Opened};
pub use self::error::{EvidenceError, EvidenceErrorKind};
pub use self::id::{ParseSnapshotIdError, SnapshotId};
pub use self::keeper::{EvidenceKeeper, Sealing};
pub use self::listing::SnapshotPage;
pub use self::replay::{Replay, ReplayReport, Replayed, SkipReason, Verdict};
pub use self::rotation::{Rewrapped, Rotated};
pub use self::snapshot::Snapshot;
pub use self::store::{
    EvidenceStore, ListedSnapshot, SealedContents, SealedDigests, SnapshotQuery, StoredFacts,
    StoredSnapshot, TenantKey, WrappedKey,
};
pub use self::upgrade::ChecksumsAdded;
pub use self::vault::Vault;
