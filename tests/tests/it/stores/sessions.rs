//! The suite for sessions: a correct store passes, and a store that breaks any promise does not.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use async_trait::async_trait;
use futures::executor::block_on;
use tokio::task::yield_now;
use tool_runtime::Uuid;
use tool_runtime::agent::{MemorySessions, SessionKey, SessionStore};
use tool_runtime::contracts::assess::{ChatMessage, ChatRole};
use tool_runtime::store::StoreError;
use tool_runtime::testing::conformance;

use super::conformance::{all_are_found, said};

/// A defect of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    None,
    SharesTenants,
    SharesPrincipals,
    SharesSessions,
    JoinsKeys,
    FoldsCase,
    ForgetsRoles,
    CutsTexts,
    ReadsNewestFirst,
    ReadsTheOldest,
    ReadsAll,
    KeepsTheOldest,
    KeepsFew,
    AppendsOneByOne,
    ReplacesMessages,
}

/// The assertion of the suite that each defect breaks.
const DEFECTS: [(Defect, &str); 14] = [
    (Defect::SharesTenants, "a session is read only by its tenant and principal"),
    (Defect::SharesPrincipals, "a session is read only by its tenant and principal"),
    (Defect::SharesSessions, "a session is read only by its tenant and principal"),
    (Defect::JoinsKeys, "owners and ids are told apart byte by byte"),
    (Defect::FoldsCase, "owners and ids are told apart byte by byte"),
    (Defect::ForgetsRoles, "messages are read as they were appended"),
    (Defect::CutsTexts, "messages are read as they were appended"),
    (Defect::ReadsNewestFirst, "messages keep their order, oldest first"),
    (Defect::ReadsTheOldest, "the newest messages are read, at most 1"),
    (Defect::ReadsAll, "the newest messages are read, at most 0"),
    (Defect::KeepsTheOldest, "the oldest messages are dropped first"),
    (Defect::KeepsFew, "the newest 200 messages are kept; found 199"),
    (Defect::AppendsOneByOne, "the messages of an append stay together"),
    (Defect::ReplacesMessages, "messages keep their order, oldest first"),
];

#[tokio::test]
async fn memory_keeps_every_promise_and_again() {
    let store = MemorySessions::new();
    conformance::sessions(&store).await;
    conformance::sessions(&store).await;
}

#[test]
fn a_store_without_a_defect_passes() {
    block_on(conformance::sessions(&Broken::by(Defect::None)));
}

#[test]
fn every_defect_is_found_and_named() {
    all_are_found(DEFECTS, complaint);
}

/// Runs the suite over a defective store, and returns what it complained of.
fn complaint(defect: Defect) -> Option<String> {
    let run = || block_on(conformance::sessions(&Broken::by(defect)));
    catch_unwind(AssertUnwindSafe(run)).err().map(said)
}

/// An in-memory store with one defect.
#[derive(Debug)]
struct Broken {
    sessions: Mutex<HashMap<(Uuid, String, String), Vec<ChatMessage>>>,
    defect: Defect,
}

impl Broken {
    fn by(defect: Defect) -> Self {
        Self { sessions: Mutex::default(), defect }
    }

    fn key(&self, key: &SessionKey) -> (Uuid, String, String) {
        let (tenant, principal) = (key.tenant(), key.principal().to_owned());
        let session = key.session().to_owned();
        match self.defect {
            Defect::SharesTenants => (Uuid::nil(), principal, session),
            Defect::SharesPrincipals => (tenant, String::new(), session),
            Defect::SharesSessions => (tenant, principal, String::new()),
            Defect::JoinsKeys => (tenant, String::new(), format!("{principal}:{session}")),
            Defect::FoldsCase => (tenant, principal.to_lowercase(), session.to_lowercase()),
            _ => (tenant, principal, session),
        }
    }

    fn stored(&self, message: ChatMessage) -> ChatMessage {
        let of = |role, text: &str| {
            ChatMessage::new(role, text, message.timestamp(), message.tokens()).unwrap()
        };
        match self.defect {
            Defect::ForgetsRoles => of(ChatRole::User, message.content()),
            Defect::CutsTexts => of(message.role(), message.content().trim_end_matches('\u{fffd}')),
            _ => message,
        }
    }

    fn push(&self, key: &SessionKey, messages: Vec<ChatMessage>) {
        let mut sessions = self.sessions.lock().unwrap();
        let session = sessions.entry(self.key(key)).or_default();
        if self.defect == Defect::ReplacesMessages {
            session.retain(|kept| !messages.contains(kept));
        }
        session.extend(messages.into_iter().map(|message| self.stored(message)));
        match self.defect {
            Defect::KeepsTheOldest => session.truncate(250),
            Defect::KeepsFew => drop(session.drain(..session.len().saturating_sub(199))),
            _ => {}
        }
    }
}

#[async_trait]
impl SessionStore for Broken {
    async fn load(&self, key: &SessionKey, limit: usize) -> Result<Vec<ChatMessage>, StoreError> {
        let sessions = self.sessions.lock().unwrap();
        let mut messages = sessions.get(&self.key(key)).cloned().unwrap_or_default();
        let surplus = messages.len().saturating_sub(limit);
        match self.defect {
            Defect::ReadsAll => {}
            Defect::ReadsTheOldest => messages.truncate(limit),
            Defect::ReadsNewestFirst => {
                messages.drain(..surplus);
                messages.reverse();
            }
            _ => drop(messages.drain(..surplus)),
        }
        Ok(messages)
    }

    async fn append(&self, key: &SessionKey, messages: Vec<ChatMessage>) -> Result<(), StoreError> {
        if self.defect != Defect::AppendsOneByOne {
            self.push(key, messages);
            return Ok(());
        }
        for message in messages {
            self.push(key, vec![message]);
            yield_now().await;
        }
        Ok(())
    }
}
