//! Whatever its end, a call leaves one record, with the facts.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use serde_json::value::RawValue;
use tool_runtime::canonical::Digest;
use tool_runtime::contracts::{Actor, ActorType, ErrorCode, ToolCallRequest};
use tool_runtime::ledger::{Ledger, RecordStatus, RecordedCall, RecordedOrigin};
use tool_runtime::policy::{Policy, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::testing::ManualClock;
use tool_runtime::{NotPending, RuntimeBuilder, Withdrawal};

use super::{START, TestLedger, ledger, recorded, ring};
use crate::policy::script::{self, Script, ScriptedError, busy, jane, scripted_error};

/// There is none left.
#[derive(Debug, ToolFailure)]
#[failure(OUT_OF_STOCK, message = "none is left")]
struct SoldOut;

/// Sells what is not there.
#[ai_tool(effect = "read", version = "2.1.0")]
async fn sell() -> Result<u32, SoldOut> {
    Err(SoldOut)
}

/// Finds what is good for a minute.
#[ai_tool(effect = "read", ttl = "60s")]
async fn find(script: &Script) -> Result<u32, ScriptedError> {
    script.act().await
}

/// Works on a blocking thread.
#[ai_tool(effect = "read", blocking)]
fn grind(
    /// Whether it breaks.
    #[arg(default)]
    breaks: bool,
) -> u32 {
    assert!(!breaks, "the mill broke");
    1
}

struct RecordedRuntime {
    runtime: Runtime,
    ledger: Ledger,
}

impl RecordedRuntime {
    fn new(script: &Arc<Script>) -> Self {
        let never = Policy::new().rules(ToolPolicy::new().retry(RetryConfig::never()));
        Self::with(script, |builder| builder.policy(never))
    }

    fn with(script: &Arc<Script>, more: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Self {
        let ledger = ledger();
        let builder =
            script::builder(script).tool::<SellTool>().tool::<FindTool>().tool::<GrindTool>();
        Self { runtime: more(builder.ledger(&ledger)).build().unwrap(), ledger }
    }

    async fn answer(&self, tool: &str, arguments: &str) -> ToolOutput {
        self.runtime.call(tool, arguments, &jane()).execute().await.clone()
    }

    /// Returns the only record.
    async fn only(&self) -> RecordedCall {
        let mut records = recorded(&self.ledger).await;
        assert_eq!(records.len(), 1, "{records:#?}");
        records.remove(0)
    }
}

/// A failed call's recorded status, code, effect and attempts.
type Told<'r> = (CallStatus, &'r str, Option<&'r str>, u32);

fn told(record: &RecordedCall) -> Told<'_> {
    assert_eq!(record.status, RecordStatus::Error);
    assert_eq!(record.output_hash, None, "an error has no answer");
    let error = record.error.as_ref().expect("an error");
    (
        record.final_status,
        error.code.as_deref().unwrap_or(""),
        error.effect.as_deref(),
        record.attempts,
    )
}

fn quick() -> Arc<Script> {
    Script::quick(Ok)
}

fn stuck() -> Arc<Script> {
    Script::new(|_| pending())
}

#[tokio::test]
async fn a_call_that_ran_is_recorded_with_everything_that_is_known_of_it() {
    let setup = RecordedRuntime::new(&quick());
    let cx = ToolContext::builder(Uuid::from_u128(7), "trace-9").run_id("run-9").user_id("jane");
    let cx = cx.session_id("session-9").site_id("site-9").request_id("request-9");
    let cx = cx.tenant_slug("acme");
    let cx = cx.actor(Actor::new(ActorType::Agent, "planner").unwrap()).build().unwrap();
    let none = RawValue::from_string("{}".to_owned()).unwrap();
    let mut call = setup.runtime.call_request(&ToolCallRequest::new("call-9", "peek", none), &cx);
    assert_eq!(call.execute().await.data_json(), Some("1"));

    let record = setup.only().await;
    let principal = &record.principal;
    assert_eq!((&*record.trace_id, record.run_id.as_deref()), ("trace-9", Some("run-9")));
    assert_eq!(record.tenant_id, Uuid::from_u128(7));
    assert_eq!(record.tenant_slug.as_deref(), Some("acme"));
    assert_eq!(
        (principal.user_id.as_deref(), principal.actor_id.as_deref(), principal.actor_type),
        (Some("jane"), Some("planner"), Some(ActorType::Agent))
    );
    assert_eq!(principal.session_id.as_deref(), Some("session-9"));
    assert_eq!(
        (record.site_id.as_deref(), record.request_id.as_deref(), record.call_id.as_deref()),
        (Some("site-9"), Some("request-9"), Some("call-9"))
    );
    assert_eq!(record.invocation_id, call.cx().invocation_id());
    assert_eq!((&*record.tool, record.effect), ("peek", Some(Effect::Read)));
    assert!(record.version.is_some());
    assert_eq!((record.status, record.final_status), (RecordStatus::Success, CallStatus::Executed));
    assert_eq!((record.attempts, record.origin), (1, RecordedOrigin::Call));
    assert!(record.error.is_none() && record.approval.is_none() && record.evidence.is_none());
    assert!(!record.dry_run && !record.approval_dry_run && record.replay_of.is_none());
    assert!(record.opened_at <= record.at);
    let hash = |domain, text| Some(format!("sha256:{}", Digest::from_json(domain, text).unwrap()));
    assert_eq!(record.input_hash, hash("tool-runtime/input/v1", "{}"));
    let output_hash = record.output_hash.as_deref().unwrap();
    assert!(output_hash.starts_with("hmac-sha256:2026-11:"), "{output_hash}");
    assert_eq!(record.input.as_ref().map(|input| input.get()), Some("{}"));
}

#[tokio::test]
async fn a_call_of_an_upload_is_recorded_with_the_uploads_run() {
    let setup = RecordedRuntime::new(&quick());
    let cx = ToolContext::builder(Uuid::from_u128(7), "trace-9").ingestion_run_id("upload-9");
    setup.runtime.call("peek", "{}", &cx.build().unwrap()).execute().await;
    let record = setup.only().await;
    assert_eq!((record.run_id, record.ingestion_run_id.as_deref()), (None, Some("upload-9")));
}

#[tokio::test]
async fn a_failure_is_recorded_with_the_tools_own_code() {
    let setup = RecordedRuntime::new(&quick());
    setup.answer("sell", "{}").await;
    let record = setup.only().await;
    assert_eq!(told(&record), (CallStatus::Failed, "OUT_OF_STOCK", None, 1));
    assert_eq!(record.version.as_deref(), Some("2.1.0"));
    assert_eq!(record.error.unwrap().message.as_deref(), Some("none is left"));
}

#[tokio::test]
async fn a_recorded_message_has_nothing_sensitive_of_the_call() {
    let ledger = Ledger::builder(ring()).open(TestLedger::default()).unwrap();
    /// Greets someone.
    #[ai_tool(effect = "read")]
    async fn greet(
        /// Whom.
        #[arg(pii)]
        name: String,
    ) -> Result<u8, Failure> {
        // The second name crosses the end of the recorded text.
        let (gap, rest) = ("x".repeat(66), "x".repeat(300));
        let message = format!("{name} (card 4111 1111 1111 1111) is away; {gap}{name} {rest}");
        Err(Failure::from_code(ErrorCode::NotFound).with_message(message))
    }
    let runtime = Runtime::builder().tool::<GreetTool>().ledger(&ledger).build().unwrap();
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build().unwrap();
    let mut call = runtime.call("greet", r#"{"name":"Erika Mustermann"}"#, &cx);
    assert!(call.execute().await.to_string().contains("is away"));
    let record = recorded(&ledger).await.remove(0);
    let text = serde_json::to_string(&record).unwrap();
    let message = record.error.unwrap().message.unwrap();
    assert!(message.contains("is away") && message.len() < 256, "{message}");
    assert!(!text.contains("Mustermann") && !text.contains("4111"), "{text}");
    assert!(!text.contains("Erika"), "half a name is none: {text}");
}

#[tokio::test]
async fn a_panic_is_recorded_without_its_text() {
    for (tool, effect) in [("peek", "none"), ("put", "unknown")] {
        let setup = RecordedRuntime::new(&Script::quick(|_| panic!("the tool breaks")));
        setup.answer(tool, "{}").await;
        let record = setup.only().await;
        assert_eq!(told(&record), (CallStatus::Failed, "INTERNAL", Some(effect), 1), "{tool}");
        assert!(!serde_json::to_string(&record).unwrap().contains("breaks"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_took_too_long_is_recorded_with_what_is_known_of_its_effect() {
    for (tool, effect) in [("glance", "none"), ("put", "unknown")] {
        let setup = RecordedRuntime::new(&stuck());
        setup.answer(tool, "{}").await;
        let record = setup.only().await;
        assert_eq!(told(&record), (CallStatus::Failed, "TIMEOUT", Some(effect), 1), "{tool}");
        assert!(record.latency_ms >= 1_000, "{} ms", record.latency_ms);
    }
}

#[tokio::test]
async fn a_call_cancelled_before_it_ran_had_no_effect() {
    let setup = RecordedRuntime::new(&quick());
    let mut call = setup.runtime.call("put", "{}", &jane());
    call.cancellation().unwrap().cancel();
    call.execute().await;
    let record = setup.only().await;
    assert_eq!(told(&record), (CallStatus::NotExecuted, "CANCELLED", Some("none"), 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_cancelled_while_it_ran_says_what_is_known_of_its_effect() {
    for (tool, effect) in [("peek", "none"), ("put", "unknown")] {
        let setup = RecordedRuntime::new(&stuck());
        let mut call = setup.runtime.call(tool, "{}", &jane());
        let cancellation = call.cancellation().unwrap();
        let mut run = Box::pin(call.execute());
        assert!((&mut run).now_or_never().is_none());
        cancellation.cancel();
        run.await;
        let record = setup.only().await;
        let expected = (CallStatus::Interrupted, "CANCELLED", Some(effect), 1);
        assert_eq!(told(&record), expected, "{tool}");
    }
}

#[tokio::test]
async fn a_call_whose_execution_is_dropped_half_way_is_recorded_at_once() {
    for (tool, effect) in [("peek", "none"), ("put", "unknown")] {
        let setup = RecordedRuntime::new(&stuck());
        let mut call = setup.runtime.call(tool, "{}", &jane());
        assert!(call.execute().now_or_never().is_none());
        let record = setup.only().await;
        let expected = (CallStatus::Interrupted, "CANCELLED", Some(effect), 1);
        assert_eq!(told(&record), expected, "{tool}");
        call.execute().await;
        drop(call);
        setup.only().await;
    }
}

#[tokio::test]
async fn a_call_dropped_before_it_ran_is_recorded() {
    let setup = RecordedRuntime::new(&quick());
    drop(setup.runtime.call("put", "{}", &jane()));
    let record = setup.only().await;
    assert_eq!(told(&record), (CallStatus::NotExecuted, "CANCELLED", Some("none"), 0));
}

#[tokio::test]
async fn a_name_that_no_tool_has_is_recorded_as_it_was_called() {
    let setup = RecordedRuntime::new(&quick());
    setup.answer("poke", "{}").await;
    let record = setup.only().await;
    assert_eq!(told(&record), (CallStatus::Rejected, "NOT_FOUND", None, 0));
    assert_eq!((&*record.tool, &record.version, record.effect), ("poke", &None, None));
    assert_eq!((record.input_hash, record.latency_ms), (None, 0));
}

#[tokio::test]
async fn arguments_that_are_refused_are_recorded() {
    let setup = RecordedRuntime::new(&quick());
    setup.answer("grind", r#"{"breaks":{}}"#).await;
    let record = setup.only().await;
    assert_eq!(told(&record), (CallStatus::Rejected, "INVALID_ARGUMENT", None, 0));
    assert!(record.input_hash.is_some());
}

#[tokio::test]
async fn a_call_that_is_denied_is_recorded() {
    let setup = RecordedRuntime::with(&quick(), |it| it.permission("sell", Permission::Deny));
    setup.answer("sell", "{}").await;
    assert_eq!(told(&setup.only().await), (CallStatus::Rejected, "FORBIDDEN", None, 0));
}

#[tokio::test]
async fn a_call_that_is_withdrawn_is_recorded_once_executed_or_dropped() {
    type Withdraw = fn(&mut ToolCall) -> Result<(), NotPending>;
    let ends: [(Withdraw, CallStatus, &str, Option<&str>); 3] = [
        (
            |call| call.decline("boss", "too dear").map_err(|_| NotPending),
            CallStatus::Declined,
            "DECLINED",
            None,
        ),
        (
            |call| call.withdraw(Withdrawal::Superseded),
            CallStatus::NotExecuted,
            "CANCELLED",
            Some("superseded"),
        ),
        (
            |call| call.withdraw(Withdrawal::Expired),
            CallStatus::NotExecuted,
            "CANCELLED",
            Some("expired"),
        ),
    ];
    for (withdraw, status, code, reason) in ends {
        for executes in [true, false] {
            let setup = RecordedRuntime::new(&quick());
            let mut call = setup.runtime.call("peek", "{}", &jane());
            withdraw(&mut call).unwrap();
            if executes {
                call.execute().await;
            }
            drop(call);
            let record = setup.only().await;
            let (ended, said, _, attempts) = told(&record);
            assert_eq!((ended, said, attempts), (status, code, 0));
            assert_eq!(record.error.unwrap().reason.as_deref(), reason);
        }
    }
}

fn asking(script: &Arc<Script>) -> RecordedRuntime {
    let policy = Policy::new().ticket_keys(ring()).clock(ManualClock::at(START));
    let asks = |it: RuntimeBuilder| it.policy(policy).permission("put", Permission::Ask);
    RecordedRuntime::with(script, asks)
}

#[tokio::test]
async fn a_call_put_away_behind_a_ticket_names_it_and_so_does_the_one_that_comes_back() {
    let setup = asking(&quick());
    let mut call = setup.runtime.call("put", "{}", &jane());
    let ticket = call.ticket().await.unwrap();
    call.execute().await;
    let first = setup.only().await;
    let expected = (CallStatus::NotExecuted, "NEEDS_USER_CONFIRMATION", None, 0);
    assert_eq!(told(&first), expected);
    let waits = first.approval.expect("a ticket");
    assert_eq!((waits.by, waits.at, waits.ticket), (None, None, Some(ticket.id())));

    let mut call = setup.runtime.tickets().resume(&ticket.to_json(), &jane()).await;
    call.approve("boss").unwrap();
    call.execute().await;
    let records = recorded(&setup.ledger).await;
    let [_, second] = &records[..] else { panic!("{records:#?}") };
    let allowed = second.approval.as_ref().expect("an approval");
    assert_eq!((allowed.by.as_deref(), allowed.ticket), (Some("boss"), Some(ticket.id())));
    assert!(allowed.at.is_some());
    assert_eq!((second.status, second.attempts), (RecordStatus::Success, 1));
    assert_eq!(second.invocation_id, first.invocation_id);
}

#[tokio::test]
async fn an_approval_says_who_and_when() {
    let setup = asking(&quick());
    let mut call = setup.runtime.call("put", "{}", &jane());
    call.approve("boss").unwrap();
    call.execute().await;
    let approval = setup.only().await.approval.expect("an approval");
    assert_eq!((approval.by.as_deref(), approval.ticket), (Some("boss"), None));
    assert!(approval.at.is_some());
}

#[tokio::test]
async fn dry_runs_before_an_approval_are_told_apart() {
    let setup = asking(&quick());
    setup.runtime.call("put", "{}", &jane().with_dry_run(true)).execute().await;
    let mut call = setup.runtime.call("put", "{}", &jane());
    assert!(call.dry_run().await.is_ok());
    call.approve("boss").unwrap();
    call.execute().await;
    let records = recorded(&setup.ledger).await;
    let marks: Vec<_> = records.iter().map(|it| (it.dry_run, it.approval_dry_run)).collect();
    assert_eq!(marks, [(true, false), (true, true), (false, false)]);
}

#[tokio::test]
async fn the_hash_of_an_answer_is_keyed_so_that_it_confirms_no_guess() {
    let setup = RecordedRuntime::new(&quick());
    setup.answer("peek", "{}").await;
    let record = setup.only().await;
    let hash = record.output_hash.unwrap();
    let guesses = (0..100).map(|guess| {
        Digest::from_json("tool-runtime/output/v1", &guess.to_string()).unwrap().to_string()
    });
    for guess in guesses {
        assert!(!hash.contains(&guess), "the answer is {guess}");
    }
    let (scheme, digits) = hash.rsplit_once(':').unwrap();
    assert_eq!((scheme, digits.len()), ("hmac-sha256:2026-11", 64));
}

#[tokio::test]
async fn an_answer_from_the_cache_says_so() {
    let setup = RecordedRuntime::new(&quick());
    for _ in 0..2 {
        setup.answer("find", "{}").await;
    }
    let records = recorded(&setup.ledger).await;
    let origins: Vec<_> = records.iter().map(|it| (it.origin, it.attempts)).collect();
    assert_eq!(origins, [(RecordedOrigin::Call, 1), (RecordedOrigin::Cache, 0)]);
    assert_eq!(records[0].output_hash, records[1].output_hash);
}

#[tokio::test]
async fn an_answer_to_a_repeated_key_says_so() {
    let setup = RecordedRuntime::new(&quick());
    for _ in 0..2 {
        let cx = ToolContext::builder(Uuid::from_u128(1), "trace-1").run_id("run-1");
        let cx = cx.user_id("jane").idempotency_key("key-1").build().unwrap();
        assert!(setup.runtime.call("put", "{}", &cx).execute().await.is_ok());
    }
    let records = recorded(&setup.ledger).await;
    let origins: Vec<_> = records.iter().map(|it| (it.origin, it.attempts)).collect();
    assert_eq!(origins, [(RecordedOrigin::Call, 1), (RecordedOrigin::Replay, 0)]);
    assert_eq!(records[0].output_hash, records[1].output_hash);
}

#[tokio::test(start_paused = true)]
async fn retries_are_counted_in_the_one_record() {
    let retry = RetryConfig::new(3, 1.0, 10).unwrap();
    let script = Script::quick(|run| if run < 3 { busy() } else { Ok(run) });
    let policy = Policy::new().rules(ToolPolicy::new().retry(retry));
    let setup = RecordedRuntime::with(&script, |it| it.policy(policy));
    setup.answer("peek", "{}").await;
    let record = setup.only().await;
    assert_eq!((record.status, record.attempts), (RecordStatus::Success, 3));

    let setup =
        RecordedRuntime::with(&Script::quick(|_| scripted_error(ErrorCode::NotFound)), |it| it);
    setup.answer("peek", "{}").await;
    assert_eq!(told(&setup.only().await), (CallStatus::Failed, "NOT_FOUND", None, 1));
}

#[tokio::test]
async fn each_call_of_a_batch_leaves_its_own_record() {
    let setup = RecordedRuntime::new(&quick());
    let request = |(id, tool): (&str, &str)| {
        ToolCallRequest::new(id, tool, RawValue::from_string("{}".to_owned()).unwrap())
    };
    let requests = [("a", "peek"), ("b", "poke"), ("c", "put"), ("d", "sell")].map(request);
    let mut calls = setup.runtime.call_all(&requests, &jane());
    setup.runtime.execute_all(&mut calls).await;
    let mut records = recorded(&setup.ledger).await;
    records.sort_by(|one, other| one.call_id.cmp(&other.call_id));
    let ends: Vec<_> = records.iter().map(|it| (it.call_id.as_deref(), it.final_status)).collect();
    assert_eq!(
        ends,
        [
            (Some("a"), CallStatus::Executed),
            (Some("b"), CallStatus::Rejected),
            (Some("c"), CallStatus::Executed),
            (Some("d"), CallStatus::Failed),
        ]
    );
}

#[tokio::test]
async fn a_blocking_tool_is_recorded_whether_it_answers_or_breaks() {
    let setup = RecordedRuntime::new(&quick());
    setup.answer("grind", "{}").await;
    setup.answer("grind", r#"{"breaks":true}"#).await;
    let _ = setup.runtime.call("grind", "{}", &jane()).execute().now_or_never();
    let records = recorded(&setup.ledger).await;
    let ends: Vec<_> = records.iter().map(|it| it.final_status).collect();
    assert_eq!(ends[..2], [CallStatus::Executed, CallStatus::Failed]);
    assert_eq!(ends.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_latency_of_a_call_is_recorded() {
    let script = Script::new(|run| async move {
        tokio::time::sleep(Duration::from_millis(40)).await;
        Ok(run)
    });
    let setup = RecordedRuntime::new(&script);
    setup.answer("peek", "{}").await;
    let latency = setup.only().await.latency_ms;
    assert!((40..=41).contains(&latency), "{latency} ms");
}
