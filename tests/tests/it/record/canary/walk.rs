//! Calls of every kind, each with every end that it can come to.

use std::fmt::Debug;
use std::sync::Arc;

use futures::FutureExt;
use serde_json::{Value, json};
use tokio::task::yield_now;
use tool_runtime::Withdrawal;
use tool_runtime::evidence::{Access, EvidenceKeeper, Replay, ReplayReport, SnapshotQuery, Vault};
use tool_runtime::ledger::{
    JsonLinesLedger, Ledger, LedgerQuery, RecordedCall, RecordedOrigin, SqliteLedger,
};
use tool_runtime::policy::{
    ApprovalRequest, Approver, Decision, KeyRing, Policy, RetryConfig, ToolPolicy, async_trait,
};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;
use tool_runtime::trace::JsonLog;

use super::marks::{BEARER, EDITED, KEY, NESTED_KEY, PERSON, STRANGER, arguments};
use super::sinks::{Exported, Sinks};
use super::tools::{ToolRuns, builder};
use crate::sqlite::Folder;

const TENANT: Uuid = Uuid::from_u128(7);
const TRACE: &str = "trace-canary";
/// All that a runtime has open, and where it writes.
pub(super) struct Walk {
    folder: Folder,
    sinks: Sinks,
    tool_runs: Arc<ToolRuns>,
    runtime: Runtime,
    ledger: Ledger,
    vault: Vault,
    stores: Vec<SqliteStore>,
    log: JsonLog,
}

/// The backend of a file ledger.
#[derive(Debug, Clone, Copy)]
pub(super) enum LedgerBackend {
    Lines,
    Table,
}

impl LedgerBackend {
    fn open(self, keys: KeyRing, folder: &Folder) -> Ledger {
        let ledger = Ledger::builder(keys);
        let file = |name: &str| folder.0.join(name);
        match self {
            Self::Lines => ledger
                .open(JsonLinesLedger::options().sync(false).open(file("ledger.jsonl")).unwrap()),
            Self::Table => ledger.open(SqliteLedger::open(file("ledger.db")).unwrap()),
        }
        .unwrap()
    }
}

impl Walk {
    pub(super) fn start(kept: LedgerBackend, sinks: &Sinks, exported: &Exported) -> Self {
        let folder = Folder::new();
        let file = |name: &str| folder.0.join(name);
        let open =
            |name: &str| SqliteStore::options().sync_commits(false).open(file(name)).unwrap();
        let keys = || KeyRing::new("k1", &[7; 32]).unwrap();
        let ledger = kept.open(keys(), &folder);
        let (evidence, answers, tickets) =
            (open("evidence.db"), open("answers.db"), open("tickets.db"));
        let keeper = EvidenceKeeper::new(Vault::new(evidence.clone(), keys()), &ledger);
        let (tool_runs, log) = (Arc::default(), JsonLog::new(sinks.writer("JsonLog")).unwrap());
        let retry = RetryConfig::new(3, 1.0, 10).unwrap();
        let policy = Policy::new()
            .store(answers.clone())
            .ticket_store(tickets.clone())
            .ticket_keys(keys())
            .approver(Person(sinks.clone()))
            .rules(ToolPolicy::new().retry(retry));
        let vault = keeper.vault().clone();
        sinks.debug(&(&policy, &keeper, &vault, &log, keys()));
        let runtime = builder(&tool_runs)
            .policy(policy)
            .ledger(&ledger)
            .evidence(keeper)
            .observe(sinks.clone())
            .observe(log.clone())
            .metrics(exported.metrics.clone())
            .tenant(TENANT)
            .build()
            .unwrap();
        let stores = vec![evidence, answers, tickets];
        Self { folder, sinks: sinks.clone(), tool_runs, runtime, ledger, vault, stores, log }
    }

    /// Makes calls until every end has been reached, and writes down what is left of them.
    pub(super) async fn through_everything(&self) {
        for tool in ["pay", "look", "remember", "dig", "relay"] {
            for act in ["answer", "fail", "panic", "flaky"] {
                self.run(tool, act, &cx()).await;
            }
            self.rejected(tool).await;
            self.withdrawn(tool).await;
            self.run(tool, "answer", &dry()).await;
        }
        self.interrupted().await;
        self.repeated().await;
        self.asked().await;
        self.by_ticket().await;
        self.enveloped().await;
        let mut greets = self.runtime.call("greet", greeting().to_string(), &cx());
        greets.execute().await;
        self.note(&greets);
        self.unknown().await;
        self.recorded().await;
    }

