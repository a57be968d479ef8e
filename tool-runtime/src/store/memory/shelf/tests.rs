use uuid::Uuid;

use super::{Entry, Room, Shelf};
use crate::store::{StoreError, StoreErrorKind, UnixMillis};

const LATER: UnixMillis = UnixMillis::new(1_000);

type Numbers = Shelf<(Uuid, usize), ()>;

fn tenant(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn put(shelf: &mut Numbers, whose: u128, name: usize, bytes: usize) -> Result<(), StoreError> {
    let tenant = tenant(whose);
    shelf.put((tenant, name), Entry { tenant, value: (), bytes, over_at: Some(LATER) })
}

/// Has a tenant put entries of this size until it is refused; tells how many it put.
fn fill(shelf: &mut Numbers, whose: u128, bytes: usize) -> usize {
    (0..10_000).take_while(|name| put(shelf, whose, *name, bytes).is_ok()).count()
}

fn held(shelf: &Numbers, whose: u128) -> usize {
    shelf.held_by(tenant(whose)).entries
}

#[test]
fn a_tenant_alone_has_all_the_room_and_leaves_as_much_to_others() {
    for bytes in [0, 10] {
        let mut shelf = Numbers::new(Room::new(100, 1_000));
        assert_eq!(fill(&mut shelf, 1, bytes), 100);
        assert_eq!(fill(&mut shelf, 2, bytes), 50);
        assert_eq!(fill(&mut shelf, 3, bytes), 25);
        assert_eq!(fill(&mut shelf, 1, bytes), 100, "what it has may be put again");
        assert!(put(&mut shelf, 1, 100, bytes).is_err(), "and no more");
        assert!(put(&mut shelf, 4, 0, bytes).is_ok());
    }
}

#[test]
fn many_that_take_what_they_can_come_to_as_much_each() {
    const TENANTS: usize = 9;
    let mut shelf = Numbers::new(Room::new(100, 1_000_000));
    for name in 0..100 {
        for whose in 0..TENANTS {
            // Whoever is refused here has come to its part.
            let _ = put(&mut shelf, whose as u128, name, 1);
        }
    }
    let parts: Vec<_> = (0..TENANTS).map(|whose| held(&shelf, whose as u128)).collect();
    assert!(parts.iter().all(|part| part.abs_diff(200 / (TENANTS + 1)) <= 1), "{parts:?}");
    assert!(put(&mut shelf, 99, 0, 1).is_ok(), "and one that comes new has a place");
}

#[test]
fn bytes_are_shared_as_places_are() {
    let mut shelf = Numbers::new(Room::new(1_000, 100));
    assert!(put(&mut shelf, 1, 0, 101).is_err(), "nobody's entry is larger than the room");
    assert!(put(&mut shelf, 1, 0, 100).is_ok());
    assert!(put(&mut shelf, 1, 1, 0).is_ok() && put(&mut shelf, 1, 2, 1).is_err());
    assert!(put(&mut shelf, 2, 0, 51).is_err());
    assert!(put(&mut shelf, 2, 0, 50).is_ok());
}

#[test]
fn what_a_tenant_holds_may_shrink_and_not_grow_while_others_have_the_rest() {
    let mut shelf = Numbers::new(Room::new(10, 100));
    assert!(put(&mut shelf, 1, 0, 60).is_ok() && put(&mut shelf, 2, 0, 70).is_ok());
    assert!(put(&mut shelf, 2, 0, 71).is_err());
    assert!(put(&mut shelf, 3, 0, 35).is_ok());
    assert!(put(&mut shelf, 2, 0, 70).is_ok(), "room that was set aside is there");
    assert!(put(&mut shelf, 2, 0, 1).is_ok() && put(&mut shelf, 3, 1, 20).is_ok());
}

#[test]
fn what_is_forgotten_is_free_again_whosever_it_was() {
    let mut shelf = Numbers::new(Room::new(4, 100));
    assert_eq!([fill(&mut shelf, 1, 1), fill(&mut shelf, 2, 1)], [4, 2]);
    assert_eq!(shelf.sweep(LATER, usize::MAX), 6);
    assert!(shelf.held_by.is_empty() && shelf.held == Room::default());
    assert_eq!([fill(&mut shelf, 2, 1), fill(&mut shelf, 1, 1)], [4, 2]);
}

#[test]
fn the_log_says_whose_bound_it_is_and_what_may_be_done() {
    let mut shelf = Numbers::new(Room::new(2, 100));
    fill(&mut shelf, 7, 1);
    let error = put(&mut shelf, 7, 2, 1).expect_err("it has its part");
    assert_eq!(error.kind(), StoreErrorKind::Full);
    for said in [&*tenant(7).to_string(), "2 entries", "`MemoryLimits`", "on disk"] {
        assert!(error.log().contains(said), "{error}");
    }
}

#[test]
fn whatever_comes_the_sums_are_right_and_no_tenant_has_more_than_its_room() {
    let room = Room::new(20, 200);
    let mut shelf = Numbers::new(room);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let [whose, name, bytes, what, ..] = (random >> 24).to_le_bytes().map(usize::from);
        let (whose, name) = ((whose % 5) as u128, name % 30);
        if what % 3 == 0 {
            shelf.remove(&(tenant(whose), name));
        } else {
            let before = shelf.held_by(tenant(whose));
            if put(&mut shelf, whose, name, bytes % 40).is_err() {
                assert_eq!(shelf.held_by(tenant(whose)), before);
            }
        }
        let mut sum = Room::default();
        for whose in 0..5 {
            let of_tenant = shelf.entries.values().filter(|entry| entry.tenant == tenant(whose));
            let held = of_tenant.fold(Room::default(), |held, entry| held.with(entry.bytes));
            assert_eq!(held, shelf.held_by(tenant(whose)));
            assert!(held.is_within(room), "{held:?}");
            sum = Room::new(sum.entries + held.entries, sum.bytes + held.bytes);
        }
        assert_eq!(sum, shelf.held);
        assert!(sum.is_within(room.whole()));
    }
}
