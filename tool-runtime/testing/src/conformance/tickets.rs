//! The conformance suite of ticket stores.

use futures::future::join_all;
use tool_runtime_core::store::{TicketEnd, TicketStore, UnixMillis, WaitingTicket};
use uuid::Uuid;

use super::samples::{CROWD, START, at, before, bytes, done, names};

/// Checks every promise of a [`TicketStore`].
///
/// # Panics
/// Panics at the first broken promise.
pub async fn tickets(store: &dyn TicketStore) {
    a_ticket_is_found_as_it_was_put(&TicketChecks::new(store)).await;
    a_payload_is_kept_byte_for_byte(&TicketChecks::new(store)).await;
    a_ticket_that_never_was_has_expired(&TicketChecks::new(store)).await;
    a_ticket_ends_once(&TicketChecks::new(store)).await;
    one_of_many_ends_a_ticket(&TicketChecks::new(store)).await;
    putting_a_ticket_again_changes_nothing(&TicketChecks::new(store)).await;
    waiting_tickets_of_a_conversation_are_superseded(&TicketChecks::new(store)).await;
    conversations_are_told_apart(&TicketChecks::new(store)).await;
    a_ticket_is_superseded_or_used_never_both(&TicketChecks::new(store)).await;
    a_ticket_is_kept_for_its_time(&TicketChecks::new(store)).await;
    a_sweep_deletes_no_more_than_it_may(&TicketChecks::new(store)).await;
    waiting_tickets_of_a_tenant_are_listed_page_by_page(&TicketChecks::new(store)).await;
    an_ended_or_expired_ticket_is_not_listed(&TicketChecks::new(store)).await;
    a_page_may_start_after_what_has_ended(&TicketChecks::new(store)).await;
}

/// The tickets of a tenant that one check owns.
struct TicketChecks<'a> {
    store: &'a dyn TicketStore,
    tenant: Uuid,
}

impl<'a> TicketChecks<'a> {
    fn new(store: &'a dyn TicketStore) -> Self {
        Self { store, tenant: Uuid::now_v7() }
    }

    fn waiting(&self, conversation: &str, expires_at: UnixMillis) -> WaitingTicket {
        let payload = b"sealed".to_vec();
        WaitingTicket::new(Uuid::now_v7(), self.tenant, conversation, payload, expires_at)
    }

    /// Puts a ticket that waits in a conversation.
    async fn wait(&self, conversation: &str) -> Uuid {
        self.put(self.waiting(conversation, at(100))).await
    }

    async fn put(&self, ticket: WaitingTicket) -> Uuid {
        let id = ticket.id;
        done("put_ticket", self.store.put_ticket(ticket).await);
        id
    }

    async fn find(&self, id: Uuid) -> Option<WaitingTicket> {
        done("find_ticket", self.store.find_ticket(id).await)
    }

    async fn end(&self, id: Uuid, end: TicketEnd) -> Option<TicketEnd> {
        done("end_ticket", self.store.end_ticket(id, end).await)
    }

    async fn list(&self, after: Option<Uuid>, limit: usize, now: UnixMillis) -> Vec<WaitingTicket> {
        let page = self.store.waiting_tickets(self.tenant, after, limit, now).await;
        let page = done("waiting_tickets", page);
        assert!(page.len() <= limit, "a page holds at most {limit}; found {}", page.len());
        page
    }

    /// Lists page by page, and stops if that does not end.
    async fn pages(&self, limit: usize) -> Vec<WaitingTicket> {
        let mut tickets: Vec<WaitingTicket> = Vec::new();
        for _ in 0..100 {
            let page = self.list(tickets.last().map(|ticket| ticket.id), limit, START).await;
            if page.is_empty() {
                break;
            }
            tickets.extend(page);
        }
        tickets
    }

    async fn supersede(&self, conversation: &str) -> usize {
        done("supersede_tickets", self.store.supersede_tickets(self.tenant, conversation).await)
    }

    async fn sweep(&self, now: UnixMillis, limit: usize) -> usize {
        done("sweep_tickets", self.store.sweep_tickets(now, limit).await)
    }

    async fn sweep_all(&self, now: UnixMillis) {
        for _ in 0..1_000 {
            if self.sweep(now, 1_000).await == 0 {
                return;
            }
        }
        panic!("sweeping ends; there were more after a million tickets");
    }
}

async fn a_ticket_is_found_as_it_was_put(tickets: &TicketChecks<'_>) {
    let ticket = tickets.waiting("session-1", at(100));
    assert_eq!(tickets.find(ticket.id).await, None, "a ticket that was not put is not found");
    tickets.put(ticket.clone()).await;
    let stored_ticket = tickets.find(ticket.id).await;
    assert_eq!(stored_ticket, Some(ticket), "a ticket is found as it was put");
}

