//! A replay needs the same permission, access policy and approval as any call.

use serde_json::{Value, json};
use tool_runtime::evidence::{Replay, ReplayReport};
use tool_runtime::policy::{AccessPolicy, AccessRequest, AccessVerdict, Policy, async_trait};
use tool_runtime::prelude::*;

use super::{EvidenceSetup, TENANT, ToolData, access, cx_of};
use crate::ledger::recorded;

/// Reads a salary.
#[ai_tool(effect = "read", version = "1.0.0")]
async fn read_salary(tool_data: &ToolData) -> u32 {
    tool_data.ask()
}

struct Rule(fn(&AccessRequest<'_>) -> AccessVerdict);

#[async_trait]
impl AccessPolicy for Rule {
    async fn decide(
        &self,
        request: &AccessRequest<'_>,
    ) -> Result<AccessVerdict, Box<dyn std::error::Error + Send + Sync>> {
        Ok((self.0)(request))
    }
}

fn runtime(
    setup: &EvidenceSetup,
    tool_data: &ToolData,
    permission: Permission,
    policy: Policy,
) -> Runtime {
    let builder = Runtime::builder().tool::<ReadSalaryTool>().state(tool_data.clone());
    let builder = builder.permission("read_salary", permission).ledger(&setup.ledger);
    builder.policy(policy).build().unwrap()
}

/// Reads the salary as jane, with a person's approval.
async fn read(runtime: &Runtime) {
    let mut call = runtime.call("read_salary", "{}", &cx_of(TENANT));
    call.approve("boss").unwrap();
    assert!(call.execute().await.is_ok());
}

fn verdicts(report: &ReplayReport) -> Vec<Value> {
    let report = serde_json::to_value(report).unwrap();
    report["calls"].as_array().unwrap().iter().map(|call| call["verdict"].clone()).collect()
}

fn skipped(reason: &str) -> Value {
    json!({"verdict": "skipped", "reason": reason})
}

#[tokio::test]
async fn a_replay_runs_no_read_that_needs_approval() {
    let asks = Rule(|_| AccessVerdict::ask("a salary"));
    let whose = [(Permission::Ask, Policy::new()), (Permission::Allow, Policy::new().access(asks))];
    for (permission, policy) in whose {
        let (setup, tool_data) = (EvidenceSetup::new(), ToolData::default());
        let runtime = runtime(&setup, &tool_data, permission, policy);
        read(&runtime).await;
        let replay = Replay::new(&runtime, &setup.ledger, access());
        let report = replay.run("trace-1").await.unwrap();
        assert_eq!(verdicts(&report), [skipped("needs_approval")]);
        assert_eq!(tool_data.runs(), 1, "the approved call alone has run");
        let approvals = recorded(&setup.ledger).await;
        let approvals = approvals.iter().filter_map(|call| call.approval.as_ref());
        let by: Vec<_> = approvals.filter_map(|it| it.by.as_deref()).collect();
        assert_eq!(by, ["boss"], "the reader approves nothing by reading");
        let waiting = runtime.tickets().waiting(TENANT, None, 10).await.unwrap();
        assert!(waiting.calls.is_empty(), "a replay asks no person");
    }
}

#[tokio::test]
async fn a_reader_approves_the_reads_that_it_names_and_the_record_says_so() {
    let (setup, tool_data) = (EvidenceSetup::new(), ToolData::default());
    let runtime = runtime(&setup, &tool_data, Permission::Ask, Policy::new());
    read(&runtime).await;
    let other = Replay::new(&runtime, &setup.ledger, access()).approving(|it| it.name() == "pay");
    let report = other.run("trace-1").await.unwrap();
    assert_eq!((verdicts(&report), tool_data.runs()), (vec![skipped("needs_approval")], 1));
    let replay = Replay::new(&runtime, &setup.ledger, access());
    let report = replay.approving(|it| it.name() == "read_salary").run("trace-1").await.unwrap();
    assert_ne!(verdicts(&report)[0]["verdict"], "skipped");
    assert_eq!(tool_data.runs(), 2);
    let calls = recorded(&setup.ledger).await;
    let by = calls.iter().filter_map(|call| call.approval.as_ref()?.by.as_deref());
    assert_eq!(by.collect::<Vec<_>>(), ["boss", access().reader()]);
}

#[tokio::test]
async fn a_replay_uses_no_standing_grant_of_the_user_it_repeats() {
    let (setup, tool_data) = (EvidenceSetup::new(), ToolData::default());
    let runtime = runtime(&setup, &tool_data, Permission::Ask, Policy::new());
    read(&runtime).await;
    runtime.grants().give("read_salary", &cx_of(TENANT), "boss").await.unwrap();
    let report = Replay::new(&runtime, &setup.ledger, access()).run("trace-1").await.unwrap();
    assert_eq!((verdicts(&report), tool_data.runs()), (vec![skipped("needs_approval")], 1));
}

#[tokio::test]
async fn a_replay_is_subject_to_the_access_policy_of_today() {
    let (setup, tool_data) = (EvidenceSetup::new(), ToolData::default());
    read(&runtime(&setup, &tool_data, Permission::Allow, Policy::new())).await;
    let denies = Policy::new().access(Rule(|request| match request.cx().user_id() {
        Some("jane") => AccessVerdict::deny("jane has left"),
        _ => AccessVerdict::Allow,
    }));
    let runtime = runtime(&setup, &tool_data, Permission::Allow, denies);
    let report = Replay::new(&runtime, &setup.ledger, access()).run("trace-1").await.unwrap();
    assert_eq!((verdicts(&report), tool_data.runs()), (vec![skipped("refused")], 1));
}
