//! Sealed contents that were changed, cut, moved or exchanged in the store do not open.

use proptest::prelude::*;

use super::*;
use crate::evidence::checksum::CHECKSUM_KEYS;
use crate::evidence::{StoredSnapshot, TenantKey};

/// Two stored snapshots of a tenant and one of another.
#[derive(Debug, Clone)]
struct Stored {
    one: StoredSnapshot,
    two: StoredSnapshot,
    theirs: StoredSnapshot,
    key: TenantKey,
    their_key: TenantKey,
    checksum_key: TenantKey,
}

impl Stored {
    async fn new() -> Self {
        let store = MemoryStore::new();
        let vault = Vault::new(store.clone(), old_ring());
        let ids = [keep(&vault, TENANT).await, keep(&vault, TENANT).await];
        let their_id = keep(&vault, OTHER).await;
        let find = async |tenant, id| {
            store.find_snapshot(tenant, id).await.expect("a store").expect("kept")
        };
        let key =
            async |tenant| store.newest_tenant_key(tenant).await.expect("a store").expect("a key");
        Self {
            one: find(TENANT, ids[0]).await,
            two: find(TENANT, ids[1]).await,
            theirs: find(OTHER, their_id).await,
            key: key(TENANT).await,
            their_key: key(OTHER).await,
            checksum_key: key(CHECKSUM_KEYS).await,
        }
    }

    fn sealed(&mut self) -> &mut super::super::SealedContents {
        self.one.sealed.as_mut().expect("sealed")
    }

    /// The bytes that a process with access to the store may change.
    fn bytes(&mut self, which: usize) -> &mut Vec<u8> {
        match which {
            0 => &mut self.one.facts.facts,
            1 => self.key.wrapped.as_mut().expect("a key"),
            2 => &mut self.sealed().key.wrapped,
            3 => self.sealed().arguments.as_mut().expect("sealed"),
            _ => self.sealed().output.as_mut().expect("sealed"),
        }
    }

    /// Reads the first snapshot from a store that holds these rows.
    async fn read(&self) -> Result<OpenedSnapshot, EvidenceErrorKind> {
        let store = MemoryStore::new();
        for key in [&self.key, &self.their_key, &self.checksum_key] {
            let key = key.clone();
            assert!(store.add_tenant_key(key).await.expect("a store"), "each has a key of its own");
        }
        let facts = &self.one.facts;
        assert!(store.put_snapshot(self.one.clone()).await.expect("a store"), "the key is there");
        read(&vault(store), facts.tenant, facts.id).await
    }

    async fn check_altered(&self, what: &str) {
        let read = self.read().await.map(|_| "opened");
        assert_eq!(read, Err(EvidenceErrorKind::Altered), "{what}");
    }
}

#[tokio::test]
async fn every_changed_byte_is_found() {
    let stored = Stored::new().await;
    stored.read().await.expect("as it was, it opens");
    for which in 0..5 {
        let length = stored.clone().bytes(which).len();
        for place in 0..length {
            let mut changed = stored.clone();
            changed.bytes(which)[place] ^= 1 << (place % 8);
            changed.check_altered(&format!("byte {place} of text {which}")).await;
        }
    }
}

#[tokio::test]
async fn a_cut_or_lengthened_text_is_found() {
    let stored = Stored::new().await;
    for which in 0..5 {
        for length in [0, 1, 32, 33, 48, 49, stored.clone().bytes(which).len() - 1] {
            let mut changed = stored.clone();
            changed.bytes(which).truncate(length);
            changed.check_altered(&format!("text {which} cut to {length}")).await;
        }
        let mut changed = stored.clone();
        changed.bytes(which).push(b' ');
        changed.check_altered(&format!("text {which} with a byte more")).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_change_of_any_bytes_is_found(
        which in 0_usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..8),
    ) {
        futures::executor::block_on(async {
            let stored = Stored::new().await;
            let mut changed = stored.clone();
            for (place, mask) in &changes {
                let bytes = changed.bytes(which);
                let place = place.index(bytes.len());
                bytes[place] ^= mask;
            }
            if changed.bytes(which) != stored.clone().bytes(which) {
                changed.check_altered("a text").await;
            }
        });
    }
}

