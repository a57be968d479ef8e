//! Every change of a row in the file is found by each operation that reads it.

use rusqlite::Connection;
use tool_runtime_sqlite::SqliteStore;

use super::sqlite::Folder;
use super::*;
use crate::evidence::SnapshotQuery;

/// A change of the file, and the tenant under which the changed row is read.
struct Change {
    what: &'static str,
    sql: &'static str,
    tenant: Uuid,
    kind: EvidenceErrorKind,
}

const fn alteration(what: &'static str, sql: &'static str) -> Change {
    Change { what, sql, tenant: TENANT, kind: EvidenceErrorKind::Altered }
}

/// `sealed` holds the row with sealed contents, `plain` the one without, `other` a third one.
const CHANGES: [Change; 20] = [
    Change {
        what: "another tenant",
        sql: "UPDATE evidence SET tenant = $other_tenant WHERE id = $sealed",
        tenant: OTHER,
        kind: EvidenceErrorKind::Altered,
    },
    alteration("another trace", "UPDATE evidence SET trace = 'trace-2' WHERE id = $sealed"),
    alteration(
        "another version of the key",
        "UPDATE evidence SET key_version = 2 WHERE id = $sealed",
    ),
    alteration(
        "another wrapping",
        "UPDATE evidence SET wrapped = (SELECT wrapped FROM evidence WHERE id = $other) \
         WHERE id = $sealed",
    ),
    alteration(
        "another answer's hash",
        "UPDATE evidence SET facts = CAST(replace(CAST(facts AS TEXT), 'pricing', 'prizing') \
         AS BLOB) WHERE id = $sealed",
    ),
    alteration("no facts", "UPDATE evidence SET facts = x'' WHERE id = $sealed"),
    alteration("other arguments", "UPDATE evidence SET arguments = x'01' WHERE id = $sealed"),
    alteration("no arguments", "UPDATE evidence SET arguments = NULL WHERE id = $sealed"),
    alteration("another output", "UPDATE evidence SET output = x'01' WHERE id = $sealed"),
    alteration("no output", "UPDATE evidence SET output = NULL WHERE id = $sealed"),
    alteration(
        "no seal",
        "UPDATE evidence SET key_version = NULL, wrapped = NULL, arguments = NULL, output = NULL, \
         facts = CAST(replace(CAST(facts AS TEXT), ',\"sealed\":[\"arguments\",\"output\"]', '') \
         AS BLOB) WHERE id = $sealed",
    ),
    alteration("a cut checksum", "UPDATE evidence SET checksum = substr(checksum, 1, 36)"),
    alteration("an empty checksum", "UPDATE evidence SET checksum = x''"),
    alteration(
        "another row's checksum",
        "UPDATE evidence SET checksum = (SELECT checksum FROM evidence WHERE id = $other)
         WHERE id = $sealed",
    ),
    alteration("a changed unsealed row", "UPDATE evidence SET trace = 'trace-2' WHERE id = $plain"),
    alteration("a text added", "UPDATE evidence SET output = x'01' WHERE id = $plain"),
    alteration(
        "a row in place of another",
        "DELETE FROM evidence WHERE id = $sealed;
         UPDATE evidence SET id = $sealed WHERE id = $other",
    ),
    alteration(
        "two rows exchanged",
        "UPDATE evidence SET id = zeroblob(16) WHERE id = $sealed;
         UPDATE evidence SET id = $sealed WHERE id = $other;
         UPDATE evidence SET id = $other WHERE id = zeroblob(16)",
    ),
    Change {
        what: "an invented row",
        sql: "INSERT INTO evidence (tenant, id, trace, facts, checksum) \
              SELECT $other_tenant, id, trace, CAST(replace(CAST(facts AS TEXT), $mine, $theirs) \
              AS BLOB), x'' FROM evidence WHERE id = $plain",
        tenant: OTHER,
        kind: EvidenceErrorKind::Altered,
    },
    Change {
        what: "an invented row with the checksum of another",
        sql: "INSERT INTO evidence (tenant, id, trace, facts, checksum) \
              SELECT $other_tenant, id, trace, CAST(replace(CAST(facts AS TEXT), $mine, $theirs) \
              AS BLOB), checksum FROM evidence WHERE id = $plain",
        tenant: OTHER,
        kind: EvidenceErrorKind::Altered,
    },
];

/// Changes rows of the file with SQL.
fn change(folder: &Folder, sql: &str, ids: [SnapshotId; 3]) {
    let blob = |id: Uuid| format!("x'{}'", id.simple());
    let [sealed, plain, other] = ids.map(|id| blob(id.uuid()));
    let sql = sql
        .replace("$other_tenant", &blob(OTHER))
        .replace("$sealed", &sealed)
        .replace("$plain", &plain)
        .replace("$other", &other)
        .replace("$mine", &format!("'{TENANT}'"))
        .replace("$theirs", &format!("'{OTHER}'"));
    let connection = Connection::open(folder.path()).expect("a connection");
    connection.execute_batch(&sql).expect("the file is writable");
    assert!(connection.total_changes() > 0, "{sql}");
}

