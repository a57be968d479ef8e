//! The conformance suite of session stores.

use std::collections::BTreeSet;

use futures::future::join_all;
use tool_contracts::assess::{ChatMessage, ChatRole};
use tool_runtime_agent::{SessionKey, SessionStore};
use uuid::Uuid;

use super::samples::{CROWD, alike, bytes, done, names, pause};

/// The newest messages that every store keeps.
const KEPT: usize = 200;

/// Checks every promise of a [`SessionStore`].
///
/// # Panics
/// Panics at the first broken promise.
pub async fn sessions(store: &dyn SessionStore) {
    a_new_session_is_empty(&SessionChecks::new(store)).await;
    messages_keep_their_order(&SessionChecks::new(store)).await;
    a_message_is_read_as_it_was_appended(&SessionChecks::new(store)).await;
    the_newest_messages_are_read(&SessionChecks::new(store)).await;
    the_oldest_messages_are_dropped_first(&SessionChecks::new(store)).await;
    a_session_is_for_its_tenant_and_principal(&SessionChecks::new(store)).await;
    owners_and_ids_are_told_apart(&SessionChecks::new(store)).await;
    appends_at_once_stay_together(&SessionChecks::new(store)).await;
}

/// The sessions of a tenant that one check owns.
struct SessionChecks<'a> {
    store: &'a dyn SessionStore,
    tenant: Uuid,
}

impl<'a> SessionChecks<'a> {
    fn new(store: &'a dyn SessionStore) -> Self {
        Self { store, tenant: Uuid::now_v7() }
    }

    fn key(&self, session: &str) -> SessionKey {
        SessionKey::scoped(self.tenant, "user:42", session)
    }

    async fn append(&self, key: &SessionKey, texts: &[&str]) {
        let messages = texts.iter().map(|text| message(text)).collect();
        done("append", self.store.append(key, messages).await);
    }

    async fn load(&self, key: &SessionKey, limit: usize) -> Vec<ChatMessage> {
        done("load", self.store.load(key, limit).await)
    }

    /// Reads the texts of a session.
    async fn texts(&self, key: &SessionKey, limit: usize) -> Vec<String> {
        let loaded = self.load(key, limit).await;
        loaded.iter().map(|message| message.content().to_owned()).collect()
    }
}

fn message(text: &str) -> ChatMessage {
    message_with_role(ChatRole::User, text)
}

fn message_with_role(role: ChatRole, text: &str) -> ChatMessage {
    let time = "2026-05-03T12:34:56.789Z".parse().expect("a time of RFC 3339");
    ChatMessage::new(role, text, time, 3).expect("a year of four digits")
}

async fn a_new_session_is_empty(sessions: &SessionChecks<'_>) {
    let key = sessions.key("new");
    assert_eq!(sessions.load(&key, 10).await, [], "a new session is empty");
    sessions.append(&key, &[]).await;
    assert_eq!(sessions.load(&key, 10).await, [], "appending nothing changes nothing");
}

async fn a_message_is_read_as_it_was_appended(sessions: &SessionChecks<'_>) {
    let key = sessions.key("whole");
    let mut appended: Vec<_> = [ChatRole::User, ChatRole::Assistant, ChatRole::System]
        .map(|role| message_with_role(role, "text"))
        .into();
    let texts = bytes().into_iter().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    appended.extend(texts.map(|text| message(&text)));
    done("append", sessions.store.append(&key, appended.clone()).await);
    let same = sessions.load(&key, usize::MAX).await == appended;
    assert!(same, "messages are read as they were appended: role, text, time and tokens");
}

async fn messages_keep_their_order(sessions: &SessionChecks<'_>) {
    let key = sessions.key("order");
    for texts in [&["b", "a"][..], &["b"], &["d", "c", "b"]] {
        sessions.append(&key, texts).await;
    }
    let messages = sessions.texts(&key, usize::MAX).await;
    assert_eq!(messages, ["b", "a", "b", "d", "c", "b"], "messages keep their order, oldest first");
}

async fn the_newest_messages_are_read(sessions: &SessionChecks<'_>) {
    let key = sessions.key("newest");
    sessions.append(&key, &["1", "2", "3"]).await;
    for (limit, expected) in [(0, &[][..]), (1, &["3"]), (2, &["2", "3"]), (9, &["1", "2", "3"])] {
        let messages = sessions.texts(&key, limit).await;
        assert_eq!(messages, expected, "the newest messages are read, at most {limit}");
    }
}

async fn the_oldest_messages_are_dropped_first(sessions: &SessionChecks<'_>) {
    let key = sessions.key("long");
    let numbers: Vec<_> = (0..2 * KEPT).map(|number| number.to_string()).collect();
    for pair in numbers.chunks(2) {
        sessions.append(&key, &pair.iter().map(String::as_str).collect::<Vec<_>>()).await;
    }
    let messages = sessions.texts(&key, usize::MAX).await;
    assert!(
        messages.len() >= KEPT,
        "the newest {KEPT} messages are kept; found {}",
        messages.len()
    );
    let newest = &numbers[numbers.len() - messages.len()..];
    assert_eq!(messages, newest, "the oldest messages are dropped first");
}

async fn a_session_is_for_its_tenant_and_principal(sessions: &SessionChecks<'_>) {
    let key = sessions.key("own");
    sessions.append(&key, &["text"]).await;
    let others = [
        SessionKey::scoped(Uuid::now_v7(), "user:42", "own"),
        SessionKey::scoped(sessions.tenant, "user:43", "own"),
        SessionKey::scoped(sessions.tenant, "", "own"),
        SessionKey::scoped(sessions.tenant, "user:42", "other"),
        SessionKey::scoped(sessions.tenant, "user:42", ""),
    ];
    for other in &others {
        let messages = sessions.texts(other, 10).await;
        assert!(messages.is_empty(), "a session is read only by its tenant and principal");
        sessions.append(other, &["other"]).await;
    }
    let messages = sessions.texts(&key, 10).await;
    assert_eq!(messages, ["text"], "others append to sessions of their own");
}

async fn owners_and_ids_are_told_apart(sessions: &SessionChecks<'_>) {
    let pairs = alike().into_iter().map(|[principal, session, _]| (principal, session));
    let names = names()
        .into_iter()
        .flat_map(|name| [(name.clone(), String::new()), ("u".to_owned(), name)]);
    // A session without a principal would be shared by all callers without a name; none is kept.
    let keys: BTreeSet<_> =
        pairs.chain(names).filter(|(principal, _)| !principal.is_empty()).collect();
    let key = |(principal, session): &(String, String)| {
        SessionKey::scoped(sessions.tenant, principal, session)
    };
    for (number, pair) in keys.iter().enumerate() {
        sessions.append(&key(pair), &[&number.to_string()]).await;
    }
    for (number, pair) in keys.iter().enumerate() {
        let messages = sessions.texts(&key(pair), 10).await;
        assert_eq!(messages, [number.to_string()], "owners and ids are told apart byte by byte");
    }
}

async fn appends_at_once_stay_together(sessions: &SessionChecks<'_>) {
    let key = sessions.key("crowd");
    let appends = (0..CROWD).map(|number| {
        let key = &key;
        async move {
            pause().await;
            let text = number.to_string();
            sessions.append(key, &[&text, &text, &text]).await;
        }
    });
    join_all(appends).await;
    let messages = sessions.texts(&key, usize::MAX).await;
    assert_eq!(messages.len(), 3 * CROWD, "no append is lost");
    let together = messages.chunks(3).all(|texts| texts.iter().all(|text| *text == texts[0]));
    assert!(together, "the messages of an append stay together; found {messages:?}");
}
