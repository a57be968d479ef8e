//! The conformance suite of stores through which replicas share limits.

use std::collections::BTreeMap;
use std::time::Duration;

use tool_runtime_core::store::{
    LimitAnswer, LimitReport, LimitStore, OpenBreaker, PermitReport, RateReport, RateShare,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::samples::done;

const HOUR: Duration = Duration::from_secs(60 * 60);
const ALMOST_AN_HOUR: Duration = Duration::from_secs(59 * 60);
const PERMITS: u32 = 10;

/// Checks every promise of a [`LimitStore`], except that a replica that no longer reports loses its permits: that
/// takes ten seconds.
///
/// Its rates allow a call an hour, so that none is refilled meanwhile.
///
/// # Panics
/// Panics at the first broken promise.
pub async fn limits(store: &dyn LimitStore) {
    calls_are_granted_once_and_given_back(store).await;
    rates_are_told_apart(store).await;
    permits_follow_the_demand_and_are_never_given_twice(store).await;
    permits_of_random_demands_are_within_the_limit(store).await;
    an_open_breaker_is_told_to_all(store).await;
    an_empty_report_has_an_empty_answer(store).await;
}

/// Returns a limit that no other check has.
fn new_key() -> Digest {
    Digest::compute("limit", Uuid::now_v7().as_bytes())
}

async fn exchange(store: &dyn LimitStore, replica: Uuid, report: LimitReport) -> LimitAnswer {
    done("exchange", store.exchange(replica, report).await)
}

async fn take(store: &dyn LimitStore, key: Digest, wanted: u32, unused: u32) -> RateShare {
    let rate = RateReport { key, interval: HOUR, burst: 10, wanted, unused };
    let report = LimitReport { rates: vec![rate], ..LimitReport::default() };
    exchange(store, Uuid::now_v7(), report).await.rates[0]
}

async fn permits(
    store: &dyn LimitStore,
    replica: Uuid,
    key: Digest,
    in_use: u32,
    waiting: u32,
) -> u32 {
    let report = PermitReport { key, permits: PERMITS, in_use, waiting };
    let report = LimitReport { permits: vec![report], ..LimitReport::default() };
    exchange(store, replica, report).await.permits[0]
}

async fn calls_are_granted_once_and_given_back(store: &dyn LimitStore) {
    let key = new_key();
    assert_eq!(take(store, key, 7, 0).await.granted, 7, "calls within the burst are granted");
    assert_eq!(take(store, key, 7, 0).await.granted, 3, "no more than the burst is granted");
    let refused = take(store, key, 1, 0).await;
    assert_eq!(refused.granted, 0, "a rate that is used up grants nothing");
    assert!(
        (ALMOST_AN_HOUR..=HOUR).contains(&refused.wait),
        "a refusal says when the next call is allowed"
    );
    assert_eq!(take(store, key, 0, 4).await.granted, 0, "nothing is granted that is not wanted");
    assert_eq!(take(store, key, 9, 0).await.granted, 4, "calls that are given back are granted");
    take(store, key, 0, 1_000).await;
    assert_eq!(take(store, key, 100, 0).await.granted, 10, "no more than a burst is given back");
}

async fn rates_are_told_apart(store: &dyn LimitStore) {
    let mut keys = [new_key(), new_key()];
    keys.sort_unstable();
    let rate = |key, wanted| RateReport { key, interval: HOUR, burst: 10, wanted, unused: 0 };
    let rates = vec![rate(keys[0], 10), rate(keys[1], 4)];
    let report = LimitReport { rates, ..LimitReport::default() };
    let answer = exchange(store, Uuid::now_v7(), report).await;
    let granted: Vec<_> = answer.rates.iter().map(|share| share.granted).collect();
    assert_eq!(granted, [10, 4], "shares are in the order of the report");
    assert_eq!(take(store, keys[1], 10, 0).await.granted, 6, "a rate has its own calls");
}

async fn permits_follow_the_demand_and_are_never_given_twice(store: &dyn LimitStore) {
    let key = new_key();
    let [a, b, c] = [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()];
    let share =
        async |replica, in_use, waiting| permits(store, replica, key, in_use, waiting).await;
    assert_eq!(share(a, 0, 1).await, 10, "a replica alone has all permits");
    assert_eq!(share(b, 0, 5).await, 0, "what another replica may use is its own until it reports");
    assert_eq!(share(a, 8, 4).await, 5, "permits are divided by demand");
    assert_eq!(
        share(b, 0, 5).await,
        2,
        "a permit that is in use stays its replica's until it is released"
    );
    assert_eq!(share(a, 3, 9).await, 5, "permits are divided by demand");
    assert_eq!(share(b, 2, 3).await, 5, "permits are divided by demand");
    assert_eq!(share(a, 0, 0).await, 0, "a replica without a demand has none");
    assert_eq!(share(b, 5, 3).await, 10, "what is given back goes to the others");
    assert_eq!(share(c, 0, 1).await, 0, "what another replica may use is its own until it reports");
    let other = permits(store, c, new_key(), 0, 1).await;
    assert_eq!(other, 10, "limits are told apart");
}

async fn permits_of_random_demands_are_within_the_limit(store: &dyn LimitStore) {
    let (key, replicas) = (new_key(), [(); 4].map(|()| Uuid::now_v7()));
    let mut seed = 7_u64;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from((seed >> 33) % u64::from(below)).unwrap_or(0)
    };
    let mut shares: BTreeMap<Uuid, u32> = BTreeMap::new();
    for _ in 0..200 {
        let replica = replicas[usize::try_from(random(4)).unwrap_or(0)];
        // A replica uses at most what it may, or keeps what it used before.
        let in_use = random(shares.get(&replica).copied().unwrap_or(0) + 1);
        let share = permits(store, replica, key, in_use, random(15)).await;
        shares.insert(replica, share.max(in_use));
        let all: u32 = shares.values().sum();
        assert!(
            all <= PERMITS,
            "all replicas together have no more permits than the limit: {shares:?}"
        );
    }
}

async fn an_open_breaker_is_told_to_all(store: &dyn LimitStore) {
    let key = new_key();
    let report = async |left: Option<Duration>| {
        let opened = left.map(|left| OpenBreaker { key, left }).into_iter().collect();
        let report = LimitReport { opened, ..LimitReport::default() };
        let answer = exchange(store, Uuid::now_v7(), report).await;
        answer.open.iter().find(|breaker| breaker.key == key).map(|breaker| breaker.left)
    };
    assert_eq!(report(None).await, None, "a breaker that did not open is not told");
    report(Some(HOUR)).await;
    report(Some(Duration::from_millis(1))).await;
    let left = report(None).await.expect("an open breaker is told to other replicas");
    assert!((ALMOST_AN_HOUR..=HOUR).contains(&left), "the longest time counts");
}

async fn an_empty_report_has_an_empty_answer(store: &dyn LimitStore) {
    let answer = exchange(store, Uuid::now_v7(), LimitReport::default()).await;
    let LimitAnswer { rates, permits, .. } = answer;
    assert!(rates.is_empty() && permits.is_empty(), "an answer fits its report");
}
