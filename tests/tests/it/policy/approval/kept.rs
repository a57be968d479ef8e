//! Sealed calls in a store, which can neither be read nor changed there.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tool_runtime::policy::Policy;
use tool_runtime::store::{MemoryLimits, MemoryStore};

use super::fixture::{DAY, Fixture, SECRET, jane, reason};
use crate::sqlite::Folder;

const NAME: &str = "a-very-rare-name";

fn payment() -> String {
    format!(r#"{{"to":"{NAME}","cents":977,"pin":"{SECRET}"}}"#)
}

/// Returns the bytes of all files in a folder.
fn bytes_in(folder: &Path) -> Vec<u8> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.flat_map(|file| fs::read(file).unwrap()).collect()
}

#[track_caller]
fn check_absent(bytes: &[u8], text: &str) {
    let found = bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!found, "`{text}` can be read");
}

#[tokio::test]
async fn the_file_of_a_store_holds_no_argument_of_what_waits_and_never_a_secret() {
    let folder = Folder::new();
    let fixture = Fixture::new(Policy::new().store(folder.open()));
    let cx = jane().with_auth(Some([("token".to_owned(), SECRET.into())].into_iter().collect()));
    let mut call = fixture.runtime.call("pay", payment(), &cx);
    let ticket = call.ticket().await.unwrap().to_json();
    let waiting = bytes_in(&folder.0);
    assert!(folder.0.join("tools.db-wal").exists(), "the log beside the file is searched too");
    assert!(waiting.windows(5).any(|part| part == b"run-1"), "the conversation can be found");
    for text in [NAME, "\"cents\"", SECRET] {
        check_absent(&waiting, text);
        check_absent(ticket.as_bytes(), text);
    }
    assert!(fixture.approved(&ticket).await.is_ok());
    assert_eq!(fixture.notes.all(), [format!("paid 977 to {NAME}")]);
    check_absent(&bytes_in(&folder.0), SECRET);
}

/// Changes the payloads in the file, and checks the state of the first of two tickets.
async fn check_changed(change: &str, expected: &str) {
    let folder = Folder::new();
    let fixture = Fixture::new(Policy::new().store(folder.open()));
    let ticket = fixture.ticket("pay", &payment()).await;
    let other = fixture.ticket("pay", r#"{"to":"joe"}"#).await;
    let id = |ticket: &str| {
        let ticket: tool_runtime::policy::Ticket = ticket.parse().unwrap();
        ticket.id().as_bytes().to_vec()
    };
    let file = Connection::open(folder.file()).unwrap();
    assert_eq!(file.execute(change, [id(&ticket), id(&other)]).unwrap(), 1);
    assert_eq!(reason(&fixture.approved(&ticket).await), expected);
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_waiting_call_that_was_changed_in_the_store_does_not_run() {
    let swapped = "UPDATE tickets SET payload = (SELECT payload FROM tickets WHERE id = ?2)
                   WHERE id = ?1";
    check_changed(swapped, "ticket_unreadable").await;
    let cut = "UPDATE tickets SET payload = substr(payload, 1, length(payload) - 1)
               WHERE id = ?1 AND id <> ?2";
    check_changed(cut, "ticket_unreadable").await;
    let gone = "DELETE FROM tickets WHERE id = ?1 AND id <> ?2";
    check_changed(gone, "ticket_unknown").await;
}

#[tokio::test]
async fn tickets_whose_time_is_over_make_room_for_others() {
    let limits = MemoryLimits::new().with_tickets(2, 1 << 20);
    let fixture = Fixture::new(Policy::new().store(MemoryStore::bounded(limits)));
    for _ in 0..3 {
        fixture.clock.advance(2 * DAY);
        for _ in 0..2 {
            fixture.ticket("pay", &payment()).await;
        }
    }
    assert_eq!(reason(&fixture.answer("pay", &payment()).await), "no_ticket", "what waits is kept");
}