    /// Closes what writes files, and reads them.
    pub(super) async fn close(self) {
        self.files();
        self.ledger.close().await.unwrap();
        for store in &self.stores {
            store.close().await;
        }
        self.log.flush();
        self.files();
    }

    fn files(&self) {
        for (sink, name) in [
            ("ledger", "ledger"),
            ("evidence", "evidence"),
            ("answers", "answers"),
            ("tickets", "tickets"),
        ] {
            self.sinks.files(sink, &self.folder.0, name);
        }
    }

    async fn run(&self, tool: &str, act: &str, cx: &ToolContext) -> ToolOutput {
        let mut call = self.runtime.call(tool, arguments(act).to_string(), cx);
        let sinks = self.sinks.clone();
        call.on_progress(move |update| sinks.note("progress", format!("{update:?}")));
        self.note(&call);
        if call.needs_approval() {
            self.sinks.note("envelope", call.dry_run().await.json());
        }
        let output = call.execute().await.clone();
        self.note(&call);
        self.sinks.debug(&output);
        output
    }

    /// Writes down what may be shown of a call.
    fn note(&self, call: &ToolCall) {
        self.sinks.debug(call);
        self.sinks.debug(call.cx());
        self.sinks.debug(&(call.violations(), call.cancellation(), call.output()));
        self.sinks.note("Preview", format!("{0}\n{0:?}\n{0:#?}", call.preview()));
    }