/// Checks that each operation that reads the snapshot fails so, and that a list names it.
async fn check_found(store: SqliteStore, case: &Change, ids: [SnapshotId; 3]) {
    let (vault, tenant, what) = (vault(store), case.tenant, case.what);
    let mut found = Vec::new();
    for id in ids {
        let read = vault.read(tenant, id, &access()).await.map(drop);
        let shown = vault.find(tenant, id, &access()).await.map(drop);
        let kinds = [read, shown].map(|it| it.err().map(|error| error.kind()));
        assert!(
            kinds[0] == kinds[1] || kinds == [Some(EvidenceErrorKind::NotFound), None],
            "{what}"
        );
        found.extend(kinds[1].map(|kind| (id, kind)));
    }
    assert!(found.iter().any(|(_, kind)| *kind == case.kind), "{what}: {found:?}");
    let mut queries = vec![SnapshotQuery::new(tenant)];
    queries.extend(["trace-1", "trace-2"].map(|it| SnapshotQuery::new(tenant).with_trace(it)));
    let mut listed = Vec::new();
    for query in queries {
        let error = vault.list(&query, None, 10, &access()).await.err();
        listed.extend(error.map(|error| (error.snapshot().expect("it is named"), error.kind())));
    }
    assert!(listed.len() >= 2, "{what}: a list of all, and one of the trace, find it: {listed:?}");
    assert!(listed.iter().all(|it| found.contains(it)), "{what}: {listed:?} of {found:?}");
}

#[tokio::test]
async fn evidence_that_was_changed_stripped_or_invented_in_its_file_is_found_by_every_reading() {
    for case in CHANGES {
        let folder = Folder::new();
        let store = folder.open();
        let vault = vault(store.clone());
        let sealed = keep(&vault, TENANT).await;
        let plain = vault.keep(snapshot_of(TENANT), &Contents::new()).await.expect("it is kept");
        let ids = [sealed, plain.id(), keep(&vault, TENANT).await];
        keep(&vault, OTHER).await;
        let page = vault.list(&SnapshotQuery::new(TENANT), None, 10, &access()).await.expect("all");
        assert_eq!((page.snapshots.len(), page.next), (3, None));
        store.close().await;
        change(&folder, case.sql, ids);
        check_found(folder.open(), &case, ids).await;
    }
}

#[tokio::test]
async fn a_rotation_gives_new_checksums_and_confirms_nothing_that_was_altered() {
    let folder = Folder::new();
    let store = folder.open();
    let first = vault(store.clone());
    let ids = [keep(&first, TENANT).await, keep(&first, TENANT).await, keep(&first, TENANT).await];
    store.close().await;
    change(&folder, "UPDATE evidence SET trace = 'trace-2' WHERE id = $plain", ids);
    let again = vault(folder.open());
    let rotated = again.rotate(TENANT, &access()).await.expect("it rotates");
    assert_eq!((rotated.snapshots.changed, rotated.snapshots.unreadable), (2, 1));
    check_read(&again, TENANT, ids[0]).await;
    assert!(again.find(TENANT, ids[2], &access()).await.expect("it is checked").is_some());
    check_shut(&again, TENANT, ids[1], EvidenceErrorKind::Altered).await;
}

#[tokio::test]
async fn checksums_outlive_a_new_secret_on_the_ring_and_a_tenant_s_keys() {
    let store = MemoryStore::new();
    let old = Vault::new(store.clone(), old_ring()).with_access_log(Log::default());
    let ids = [keep(&old, TENANT).await, keep(&old, OTHER).await];
    let both = vault(store.clone());
    let rewrapped = both.rewrap_tenant_keys(&access()).await.expect("it rewraps");
    assert_eq!((rewrapped.changed, rewrapped.unreadable), (2, 0), "the tenants' keys are counted");
    let new = KeyRing::new("new", &[7; 32]).expect("a ring");
    let new = Vault::new(store, new).with_access_log(Log::default());
    check_read(&new, TENANT, ids[0]).await;
    new.shred(OTHER, &access()).await.expect("it shreds");
    check_shut(&new, OTHER, ids[1], EvidenceErrorKind::Shredded).await;
    assert!(new.find(OTHER, ids[1], &access()).await.expect("its checksum holds").is_some());
    assert_eq!(
        old.find(OTHER, ids[1], &access()).await.map_err(|error| error.kind()),
        Err(EvidenceErrorKind::UnknownKey)
    );
}

#[tokio::test]
async fn the_tenant_under_which_the_key_of_the_checksums_is_kept_is_refused() {
    let vault = vault(MemoryStore::new());
    keep(&vault, TENANT).await;
    let (tenant, access) = (Uuid::max(), access());
    let kept = vault.keep(snapshot_of(tenant), &contents()).await.map(drop);
    let all = [
        kept,
        vault.shred(tenant, &access).await.map(drop),
        vault.rotate(tenant, &access).await.map(drop),
        vault.finish_rotation(tenant, &access).await.map(drop),
    ];
    for refused in all {
        assert_eq!(refused.map_err(|error| error.kind()), Err(EvidenceErrorKind::ReservedTenant));
    }
}
