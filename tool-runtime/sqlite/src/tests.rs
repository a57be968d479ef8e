//! Tests of the writer thread: blocked, panicked, or on a full disk.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use rusqlite::{Connection, StatementStatus};
use tokio::task::JoinHandle;
use tool_runtime_core::store::{
    ClaimOutcome, ClaimRequest, Fence, GrantScope, GrantStore, IdempotencyStore, KeyState,
    OutputStore, ScopedKey, Settlement, StandingGrant, StoreError, StoreErrorKind, StoredOutput,
    UnixMillis,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::writer::JobKind;
use super::{SqliteOptions, SqliteStore};

const LEASE: Duration = Duration::from_secs(10);
const START: UnixMillis = UnixMillis::new(1_000_000);

/// A temporary folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("tool-store-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn open(&self) -> SqliteStore {
        self.open_with(SqliteStore::options())
    }

    fn open_with(&self, options: SqliteOptions) -> SqliteStore {
        options.open(self.0.join("tools.db")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A blocked writer: operations that are queued meanwhile are one group.
struct BlockedWriter {
    release: mpsc::Sender<()>,
    operation: JoinHandle<Result<(), StoreError>>,
}

impl BlockedWriter {
    async fn new(store: &SqliteStore) -> Self {
        let (entered, enters) = oneshot::channel();
        let (release, released) = mpsc::channel();
        let store = store.clone();
        let operation = tokio::spawn(async move {
            let wait = move |_: &Connection| {
                let _ = entered.send(());
                let _ = released.recv();
                Ok(())
            };
            store.queue.run(JobKind::Write, wait).await
        });
        enters.await.unwrap();
        Self { release, operation }
    }

    async fn release(self) {
        self.release.send(()).unwrap();
        self.operation.await.unwrap().unwrap();
    }
}

fn key(name: &str) -> ScopedKey {
    ScopedKey::new(Uuid::nil(), "user:42", "orders.place", name)
}

fn request(name: &str, now: UnixMillis) -> ClaimRequest {
    ClaimRequest::new(key(name), Digest::compute("test", b"arguments"), now, LEASE)
}

fn grant(tool: &str) -> StandingGrant {
    let scope = GrantScope::new(Uuid::nil(), "user:42", tool, Digest::compute("test", b"schema"));
    StandingGrant::new(scope, "user:7", START)
}

#[track_caller]
fn fence(claimed: &ClaimOutcome) -> Fence {
    match claimed {
        ClaimOutcome::Acquired(fence) | ClaimOutcome::TakenOver(fence) => *fence,
        other => panic!("the key was not claimed: {other:?}"),
    }
}

#[track_caller]
fn kind<T: std::fmt::Debug>(result: Result<T, StoreError>) -> StoreErrorKind {
    result.expect_err("the operation should have failed").kind()
}

/// Makes a claim that is committed, and drops its future before it is received.
async fn claim_and_drop(store: &SqliteStore, request: ClaimRequest) {
    let blocked = BlockedWriter::new(store).await;
    let mut claim = pin!(store.claim(request));
    assert!(claim.as_mut().now_or_never().is_none());
    blocked.release().await;
    // A later operation is answered, so the claim was answered too.
    store.find(&key("another")).await.unwrap();
}

/// SQLite would compile statements with a bound `LIMIT` anew at each use.
#[tokio::test]
async fn statements_are_compiled_once() {
    let folder = Folder::new();
    let store = folder.open();
    let recompilations = |connection: &Connection| {
        let sql = "SELECT fence FROM keys WHERE state = ?1 LIMIT ?2";
        let mut total = 0;
        for _ in 0..3 {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([2, 10], |row| row.get::<_, i64>(0))?;
            total = rows.count();
            total += usize::try_from(statement.get_status(StatementStatus::RePrepare)).unwrap();
        }
        Ok(total)
    };
    assert_eq!(store.queue.run(JobKind::Read, recompilations).await.unwrap(), 0);
}

#[tokio::test]
async fn a_claim_dropped_before_it_runs_is_skipped() {
    let folder = Folder::new();
    let store = folder.open();
    let blocked = BlockedWriter::new(&store).await;
    assert!(store.claim(request("a", START)).now_or_never().is_none());
    let a = key("a");
    let mut find = pin!(store.find(&a));
    assert!(find.as_mut().now_or_never().is_none());
    blocked.release().await;
    assert_eq!(find.await.unwrap(), None);
}

#[tokio::test]
async fn a_claim_dropped_after_its_commit_is_undone() {
    let folder = Folder::new();
    let store = folder.open();
    let before = fence(&store.claim(request("before", START)).await.unwrap());
    claim_and_drop(&store, request("a", START)).await;
    assert_eq!(store.find(&key("a")).await.unwrap(), None);
    let claimed = store.claim(request("a", START)).await.unwrap();
    assert!(matches!(claimed, ClaimOutcome::Acquired(_)));
    assert!(fence(&claimed) > before);
}

#[tokio::test]
async fn a_takeover_dropped_after_its_commit_is_undone() {
    let folder = Folder::new();
    let store = folder.open();
    let owner = fence(&store.claim(request("a", START)).await.unwrap());
    let before = store.find(&key("a")).await.unwrap();
    claim_and_drop(&store, request("a", START.after(LEASE * 2))).await;
    assert_eq!(store.find(&key("a")).await.unwrap(), before);
    assert!(store.settle(&key("a"), owner, Settlement::Unknown).await.unwrap());

    let before = store.find(&key("a")).await.unwrap();
    claim_and_drop(&store, request("a", START).resolves(true)).await;
    assert_eq!(store.find(&key("a")).await.unwrap(), before);
    assert!(matches!(store.claim(request("a", START)).await.unwrap(), ClaimOutcome::Unknown(_)));
}

#[tokio::test]
async fn a_claim_that_is_received_is_not_undone() {
    let folder = Folder::new();
    let store = folder.open();
    let owner = fence(&store.claim(request("a", START)).await.unwrap());
    let record = store.find(&key("a")).await.unwrap().unwrap();
    assert_eq!(
        (record.fence, record.state),
        (owner, KeyState::Running { until: START.after(LEASE) })
    );
}

#[tokio::test]
async fn an_operation_above_the_queue_s_bound_is_refused() {
    let folder = Folder::new();
    let store = folder.open_with(SqliteStore::options().max_queued(2));
    let blocked = BlockedWriter::new(&store).await;
    let a = key("a");
    let mut find = pin!(store.find(&a));
    assert!(find.as_mut().now_or_never().is_none());
    let refused = store.find(&a).now_or_never().expect("it should not wait");
    assert_eq!(kind(refused), StoreErrorKind::Unavailable);
    blocked.release().await;
    find.await.unwrap();
    store.find(&a).await.unwrap();
}

#[tokio::test]
async fn a_writer_that_panics_answers_every_operation() {
    let folder = Folder::new();
    let store = folder.open();
    let blocked = BlockedWriter::new(&store).await;
    let panic = |_: &Connection| -> rusqlite::Result<()> { panic!("intended by the test") };
    let mut panics = pin!(store.queue.run(JobKind::Write, panic));
    let a = key("a");
    let mut find = pin!(store.find(&a));
    assert!(panics.as_mut().now_or_never().is_none());
    assert!(find.as_mut().now_or_never().is_none());
    blocked.release().await;
    assert_eq!(kind(panics.await), StoreErrorKind::Unavailable);
    assert_eq!(kind(find.await), StoreErrorKind::Unavailable);
    assert_eq!(kind(store.find(&a).await), StoreErrorKind::Unavailable);
    store.close().await;
    assert_eq!(folder.open().find(&a).await.unwrap(), None);
}

/// Runs an operation in a group between two that put a grant; returns which of them succeeded.
async fn between_grants<F>(store: &SqliteStore, operation: F) -> [bool; 3]
where
    F: FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static,
{
    let blocked = BlockedWriter::new(store).await;
    let mut before = pin!(store.put_grant(grant("before")));
    let mut between = pin!(store.queue.run(JobKind::Write, operation));
    let mut after = pin!(store.put_grant(grant("after")));
    assert!(before.as_mut().now_or_never().is_none());
    assert!(between.as_mut().now_or_never().is_none());
    assert!(after.as_mut().now_or_never().is_none());
    blocked.release().await;
    [before.await.is_ok(), between.await.is_ok(), after.await.is_ok()]
}

async fn tools(store: &SqliteStore) -> Vec<Box<str>> {
    let grants = store.grants(Uuid::nil(), None, 10).await.unwrap();
    grants.into_iter().map(|grant| grant.scope.tool).collect()
}

#[tokio::test]
async fn a_failed_operation_changes_nothing_and_affects_no_other() {
    let folder = Folder::new();
    let store = folder.open();
    let fail_at_the_second_row = |connection: &Connection| {
        let sql = "INSERT INTO grants
            SELECT tenant, principal, 'one', schema, arguments, granted_by, 0, 0 FROM grants
            UNION ALL
            SELECT x'00', principal, 'two', schema, arguments, granted_by, 0, 0 FROM grants";
        connection.execute(sql, []).map(drop)
    };
    assert_eq!(between_grants(&store, fail_at_the_second_row).await, [true, false, true]);
    assert_eq!(tools(&store).await, ["after".into(), "before".into()]);
}

#[tokio::test]
async fn an_operation_that_fails_half_way_fails_its_group() {
    let folder = Folder::new();
    let store = folder.open();
    let fail_half_way = |connection: &Connection| {
        connection.execute("DELETE FROM grants", [])?;
        Err(rusqlite::Error::QueryReturnedNoRows)
    };
    assert_eq!(between_grants(&store, fail_half_way).await, [false, false, false]);
    assert_eq!(tools(&store).await, []);
    store.put_grant(grant("later")).await.unwrap();
}

#[tokio::test]
async fn a_commit_that_fails_fails_its_whole_group() {
    let folder = Folder::new();
    let store = folder.open();
    let blocked = BlockedWriter::new(&store).await;
    let break_commit = |connection: &Connection| {
        connection.execute_batch(
            "CREATE TABLE parent (id INTEGER PRIMARY KEY);
             CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
             INSERT INTO child VALUES (1);",
        )
    };
    let mut claim = pin!(store.claim(request("a", START)));
    let mut breaks = pin!(store.queue.run(JobKind::Write, break_commit));
    assert!(claim.as_mut().now_or_never().is_none());
    assert!(breaks.as_mut().now_or_never().is_none());
    blocked.release().await;
    assert!(claim.await.is_err());
    assert!(breaks.await.is_err());
    assert_eq!(store.find(&key("a")).await.unwrap(), None);
    assert!(matches!(store.claim(request("a", START)).await.unwrap(), ClaimOutcome::Acquired(_)));
}

#[tokio::test]
async fn a_full_disk_is_an_error_and_the_store_works_again_after_a_sweep() {
    let folder = Folder::new();
    let store = folder.open();
    let bound = |pages: &'static str| {
        store.queue.run(JobKind::Write, move |connection| {
            let sql = format!("PRAGMA max_page_count = {pages}");
            connection.query_row(&sql, [], |row| row.get::<_, i64>(0))
        })
    };
    let output = |id: u128| {
        StoredOutput::new(Uuid::from_u128(id), Uuid::nil(), "user:42", vec![7; 100_000], START)
    };
    let read = |id: u128| {
        store.read_output(Uuid::from_u128(id), Uuid::nil(), "user:42", 0, 1, UnixMillis::new(0))
    };
    store.put_output(output(1)).await.unwrap();
    bound("60").await.unwrap();
    let blocked = BlockedWriter::new(&store).await;
    let mut small = pin!(store.put_grant(grant("small")));
    let mut large = pin!(store.put_output(output(2)));
    assert!(small.as_mut().now_or_never().is_none());
    assert!(large.as_mut().now_or_never().is_none());
    blocked.release().await;
    let small_is_stored = small.await.is_ok();
    assert_eq!(kind(large.await), StoreErrorKind::Full);
    let found = store.find_grant(&grant("small").scope).await.unwrap();
    assert_eq!(found.is_some(), small_is_stored);
    assert_eq!(read(2).await.unwrap(), None);
    assert!(read(1).await.unwrap().is_some());

    assert_eq!(store.sweep_outputs(START, 10).await.unwrap(), 1);
    store.put_output(output(3)).await.unwrap();
    let sound: String = store
        .queue
        .run(JobKind::Read, |connection| {
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))
        })
        .await
        .unwrap();
    assert_eq!(sound, "ok");
}
