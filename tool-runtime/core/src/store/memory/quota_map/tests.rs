use uuid::Uuid;

use super::{QuotaEntry, QuotaMap, StoreQuota};
use crate::store::{StoreError, StoreErrorKind, UnixMillis};

const LATER: UnixMillis = UnixMillis::new(1_000);

type TestMap = QuotaMap<(Uuid, usize), ()>;

fn tenant(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn put(map: &mut TestMap, owner: u128, name: usize, bytes: usize) -> Result<(), StoreError> {
    let tenant = tenant(owner);
    map.put((tenant, name), QuotaEntry { tenant, value: (), bytes, expires_at: Some(LATER) })
}

/// Inserts entries of this size for a tenant until one is refused; returns how many.
fn fill(map: &mut TestMap, owner: u128, bytes: usize) -> usize {
    (0..10_000).take_while(|name| put(map, owner, *name, bytes).is_ok()).count()
}

fn used(map: &TestMap, owner: u128) -> usize {
    map.used_by(tenant(owner)).entries
}

#[test]
fn a_single_tenant_can_use_its_quota_and_leaves_as_much_to_others() {
    for bytes in [0, 10] {
        let mut map = TestMap::new(StoreQuota::new(100, 1_000));
        assert_eq!(fill(&mut map, 1, bytes), 100);
        assert_eq!(fill(&mut map, 2, bytes), 50);
        assert_eq!(fill(&mut map, 3, bytes), 25);
        assert_eq!(fill(&mut map, 1, bytes), 100, "its own entries may be replaced");
        assert!(put(&mut map, 1, 100, bytes).is_err(), "and none added");
        assert!(put(&mut map, 4, 0, bytes).is_ok());
    }
}

#[test]
fn tenants_that_insert_all_they_can_get_equal_parts() {
    const TENANTS: usize = 9;
    let mut map = TestMap::new(StoreQuota::new(100, 1_000_000));
    for name in 0..100 {
        for owner in 0..TENANTS {
            // A refused tenant has reached its part.
            let _ = put(&mut map, owner as u128, name, 1);
        }
    }
    let parts: Vec<_> = (0..TENANTS).map(|owner| used(&map, owner as u128)).collect();
    assert!(parts.iter().all(|part| part.abs_diff(200 / (TENANTS + 1)) <= 1), "{parts:?}");
    assert!(put(&mut map, 99, 0, 1).is_ok(), "a new tenant still has quota");
}

#[test]
fn bytes_are_shared_like_entries() {
    let mut map = TestMap::new(StoreQuota::new(1_000, 100));
    assert!(put(&mut map, 1, 0, 101).is_err(), "no entry is larger than the quota");
    assert!(put(&mut map, 1, 0, 100).is_ok());
    assert!(put(&mut map, 1, 1, 0).is_ok() && put(&mut map, 1, 2, 1).is_err());
    assert!(put(&mut map, 2, 0, 51).is_err());
    assert!(put(&mut map, 2, 0, 50).is_ok());
}

#[test]
fn an_entry_may_shrink_and_not_grow_while_others_use_the_rest() {
    let mut map = TestMap::new(StoreQuota::new(10, 100));
    assert!(put(&mut map, 1, 0, 60).is_ok() && put(&mut map, 2, 0, 70).is_ok());
    assert!(put(&mut map, 2, 0, 71).is_err());
    assert!(put(&mut map, 3, 0, 35).is_ok());
    assert!(put(&mut map, 2, 0, 70).is_ok(), "reserved space stays reserved");
    assert!(put(&mut map, 2, 0, 1).is_ok() && put(&mut map, 3, 1, 20).is_ok());
}

#[test]
fn swept_entries_are_free_again_for_every_tenant() {
    let mut map = TestMap::new(StoreQuota::new(4, 100));
    assert_eq!([fill(&mut map, 1, 1), fill(&mut map, 2, 1)], [4, 2]);
    assert_eq!(map.sweep(LATER, usize::MAX), 6);
    assert!(map.used_by.is_empty() && map.used == StoreQuota::default());
    assert_eq!([fill(&mut map, 2, 1), fill(&mut map, 1, 1)], [4, 2]);
}

#[test]
fn the_log_names_the_tenant_and_the_remedies() {
    let mut map = TestMap::new(StoreQuota::new(2, 100));
    fill(&mut map, 7, 1);
    let error = put(&mut map, 7, 2, 1).expect_err("it has its part");
    assert_eq!(error.kind(), StoreErrorKind::Full);
    for text in [&*tenant(7).to_string(), "2 entries", "`MemoryLimits`", "on disk"] {
        assert!(error.log().contains(text), "{error}");
    }
}

#[test]
fn random_operations_keep_the_sums_right_and_every_tenant_within_its_quota() {
    let quota = StoreQuota::new(20, 200);
    let mut map = TestMap::new(quota);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let [owner, name, bytes, what, ..] = (random >> 24).to_le_bytes().map(usize::from);
        let (owner, name) = ((owner % 5) as u128, name % 30);
        if what % 3 == 0 {
            map.remove(&(tenant(owner), name));
        } else {
            let before = map.used_by(tenant(owner));
            if put(&mut map, owner, name, bytes % 40).is_err() {
                assert_eq!(map.used_by(tenant(owner)), before);
            }
        }
        let mut sum = StoreQuota::default();
        for owner in 0..5 {
            let of_tenant = map.entries.values().filter(|entry| entry.tenant == tenant(owner));
            let used = of_tenant.fold(StoreQuota::default(), |used, entry| used.with(entry.bytes));
            assert_eq!(used, map.used_by(tenant(owner)));
            assert!(used.is_within(quota), "{used:?}");
            sum = StoreQuota::new(sum.entries + used.entries, sum.bytes + used.bytes);
        }
        assert_eq!(sum, map.used);
        assert!(sum.is_within(quota.for_all_tenants()));
    }
}