async fn a_payload_is_kept_byte_for_byte(tickets: &TicketChecks<'_>) {
    for payload in bytes() {
        let ticket = WaitingTicket { payload, ..tickets.waiting("session-1", at(100)) };
        tickets.put(ticket.clone()).await;
        let length = ticket.payload.len();
        let same = tickets.find(ticket.id).await == Some(ticket);
        assert!(same, "a payload is kept byte for byte; {length} bytes came back changed");
    }
}

async fn a_ticket_that_never_was_has_expired(tickets: &TicketChecks<'_>) {
    let id = Uuid::now_v7();
    for end in [TicketEnd::Used, TicketEnd::Declined] {
        let previous_end = tickets.end(id, end).await;
        assert_eq!(previous_end, Some(TicketEnd::Expired), "a ticket that never was has expired");
    }
    assert_eq!(tickets.find(id).await, None, "ending a ticket that never was makes none");
}

async fn a_ticket_ends_once(tickets: &TicketChecks<'_>) {
    for end in [TicketEnd::Used, TicketEnd::Declined, TicketEnd::Superseded, TicketEnd::Expired] {
        let ticket = tickets.waiting("session-1", at(100));
        let id = tickets.put(ticket.clone()).await;
        let other = tickets.wait("session-1").await;
        assert_eq!(tickets.end(id, end).await, None, "the first ending of a ticket counts");
        for again in [TicketEnd::Used, TicketEnd::Declined, end] {
            let previous_end = tickets.end(id, again).await;
            assert_eq!(previous_end, Some(end), "a ticket ends once, and tells how it ended");
        }
        let ended_ticket = WaitingTicket { end: Some(end), ..ticket };
        assert_eq!(tickets.find(id).await, Some(ended_ticket), "a ticket that has ended is found");
        let waiting = tickets.find(other).await.map(|ticket| ticket.end);
        assert_eq!(waiting, Some(None), "ending one ticket ends no other");
    }
}

async fn one_of_many_ends_a_ticket(tickets: &TicketChecks<'_>) {
    let id = tickets.wait("session-1").await;
    let ends = [TicketEnd::Used, TicketEnd::Declined];
    let end_calls = (0..CROWD).map(|number| tickets.end(id, ends[number % ends.len()]));
    let previous_ends = join_all(end_calls).await;
    let first = previous_ends.iter().filter(|before| before.is_none()).count();
    assert_eq!(first, 1, "one of many ends a ticket; found {previous_ends:?}");
    let end = tickets.find(id).await.and_then(|ticket| ticket.end);
    let agreed = previous_ends.iter().flatten().all(|before| Some(*before) == end);
    assert!(
        agreed,
        "all others are told how it ended; found {previous_ends:?}, and it ended as {end:?}"
    );
}

async fn putting_a_ticket_again_changes_nothing(tickets: &TicketChecks<'_>) {
    let ticket = tickets.waiting("session-1", at(100));
    tickets.put(ticket.clone()).await;
    tickets.put(ticket.clone()).await;
    assert_eq!(tickets.end(ticket.id, TicketEnd::Used).await, None, "a ticket is put once");
    tickets.put(ticket.clone()).await;
    let previous_end = tickets.end(ticket.id, TicketEnd::Used).await;
    assert_eq!(previous_end, Some(TicketEnd::Used), "putting a ticket again does not revive it");
}

async fn waiting_tickets_of_a_conversation_are_superseded(tickets: &TicketChecks<'_>) {
    let (one, two) = (tickets.wait("session-1").await, tickets.wait("session-1").await);
    let (used, other) = (tickets.wait("session-1").await, tickets.wait("session-2").await);
    assert_eq!(tickets.end(used, TicketEnd::Used).await, None, "the first ending counts");
    let promise = "what waits in a conversation is superseded, and counted";
    assert_eq!(tickets.supersede("session-1").await, 2, "{promise}");
    for id in [one, two] {
        let previous_end = tickets.end(id, TicketEnd::Used).await;
        assert_eq!(
            previous_end,
            Some(TicketEnd::Superseded),
            "a ticket that was superseded is not used"
        );
    }
    let previous_end = tickets.end(used, TicketEnd::Declined).await;
    assert_eq!(previous_end, Some(TicketEnd::Used), "what has ended is not superseded");
    assert_eq!(tickets.end(other, TicketEnd::Used).await, None, "other conversations wait on");
    assert_eq!(tickets.supersede("session-1").await, 0, "what was superseded is not counted again");
}

async fn conversations_are_told_apart(tickets: &TicketChecks<'_>) {
    let elsewhere = TicketChecks::new(tickets.store);
    let theirs = elsewhere.wait("session-1").await;
    let names = names();
    for name in &names {
        tickets.wait(name).await;
    }
    for name in &names {
        let superseded_count = tickets.supersede(name).await;
        assert_eq!(superseded_count, 1, "conversations are told apart byte by byte: {name:?}");
    }
    assert_eq!(tickets.supersede("session-1").await, 0, "a tenant has its own conversations");
    let previous_end = elsewhere.end(theirs, TicketEnd::Used).await;
    assert_eq!(previous_end, None, "a tenant does not supersede another's tickets");
}