#[tokio::test]
async fn parts_of_two_snapshots_cannot_be_exchanged() {
    let stored = Stored::new().await;
    for other in [&stored.two, &stored.theirs] {
        let theirs = other.sealed.clone().expect("sealed");
        let mut changed = stored.clone();
        changed.sealed().arguments.clone_from(&theirs.arguments);
        changed.check_altered("another's arguments").await;
        let mut changed = stored.clone();
        changed.sealed().output.clone_from(&theirs.output);
        changed.check_altered("another's output").await;
        let mut changed = stored.clone();
        changed.sealed().key = theirs.key.clone();
        changed.check_altered("another's key").await;
        let mut changed = stored.clone();
        *changed.sealed() = theirs;
        changed.check_altered("all of another's").await;
        let mut changed = stored.clone();
        changed.one.facts.facts.clone_from(&other.facts.facts);
        changed.check_altered("another's facts").await;
    }
}

#[tokio::test]
async fn parts_of_one_snapshot_cannot_be_exchanged_or_dropped() {
    let stored = Stored::new().await;
    let mut changed = stored.clone();
    let sealed = changed.sealed();
    std::mem::swap(&mut sealed.arguments, &mut sealed.output);
    changed.check_altered("arguments for output").await;
    let mut changed = stored.clone();
    changed.sealed().arguments = None;
    changed.check_altered("no arguments").await;
    let mut changed = stored.clone();
    changed.sealed().output = None;
    changed.check_altered("no output").await;
    let mut changed = stored.clone();
    (changed.sealed().arguments, changed.sealed().output) = (None, None);
    changed.check_altered("neither").await;
    let mut changed = stored.clone();
    changed.one.sealed = None;
    changed.check_altered("nothing sealed").await;
}

#[tokio::test]
async fn facts_that_are_spelled_otherwise_are_found() {
    let stored = Stored::new().await;
    let mut changed = stored.clone();
    let text = String::from_utf8(changed.one.facts.facts.clone()).expect("JSON");
    changed.one.facts.facts = text.replace("pricing.quote", "pricing.other").into_bytes();
    changed.check_altered("another tool").await;
    changed.one.facts.facts = text.replace(r#""rules""#, r#" "rules""#).into_bytes();
    changed.check_altered("a space more").await;
}

#[tokio::test]
async fn keys_cannot_be_exchanged() {
    let stored = Stored::new().await;
    let mut changed = stored.clone();
    changed.key.wrapped.clone_from(&stored.their_key.wrapped);
    changed.check_altered("another tenant's key").await;
    let mut changed = stored.clone();
    changed.key.ring_key = "new".into();
    changed.check_altered("another ring's key").await;
    let mut changed = stored.clone();
    (changed.key.version, changed.sealed().key.version) = (2, 2);
    changed.check_altered("another version").await;
    let mut changed = stored.clone();
    changed.key.ring_key = "absent".into();
    assert_eq!(changed.read().await.map(|_| "opened"), Err(EvidenceErrorKind::UnknownKey));
}

#[tokio::test]
async fn a_snapshot_cannot_be_given_to_another_tenant() {
    let stored = Stored::new().await;
    let mut changed = stored.clone();
    changed.one.facts.tenant = OTHER;
    changed.check_altered("under its key").await;
    // With the tenant in the facts too, and the first tenant's key in the place of the other's.
    let text = String::from_utf8(stored.one.facts.facts.clone()).expect("JSON");
    changed.one.facts.facts = text.replace(&TENANT.to_string(), &OTHER.to_string()).into_bytes();
    changed.check_altered("with its name").await;
    changed.their_key.wrapped.clone_from(&stored.key.wrapped);
    changed.check_altered("with the first one's key").await;
}
