//! Unknown outcomes: bounded for each caller, archived in the end, and never replayed as something else.

use std::sync::Arc;

use tool_runtime::contracts::{Actor, ActorType};
use tool_runtime::policy::{Policy, Resolution};
use tool_runtime::prelude::*;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, IdempotencyStore, KeyState, MemoryStore, Settlement, StoredAnswer,
};
use tool_runtime::testing::ManualClock;

use super::keyed_runtime::{
    Act, Bank, DAY, FIVE, KeyedRuntime, LEASE, START, call_in, check_error, context, cx, scope,
    tools,
};

/// A bank on its own store, whose callers may have two unknown outcomes each.
struct Bounded {
    bank: Arc<Bank>,
    clock: ManualClock,
    runtime: Runtime,
}

impl Bounded {
    fn new() -> Self {
        Self::with(MemoryStore::new())
    }

    fn with(store: impl IdempotencyStore) -> Self {
        let (bank, clock) = (Arc::<Bank>::default(), ManualClock::at(START));
        let policy = Policy::new().idempotency_store(store).clock(clock.clone());
        let policy = policy.unknown_per_caller(2).archive_unknown_after(10 * DAY);
        let runtime = tools(Runtime::builder().shared_state(bank.clone()).policy(policy));
        Self { bank, clock, runtime }
    }

    async fn lose(&self, key: &str) {
        self.bank.next([Act::Lose]);
        check_error(&self.call(key).await, "UPSTREAM_ERROR", None);
    }

    async fn call(&self, key: &str) -> ToolOutput {
        call_in(&self.runtime, "pay", FIVE, &cx(key)).await
    }
}

#[tokio::test]
async fn one_callers_unknown_outcomes_refuse_no_other_caller() {
    let bounded = Bounded::new();
    bounded.lose("a").await;
    bounded.lose("b").await;
    let refused = bounded.call("c").await;
    check_error(&refused, "RATE_LIMITED", Some("unknown_outcomes_full"));
    assert_eq!(bounded.bank.runs().len(), 2, "what is refused does not run");
    let other = context().user_id("joe").idempotency_key("c").build().unwrap();
    assert!(call_in(&bounded.runtime, "pay", FIVE, &other).await.is_ok());
    assert_eq!(bounded.runtime.outcomes().counts().over_quota, 1);

    let record = bounded.runtime.outcomes().unknown(Uuid::nil(), None, 1).await.unwrap().remove(0);
    bounded.runtime.outcomes().resolve(&record, Resolution::DidNotHappen).await.unwrap();
    assert!(bounded.call("c").await.is_ok(), "a resolved outcome gives its place back");
    let counts = bounded.runtime.outcomes().counts();
    assert_eq!((counts.unknown, counts.resolved), (2, 1));
}

#[tokio::test]
async fn a_service_has_one_share_whichever_users_it_names() {
    let bounded = Bounded::new();
    let cx = |user: &str| {
        let actor = Actor::new(ActorType::System, "orchestrator").unwrap();
        context().user_id(user).actor(actor).idempotency_key("k").build().unwrap()
    };
    for user in ["u1", "u2"] {
        bounded.bank.next([Act::Lose]);
        call_in(&bounded.runtime, "pay", FIVE, &cx(user)).await;
    }
    let refused = call_in(&bounded.runtime, "pay", FIVE, &cx("u3")).await;
    check_error(&refused, "RATE_LIMITED", Some("unknown_outcomes_full"));
}

#[tokio::test]
async fn an_archived_outcome_still_refuses_its_repeat() {
    let bounded = Bounded::new();
    for key in ["a", "b"] {
        bounded.lose(key).await;
    }
    bounded.clock.advance(LEASE + 10 * DAY);
    assert_eq!(bounded.runtime.sweep().await.unwrap(), 2);
    for key in ["a", "b"] {
        let refused = bounded.call(key).await;
        check_error(&refused, "NEEDS_USER_CONFIRMATION", Some("outcome_archived"));
    }
    let other = call_in(&bounded.runtime, "pay", r#"{"cents":6}"#, &cx("a")).await;
    check_error(&other, "INVALID_ARGUMENT", Some("key_reused"));
    assert_eq!(bounded.runtime.outcomes().unknown(Uuid::nil(), None, 9).await.unwrap(), []);
    assert!(bounded.call("c").await.is_ok(), "what is archived counts against no share");

    let record = bounded.runtime.outcomes().find(&scope("pay", "a")).await.unwrap().unwrap();
    assert_eq!(record.state, KeyState::Archived);
    bounded.runtime.outcomes().resolve(&record, Resolution::DidNotHappen).await.unwrap();
    assert!(bounded.call("a").await.is_ok(), "a person can free an archived key");
}

/// Stores an answer under a key that the tool never gave.
async fn stored(answer: StoredAnswer) -> Bounded {
    let setup = KeyedRuntime::new();
    setup.call("pay", "k").await;
    let fingerprint = setup.record("pay", "k").await.unwrap().fingerprint;
    let memory = MemoryStore::new();
    let request = ClaimRequest::new(scope("pay", "k"), fingerprint, START, LEASE);
    let ClaimOutcome::Acquired(fence) = memory.claim(request).await.unwrap() else {
        unreachable!()
    };
    let settlement = Settlement::Answered { answer, keep_until: START.after(DAY) };
    assert!(memory.settle(&scope("pay", "k"), fence, settlement).await.unwrap());
    Bounded::with(memory)
}

#[tokio::test]
async fn an_answer_that_the_tool_could_not_have_given_is_an_unknown_outcome() {
    const META: &[u8] = br#"{"took_ms":1}"#;
    let broken: [&[u8]; 6] = [
        b"{\"run\":1,\"cents\":5,\"currency\":\"\xFFUR\",\"rate\":1.5}",
        br#"{"run":1,"cents":5,"currency":"EUR","rate":1.5"#,
        br#"{"run":1,"cents":"5","currency":"EUR","rate":1.5}"#,
        br#"{"run":1}"#,
        br#""booked""#,
        b"",
    ];
    for body in broken {
        let bounded = stored(StoredAnswer::succeeded(body.to_vec(), META.to_vec())).await;
        let text = String::from_utf8_lossy(body).into_owned();
        let refused = bounded.call("k").await;
        check_error(&refused, "NEEDS_USER_CONFIRMATION", Some("record_damaged"));
        check_error(&bounded.call("k").await, "NEEDS_USER_CONFIRMATION", Some("outcome_unknown"));
        assert_eq!(bounded.bank.runs().len(), 0, "{text}");
        let unknown = bounded.runtime.outcomes().unknown(Uuid::nil(), None, 9).await.unwrap();
        assert_eq!(unknown.len(), 1, "{text}");
        bounded.runtime.outcomes().resolve(&unknown[0], Resolution::DidNotHappen).await.unwrap();
        assert!(bounded.call("k").await.is_ok(), "{text}");
    }
    let meta = b"{\"took_ms\":\xFF}".to_vec();
    let bounded = stored(StoredAnswer::failed(br#"{"code":"X"}"#.to_vec(), meta)).await;
    check_error(&bounded.call("k").await, "NEEDS_USER_CONFIRMATION", Some("record_damaged"));
}