async fn a_ticket_is_superseded_or_used_never_both(tickets: &TicketChecks<'_>) {
    for number in 0..CROWD {
        let id = tickets.wait("session-1").await;
        let (used, superseded) = if number % 2 == 0 {
            futures::join!(tickets.end(id, TicketEnd::Used), tickets.supersede("session-1"))
        } else {
            let (superseded, used) =
                futures::join!(tickets.supersede("session-1"), tickets.end(id, TicketEnd::Used));
            (used, superseded)
        };
        let fits = matches!((used, superseded), (None, 0) | (Some(TicketEnd::Superseded), 1));
        assert!(fits, "a ticket is superseded or used, never both; found {used:?}, {superseded}");
    }
}

async fn a_ticket_is_kept_for_its_time(tickets: &TicketChecks<'_>) {
    let (waits, ended) = (tickets.wait("session-1").await, tickets.wait("session-1").await);
    assert_eq!(tickets.end(ended, TicketEnd::Used).await, None, "the first ending counts");
    tickets.sweep_all(before(at(100))).await;
    for id in [waits, ended] {
        let stored_ticket = tickets.find(id).await;
        assert!(stored_ticket.is_some(), "a ticket is kept for its time, also one that has ended");
    }
    tickets.sweep_all(at(100)).await;
    for id in [waits, ended] {
        let promise = "a ticket whose time is over is swept";
        assert_eq!(tickets.find(id).await, None, "{promise}");
        let previous_end = tickets.end(id, TicketEnd::Used).await;
        assert_eq!(previous_end, Some(TicketEnd::Expired), "{promise}, and has expired");
    }
}

async fn a_sweep_deletes_no_more_than_it_may(tickets: &TicketChecks<'_>) {
    tickets.sweep_all(at(100)).await;
    for _ in 0..5 {
        tickets.wait("session-1").await;
    }
    tickets.put(tickets.waiting("session-1", at(101))).await;
    let mut swept = vec![tickets.sweep(START, 10).await];
    for limit in [0, 2, 2, 2, 2] {
        swept.push(tickets.sweep(at(100), limit).await);
    }
    assert_eq!(swept, [0, 0, 2, 2, 1, 0], "a sweep deletes at most so many, and says how many");
}

async fn waiting_tickets_of_a_tenant_are_listed_page_by_page(tickets: &TicketChecks<'_>) {
    let elsewhere = TicketChecks::new(tickets.store);
    let mut put = Vec::new();
    for number in 0..5 {
        let ticket = tickets.waiting(&format!("session-{}", number % 2), at(100 - number));
        tickets.put(ticket.clone()).await;
        elsewhere.wait("session-1").await;
        put.push(ticket);
    }
    put.sort_by_key(|ticket| ticket.id);
    let full_page = tickets.list(None, 100, START).await;
    assert_eq!(full_page, put, "what waits of a tenant is listed by its ids, and nothing else");
    assert_eq!(tickets.list(None, 0, START).await, [], "a page of none is empty");
    for limit in 1..=put.len() + 1 {
        let pages = tickets.pages(limit).await;
        assert_eq!(pages, put, "pages of {limit} hold what one page of tickets holds");
    }
}

async fn an_ended_or_expired_ticket_is_not_listed(tickets: &TicketChecks<'_>) {
    for end in [TicketEnd::Used, TicketEnd::Declined, TicketEnd::Superseded, TicketEnd::Expired] {
        let id = tickets.wait("session-1").await;
        assert_eq!(tickets.end(id, end).await, None, "the first ending counts");
    }
    tickets.wait("session-2").await;
    assert_eq!(tickets.supersede("session-2").await, 1, "what waits is superseded");
    assert_eq!(tickets.list(None, 100, START).await, [], "what has ended waits no more");
    let id = tickets.put(tickets.waiting("session-1", at(10))).await;
    let page = tickets.list(None, 100, before(at(10))).await;
    let listed_ids: Vec<Uuid> = page.iter().map(|ticket| ticket.id).collect();
    assert_eq!(listed_ids, [id], "a ticket waits until its last moment");
    assert_eq!(tickets.list(None, 100, at(10)).await, [], "what has expired waits no more");
}

async fn a_page_may_start_after_what_has_ended(tickets: &TicketChecks<'_>) {
    for _ in 0..4 {
        tickets.wait("session-1").await;
    }
    let full_page = tickets.list(None, 100, START).await;
    let page = tickets.list(None, 2, START).await;
    for ticket in &page {
        assert_eq!(tickets.end(ticket.id, TicketEnd::Used).await, None, "the first ending counts");
    }
    let next_page = tickets.list(page.last().map(|ticket| ticket.id), 100, START).await;
    assert_eq!(next_page, full_page[page.len()..], "a page may start after what has ended");
}
