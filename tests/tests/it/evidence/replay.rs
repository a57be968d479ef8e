//! Replays of a trace: same answers, different answers, and calls that are not run.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_runtime::contracts::ErrorCode;
use tool_runtime::evidence::{
    Replay, ReplayReport, ReplayVerdict, ReplayedCall, Sealing, SkipReason,
};
use tool_runtime::ledger::LedgerQuery;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::trace::LogLine;
use tool_runtime::{CallRecord, DynamicTool, RuntimeBuilder};

use super::{EvidenceSetup, TENANT, ToolData, access, cx_of};
use crate::ledger::{all, check_whole, recorded};
use crate::support::{Paper, subscribe};

/// Looks up what is today.
#[ai_tool(effect = "read", version = "1.0.0", ttl = "1h", evidence)]
async fn look(
    tool_data: &ToolData,
    /// Where.
    #[arg(default)]
    place: String,
    /// Who asks.
    #[arg(pii, default)]
    email: String,
) -> Value {
    let _ = email;
    json!({ "place": place, "today": tool_data.ask() })
}

/// Looks up what is today, and leaves no evidence.
#[ai_tool(effect = "read")]
async fn peek(
    tool_data: &ToolData,
    /// Who asks.
    #[arg(secret, default)]
    pin: String,
) -> u32 {
    let _ = pin;
    tool_data.ask()
}

/// Answers with two properties whose order changes from call to call, and leaves evidence.
#[ai_tool(effect = "read", evidence)]
async fn pair(tool_data: &ToolData) -> Box<RawValue> {
    pair_text(tool_data)
}

/// Answers with two properties whose order changes from call to call, and leaves no evidence.
#[ai_tool(effect = "read")]
async fn bare_pair(tool_data: &ToolData) -> Box<RawValue> {
    pair_text(tool_data)
}

/// Answers with an integer beyond 2^53, in another order and notation from call to call.
#[ai_tool(effect = "read", evidence)]
async fn wide_pair(tool_data: &ToolData) -> Box<RawValue> {
    tool_data.ask();
    let text = match (tool_data.runs() % 2, tool_data.today.load(Ordering::SeqCst)) {
        (0, 0) => r#"{"id":18446744073709551615,"n":1}"#,
        (_, 0) => r#"{"n":1.0,"id":18446744073709551615}"#,
        (_, _) => r#"{"n":1.0,"id":18446744073709551614}"#,
    };
    RawValue::from_string(text.to_owned()).unwrap()
}

