//! Tests of the vault: altered and shredded contents do not open, and all others do.

mod access;
mod authorizing;
mod columns;
mod faulty_store;
mod known_answers;
mod rotation;
mod shredding;
mod sqlite;
mod tampering;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use tool_contracts::{EvidenceSource, ToolContext};
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::{MemoryStore, StoreError, StoreErrorKind, UnixMillis};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use self::faulty_store::{FaultyStore, StoreFault};
use super::{
    Access, AccessLog, AccessRecord, Contents, EvidenceErrorKind, EvidenceStore, OpenedSnapshot,
    Snapshot, SnapshotId, Vault,
};

const TENANT: Uuid = Uuid::from_u128(0x0197_f0c4_0000_7000_8000_0000_0000_0001);
const OTHER: Uuid = Uuid::from_u128(0x0197_f0c4_0000_7000_8000_0000_0000_0002);
const START: UnixMillis = UnixMillis::new(1_800_000_000_000);
const ARGUMENTS: &str = r#"{"card":"4111-1111-CANARY-IN"}"#;
const OUTPUT: &str = r#"{"total":17,"note":"CANARY-OUT"}"#;

/// A log that remembers the records, unless it is set to fail.
#[derive(Clone, Default)]
struct Log {
    records: Arc<Mutex<Vec<AccessRecord>>>,
    shut: Arc<AtomicBool>,
}

#[async_trait]
impl AccessLog for Log {
    async fn record(&self, record: &AccessRecord) -> Result<(), StoreError> {
        if self.shut.load(Ordering::SeqCst) {
            return Err(StoreError::new(StoreErrorKind::Full, "the log is full"));
        }
        self.records.lock().expect("no panic").push(record.clone());
        Ok(())
    }
}

impl Log {
    fn take(&self) -> Vec<AccessRecord> {
        std::mem::take(&mut self.records.lock().expect("no panic"))
    }
}

fn old_ring() -> KeyRing {
    KeyRing::new("old", &[8; 32]).expect("a ring")
}

/// Wraps with `new`, opens what `old` wrapped.
fn ring() -> KeyRing {
    KeyRing::new("new", &[7; 32])
        .and_then(|ring| ring.with_former("old", &[8; 32]))
        .expect("a ring")
}

fn vault(store: impl EvidenceStore) -> Vault {
    Vault::new(store, ring()).with_access_log(Log::default())
}

fn access() -> Access {
    Access::new("user:auditor-7", "complaint 4711").expect("a reader and a reason")
}

