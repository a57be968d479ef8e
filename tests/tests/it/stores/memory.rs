//! The in-memory store: bounded, and fair to threads.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use futures::executor::block_on;
use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::evidence::{EvidenceStore, SnapshotId, StoredFacts, StoredSnapshot, TenantKey};
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, Fence, GrantScope, GrantStore, IdempotencyStore, KeyState,
    MemoryLimits, MemoryStore, OutputStore, ScopedKey, Settlement, StandingGrant, StoreError,
    StoreErrorKind, StoredAnswer, StoredOutput, TicketEnd, TicketStore, UnixMillis, WaitingTicket,
};

const NOW: UnixMillis = UnixMillis::new(1_000_000);
const LATER: UnixMillis = UnixMillis::new(2_000_000);
const PLENTY: usize = 1024 * 1024;

#[track_caller]
fn check_full<T: std::fmt::Debug>(given: Result<T, StoreError>) {
    assert_eq!(given.unwrap_err().kind(), StoreErrorKind::Full);
}

fn key(key: &str) -> ScopedKey {
    ScopedKey::new(Uuid::nil(), "", "", key)
}

fn claim(store: &MemoryStore, name: &str, now: UnixMillis) -> Result<ClaimOutcome, StoreError> {
    let arguments = Digest::compute("test", b"{}");
    block_on(store.claim(ClaimRequest::new(key(name), arguments, now, Duration::from_secs(30))))
}

fn first(store: &MemoryStore, name: &str) -> Fence {
    match claim(store, name, NOW).unwrap() {
        ClaimOutcome::Acquired(fence) => fence,
        other => panic!("{other:?}"),
    }
}

fn settle(
    store: &MemoryStore,
    name: &str,
    fence: Fence,
    settlement: Settlement,
) -> Result<bool, StoreError> {
    block_on(store.settle(&key(name), fence, settlement))
}

/// An answer of so many bytes that is kept until later.
fn answer(bytes: usize) -> Settlement {
    let answer = StoredAnswer::succeeded(vec![b'1'; bytes], Vec::new());
    Settlement::Answered { answer, keep_until: LATER }
}

#[test]
fn a_full_store_refuses_new_keys_and_keeps_its_own() {
    let store = MemoryStore::bounded(MemoryLimits::new().with_keys(3, PLENTY));
    let (running, unknown, answered) = (first(&store, "r"), first(&store, "u"), first(&store, "a"));
    assert!(settle(&store, "u", unknown, Settlement::Unknown).unwrap());
    assert!(settle(&store, "a", answered, answer(1)).unwrap());
    check_full(claim(&store, "new", NOW));
    assert!(settle(&store, "r", running, answer(1)).unwrap());
    assert_eq!(claim(&store, "u", NOW).unwrap(), ClaimOutcome::Unknown(unknown));
    assert!(matches!(claim(&store, "a", NOW).unwrap(), ClaimOutcome::Settled(_)));
    assert!(settle(&store, "u", unknown, Settlement::Released).unwrap());
    assert!(matches!(claim(&store, "new", NOW).unwrap(), ClaimOutcome::Acquired(_)));
}

#[test]
fn a_claim_clears_away_answers_that_are_over_and_nothing_else() {
    let store = MemoryStore::bounded(MemoryLimits::new().with_keys(3, PLENTY));
    let (_, unknown, answered) = (first(&store, "r"), first(&store, "u"), first(&store, "a"));
    assert!(settle(&store, "u", unknown, Settlement::Unknown).unwrap());
    assert!(settle(&store, "a", answered, answer(1)).unwrap());
    let just_before = UnixMillis::new(LATER.get() - 1);
    check_full(claim(&store, "new", just_before));
    assert!(matches!(claim(&store, "new", LATER).unwrap(), ClaimOutcome::Acquired(_)));
    assert_eq!(block_on(store.find(&key("a"))).unwrap(), None);
    check_full(claim(&store, "newer", LATER));
}

#[test]
fn room_for_an_answer_is_set_aside_by_its_claim() {
    let limits = MemoryLimits::new().with_keys(10, 32).with_reserved_answer_bytes(15);
    let store = MemoryStore::bounded(limits);
    let (one, two) = (first(&store, "1"), first(&store, "2"));
    check_full(claim(&store, "3", NOW));
    check_full(settle(&store, "1", one, answer(16)));
    let record = block_on(store.find(&key("1"))).unwrap().unwrap();
    assert!(matches!(record.state, KeyState::Running { .. }), "what is refused changes nothing");
    assert!(settle(&store, "1", one, answer(15)).unwrap());
    assert!(settle(&store, "2", two, Settlement::Unknown).unwrap());
    assert!(settle(&store, "2", two, answer(14)).unwrap());
    check_full(claim(&store, "3", NOW));
    let other = MemoryStore::bounded(limits);
    let one = first(&other, "1");
    assert!(settle(&other, "1", one, answer(31)).unwrap(), "a longer answer fits where room is");
}

#[test]
fn tickets_are_bounded_by_number_and_bytes() {
    let ticket = |bytes| WaitingTicket::new(Uuid::now_v7(), Uuid::nil(), "", vec![0; bytes], LATER);
    let store = MemoryStore::bounded(MemoryLimits::new().with_tickets(2, 10));
    let (one, two) = (ticket(4), ticket(6));
    block_on(store.put_ticket(one.clone())).unwrap();
    check_full(block_on(store.put_ticket(ticket(7))));
    block_on(store.put_ticket(two)).unwrap();
    check_full(block_on(store.put_ticket(ticket(0))));
    block_on(store.put_ticket(one.clone())).unwrap();
    assert_eq!(block_on(store.end_ticket(one.id, TicketEnd::Used)).unwrap(), None);
    assert_eq!(block_on(store.sweep_tickets(LATER, 1)).unwrap(), 1);
    block_on(store.put_ticket(ticket(4))).unwrap();
}

