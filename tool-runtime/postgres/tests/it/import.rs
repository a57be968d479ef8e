//! The copy of a SQLite file: every row of it, or none.

use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::Duration;
use std::{env, fs};

use crate::server;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tool_runtime::Uuid;
use tool_runtime::agent::{PostgresSessions, SessionKey, SessionStore as _, SqliteSessions};
use tool_runtime::canonical::Digest;
use tool_runtime::contracts::assess::{ChatMessage, ChatRole};
use tool_runtime::evidence::{
    EvidenceStore as _, SealedContents, SnapshotId, StoredFacts, StoredSnapshot, TenantKey,
    WrappedKey,
};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, Clock as _, ClockReading, Fence, GrantScope, GrantStore as _,
    IdempotencyStore as _, KeyState, OutputStore as _, PostgresStore, RowCounts, RowKind,
    ScopedKey, Settlement, SqliteStore, StandingGrant, StoreError, StoreErrorKind, StoreExport,
    StoredAnswer, StoredOutput, SystemClock, TicketEnd, TicketStore as _, UnixMillis,
    WaitingTicket, rusqlite,
};

const TENANT: Uuid = Uuid::from_u128(7);
const HOUR: Duration = Duration::from_secs(60 * 60);
const FINGERPRINT: Digest = Digest::from_bytes([3; 32]);

/// More rows than are read or sent at once.
const MANY: usize = 75;

fn key(name: &str) -> ScopedKey {
    ScopedKey::new(TENANT, "user:42", "book_seat", name)
}

fn many_keys() -> impl Iterator<Item = ScopedKey> {
    (0..MANY).map(|number| key(&format!("key:answered-{number}")))
}

fn ring() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).expect("a ring")
}

fn session() -> SessionKey {
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("ada");
    SessionKey::new(&cx.build().expect("a context"), "session")
}

fn message(number: usize) -> ChatMessage {
    let time = "2026-05-03T12:34:56Z".parse().expect("a time");
    ChatMessage::new(ChatRole::User, format!("message {number}"), time, 3).expect("a message")
}

fn answer(number: usize) -> StoredAnswer {
    // The order of keys, duplicates and the spelling of numbers stay.
    let body = format!(r#"{{"b":1e2,"a":-0.0,"a":{number},"text":"\u0000\ud800"}}"#);
    match number % 2 {
        0 => StoredAnswer::succeeded(body.into(), b"{}".to_vec()),
        _ => StoredAnswer::failed(body.into(), Vec::new()),
    }
}

fn ticket_id(number: usize) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + number as u128)
}

fn grant(number: usize) -> StandingGrant {
    let scope = GrantScope::new(TENANT, format!("user:{number}"), "book_seat", FINGERPRINT);
    let scope = match number % 2 {
        0 => scope,
        _ => scope.with_arguments(Digest::from_bytes([1; 32])),
    };
    StandingGrant {
        scope,
        granted_by: "user:ada".into(),
        granted_at: UnixMillis::new(1_800_000_000_000),
        expires_at: (number % 3 == 0).then(|| UnixMillis::new(1_900_000_000_000)),
    }
}

fn output(text: &[u8]) -> StoredOutput {
    StoredOutput {
        id: Uuid::from_u128(text.len() as u128 + 1),
        tenant: TENANT,
        principal: "user:42".into(),
        text: text.to_vec(),
        expires_at: UnixMillis::new(u64::MAX),
    }
}

fn long_text() -> Vec<u8> {
    vec![255; 1 << 20]
}

