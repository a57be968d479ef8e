//! Conversations of an agent in the file.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use rusqlite::Connection;
use tool_runtime::Uuid;
use tool_runtime::agent::{SessionKey, SessionStore, SqliteSessions};
use tool_runtime::contracts::ToolContext;
use tool_runtime::contracts::assess::{ChatMessage, ChatRole};
use tool_runtime::policy::KeyRing;
use tool_runtime::store::{SqliteStore, StoreErrorKind, UnixMillis};
use tool_runtime::testing::{ManualClock, conformance};

use super::race::read_line;
use super::{Folder, START, check_refused, played, spawn};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const PROCESSES: usize = 3;
const APPENDS: usize = 60;
const ROLE: &str = "sqlite::sessions::a_process_that_appends";

fn keys() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).unwrap()
}

/// Opens sessions in the file, with a clock that stands still.
fn open(file: &Path, clock: &ManualClock) -> SqliteSessions {
    let store = SqliteStore::options().sync_commits(false).open(file).unwrap();
    SqliteSessions::new(store, &keys()).clock(clock.clone())
}

fn clock() -> ManualClock {
    ManualClock::at(START)
}

fn cx(tenant: u128, user: &str) -> ToolContext {
    let builder = ToolContext::builder(Uuid::from_u128(tenant), "trace-1").run_id("run-1");
    builder.user_id(user).build().unwrap()
}

fn key(session: &str) -> SessionKey {
    SessionKey::new(&cx(1, "ada"), session)
}

fn message(text: &str) -> ChatMessage {
    let time = "2026-05-03T12:34:56Z".parse().unwrap();
    ChatMessage::new(ChatRole::User, text, time, 1).unwrap()
}

async fn append(store: &SqliteSessions, key: &SessionKey, text: &str) {
    store.append(key, vec![message(text)]).await.unwrap();
}

async fn texts(store: &SqliteSessions, key: &SessionKey) -> Vec<String> {
    let loaded = store.load(key, usize::MAX).await.unwrap();
    loaded.iter().map(|message| message.content().to_owned()).collect()
}

/// Changes the file behind the store's back.
fn change(folder: &Folder, sql: &str) {
    Connection::open(folder.file()).unwrap().execute_batch(sql).unwrap();
}

