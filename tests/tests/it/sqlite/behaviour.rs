//! The conformance suites, on a file.

use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, GrantScope, GrantStore, IdempotencyStore, OutputStore, Settlement, SqliteStore,
    StandingGrant, StoredOutput, TicketEnd, TicketStore, UnixMillis, WaitingTicket,
};
use tool_runtime::testing::conformance;

use super::{Folder, LEASE, START, answered, fence, key, request};

#[tokio::test]
async fn every_promise_of_the_traits_is_kept() {
    let folder = Folder::new();
    // Syncing is slow, and not part of the suite.
    let store = SqliteStore::options().sync_commits(false).open(folder.file()).unwrap();
    conformance::all(&store).await;
    conformance::quotas(&store).await;
    conformance::evidence(&store).await;
}

#[tokio::test]
async fn everything_is_there_when_the_file_is_opened_again() {
    let folder = Folder::new();
    let store = folder.open();
    let settled = fence(&store.claim(request("settled")).await.unwrap());
    let unknown = fence(&store.claim(request("unknown")).await.unwrap());
    let running = fence(&store.claim(request("running")).await.unwrap());
    assert!(store.settle(&key("settled"), settled, answered("1")).await.unwrap());
    assert!(store.settle(&key("unknown"), unknown, Settlement::Unknown).await.unwrap());
    let ticket = WaitingTicket::new(Uuid::max(), Uuid::nil(), "session-1", vec![1, 2], START);
    store.put_ticket(ticket.clone()).await.unwrap();
    let scope =
        GrantScope::new(Uuid::nil(), "user:42", "mail.send", Digest::compute("test", b"schema"));
    let grant = StandingGrant::new(scope.clone(), "user:7", START).until(START.after(LEASE));
    store.put_grant(grant.clone()).await.unwrap();
    let output = StoredOutput::new(Uuid::max(), Uuid::nil(), "user:42", b"[1,2,3]".to_vec(), START);
    store.put_output(output).await.unwrap();
    drop(store);

    let store = folder.open();
    assert!(matches!(store.claim(request("settled")).await.unwrap(), ClaimOutcome::Settled(_)));
    assert_eq!(store.claim(request("unknown")).await.unwrap(), ClaimOutcome::Unknown(unknown));
    let until = START.after(LEASE);
    assert_eq!(store.claim(request("running")).await.unwrap(), ClaimOutcome::Running { until });
    assert!(fence(&store.claim(request("new")).await.unwrap()) > running);
    assert_eq!(store.find_ticket(Uuid::max()).await.unwrap(), Some(ticket));
    assert_eq!(store.find_grant(&scope).await.unwrap(), Some(grant));
    let slice = store
        .read_output(Uuid::max(), Uuid::nil(), "user:42", 1, 3, UnixMillis::new(0))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((slice.bytes.as_slice(), slice.total), (b"1,2".as_slice(), 7));
}

#[tokio::test]
async fn fences_grow_past_those_of_forgotten_records() {
    let folder = Folder::new();
    let store = folder.open();
    let released = fence(&store.claim(request("a")).await.unwrap());
    assert!(store.settle(&key("a"), released, Settlement::Released).await.unwrap());
    let swept = fence(&store.claim(request("a")).await.unwrap());
    assert!(swept > released);
    assert!(store.settle(&key("a"), swept, answered("1")).await.unwrap());
    assert_eq!(store.sweep_keys(START.after(LEASE), 10).await.unwrap(), 1);
    store.close().await;
    assert!(fence(&folder.open().claim(request("a")).await.unwrap()) > swept);
}

#[tokio::test]
async fn the_last_moment_there_is_is_kept() {
    let folder = Folder::new();
    let store = folder.open();
    let never = UnixMillis::new(u64::MAX);
    let ticket = WaitingTicket::new(Uuid::max(), Uuid::nil(), "session-1", Vec::new(), never);
    store.put_ticket(ticket.clone()).await.unwrap();
    assert_eq!(store.find_ticket(Uuid::max()).await.unwrap(), Some(ticket));
    assert_eq!(store.sweep_tickets(START, 10).await.unwrap(), 0);
}

#[tokio::test]
async fn a_ticket_that_is_put_again_stays_ended() {
    let folder = Folder::new();
    let store = folder.open();
    let ticket = WaitingTicket::new(Uuid::max(), Uuid::nil(), "session-1", Vec::new(), START);
    store.put_ticket(ticket.clone()).await.unwrap();
    assert_eq!(store.end_ticket(Uuid::max(), TicketEnd::Used).await.unwrap(), None);
    store.put_ticket(ticket).await.unwrap();
    let earlier = store.end_ticket(Uuid::max(), TicketEnd::Used).await.unwrap();
    assert_eq!(earlier, Some(TicketEnd::Used));
}

#[tokio::test]
async fn names_may_hold_any_character() {
    let folder = Folder::new();
    let store = folder.open();
    let (long, short) = ("a\0b'; DROP TABLE keys", "a");
    fence(&store.claim(request(long)).await.unwrap());
    assert_eq!(store.find(&key(short)).await.unwrap(), None);
    assert_eq!(store.find(&key(long)).await.unwrap().unwrap().key, key(long));
}