fn pair_text(tool_data: &ToolData) -> Box<RawValue> {
    tool_data.ask();
    let text = if tool_data.runs() % 2 == 0 { r#"{"a":1,"b":2}"# } else { r#"{"b":2,"a":1}"# };
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Says nothing to nobody.
#[ai_tool(effect = "read")]
async fn greet(cx: &ToolContext) -> Option<String> {
    cx.locale().map(|locale| format!("hello in {locale}"))
}

/// Writes, which is counted.
#[ai_tool(effect = "write")]
async fn put(tool_data: &ToolData, dry_run: &DryRun) -> u32 {
    let _ = dry_run;
    tool_data.ask()
}

struct ReplaySetup {
    setup: EvidenceSetup,
    tool_data: ToolData,
}

impl ReplaySetup {
    fn new() -> Self {
        Self { setup: EvidenceSetup::new(), tool_data: ToolData::default() }
    }

    fn with(&self, more: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Runtime {
        let builder = Runtime::builder().state(self.tool_data.clone()).ledger(&self.setup.ledger);
        let builder = builder.evidence(self.setup.keeper.clone()).policy(Policy::new());
        more(builder).build().unwrap()
    }

    fn runtime(&self) -> Runtime {
        self.with(|it| {
            let it = it.tool::<LookTool>().tool::<PeekTool>().tool::<GreetTool>().tool::<PutTool>();
            it.permission("put", Permission::Allow)
        })
    }

    fn replay(&self, runtime: &Runtime) -> Replay {
        Replay::new(runtime, &self.setup.ledger, access()).vault(self.setup.keeper.vault())
    }

    async fn run(&self, runtime: &Runtime) -> ReplayReport {
        self.replay(runtime).run("trace-1").await.unwrap()
    }
}

async fn call(runtime: &Runtime, tool: &str, arguments: &str) {
    assert!(runtime.call(tool, arguments, &cx_of(TENANT)).execute().await.is_ok(), "{tool}");
}

fn verdicts(report: &ReplayReport) -> Vec<&ReplayVerdict> {
    report.calls().iter().map(ReplayedCall::verdict).collect()
}

fn skipped(reason: SkipReason) -> ReplayVerdict {
    ReplayVerdict::Skipped { reason }
}

#[tokio::test]
async fn an_answer_is_the_same_or_has_drifted_with_what_has_changed() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    call(&runtime, "look", r#"{"place":"here"}"#).await;
    let report = replays.run(&runtime).await;
    assert_eq!(verdicts(&report), [&ReplayVerdict::Same]);
    assert!(report.is_unchanged() && !report.calls()[0].version_changed());
    assert_eq!(replays.tool_data.runs(), 2, "no cache answered");

    replays.tool_data.set(5);
    let report = replays.run(&runtime).await;
    let diff = json!([{ "op": "replace", "path": "/today", "value": 5 }]);
    let drifted = ReplayVerdict::Changed { diff: Some(diff), earlier_error: None, error: None };
    assert_eq!((verdicts(&report), report.is_unchanged()), (vec![&drifted], false));
    assert_eq!(replays.tool_data.runs(), 3);
    // The cache is unchanged.
    let mut cached = runtime.call("look", r#"{"place":"here"}"#, &cx_of(TENANT));
    assert!(cached.execute().await.data_json().unwrap().contains(r#""today":0"#));
    assert_eq!(replays.tool_data.runs(), 3);
}

#[tokio::test]
async fn answers_with_evidence_are_compared_by_value_and_others_by_their_text() {
    let replays = ReplaySetup::new();
    let runtime = replays.with(|it| it.tool::<PairTool>().tool::<BarePairTool>());
    call(&runtime, "pair", "{}").await;
    call(&runtime, "bare_pair", "{}").await;
    let drifted = ReplayVerdict::Changed { diff: None, earlier_error: None, error: None };
    let report = replays.run(&runtime).await;
    assert_eq!(verdicts(&report), [&ReplayVerdict::Same, &ReplayVerdict::Same]);
    // One more run in between: each property is now where the other one was.
    call(&runtime, "pair", "{}").await;
    let report = replays.run(&runtime).await;
    assert_eq!(verdicts(&report)[..2], [&ReplayVerdict::Same, &drifted]);
}

#[tokio::test]
async fn a_wide_integer_is_the_same_in_every_order_and_notation() {
    let mut replays = ReplaySetup::new();
    replays.setup.keeper = replays.setup.keeper.clone().sealing(Sealing::Everything);
    let runtime = replays.with(RuntimeBuilder::tool::<WidePairTool>);
    call(&runtime, "wide_pair", "{}").await;
    let report = replays.run(&runtime).await;
    assert_eq!(verdicts(&report), [&ReplayVerdict::Same]);
    replays.tool_data.set(1);
    let report = replays.run(&runtime).await;
    let verdicts = verdicts(&report);
    assert!(matches!(verdicts[..], [ReplayVerdict::Changed { .. }]), "{verdicts:?}");
}

#[tokio::test]
async fn without_a_vault_a_drift_is_seen_and_not_what_it_is() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    call(&runtime, "look", r#"{"place":"here"}"#).await;
    replays.tool_data.set(5);
    let replay = Replay::new(&runtime, &replays.setup.ledger, access());
    let report = replay.run("trace-1").await.unwrap();
    let drifted = ReplayVerdict::Changed { diff: None, earlier_error: None, error: None };
    assert_eq!(verdicts(&report), [&drifted]);
}

#[tokio::test]
async fn a_write_is_never_run_again_whatever_it_was() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    call(&runtime, "put", "{}").await;
    call(&runtime, "peek", "{}").await;
    assert_eq!(replays.tool_data.runs(), 2);
    assert_eq!(verdicts(&replays.run(&runtime).await)[0], &skipped(SkipReason::Write));
    assert_eq!(replays.tool_data.runs(), 3, "the read alone");

    let dynamic = |name: &str, effect| {
        let tool_data = replays.tool_data.clone();
        DynamicTool::new(name, effect)
            .description("Has changed its mind.")
            .handles_dry_run()
            .input_schema(json!({ "type": "object" }))
            .sync_handler(move |_| Ok::<_, Failure>(tool_data.ask()))
    };
    let turned = replays.with(|it| {
        it.dynamic(dynamic("put", Effect::Read)).dynamic(dynamic("peek", Effect::Write))
    });
    let report = replays.run(&turned).await;
    assert_eq!(verdicts(&report), [&skipped(SkipReason::Write), &skipped(SkipReason::Write)]);
    assert_eq!(replays.tool_data.runs(), 3);
}

#[tokio::test]
async fn a_tool_that_is_gone_or_another_version_is_said_to_be() {
    let replays = ReplaySetup::new();
    let before = replays.runtime();
    call(&before, "look", "{}").await;
    call(&before, "greet", "{}").await;
    let renewed = DynamicTool::new("look", Effect::Read)
        .description("Looks up what is today.")
        .version("2.0.0")
        .input_schema(json!({ "type": "object" }))
        .sync_handler(|_| Ok::<_, Failure>(json!({ "place": "", "today": 0 })));
    let after = replays.with(|it| it.dynamic(renewed));
    let report = replays.run(&after).await;
    assert_eq!(verdicts(&report), [&ReplayVerdict::Same, &ReplayVerdict::ToolRemoved]);
    let look = &report.calls()[0];
    assert!(look.version_changed());
    assert_eq!((look.recorded_version(), look.version()), (Some("1.0.0"), Some("2.0.0")));
    assert!(!report.calls()[1].version_changed() && !report.is_unchanged());
}

#[tokio::test]
async fn a_call_that_did_not_run_is_not_replayed() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    drop(runtime.call("peek", "{}", &cx_of(TENANT)));
    let mut declined = runtime.call("peek", "{}", &cx_of(TENANT));
    declined.decline("boss", "no").unwrap();
    declined.execute().await;
    runtime.call("peek", r#"{"pin":{}}"#, &cx_of(TENANT)).execute().await;
    let report = replays.run(&runtime).await;
    let not_run = skipped(SkipReason::NotRun);
    assert_eq!((verdicts(&report), replays.tool_data.runs()), (vec![&not_run; 3], 0));
}

#[tokio::test]
async fn arguments_that_are_redacted_need_the_vault() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    call(&runtime, "look", r#"{"email":"jane@example.com"}"#).await;
    call(&runtime, "peek", r#"{"pin":"1234"}"#).await;
    let bare = Replay::new(&runtime, &replays.setup.ledger, access());
    let report = bare.run("trace-1").await.unwrap();
    let not_kept = skipped(SkipReason::InputNotKept);
    assert_eq!(verdicts(&report), [&not_kept, &not_kept]);
    assert_eq!(verdicts(&replays.run(&runtime).await), [&ReplayVerdict::Same, &not_kept]);
}

#[tokio::test]
async fn a_call_with_shredded_arguments_is_not_replayed() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    call(&runtime, "look", r#"{"email":"jane@example.com"}"#).await;
    assert_eq!(replays.setup.keeper.vault().shred(TENANT, &access()).await.unwrap(), 1);
    let report = replays.run(&runtime).await;
    assert_eq!(verdicts(&report), [&skipped(SkipReason::InputSealed)]);
    assert_eq!(replays.tool_data.runs(), 1);
}

#[tokio::test]
async fn a_call_that_may_not_run_in_this_runtime_is_refused() {
    let replays = ReplaySetup::new();
    call(&replays.runtime(), "peek", "{}").await;
    let strict = replays.with(|it| it.tool::<PeekTool>().permission("peek", Permission::Deny));
    let report = replays.run(&strict).await;
    assert_eq!(verdicts(&report), [&skipped(SkipReason::Refused)]);
    let elsewhere = replays.runtime();
    let stray = replays.replay(&elsewhere).context(|_| cx_of(Uuid::from_u128(99)));
    let report = stray.run("trace-1").await.unwrap();
    assert_eq!(verdicts(&report), [&skipped(SkipReason::Refused)]);
    assert_eq!(replays.tool_data.runs(), 1);
}

#[tokio::test]
async fn a_failure_is_the_same_if_it_has_the_same_code() {
    let replays = ReplaySetup::new();
    let codes = Arc::new(Mutex::new(ErrorCode::NotFound));
    let failing = {
        let codes = codes.clone();
        let failing = DynamicTool::new("fail", Effect::Read)
            .description("Fails.")
            .input_schema(json!({ "type": "object" }))
            .sync_handler(move |_| Err::<u32, _>(Failure::from_code(*codes.lock().unwrap())));
        replays.with(|it| it.dynamic(failing))
    };
    failing.call("fail", "{}", &cx_of(TENANT)).execute().await;
    assert_eq!(verdicts(&replays.run(&failing).await), [&ReplayVerdict::Same]);
    *codes.lock().unwrap() = ErrorCode::Forbidden;
    let drifted = ReplayVerdict::Changed {
        diff: None,
        earlier_error: Some("NOT_FOUND".to_owned()),
        error: Some("FORBIDDEN".to_owned()),
    };
    assert_eq!(verdicts(&replays.run(&failing).await), [&drifted]);
}

#[tokio::test]
async fn a_host_adds_context_that_no_record_holds() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").locale("de-DE");
    runtime.call("greet", "{}", &cx.build().unwrap()).execute().await;
    assert!(!replays.run(&runtime).await.is_unchanged());
    let localised = replays.replay(&runtime).context(|cx| {
        let builder = ToolContext::builder(cx.tenant_id(), cx.trace_id()).run_id("run-1");
        builder.locale("de-DE").build().unwrap()
    });
    assert!(localised.run("trace-1").await.unwrap().is_unchanged());
}

#[tokio::test]
async fn a_replay_is_on_the_ledger_and_in_no_later_one() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    call(&runtime, "look", "{}").await;
    let first = replays.run(&runtime).await;
    let second = replays.run(&runtime).await;
    assert_eq!((first.calls().len(), second.calls().len()), (1, 1));
    let records = recorded(&replays.setup.ledger).await;
    let [own, one, other] = &records[..] else { panic!("{records:#?}") };
    assert_eq!(own.replay_of, None);
    for (record, report) in [(one, &first), (other, &second)] {
        assert_eq!(record.replay_of, Some(own.invocation_id));
        assert_eq!(report.calls()[0].replayed_by(), Some(record.invocation_id));
        assert_eq!((&record.evidence, record.attempts), (&None, 1), "no evidence is left");
        assert_eq!(record.output_hash, own.output_hash);
    }
    let actions: Vec<_> = replays.setup.accesses().into_iter().map(|(it, _)| it).collect();
    assert_eq!(actions, ["replay", "read", "replay", "read"]);
    replays.setup.check_chain();
}

#[tokio::test]
async fn a_replay_that_cannot_be_recorded_runs_nothing() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    call(&runtime, "peek", "{}").await;
    replays.setup.ledger.flush().await.unwrap();
    replays.setup.kept.fail(true);
    assert!(replays.replay(&runtime).run("trace-1").await.is_err());
    assert_eq!(replays.tool_data.runs(), 1);
    replays.setup.kept.fail(false);
}

#[tokio::test]
async fn traces_of_the_same_name_are_told_apart_by_tenant() {
    let replays = ReplaySetup::new();
    let runtime = replays.runtime();
    for tenant in [1, 2, 2] {
        let cx = cx_of(Uuid::from_u128(tenant));
        assert!(runtime.call("peek", "{}", &cx).execute().await.is_ok());
    }
    let of = |tenant| replays.replay(&runtime).tenant(Uuid::from_u128(tenant));
    assert_eq!(of(2).run("trace-1").await.unwrap().calls().len(), 2);
    assert_eq!(of(1).run("trace-1").await.unwrap().calls().len(), 1);
    assert_eq!(of(3).run("trace-1").await.unwrap().calls().len(), 0);
    let ledger = &replays.setup.ledger;
    ledger.flush().await.unwrap();
    check_whole(ledger, 6);
    let of_one = all(ledger, LedgerQuery::new().tenant(Uuid::from_u128(1))).await;
    assert_eq!(of_one.len(), 2, "it ran for its tenant alone");
}

#[tokio::test]
async fn where_nothing_is_sealed_the_ledger_gives_the_arguments() {
    let replays = ReplaySetup::new();
    let keeper = replays.setup.keeper.clone().sealing(Sealing::Nothing);
    let runtime = replays.with(|it| it.tool::<LookTool>().evidence(keeper));
    call(&runtime, "look", r#"{"place":"here"}"#).await;
    assert_eq!(verdicts(&replays.run(&runtime).await), [&ReplayVerdict::Same]);
    replays.tool_data.set(1);
    let drifted = ReplayVerdict::Changed { diff: None, earlier_error: None, error: None };
    assert_eq!(verdicts(&replays.run(&runtime).await), [&drifted]);
}

#[tokio::test]
async fn the_log_tells_a_run_that_repeats_another_from_one_of_its_own() {
    let paper = Paper::default();
    let subscriber = tracing_subscriber::fmt().json().flatten_event(true);
    let subscriber = subscriber.with_writer(paper.clone()).finish();
    let _here = subscribe(subscriber);

    let replays = ReplaySetup::new();
    let lines: Arc<Mutex<Vec<Value>>> = Arc::default();
    let heard = lines.clone();
    let runtime = replays.with(|it| {
        it.tool::<PeekTool>().observe(move |record: &CallRecord<'_>| {
            let line = serde_json::to_value(LogLine::new(record)).unwrap();
            heard.lock().unwrap().push(line);
        })
    });
    let cx = cx_of(TENANT);
    runtime.call("peek", "{}", &cx).execute().await;
    replays.replay(&runtime).run("trace-1").await.unwrap();

    let first = recorded(&replays.setup.ledger).await[0].invocation_id.to_string();
    let lines = lines.lock().unwrap().clone();
    let events = paper.lines();
    for lines in [&lines, &events] {
        let [own, repeated] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!(own.get("replay_of"), None);
        assert_eq!(repeated["replay_of"], first);
    }
    assert_eq!(events[0]["span"].get("tool_runtime.call.replay_of"), None);
    assert_eq!(events[1]["span"]["tool_runtime.call.replay_of"], first);
}
