//! Evidence of calls: snapshots, their encrypted contents, and access to both.
//!
//! A call that leaves evidence leaves a [`Snapshot`]: the tool with its version and build, the
//! rules and sources of the answer, and the hashes of input and output. It holds a redacted summary
//! of the input and no other data of the call. The exact arguments and the full output
//! ([`Contents`]) may be kept with it, encrypted ("sealed").
//!
//! A [`Vault`] encrypts, decrypts and destroys. An [`EvidenceStore`] keeps what the vault writes
//! and can decrypt none of it. An [`EvidenceAuthorizer`] decides each access, and an [`AccessLog`]
//! records it before anything is shown.
//!
//! # Keys
//! ```text
//! KeyRing            a secret of the host, in no store
//!    └─ tenant key   one per tenant and version, random; stored, wrapped by a key of the ring
//!         └─ data key   one per snapshot, random; stored with it, wrapped by the tenant key
//!              └─ arguments, output
//! ```
//! A new secret on the ring costs one wrapping per tenant ([`Vault::rewrap_tenant_keys`]), and a
//! new tenant key one wrapping per snapshot ([`Vault::rotate`]); sealed contents are not encrypted
//! again. After a tenant's keys are destroyed ([`Vault::shred`]), its sealed contents cannot be
//! decrypted.
//!
//! A sealed text is `1 · salt (32) · ciphertext · tag (16)`: AES-256-GCM under a key and a nonce
//! that HKDF-SHA-256 derives from the wrapping key and the salt, for this text alone. The
//! associated data is the tenant; of a tenant key also its version and the ring key's id; of a data
//! key also the snapshot and the tenant key's version; of contents also the snapshot, the part's
//! name and the hash of the whole snapshot. A text that was moved, exchanged or changed does not
//! decrypt.
//!
//! Each stored snapshot has a checksum over all of its columns: `1 · version (4) · HMAC-SHA-256
//! (32)` under a random key of the store, which the ring wraps as it wraps tenant keys. Each read
//! checks it, and compares the snapshot with the [ledger](Vault::with_ledger).
//!
//! No key stays in memory after the operation that needs it. Each read asks the store for the key,
//! so that a key that is destroyed is destroyed for all processes at once.

mod access;
mod authorizer;
mod checksum;
mod contents;
mod error;
mod http_access;
mod keeper;
mod keys;
mod ledger_check;
mod listing;
mod reading;
mod replay;
mod rotation;
mod seal;
mod snapshot;
#[cfg(test)]
mod tests;
mod vault;

pub use async_trait::async_trait;

pub use tool_runtime_core::store::evidence::{
    EvidenceStore, ListedSnapshot, ParseSnapshotIdError, SealedContents, SealedDigests, SnapshotId,
    SnapshotQuery, StoredFacts, StoredSnapshot, TenantKey, WrappedKey,
};

pub use self::access::{Access, AccessAction, AccessLog, AccessOutcome, AccessRecord};
pub use self::authorizer::{EvidenceAuthorizer, EvidenceRequest, EvidenceVerdict};
pub use self::contents::{Contents, ContentsPart, OpenedSnapshot};
#[doc(hidden)]
pub use self::error::EvidenceFault;
pub use self::error::{EvidenceError, EvidenceErrorKind};
pub use self::keeper::{EvidenceKeeper, Sealing};
pub use self::listing::SnapshotPage;
pub use self::replay::{Replay, ReplayReport, ReplayVerdict, ReplayedCall, SkipReason};
pub use self::rotation::{RewrapReport, RotationReport};
pub use self::snapshot::Snapshot;
pub use self::vault::Vault;