    /// Calls that no schema admits.
    async fn rejected(&self, tool: &str) {
        let mut wrong = arguments("answer");
        wrong["act"] = json!([7]);
        wrong["sent"]["code"] = json!({"is": arguments("answer")["sent"]["code"]});
        let mut strange = arguments("fail");
        strange["stranger"] = json!({"deep": [STRANGER]});
        let mut misspelt = arguments("fail");
        misspelt["sent"]["login"]["stranger"] = json!(STRANGER);
        let cut = arguments("answer").to_string();
        let twice = cut.replacen('{', r#"{"act":"answer","#, 1);
        let texts = [
            wrong.to_string(),
            strange.to_string(),
            misspelt.to_string(),
            cut[..cut.len() - 1].to_owned(),
            twice,
        ];
        for text in texts {
            let mut call = self.runtime.call(tool, text, &cx());
            self.note(&call);
            call.execute().await;
            self.note(&call);
        }
    }

    /// Calls that end before they have begun.
    async fn withdrawn(&self, tool: &str) {
        let call = || self.runtime.call(tool, arguments("answer").to_string(), &cx());
        drop(call());
        let mut declined = call();
        declined.decline("boss", "not today").unwrap();
        let (mut superseded, mut expired) = (call(), call());
        superseded.withdraw(Withdrawal::Superseded).unwrap();
        expired.withdraw(Withdrawal::Expired).unwrap();
        for mut call in [declined, superseded, expired] {
            call.execute().await;
            self.note(&call);
        }
        let mut cancelled = call();
        cancelled.cancellation().unwrap().cancel();
        cancelled.execute().await;
        self.note(&cancelled);
    }

    /// Calls that are cut off while they run: by time, by their caller, by being dropped.
    async fn interrupted(&self) {
        for tool in ["pay", "dig"] {
            let hanging = |cx: &ToolContext| {
                let call = self.runtime.call(tool, arguments("hang").to_string(), cx);
                (call, self.tool_runs.hold_up())
            };
            let (mut late, held_up) = hanging(&hurried());
            late.execute().await;
            self.note(&late);
            drop(held_up);

            let (mut cancelled, held_up) = hanging(&cx());
            let cancellation = cancelled.cancellation().unwrap();
            let cancel = async {
                yield_now().await;
                cancellation.cancel();
            };
            futures::join!(cancelled.execute(), cancel);
            self.note(&cancelled);
            drop(held_up);

            let (mut dropped, held_up) = hanging(&cx());
            assert!(dropped.execute().now_or_never().is_none());
            self.note(&dropped);
            drop((dropped, held_up));
        }
    }

    /// Answers that were given before: from a cache, and under a key.
    async fn repeated(&self) {
        for _ in 0..2 {
            self.run("remember", "answer", &cx()).await;
        }
        for act in ["answer", "answer", "fail"] {
            self.run("pay", act, &keyed("")).await;
        }
        for _ in 0..2 {
            self.run("pay", "fail", &keyed("-2")).await;
            self.run("pay", "panic", &keyed("-3")).await;
        }
    }

    /// Calls that are approved while they wait.
    async fn asked(&self) {
        for act in ["approve", "decline", "edit", "fail", "panic"] {
            self.run("order", act, &cx()).await;
        }
        for act in ["answer", "fail", "panic"] {
            let mut call = self.runtime.call("order", arguments(act).to_string(), &cx());
            let refused = call.approve_edited("boss", r#"{"act":7}"#).unwrap_err();
            self.sinks.note("Debug", format!("{refused} {refused:?}"));
            call.approve_edited("boss", edited(act)).unwrap();
            self.note(&call);
            call.execute().await;
            self.note(&call);
        }
    }

    /// Calls that are deferred behind a ticket.
    async fn by_ticket(&self) {
        for act in ["answer", "fail", "panic"] {
            for edit in [None, Some(edited(act))] {
                let mut call = self.runtime.call("order", arguments(act).to_string(), &cx());
                let ticket = call.ticket().await.unwrap();
                self.sinks.debug(&ticket);
                let ticket = ticket.to_json();
                self.sinks.note("ticket", &ticket);
                let mut resumed = self.runtime.tickets().resume(&ticket, &cx()).await;
                self.note(&resumed);
                match edit {
                    Some(edit) => resumed.approve_edited("boss", edit).unwrap(),
                    None => resumed.approve("boss").unwrap(),
                }
                resumed.execute().await;
                self.note(&resumed);
            }
        }
        let mut call = self.runtime.call("order", arguments("defer").to_string(), &cx());
        let ticket = call.ticket().await.unwrap().to_json();
        let mut resumed = self.runtime.tickets().resume(&ticket, &cx()).await;
        resumed.decline("boss", "no").unwrap();
        resumed.execute().await;
        self.note(&resumed);
        self.run("order", "defer", &cx()).await;
    }

    /// The same in the envelopes between services.
    async fn enveloped(&self) {
        for (tool, act) in ["look", "pay", "relay", "order"]
            .into_iter()
            .flat_map(|tool| ["answer", "fail", "panic", "flaky", "defer"].map(|act| (tool, act)))
        {
            let actor = Actor::new(ActorType::User, "jane").unwrap();
            let request = RequestEnvelope::builder("req-7", actor).idempotency_key(KEY).build();
            let request = request.unwrap();
            self.sinks.debug(&request.clone().into_context(TENANT));
            let response = self.runtime.handle(request, tool, arguments(act).to_string()).await;
            self.sinks.note("envelope", serde_json::to_string(&response).unwrap());
        }
    }

    /// Calls of nothing.
    async fn unknown(&self) {
        self.run("pays", "answer", &cx()).await;
    }

    /// Reads the records, and replays them.
    async fn recorded(&self) {
        self.ledger.flush().await.unwrap();
        let found = self.ledger.find(LedgerQuery::new().limit(1_000)).await.unwrap();
        self.sinks.note("ledger", format!("{:?}", found.records));
        every_end_is_among(found.records.iter().map(|(_, call)| call));
        let access = Access::new("auditor", "a test").unwrap();
        let query = SnapshotQuery::new(TENANT);
        let page = self.vault.list(&query, None, 1_000, &access).await.unwrap();
        for snapshot in page.snapshots {
            self.sinks.note("evidence", serde_json::to_string(&snapshot).unwrap());
            self.sinks.debug(&snapshot);
            let opened = self.vault.read(TENANT, snapshot.id(), &access).await.unwrap();
            let sealed = opened.contents.arguments().map(str::to_owned);
            let kept = (snapshot.tool() == "greet").then(|| greeting().to_string());
            assert_eq!(sealed, kept, "sealed is what holds no secret, as it was sent");
            self.sinks.debug(&opened);
        }
        self.sinks.debug(&(&self.runtime, &self.ledger, &self.vault, &self.stores, &self.log));
        self.sinks.debug(&self.ledger.checkpoint().await.unwrap());
        let replay = Replay::new(&self.runtime, &self.ledger, access);
        self.replayed(&replay.run(TRACE).await.unwrap());
        let replay = replay.vault(&self.vault).context(|_| cx());
        let report = replay.run(TRACE).await.unwrap();
        let drifted = format!("{report:?}").matches("Changed").count();
        assert!(drifted > 0, "{report:?}");
        self.replayed(&report);
        self.sinks.debug(&replay);
        self.ledger.flush().await.unwrap();
    }

    fn replayed(&self, report: &ReplayReport) {
        self.sinks.note("ReplayReport", serde_json::to_string(report).unwrap());
        self.sinks.note("ReplayReport", format!("{report:?}"));
    }
}

/// Checks that every end of a call that this test covers has happened.
fn every_end_is_among<'c>(calls: impl Iterator<Item = &'c RecordedCall> + Clone) {
    for (ended, code) in [
        ("Executed", "none"),
        ("Failed", "NOT_FOUND"),
        ("Failed", "INTERNAL"),
        ("Failed", "TIMEOUT"),
        ("Interrupted", "CANCELLED"),
        ("Rejected", "INVALID_ARGUMENT"),
        ("Declined", "DECLINED"),
        ("NotExecuted", "NEEDS_USER_CONFIRMATION"),
    ] {
        let is_it = |call: &RecordedCall| {
            let error = call.error.as_ref().and_then(|error| error.code.as_deref());
            format!("{:?}", call.final_status) == ended && error.unwrap_or("none") == code
        };
        assert!(calls.clone().any(is_it), "{ended} {code}");
    }
    let some = |what: &str, is_it: fn(&RecordedCall) -> bool| {
        assert!(calls.clone().any(is_it), "{what}");
    };
    some("a retry that helped", |call| call.attempts == 3 && call.error.is_none());
    some("a cached answer", |call| call.origin == RecordedOrigin::Cache);
    some("a repeated answer", |call| call.origin == RecordedOrigin::Replay);
    some("a dry run", |call| call.dry_run && !call.approval_dry_run);
    some("a dry run before its approval", |call| call.approval_dry_run);
    some("a proof", |call| call.evidence.is_some());
    some("a person's yes", |call| call.approval.as_ref().is_some_and(|it| it.by.is_some()));
    some("a ticket", |call| call.approval.as_ref().is_some_and(|it| it.ticket.is_some()));
}

/// An approver whose screen shows everything that it can except the arguments themselves.
struct Person(Sinks);

#[async_trait]
impl Approver for Person {
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
        let act: Value = serde_json::from_str(request.arguments_with_secrets()).unwrap();
        let act = act["act"].as_str().unwrap();
        self.0.debug(request);
        self.0.note("Preview", request.preview().to_string());
        let decision = match act {
            "approve" | "fail" | "panic" => Decision::approve("boss"),
            "decline" => Decision::decline("boss", "not today"),
            "edit" => Decision::approve("boss").with_arguments(edited("answer")),
            _ => Decision::defer(),
        };
        self.0.debug(&decision);
        decision
    }
}

fn greeting() -> Value {
    json!({"person": PERSON, "note": arguments("greet")["sent"]["note"]})
}

fn edited(act: &str) -> String {
    let mut edited = arguments(act);
    edited["token"] = json!(EDITED);
    edited.to_string()
}

fn context() -> tool_runtime::contracts::ToolContextBuilder {
    let auth = json!({"bearer": BEARER, "keys": [{"nested": NESTED_KEY}]});
    let Value::Object(auth) = auth else { unreachable!("it is an object") };
    ToolContext::builder(TENANT, TRACE).run_id("run-1").user_id("jane").auth(auth)
}

fn cx() -> ToolContext {
    context().build().unwrap()
}

fn dry() -> ToolContext {
    context().dry_run(true).build().unwrap()
}

/// Returns a context with a very short timeout.
fn hurried() -> ToolContext {
    context().timeouts_ms(20).build().unwrap()
}

fn keyed(suffix: &str) -> ToolContext {
    cx().with_idempotency_key(format!("{KEY}{suffix}")).unwrap()
}