fn snapshot_of(tenant: Uuid) -> Snapshot {
    let cx = ToolContext::builder(tenant, "trace-1")
        .run_id("run-1")
        .invocation_id(Uuid::from_u128(5))
        .build()
        .expect("a context");
    let at = "2024-05-03T12:34:56Z".parse().expect("a time");
    let source = EvidenceSource::new("tool", "prices", "sha256:9f86d0", at).expect("a source");
    Snapshot::for_call(&cx, "pricing.quote", "1.0.0", START)
        .with_build("9f86d0")
        .with_input_summary(r#"{"card": "***"}"#)
        .expect("JSON")
        .with_input_hash(Digest::compute("arguments", b"1").to_string())
        .with_output_hash(Digest::compute("answer", b"2").to_string())
        .with_rule("compliance.policy_ruleset_version", "2025-07")
        .with_source(source)
}

fn contents() -> Contents {
    Contents::new().with_arguments(ARGUMENTS).with_output(OUTPUT)
}

async fn keep(vault: &Vault, tenant: Uuid) -> SnapshotId {
    vault.keep(snapshot_of(tenant), &contents()).await.expect("it is kept").id()
}

async fn read(
    vault: &Vault,
    tenant: Uuid,
    id: SnapshotId,
) -> Result<OpenedSnapshot, EvidenceErrorKind> {
    vault.read(tenant, id, &access()).await.map_err(|error| error.kind())
}

/// Checks that a snapshot opens, with what was sealed.
async fn check_read(vault: &Vault, tenant: Uuid, id: SnapshotId) {
    let opened = read(vault, tenant, id).await.expect("it opens");
    assert_eq!((opened.snapshot.id(), opened.contents), (id, contents()));
}

async fn check_shut(vault: &Vault, tenant: Uuid, id: SnapshotId, kind: EvidenceErrorKind) {
    assert_eq!(read(vault, tenant, id).await.map(|_| "opened"), Err(kind));
}

#[tokio::test]
async fn a_kept_snapshot_is_read() {
    let vault = vault(MemoryStore::new());
    let made = snapshot_of(TENANT);
    let kept = vault.keep(made.clone(), &contents()).await.expect("it is kept");
    let opened = read(&vault, TENANT, kept.id()).await.expect("it opens");
    assert_eq!((&opened.snapshot, &opened.contents), (&kept, &contents()));
    assert_eq!(vault.find(TENANT, kept.id(), &access()).await.expect("found"), Some(kept.clone()));
    assert_ne!(
        kept.digest().expect("JSON"),
        made.digest().expect("JSON"),
        "it names what is sealed"
    );
    for part in [Contents::new().with_arguments(""), Contents::new().with_output("1")] {
        let kept = vault.keep(snapshot_of(TENANT), &part).await.expect("it is kept");
        assert_eq!(read(&vault, TENANT, kept.id()).await.expect("it opens").contents, part);
    }
}

#[tokio::test]
async fn a_snapshot_with_nothing_sealed_needs_no_key() {
    let store = MemoryStore::new();
    let vault = vault(store.clone());
    let kept = vault.keep(snapshot_of(TENANT), &Contents::new()).await.expect("it is kept");
    assert_eq!(store.newest_tenant_key(TENANT).await.expect("a store"), None);
    let opened = read(&vault, TENANT, kept.id()).await.expect("it opens");
    assert_eq!((opened.snapshot, opened.contents.is_empty()), (kept, true));
}

#[tokio::test]
async fn the_contents_kept_first_stay() {
    let vault = vault(MemoryStore::new());
    let snapshot = snapshot_of(TENANT);
    let kept = vault.keep(snapshot.clone(), &contents()).await.expect("it is kept");
    let later = Contents::new().with_output("later");
    vault.keep(snapshot, &later).await.expect("it may be repeated");
    check_read(&vault, TENANT, kept.id()).await;
}

#[tokio::test]
async fn a_snapshot_is_its_tenant_s() {
    let vault = vault(MemoryStore::new());
    let id = keep(&vault, TENANT).await;
    keep(&vault, OTHER).await;
    check_shut(&vault, OTHER, id, EvidenceErrorKind::NotFound).await;
    assert_eq!(vault.find(OTHER, id, &access()).await.expect("a store"), None);
}

#[test]
fn a_snapshot_s_json_is_whole_and_of_one_spelling() {
    let snapshot = snapshot_of(TENANT);
    let json = serde_json::to_string(&snapshot).expect("JSON");
    let again: Snapshot = serde_json::from_str(&json).expect("a snapshot");
    assert_eq!(again, snapshot);
    assert_eq!(again.facts().expect("JSON"), json.as_bytes());
    assert_eq!(again.digest().expect("JSON"), snapshot.digest().expect("JSON"));
    assert!(json.contains(r#""input_summary":{"card": "***"}"#), "{json}");
    let moved = json.replace("1800000000000", "1800000000001");
    serde_json::from_str::<Snapshot>(&moved).expect_err("its moment is not its id's");
    let other = snapshot.with_rule("a", "b");
    assert_ne!(other, again);
    let refused = snapshot_of(TENANT).with_input_summary("{");
    assert_eq!(refused.expect_err("no JSON").kind(), EvidenceErrorKind::InvalidSnapshot);
}

#[tokio::test]
async fn debug_shows_no_contents_and_no_keys() {
    let store = MemoryStore::new();
    let vault = vault(store.clone());
    let id = keep(&vault, TENANT).await;
    let opened = read(&vault, TENANT, id).await.expect("it opens");
    let key = super::seal::SecretKey::random().expect("random bytes");
    let open = super::keys::UnwrappedKey { version: 1, secret: key };
    let shown = format!("{vault:?} {opened:#?} {:?} {open:?}", contents());
    assert!(!shown.contains("CANARY") && !shown.contains("card"), "{shown}");
    assert!(shown.contains("pricing.quote") && shown.contains("SecretKey(***)"), "{shown}");
}