#[test]
fn grants_are_bounded_and_those_that_are_over_make_room() {
    let scope = |tool: &str| GrantScope::new(Uuid::nil(), "", tool, Digest::compute("test", b"{}"));
    let grant = |tool: &str, at| StandingGrant::new(scope(tool), "", at);
    let store = MemoryStore::bounded(MemoryLimits::new().with_grants(2, 10));
    block_on(store.put_grant(grant("lasting", NOW).until(NOW))).unwrap();
    block_on(store.put_grant(grant("lasting", NOW))).unwrap();
    check_full(block_on(store.put_grant(grant("more", NOW))));
    block_on(store.put_grant(grant("for", NOW).until(LATER))).unwrap();
    check_full(block_on(store.put_grant(grant("", NOW))));
    block_on(store.put_grant(grant("lasting", NOW))).unwrap();
    block_on(store.put_grant(grant("new", LATER))).unwrap();
    assert_eq!(block_on(store.find_grant(&scope("for"))).unwrap(), None);
    assert!(block_on(store.find_grant(&scope("lasting"))).unwrap().is_some());
}

#[test]
fn outputs_are_bounded_by_number_and_bytes() {
    let output = |bytes| StoredOutput::new(Uuid::now_v7(), Uuid::nil(), "", vec![0; bytes], LATER);
    let store = MemoryStore::bounded(MemoryLimits::new().with_outputs(2, 10));
    block_on(store.put_output(output(4))).unwrap();
    check_full(block_on(store.put_output(output(7))));
    block_on(store.put_output(output(6))).unwrap();
    check_full(block_on(store.put_output(output(0))));
    assert_eq!(block_on(store.sweep_outputs(LATER, 1)).unwrap(), 1);
    block_on(store.put_output(output(0))).unwrap();
}

/// Puts away something of a tenant's, with a number of its own.
type Put<'p> = &'p dyn Fn(Uuid, usize) -> Result<(), StoreError>;

#[test]
fn a_tenant_that_takes_what_it_can_of_anything_leaves_room_to_others() {
    const MOST: usize = 8;
    let limits = MemoryLimits::new().with_keys(MOST, PLENTY).with_tickets(MOST, PLENTY);
    let limits = limits.with_grants(MOST, PLENTY).with_outputs(MOST, PLENTY);
    let store =
        MemoryStore::bounded(limits.with_snapshots(MOST, PLENTY).with_tenant_keys(MOST, PLENTY));
    let digest = Digest::compute("test", b"{}");
    let kinds: [(&str, Put<'_>); 6] = [
        ("keys", &|tenant, number| {
            let key = ScopedKey::new(tenant, "", "", number.to_string());
            let request = ClaimRequest::new(key, digest, NOW, Duration::from_secs(30));
            block_on(store.claim(request)).map(drop)
        }),
        ("tickets", &|tenant, _| {
            let ticket = WaitingTicket::new(Uuid::now_v7(), tenant, "", Vec::new(), LATER);
            block_on(store.put_ticket(ticket))
        }),
        ("grants", &|tenant, number| {
            let scope = GrantScope::new(tenant, "", number.to_string(), digest);
            block_on(store.put_grant(StandingGrant::new(scope, "", NOW)))
        }),
        ("outputs", &|tenant, _| {
            block_on(store.put_output(StoredOutput::new(
                Uuid::now_v7(),
                tenant,
                "",
                Vec::new(),
                LATER,
            )))
        }),
        ("snapshots", &|tenant, _| {
            let facts = StoredFacts::new(tenant, SnapshotId::at(NOW), "trace", Vec::new());
            block_on(store.put_snapshot(StoredSnapshot::new(facts, None))).map(drop)
        }),
        ("tenants' keys", &|tenant, number| {
            let version = u32::try_from(number).unwrap();
            block_on(store.add_tenant_key(TenantKey::new(tenant, version, "", Vec::new())))
                .map(drop)
        }),
    ];
    for (kind, put) in kinds {
        let fits =
            |tenant| (1..100).take_while(move |it| put(Uuid::from_u128(tenant), *it).is_ok());
        let fill = |tenant| fits(tenant).count();
        let taken = [1, 2, 3].map(fill);
        assert_eq!(taken, [MOST, MOST / 2, MOST / 4], "{kind}");
        check_full(put(Uuid::from_u128(1), 1_000));
    }
}

#[test]
fn one_of_many_threads_gets_a_key() {
    const THREADS: usize = 8;
    const KEYS: usize = 200;
    let store = MemoryStore::new();
    let start = Barrier::new(THREADS);
    let owned = thread::scope(|scope| {
        let claimants = [(); THREADS].map(|()| {
            scope.spawn(|| {
                start.wait();
                let names = (0..KEYS).map(|number| number.to_string());
                let claimed = names.map(|name| claim(&store, &name, NOW).unwrap());
                claimed
                    .filter_map(|claimed| match claimed {
                        ClaimOutcome::Acquired(fence) => Some(fence),
                        _ => None,
                    })
                    .collect::<Vec<_>>()
            })
        });
        claimants.map(|claimant| claimant.join().unwrap()).concat()
    });
    let fences = owned.iter().collect::<std::collections::BTreeSet<_>>();
    assert_eq!((owned.len(), fences.len()), (KEYS, KEYS));
}
