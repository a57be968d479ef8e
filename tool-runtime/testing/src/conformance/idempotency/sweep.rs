//! Sweeping: which records may be removed, and when.

use tool_runtime_core::store::{
    ClaimOutcome, IdempotencyStore, ScopedKey, Settlement, StoredAnswer, UnixMillis,
};

use super::super::samples::{END, START, at, before};
use super::{KeyChecks, success};

pub(super) async fn all(store: &dyn IdempotencyStore) {
    an_answer_is_kept_for_its_time(&KeyChecks::new(store)).await;
    an_answer_that_is_over_is_given_or_gone(&KeyChecks::new(store)).await;
    a_sweep_deletes_no_more_than_it_may(&KeyChecks::new(store)).await;
    a_running_or_unknown_key_is_never_swept(&KeyChecks::new(store)).await;
    an_answer_may_be_kept_for_ever(&KeyChecks::new(store)).await;
}

async fn an_answer_is_kept_for_its_time(keys: &KeyChecks<'_>) {
    let failure = StoredAnswer::failed(b"\"no\"".to_vec(), b"{}".to_vec());
    for (name, answer) in [("succeeded", success("12A")), ("failed", failure)] {
        let key = answered(keys, name, answer.clone(), at(100)).await;
        keys.sweep_all(before(at(100))).await;
        let outcome = keys.claim(&key, before(at(100))).await;
        assert_eq!(
            outcome,
            ClaimOutcome::Settled(answer),
            "an answer is kept for its time: {name}"
        );
        keys.sweep_all(at(100)).await;
        assert_eq!(keys.find(&key).await, None, "an answer is swept when its time is over: {name}");
        keys.first(&key, at(100)).await;
    }
}

async fn an_answer_that_is_over_is_given_or_gone(keys: &KeyChecks<'_>) {
    let key = answered(keys, "over", success("12A"), at(100)).await;
    let outcome = keys.claim(&key, at(200)).await;
    let fits = outcome == ClaimOutcome::Settled(success("12A"))
        || matches!(outcome, ClaimOutcome::Acquired(_));
    assert!(fits, "an answer that is over is given until it is swept; found {outcome:?}");
}

async fn a_sweep_deletes_no_more_than_it_may(keys: &KeyChecks<'_>) {
    keys.sweep_all(at(100)).await;
    for number in 0..5 {
        answered(keys, &format!("swept-{number}"), success("12A"), at(100)).await;
    }
    let mut swept = Vec::new();
    for limit in [0, 2, 2, 2, 2] {
        swept.push(keys.sweep(at(100), limit).await);
    }
    assert_eq!(
        swept,
        [0, 2, 2, 1, 0],
        "a sweep removes at most the given number, and returns how many"
    );
}

async fn a_running_or_unknown_key_is_never_swept(keys: &KeyChecks<'_>) {
    let (running, unknown) = (keys.key("running"), keys.key("unknown"));
    keys.first(&running, START).await;
    let fence = keys.first(&unknown, START).await;
    assert!(keys.settle(&unknown, fence, Settlement::Unknown).await, "an owner settles its key");
    for now in [at(3_600), at(864_000), END] {
        keys.sweep_all(now).await;
        assert!(
            keys.find(&running).await.is_some(),
            "a running key is never swept; it was at {now:?}"
        );
        let outcome = keys.claim(&unknown, now).await;
        assert_eq!(outcome, ClaimOutcome::Unknown(fence), "an unknown outcome is never swept");
    }
}

async fn an_answer_may_be_kept_for_ever(keys: &KeyChecks<'_>) {
    let key = answered(keys, "for-ever", success("12A"), END).await;
    let now = at(100 * 365 * 86_400);
    keys.sweep_all(now).await;
    let outcome = keys.claim(&key, now).await;
    assert_eq!(outcome, ClaimOutcome::Settled(success("12A")), "an answer may be kept for ever");
}

async fn answered(
    keys: &KeyChecks<'_>,
    name: &str,
    answer: StoredAnswer,
    keep_until: UnixMillis,
) -> ScopedKey {
    let key = keys.key(name);
    let fence = keys.first(&key, START).await;
    let settlement = Settlement::Answered { answer, keep_until };
    assert!(keys.settle(&key, fence, settlement).await, "an owner settles its key: {name}");
    key
}
