//! The sessions of an agent: shared by replicas, sealed, bounded.

use std::time::Duration;

use futures::future::join_all;
use tool_runtime::agent::{PostgresSessions, SessionKey, SessionStore as _};
use tool_runtime::contracts::assess::{ChatMessage, ChatRole};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;
use tool_runtime::store::{PostgresStore, UnixMillis};
use tool_runtime::testing::{ManualClock, conformance};

use crate::server;

const START: UnixMillis = UnixMillis::new(1_800_000_000_000);

fn keys() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).expect("a ring")
}

async fn sessions(url: &str) -> PostgresSessions {
    PostgresSessions::new(server::store(url).await, &keys())
}

fn message(text: &str) -> ChatMessage {
    let time = "2026-05-03T12:34:56Z".parse().expect("a time");
    ChatMessage::new(ChatRole::User, text, time, 3).expect("a message")
}

fn context(user: &str) -> ToolContext {
    let cx = ToolContext::builder(tool_runtime::Uuid::from_u128(7), "trace-1").run_id("run-1");
    cx.user_id(user).build().expect("a context")
}

async fn append(sessions: &PostgresSessions, key: &SessionKey, text: &str) {
    sessions.append(key, vec![message(text)]).await.expect("it is appended");
}

async fn texts(sessions: &PostgresSessions, key: &SessionKey) -> Vec<String> {
    let messages = sessions.load(key, 10_000).await.expect("it is loaded");
    messages.iter().map(|message| message.content().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_promise_of_the_trait_is_kept() {
    for url in server::urls() {
        conformance::sessions(&sessions(&url).await).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_append_to_one_session_lose_and_mix_nothing() {
    for url in server::urls() {
        let options = server::options();
        let stores = join_all((0..3).map(|_| options.clone().connect(&url))).await;
        let replicas: Vec<_> = stores
            .into_iter()
            .map(|store| PostgresSessions::new(store.expect("a store"), &keys()))
            .collect();
        let key = SessionKey::new(&context("ada"), "session");
        let appends = replicas.iter().enumerate().map(|(replica, sessions)| {
            let key = &key;
            async move {
                for number in 0..10 {
                    let text = |part: &str| message(&format!("{replica} {number} {part}"));
                    let pair = vec![text("a"), text("b")];
                    sessions.append(key, pair).await.expect("it is appended");
                }
            }
        });
        join_all(appends).await;
        let history = texts(&replicas[0], &key).await;
        assert_eq!(history.len(), 60);
        for pair in history.chunks(2) {
            assert_eq!(pair[0].strip_suffix('a'), pair[1].strip_suffix('b'));
        }
        for replica in 0..3 {
            let of_replica = history.iter().filter(|text| text.starts_with(&format!("{replica} ")));
            assert!(of_replica.step_by(2).is_sorted(), "in the order of its appends");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_bounded_and_a_principal_loses_its_own_least_recent_one() {
    let Some(url) = server::url() else { return };
    let clock = ManualClock::at(START);
    let sessions = sessions(&url).await.clock(clock.clone()).sessions_per_principal(3);
    let key = |name: &str| SessionKey::new(&context("ada"), name);
    let messages = (0..1_005).map(|number| message(&number.to_string()));
    sessions.append(&key("long"), messages.collect()).await.expect("it is appended");
    append(&sessions, &key("long"), "last").await;
    let stored = texts(&sessions, &key("long")).await;
    assert_eq!((stored.len(), &*stored[0], &*stored[999]), (1_000, "6", "last"));

    let other = SessionKey::new(&context("eve"), "hers");
    append(&sessions, &other, "hello").await;
    for name in ["a", "b", "c"] {
        clock.advance(Duration::from_secs(1));
        append(&sessions, &key(name), name).await;
    }
    assert!(texts(&sessions, &key("long")).await.is_empty(), "the least recent one");
    assert_eq!(texts(&sessions, &key("a")).await, ["a"]);
    assert_eq!(texts(&sessions, &other).await, ["hello"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_expire_and_are_deleted_on_request() {
    let Some(url) = server::url() else { return };
    let clock = ManualClock::at(START);
    let sessions = sessions(&url).await.clock(clock.clone());
    let key = |name: &str| SessionKey::new(&context("ada"), name);
    for name in ["a", "b", "c"] {
        append(&sessions, &key(name), name).await;
    }
    assert!(sessions.delete(&key("a")).await.expect("deleted"));
    assert!(!sessions.delete(&key("a")).await.expect("none"));
    assert_eq!(sessions.delete_all(&context("ada")).await.expect("deleted"), 2);
    append(&sessions, &key("a"), "again").await;
    clock.advance(Duration::from_secs(31 * 24 * 60 * 60));
    assert!(texts(&sessions, &key("a")).await.is_empty());
    append(&sessions, &key("a"), "anew").await;
    assert_eq!(texts(&sessions, &key("a")).await, ["anew"]);
    clock.advance(Duration::from_secs(31 * 24 * 60 * 60));
    assert_eq!(sessions.sweep().await.expect("swept"), 1);
}

/// The database shows no message, and a message that was moved to another session does not open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_sealed_and_opens_in_its_own_session_alone() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let store = PostgresStore::options().schema(&schema).connect(&url).await.expect("a store");
    let sessions = PostgresSessions::new(store, &keys());
    let key = |name: &str| SessionKey::new(&context("ada"), name);
    append(&sessions, &key("a"), "hunter2").await;
    append(&sessions, &key("b"), "other").await;
    let client = server::client(&url).await;
    client.batch_execute("SET tool_runtime.tenant = '*'").await.expect("all tenants");
    let plain = format!(
        "SELECT count(*) FROM {schema}.session_messages WHERE position('hunter2'::bytea IN message) > 0"
    );
    let row = client.query_one(&plain, &[]).await.expect("a row");
    assert_eq!(row.get::<_, i64>(0), 0);
    let swap = format!(
        "UPDATE {schema}.session_messages AS mine SET message = (
            SELECT message FROM {schema}.session_messages AS its WHERE its.session <> mine.session)"
    );
    assert_eq!(client.execute(&swap, &[]).await.expect("swapped"), 2);
    assert!(sessions.load(&key("a"), 10).await.is_err());
}