fn snapshot(number: usize, sealed: Option<SealedContents>) -> StoredSnapshot {
    let id = SnapshotId::from_uuid(ticket_id(number)).expect("an id");
    let (trace, facts) = ("trace-1".into(), br#"{"tool":"book_seat"}"#.to_vec());
    StoredSnapshot::new(StoredFacts { tenant: TENANT, id, trace, facts }, sealed)
        .with_checksum(vec![9; 32])
}

fn sealed(version: u32) -> SealedContents {
    SealedContents::new(WrappedKey::new(version, vec![5; 81]), Some(vec![0, 1, 2]), None)
}

async fn claim(store: &SqliteStore, key: ScopedKey, now: UnixMillis) -> Fence {
    let request = ClaimRequest::new(key, FINGERPRINT, now, HOUR).with_quota("service", 100);
    match store.claim(request).await.expect("a claim") {
        ClaimOutcome::Acquired(fence) => fence,
        other => panic!("the key is free: {other:?}"),
    }
}

/// A SQLite file with rows of each kind, whose time is an hour ahead of the wall clock.
async fn fill(file: &TempFile) -> UnixMillis {
    let store = SqliteStore::open(&file.0).expect("a store");
    let clock = SystemClock.read();
    let ahead = ClockReading::new(clock.wall().after(HOUR), clock.monotonic());
    store.read_time(ahead).await.expect("the clock starts");
    let now = store.read_time(SystemClock.read()).await.expect("a time");
    for (number, key) in many_keys().enumerate() {
        let fence = claim(&store, key.clone(), now).await;
        let keep_until = now.after(HOUR);
        let answered = Settlement::Answered { answer: answer(number), keep_until };
        assert!(store.settle(&key, fence, answered).await.expect("it is settled"));
    }
    for name in ["archived", "unknown"] {
        let fence = claim(&store, key(name), now).await;
        assert!(store.settle(&key(name), fence, Settlement::Unknown).await.expect("it is settled"));
        if name == "archived" {
            let end = UnixMillis::new(u64::MAX);
            assert_eq!(store.archive_unknown(end, 10).await.expect("it is archived"), 1);
        }
    }
    claim(&store, key("running"), now).await;
    // The greatest fence is that of a key that is gone.
    let fence = claim(&store, key("released"), now).await;
    store.settle(&key("released"), fence, Settlement::Released).await.expect("it is released");
    for number in 0..MANY {
        let (id, expires_at) = (ticket_id(number), UnixMillis::new(1_900_000_000_000));
        let ticket =
            WaitingTicket::new(id, TENANT, "run-1", number.to_string().into_bytes(), expires_at);
        store.put_ticket(ticket.with_quota_owner("service")).await.expect("a ticket");
        store.put_grant(grant(number)).await.expect("a grant");
    }
    for (number, end) in [TicketEnd::Used, TicketEnd::Declined].into_iter().enumerate() {
        store.end_ticket(ticket_id(number), end).await.expect("it ends");
    }
    for text in [&b""[..], b"short", &long_text()] {
        store.put_output(output(text)).await.expect("an output");
    }
    let tenant_key = |version, byte| TenantKey::new(TENANT, version, "2026-11", vec![byte; 81]);
    store.add_tenant_key(tenant_key(1, 1)).await.expect("a key");
    store.put_snapshot(snapshot(1, Some(sealed(1)))).await.expect("a snapshot");
    store.destroy_tenant_keys(TENANT).await.expect("the key is destroyed");
    store.add_tenant_key(tenant_key(2, 2)).await.expect("a key");
    store.put_snapshot(snapshot(2, Some(sealed(2)))).await.expect("a snapshot");
    store.put_snapshot(snapshot(3, None)).await.expect("a snapshot");
    let sessions = SqliteSessions::new(store.clone(), &ring());
    sessions.append(&session(), (0..3).map(message).collect()).await.expect("it is appended");
    store.close().await;
    now
}

/// A file in a folder that is deleted with it.
struct TempFile(PathBuf);

impl TempFile {
    fn new() -> Self {
        let folder = env::temp_dir().join(format!("import-{}", Uuid::now_v7()));
        fs::create_dir(&folder).expect("a folder");
        Self(folder.join("tools.db"))
    }

    /// Changes rows without the store.
    fn edit(&self, sql: &str) {
        let file = rusqlite::Connection::open(&self.0).expect("the file opens");
        file.execute_batch(sql).expect("the statements run");
    }

    fn export(&self) -> StoreExport {
        SqliteStore::options().export(&self.0).expect("an export")
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = self.0.parent().map(fs::remove_dir_all);
    }
}

/// A copy that waits after its first part.
struct PausedCopy {
    task: JoinHandle<Result<RowCounts, StoreError>>,
    /// The rows of the first part.
    rows: u64,
    resume: Sender<()>,
}

impl PausedCopy {
    async fn start(store: &PostgresStore, file: &TempFile) -> Self {
        let (started, part) = oneshot::channel();
        let (resume, resumed) = std::sync::mpsc::channel();
        let (store, export) = (store.clone(), file.export());
        let task = tokio::spawn(async move {
            let mut started = Some(started);
            let progress = move |counts: &RowCounts| {
                if let Some(started) = started.take() {
                    started.send(counts.total()).expect("the test waits");
                    resumed.recv().expect("the test goes on");
                }
            };
            store.import(export, progress).await
        });
        Self { task, rows: part.await.expect("the first part is copied"), resume }
    }
}

fn expected_counts() -> RowCounts {
    let many = MANY as u64;
    let mut counts = RowCounts::default();
    for (kind, rows) in [
        (RowKind::Key, many + 2),
        (RowKind::ArchivedKey, 1),
        (RowKind::Ticket, many),
        (RowKind::Grant, many),
        (RowKind::Output, 3),
        (RowKind::TenantKey, 2),
        (RowKind::Snapshot, 3),
        (RowKind::Session, 1),
    ] {
        counts.add(kind, rows);
    }
    counts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copied_file_answers_as_the_file_did() {
    for url in server::urls() {
        let file = TempFile::new();
        let sqlite_now = fill(&file).await;
        let store = server::store(&url).await;
        let export = file.export();
        assert_eq!(export.counts, expected_counts());
        let mut progress = Vec::new();
        let counts = store.import(export, |counts| progress.push(counts.total())).await;
        assert_eq!(counts.expect("the copy"), expected_counts());
        assert!(progress.is_sorted() && progress.len() > 5, "{progress:?}");
        let sqlite = SqliteStore::open(&file.0).expect("the store opens again");
        assert_same_keys(&store, &sqlite, sqlite_now).await;
        assert_same_rows(&store, &sqlite).await;
    }
}

async fn assert_same_keys(store: &PostgresStore, sqlite: &SqliteStore, sqlite_now: UnixMillis) {
    let now = store.read_time(SystemClock.read()).await.expect("a time");
    let left = |until: UnixMillis, now: UnixMillis| until.since(now).as_secs();
    let names = ["unknown", "running"];
    for key in many_keys().chain(names.map(key)) {
        let before = sqlite.find(&key).await.expect("a record").expect("the key");
        let copy = store.find(&key).await.expect("a record").expect("the key");
        let identity = |record: &tool_runtime::store::KeyRecord| {
            (record.fingerprint, record.fence, record.caller.clone())
        };
        assert_eq!(identity(&copy), identity(&before), "{key:?}");
        match (before.state, copy.state) {
            (KeyState::Running { until }, KeyState::Running { until: copied }) => {
                assert!(left(until, sqlite_now).abs_diff(left(copied, now)) < 60);
            }
            (
                KeyState::Answered { answer, keep_until },
                KeyState::Answered { answer: copied_answer, keep_until: copied },
            ) => {
                assert_eq!(copied_answer, answer);
                assert!(left(keep_until, sqlite_now).abs_diff(left(copied, now)) < 60);
            }
            (before, copy) => assert_eq!(copy, before),
        }
    }
    let request = |name| ClaimRequest::new(key(name), FINGERPRINT, now, HOUR);
    for (name, is_expected) in [
        ("archived", (|outcome| *outcome == ClaimOutcome::Archived) as fn(&ClaimOutcome) -> bool),
        ("unknown", |outcome| matches!(outcome, ClaimOutcome::Unknown(_))),
        ("running", |outcome| matches!(outcome, ClaimOutcome::Running { .. })),
        ("key:answered-0", |outcome| *outcome == ClaimOutcome::Settled(answer(0))),
        ("released", |outcome| *outcome == ClaimOutcome::Acquired(Fence::new(MANY as u64 + 5))),
    ] {
        let outcome = store.claim(request(name)).await.expect("a claim");
        assert!(is_expected(&outcome), "{name}: {outcome:?}");
    }
}

async fn assert_same_rows(store: &PostgresStore, sqlite: &SqliteStore) {
    for number in 0..MANY {
        let id = ticket_id(number);
        let ticket = store.find_ticket(id).await.expect("a ticket");
        assert!(ticket.is_some());
        assert_eq!(ticket, sqlite.find_ticket(id).await.expect("a ticket"));
        let scope = grant(number).scope;
        assert_eq!(store.find_grant(&scope).await.expect("a grant"), Some(grant(number)));
    }
    for text in [&b""[..], b"short", &long_text()] {
        let StoredOutput { id, tenant, principal, .. } = output(text);
        let slice = store.read_output(id, tenant, &principal, 0, 2 << 20, UnixMillis::new(1));
        let slice = slice.await.expect("an output").expect("the output");
        assert_eq!((&slice.bytes[..], slice.total), (text, text.len() as u64));
    }
    for number in 1..=3 {
        let id = snapshot(number, None).facts.id;
        let copy = store.find_snapshot(TENANT, id).await.expect("a snapshot");
        assert!(copy.is_some());
        assert_eq!(copy, sqlite.find_snapshot(TENANT, id).await.expect("a snapshot"));
    }
    for version in 1..=2 {
        let copy = store.find_tenant_key(TENANT, version).await.expect("a key");
        assert!(copy.is_some());
        assert_eq!(copy, sqlite.find_tenant_key(TENANT, version).await.expect("a key"));
    }
    let sessions = PostgresSessions::new(store.clone(), &ring());
    let messages = sessions.load(&session(), 100).await.expect("the session");
    assert_eq!(messages, (0..3).map(message).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_copy_leaves_nothing() {
    for url in server::urls() {
        let file = TempFile::new();
        fill(&file).await;
        let store = server::store(&url).await;
        // Rows of the last tables that PostgreSQL cannot store, and that cannot be read.
        let ring_key = |start: &str| {
            format!("UPDATE evidence_keys SET ring_key = x'{start:0<128}' WHERE version = 2")
        };
        for (damage, repair, text) in [
            (
                "UPDATE sessions SET principal = 'a' || char(0)",
                "UPDATE sessions SET principal = 'user:ada'",
                "cannot copy the sessions: PostgreSQL stores no text with the character U+0000",
            ),
            (&*ring_key("ff"), &*ring_key("323032362d3131"), "cannot copy the tenant keys of `"),
        ] {
            file.edit(damage);
            let error = store.import(file.export(), |_| ()).await.expect_err(text);
            assert_eq!(error.kind(), StoreErrorKind::Damaged, "{error}");
            assert!(error.log().contains(text), "{}", error.log());
            file.edit(repair);
        }
        // The last attempt finds an empty store, and the next one a full one.
        assert_eq!(store.import(file.export(), |_| ()).await.expect("the copy"), expected_counts());
        let error = store.import(file.export(), |_| ()).await.expect_err("the store has rows");
        assert!(error.log().contains("import into an empty schema"), "{}", error.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_key_is_listed_and_resolved_before_the_copy() {
    let Some(url) = server::url() else { return };
    let file = TempFile::new();
    fill(&file).await;
    file.edit("UPDATE keys SET principal = 'user:43' WHERE fence = 9");
    let options = || SqliteStore::options().check_on_open(false);
    let error = options().export(&file.0).expect_err("a damaged key");
    assert!(error.log().contains("1 keys fail their checksums"), "{}", error.log());

    let store = options().open(&file.0).expect("the store opens");
    let damaged = store.damaged_keys(10).await.expect("a list");
    let [record] = &damaged[..] else { panic!("one key is damaged: {damaged:?}") };
    let (key, keep_until) = (key("key:answered-8"), UnixMillis::new(u64::MAX));
    let answered = Settlement::Answered { answer: answer(8), keep_until };
    assert!(store.settle(&key, record.fence, answered).await.expect("it is resolved"));
    store.close().await;
    let copy = server::store(&url).await;
    assert_eq!(copy.import(file.export(), |_| ()).await.expect("the copy"), expected_counts());
    let record = copy.find(&key).await.expect("a record").expect("the key");
    assert_eq!(record.state, KeyState::Answered { answer: answer(8), keep_until });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_wait_for_a_copy_and_a_second_one_is_refused() {
    let Some(url) = server::url() else { return };
    let file = TempFile::new();
    fill(&file).await;
    let options = server::options().lock_timeout(Duration::from_millis(100));
    let store = options.connect(&url).await.expect("a store");
    let copy = PausedCopy::start(&store, &file).await;
    // A repeat of a call whose answer is being copied is not a new call.
    let repeat = ClaimRequest::new(key("key:answered-0"), FINGERPRINT, UnixMillis::new(1), HOUR);
    let error = store.claim(repeat.clone()).await.expect_err("it fails closed");
    assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error}");
    let (time, next_fence) = (UnixMillis::new(1), Fence::new(1));
    let (counts, rows) = (RowCounts::default(), Box::new(std::iter::empty()));
    let second = StoreExport { time, next_fence, counts, rows };
    let error = store.import(second, |_| ()).await.expect_err("another import");
    assert!(error.log().contains("another import or a replica"), "{}", error.log());
    copy.resume.send(()).expect("the copy waits");
    assert_eq!(copy.task.await.expect("it ends").expect("the copy"), expected_counts());
    let outcome = store.claim(repeat).await.expect("a claim");
    assert_eq!(outcome, ClaimOutcome::Settled(answer(0)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_copy_leaves_nothing() {
    for url in server::urls() {
        let file = TempFile::new();
        fill(&file).await;
        let store = server::store(&url).await;
        let copy = PausedCopy::start(&store, &file).await;
        assert_eq!(copy.rows, 32);
        copy.task.abort();
        copy.resume.send(()).expect("the copy waits");
        let _ = copy.task.await;
        assert_eq!(store.import(file.export(), |_| ()).await.expect("the copy"), expected_counts());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_one_writes_a_file_that_is_exported() {
    let file = TempFile::new();
    fill(&file).await;
    let busy = SqliteStore::options().busy_timeout(Duration::from_millis(20));
    let store = busy.open(&file.0).expect("the store opens");
    let export = file.export();
    let error = store.put_grant(grant(1)).await.expect_err("the file is locked");
    assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error}");
    drop(export);
    store.put_grant(grant(1)).await.expect("the grant is stored");
    let missing = file.0.with_file_name("missing.db");
    let error = SqliteStore::options().export(&missing).expect_err("there is no file");
    assert!(error.log().contains("missing.db") && !missing.exists(), "{}", error.log());
    std::fs::write(&missing, "").expect("an empty file");
    let error = SqliteStore::options().export(&missing).expect_err("the file is empty");
    assert!(error.log().contains("no store has used it"), "{}", error.log());
}