/// Counts the rows of a table.
fn rows(folder: &Folder, table: &str) -> u32 {
    let file = Connection::open(folder.file()).unwrap();
    file.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn every_promise_of_the_trait_is_kept_and_again() {
    let folder = Folder::new();
    let store = open(&folder.file(), &clock());
    conformance::sessions(&store).await;
    conformance::sessions(&store).await;
}

#[tokio::test]
async fn a_session_is_there_when_the_file_is_opened_again() {
    let folder = Folder::new();
    let store = SqliteSessions::new(folder.open(), &keys());
    append(&store, &key("s"), "My name is Ada.").await;
    drop(store);
    let store = SqliteSessions::new(folder.open(), &keys());
    assert_eq!(texts(&store, &key("s")).await, ["My name is Ada."]);
}

#[tokio::test]
async fn a_session_keeps_its_newest_thousand_messages() {
    let folder = Folder::new();
    let store = open(&folder.file(), &clock());
    let numbered = |from: usize, to: usize| (from..to).map(|n| message(&n.to_string())).collect();
    store.append(&key("s"), numbered(0, 1_200)).await.unwrap();
    assert_eq!(rows(&folder, "session_messages"), 1_000);
    store.append(&key("s"), numbered(1_200, 1_203)).await.unwrap();
    let kept = texts(&store, &key("s")).await;
    assert_eq!((kept.len(), &*kept[0], &*kept[999]), (1_000, "203", "1202"));
    assert_eq!(rows(&folder, "session_messages"), 1_000);
}

#[tokio::test]
async fn the_file_shows_no_message() {
    let folder = Folder::new();
    let file = folder.open();
    let store = SqliteSessions::new(file.clone(), &keys());
    append(&store, &key("the-session"), "hunter2 is my password").await;
    assert!(!format!("{store:?}").contains("hunter2"));
    let shows = |text: &str| {
        let files = fs::read_dir(&folder.0).unwrap();
        let mut files = files.map(|file| fs::read(file.unwrap().path()).unwrap());
        files.any(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    assert!(shows("the-session") && !shows("hunter2"), "in the log");
    // Closing is waited for, so that no file disappears while it is read.
    file.close().await;
    assert!(shows("the-session") && !shows("hunter2"), "in the file");
}

#[tokio::test]
async fn a_message_that_was_changed_or_moved_does_not_open() {
    const MOVE: &str = "DELETE FROM sessions WHERE session = 's'; UPDATE sessions SET";
    let changes = [
        "UPDATE session_messages SET message = zeroblob(200)".to_owned(),
        "UPDATE session_messages SET message = substr(message, 1, 50)".to_owned(),
        format!("{MOVE} session = 's' WHERE session = 'other'"),
        format!("{MOVE} principal = 'user:ada', session = 's' WHERE principal = 'user:eve'"),
    ];
    for sql in &changes {
        let folder = Folder::new();
        let store = open(&folder.file(), &clock());
        append(&store, &key("s"), "one").await;
        append(&store, &key("other"), "two").await;
        append(&store, &SessionKey::new(&cx(1, "eve"), "eve's"), "three").await;
        change(&folder, sql);
        let kind = StoreErrorKind::Damaged;
        check_refused(store.load(&key("s"), 10).await, kind, "cannot be decrypted");
    }
}

#[tokio::test]
async fn a_former_key_opens_what_it_sealed_until_it_is_taken_off_the_ring() {
    let folder = Folder::new();
    append(&open(&folder.file(), &clock()), &key("s"), "old").await;
    let rotated = KeyRing::new("2027-02", &[8; 32]).unwrap();
    let ring = KeyRing::new("2027-02", &[8; 32]).unwrap().with_former("2026-11", &[7; 32]).unwrap();
    let store = SqliteSessions::new(folder.open(), &ring).clock(clock());
    append(&store, &key("s"), "new").await;
    assert_eq!(texts(&store, &key("s")).await, ["old", "new"]);
    let store = SqliteSessions::new(folder.open(), &rotated).clock(clock());
    assert_eq!(store.load(&key("s"), 1).await.unwrap(), [message("new")]);
    check_refused(store.load(&key("s"), 2).await, StoreErrorKind::Damaged, "on the ring");
}

#[tokio::test]
async fn an_append_that_fails_leaves_nothing() {
    let folder = Folder::new();
    let store = open(&folder.file(), &clock());
    append(&store, &key("s"), "one").await;
    change(
        &folder,
        "CREATE TRIGGER full BEFORE INSERT ON session_messages
         WHEN (SELECT count(*) FROM session_messages) >= 2
         BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    let pair = || vec![message("two"), message("three")];
    assert!(store.append(&key("s"), pair()).await.is_err());
    assert!(store.append(&key("new"), pair()).await.is_err());
    change(&folder, "DROP TRIGGER full");
    assert_eq!(texts(&store, &key("s")).await, ["one"]);
    assert_eq!((rows(&folder, "sessions"), rows(&folder, "session_messages")), (1, 1));
}

#[tokio::test]
async fn a_session_expires_after_its_last_message() {
    let folder = Folder::new();
    let clock = clock();
    let store = open(&folder.file(), &clock).retention(2 * DAY);
    append(&store, &key("s"), "first").await;
    clock.advance(DAY);
    append(&store, &key("s"), "second").await;
    let expires_at = START.after(3 * DAY);
    clock.set(UnixMillis::new(expires_at.get() - 1));
    assert_eq!(texts(&store, &key("s")).await, ["first", "second"]);
    clock.set(expires_at);
    assert!(texts(&store, &key("s")).await.is_empty(), "an expired session is not read");
    append(&store, &key("s"), "anew").await;
    assert_eq!(texts(&store, &key("s")).await, ["anew"], "an expired session begins anew");
    assert_eq!(rows(&folder, "session_messages"), 1);
}

#[tokio::test]
async fn appends_and_sweeps_delete_the_expired_sessions_of_all() {
    let folder = Folder::new();
    let clock = clock();
    let store = open(&folder.file(), &clock);
    for number in 0..40 {
        append(&store, &SessionKey::new(&cx(number, "ada"), "s"), "text").await;
    }
    clock.advance(30 * DAY);
    append(&store, &key("new"), "text").await;
    assert_eq!(rows(&folder, "sessions"), 39, "an append deletes more than it begins");
    let mut swept = Vec::new();
    for _ in 0..4 {
        swept.push(store.sweep().await.unwrap());
    }
    assert_eq!(swept, [16, 16, 6, 0]);
    assert_eq!(texts(&store, &key("new")).await, ["text"]);
    assert_eq!(rows(&folder, "session_messages"), 1);
}

#[tokio::test]
async fn a_principal_with_too_many_sessions_loses_its_own_least_recent_one() {
    let folder = Folder::new();
    let clock = clock();
    let store = open(&folder.file(), &clock).sessions_per_principal(2);
    let others = [cx(1, "eve"), cx(2, "ada")].map(|cx| SessionKey::new(&cx, "other"));
    for other in &others {
        append(&store, other, "other's").await;
    }
    for session in ["a", "b", "a", "c"] {
        clock.advance(Duration::from_secs(1));
        append(&store, &key(session), session).await;
    }
    assert!(texts(&store, &key("b")).await.is_empty(), "the one used least recently is deleted");
    assert_eq!(texts(&store, &key("a")).await, ["a", "a"]);
    assert_eq!(texts(&store, &key("c")).await, ["c"]);
    for other in &others {
        assert_eq!(texts(&store, other).await, ["other's"], "a bound is one principal's");
    }
}

#[tokio::test]
async fn a_clock_that_was_set_back_evicts_no_new_session() {
    let folder = Folder::new();
    let clock = clock();
    let store = open(&folder.file(), &clock).sessions_per_principal(1);
    append(&store, &key("old"), "old").await;
    clock.set(START.before(DAY));
    append(&store, &key("new"), "new").await;
    assert_eq!(texts(&store, &key("new")).await, ["new"]);
    assert!(texts(&store, &key("old")).await.is_empty());
}

#[tokio::test]
async fn sessions_are_deleted_on_request() {
    let folder = Folder::new();
    let store = open(&folder.file(), &clock());
    for number in 0..40 {
        append(&store, &key(&number.to_string()), "text").await;
    }
    let eve = SessionKey::new(&cx(1, "eve"), "0");
    append(&store, &eve, "eve's").await;
    assert!(store.delete(&key("0")).await.unwrap());
    assert!(!store.delete(&key("0")).await.unwrap());
    assert!(texts(&store, &key("0")).await.is_empty());
    assert_eq!(store.delete_all(&cx(1, "ada")).await.unwrap(), 39);
    assert_eq!(store.delete_all(&cx(1, "ada")).await.unwrap(), 0);
    assert_eq!(texts(&store, &eve).await, ["eve's"]);
    assert_eq!(rows(&folder, "session_messages"), 1);
}

#[test]
fn processes_that_append_to_one_session_lose_and_mix_nothing() {
    let folder = Folder::new();
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| spawn(ROLE, &folder)).collect();
    // All have started before the first is released.
    for child in &mut children {
        read_line(child, "ready");
    }
    for (number, child) in children.iter_mut().enumerate() {
        child.stdin.take().unwrap().write_all(format!("{number}\n").as_bytes()).unwrap();
    }
    for mut child in children {
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        assert!(child.wait().unwrap().success(), "{output}");
    }
    let store = SqliteSessions::new(folder.open(), &keys());
    let found = futures::executor::block_on(texts(&store, &key("s")));
    assert_eq!(found.len(), 2 * PROCESSES * APPENDS);
    for process in 0..PROCESSES {
        let own = found.iter().filter(|text| text.starts_with(&format!("{process} ")));
        let expected =
            (0..APPENDS).flat_map(|n| [format!("{process} {n}"), format!("{process} {n}")]);
        assert!(own.eq(expected.collect::<Vec<_>>().iter()), "the order of process {process}");
    }
    assert!(found.chunks(2).all(|pair| pair[0] == pair[1]), "an append stays together");
}

#[tokio::test]
async fn a_process_that_appends() {
    let Some(folder) = played(ROLE) else { return };
    let store = SqliteSessions::new(SqliteStore::open(folder.join("tools.db")).unwrap(), &keys());
    println!("\nready");
    let mut process = String::new();
    std::io::stdin().read_line(&mut process).unwrap();
    for number in 0..APPENDS {
        let text = format!("{} {number}", process.trim());
        store.append(&key("s"), vec![message(&text), message(&text)]).await.unwrap();
    }
}
