//! The vault over a SQLite file: reopening it, and the bytes in it.

use std::path::PathBuf;

use futures::future::join_all;
use tool_runtime_sqlite::SqliteStore;

use super::*;

/// A folder that is deleted after the test.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("tool-evidence-{}", Uuid::now_v7()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.join("tools.db")
    }

    pub(super) fn open(&self) -> SqliteStore {
        let options = SqliteStore::options().sync_commits(false);
        options.open(self.path()).expect("a store")
    }

    /// Counts the files in which these bytes occur.
    fn count(&self, marks: &[Vec<u8>]) -> usize {
        let files = std::fs::read_dir(&self.0).expect("a folder").map(|file| file.expect("a file"));
        let mut windows = std::collections::HashSet::new();
        for file in files {
            let bytes = std::fs::read(file.path()).expect("a file");
            windows.extend(bytes.windows(16).map(<[u8]>::to_vec));
        }
        marks.iter().filter(|mark| windows.contains(&mark[mark.len() - 16..])).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn wrapped(store: &SqliteStore, tenant: Uuid) -> Vec<u8> {
    let key = store.newest_tenant_key(tenant).await.expect("a store").expect("a key");
    key.wrapped.expect("it is not destroyed")
}

#[tokio::test]
async fn everything_is_there_when_the_file_is_opened_again() {
    let folder = Folder::new();
    let store = folder.open();
    let first = vault(store.clone());
    let ids = [keep(&first, TENANT).await, keep(&first, TENANT).await];
    let shredded = keep(&first, OTHER).await;
    first.rotate(TENANT, &access()).await.expect("it rotates");
    first.shred(OTHER, &access()).await.expect("it shreds");
    store.close().await;

    let again = vault(folder.open());
    for id in ids {
        check_read(&again, TENANT, id).await;
    }
    check_shut(&again, OTHER, shredded, EvidenceErrorKind::Shredded).await;
    check_read(&again, OTHER, keep(&again, OTHER).await).await;
}

#[tokio::test]
async fn a_snapshot_shredded_by_one_process_opens_in_no_other() {
    let folder = Folder::new();
    let (here, there) = (vault(folder.open()), vault(folder.open()));
    let id = keep(&here, TENANT).await;
    check_read(&there, TENANT, id).await;
    there.rotate(TENANT, &access()).await.expect("it rotates");
    check_read(&here, TENANT, id).await;
    here.shred(TENANT, &access()).await.expect("it shreds");
    check_shut(&there, TENANT, id, EvidenceErrorKind::Shredded).await;
}

#[tokio::test]
async fn nothing_sealed_is_in_the_file() {
    let folder = Folder::new();
    let store = folder.open();
    let vault = vault(store.clone());
    let id = keep(&vault, TENANT).await;
    check_read(&vault, TENANT, id).await;
    vault.rotate(TENANT, &access()).await.expect("it rotates");
    let sealed = [ARGUMENTS, OUTPUT, "-1111-CANARY-IN\"}", "e\":\"CANARY-OUT\"}"];
    let sealed = sealed.map(|mark| mark.as_bytes().to_vec());
    let shown = vec![b"compliance.policy_ruleset_version".to_vec()];
    for closes in [false, true] {
        if closes {
            store.close().await;
        }
        assert_eq!((folder.count(&sealed), folder.count(&shown)), (0, 1));
    }
}

#[tokio::test]
async fn no_byte_of_what_is_destroyed_is_left_in_the_files() {
    let folder = Folder::new();
    let store = folder.open();
    let old = Vault::new(store.clone(), old_ring()).with_access_log(Log::default());
    let new = KeyRing::new("a-much-longer-id-for-the-new-secret", &[7; 32])
        .and_then(|ring| ring.with_former("old", &[8; 32]))
        .expect("a ring");
    let new = Vault::new(store.clone(), new).with_access_log(Log::default());
    // Enough for the pages to be split, in an order that is not that of the tenants.
    let tenants: Vec<Uuid> = (0..400_u128).map(|n| Uuid::from_u128(n * 7919 % 401 + 1)).collect();
    let mut keys = Vec::new();
    for tenant in &tenants {
        keep(&old, *tenant).await;
        keys.push(wrapped(&store, *tenant).await);
    }
    assert_eq!(folder.count(&keys), keys.len(), "a wrapped key that is not destroyed is found");
    new.rewrap_tenant_keys(&access()).await.expect("it rewraps");
    for tenant in &tenants {
        keys.push(wrapped(&store, *tenant).await);
    }
    let access = access();
    let some = tenants.iter().step_by(3);
    join_all(some.clone().map(async |tenant| new.rotate(*tenant, &access).await.expect("rotated")))
        .await;
    for tenant in some {
        keys.push(wrapped(&store, *tenant).await);
    }
    join_all(
        tenants.iter().map(async |tenant| new.shred(*tenant, &access).await.expect("shredded")),
    )
    .await;
    assert_eq!(folder.count(&keys), 0, "of {} keys there were", keys.len());
}

#[tokio::test]
async fn a_log_that_cannot_be_emptied_is_said_and_shredding_repeated() {
    let folder = Folder::new();
    let options = SqliteStore::options().sync_commits(false);
    let options = options.busy_timeout(std::time::Duration::from_millis(1));
    let store = options.open(folder.0.join("tools.db")).expect("a store");
    let vault = vault(store.clone());
    let id = keep(&vault, TENANT).await;
    let key = vec![wrapped(&store, TENANT).await];
    let reader = rusqlite::Connection::open(folder.0.join("tools.db")).expect("a connection");
    reader.execute_batch("BEGIN; SELECT count(*) FROM evidence;").expect("it reads");
    let error = vault.shred(TENANT, &access()).await.expect_err("the log is in use");
    assert_eq!(error.kind(), EvidenceErrorKind::Store(StoreErrorKind::Unavailable));
    check_shut(&vault, TENANT, id, EvidenceErrorKind::Shredded).await;
    assert_eq!(folder.count(&key), 1, "the log has it");
    drop(reader);
    vault.shred(TENANT, &access()).await.expect("the log is not in use");
    assert_eq!(folder.count(&key), 0);
}
