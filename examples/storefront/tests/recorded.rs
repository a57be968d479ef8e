//! Tests that answers name their freshness and their sources, and all calls are recorded.

use tool_runtime::contracts::EvidenceSource;
use tool_runtime::evidence::{Access, Replay};
use tool_runtime::ledger::LedgerQuery;

use super::*;
use crate::host::TENANT;

/// Valid arguments of each read.
fn reads() -> [(&'static str, Value, &'static [&'static str]); 6] {
    let to = json!({"country": "DE"});
    let sent = json!({"skus": ["D00090"], "to": to, "service": "courier"});
    let priced: &[&str] = &["stones.tsv", "places.tsv", "exchange.tsv"];
    let levied: &[&str] = &["stones.tsv", "places.tsv", "exchange.tsv", "taxes.tsv", "duties.tsv"];
    [
        ("knowledge.search", json!({"query": "returns"}), &["stones.tsv", "handbook.md"]),
        ("pricing.get_realtime_quote", json!({"sku": "D00090"}), &["stones.tsv"]),
        (
            "compliance.check_item",
            json!({"sku": "D00090", "to": to}),
            &["stones.tsv", "places.tsv", "rules.tsv"],
        ),
        ("shipping.quote_options", json!({"skus": ["D00090"], "to": to}), priced),
        ("tax.estimate_duties_and_taxes", sent.clone(), levied),
        ("checkout.compute_total", sent, levied),
    ]
}

/// Returns the sources of an answer, except the tool itself.
fn files(answer: &ResponseEnvelope) -> Vec<&str> {
    let sources = answer.evidence().expect("evidence").sources();
    sources.iter().filter(|source| source.kind() == "file").map(EvidenceSource::name).collect()
}

#[tokio::test]
async fn a_priced_answer_is_good_for_half_a_minute() {
    let host = host().await;
    for (name, arguments, _) in reads() {
        let answer = call(&host, name, arguments).await;
        let priced = !matches!(name, "knowledge.search" | "compliance.check_item");
        assert_eq!(answer.ttl_seconds(), priced.then_some(30), "{name}");
    }
}

#[tokio::test]
async fn every_tool_names_the_files_that_its_answer_is_made_from() {
    let host = host().await;
    for (name, arguments, expected) in reads() {
        assert_eq!(files(&call(&host, name, arguments).await), expected, "{name}");
    }
    let arguments = right_order(&host).await;
    let ordered = call(&host, "checkout.create_draft_order", arguments).await;
    assert_eq!(files(&ordered).len(), 6, "{ordered:?}");
}

fn auditor() -> Access {
    Access::new("user:auditor", "a test").expect("a reason")
}

#[tokio::test]
async fn the_proof_of_a_verdict_names_the_edition_of_the_rules() {
    let host = host().await;
    let asked = json!({"sku": "D00090", "to": {"country": "DE"}});
    let checked = call(&host, "compliance.check_item", asked).await;
    let id = checked.evidence().expect("evidence").snapshot_id().parse().expect("an id");
    let snapshot =
        host.vault().find(TENANT, id, &auditor()).await.expect("a vault").expect("it is kept");
    let rules = serde_json::to_value(&snapshot).expect("JSON");
    assert!(
        rules.to_string().contains(r#""compliance.policy_ruleset_version":"1.0.0""#),
        "{rules}"
    );
}

#[tokio::test]
async fn a_snapshot_names_the_build_that_answered() {
    let host = host().await;
    let quoted = call(&host, "pricing.get_realtime_quote", json!({"sku": "D00090"})).await;
    let id = quoted.evidence().expect("evidence").snapshot_id().parse().expect("an id");
    let snapshot =
        host.vault().find(TENANT, id, &auditor()).await.expect("a vault").expect("it is kept");
    assert_eq!(snapshot.build(), Some(env!("BUILD_HASH")));
    assert!(env!("BUILD_HASH").len() >= 7, "a commit, or the hash of all sources");
}

/// Returns the evidence that a refusal with this code names, as JSON.
async fn proven_refusal(host: &Host, arguments: Value, code: &str) -> Value {
    let refused = call(host, "checkout.create_draft_order", arguments).await;
    refused_with(&refused, code);
    let id = refused.evidence().expect("evidence").snapshot_id().parse().expect("an id");
    let snapshot =
        host.vault().find(TENANT, id, &auditor()).await.expect("a vault").expect("it is kept");
    assert_eq!(snapshot.error(), Some(code));
    serde_json::to_value(&snapshot).expect("JSON")
}

#[tokio::test]
async fn an_order_that_is_refused_leaves_evidence_of_why() {
    let mut host = host().await;
    let right = right_order(&host).await;
    let mut forbidden = right.clone();
    forbidden["address"] = json!({
        "name": "Ivan", "street": "Tverskaya 1", "city": "Moscow", "country": "RU",
    });
    let blocked = proven_refusal(&host, forbidden, "COMPLIANCE_BLOCKED").await;
    assert_eq!(blocked["rules"]["compliance.policy_ruleset_version"], "1.0.0", "{blocked}");
    let mut wrong = right.clone();
    wrong["expected_total"]["minor_units"] = json!(1);
    let changed = proven_refusal(&host, wrong, "PRICE_CHANGED").await;
    assert!(changed["sources"].as_array().is_some_and(|it| !it.is_empty()), "{changed}");
    host.play(&[Step::Says("At the right price, then.")]).await.expect("it plays");
    assert!(call(&host, "checkout.create_draft_order", right.clone()).await.is_ok());
    host.play(&[Step::Says("The same again, please.")]).await.expect("it plays");
    proven_refusal(&host, right, "OUT_OF_STOCK").await;
}

#[tokio::test]
async fn every_call_is_recorded_under_its_request() {
    let mut host = host().await;
    host.play(CONVERSATION).await.expect("it plays");
    host.ledger().flush().await.expect("it is written");
    let page = host.ledger().find(LedgerQuery::new()).await.expect("records");
    let calls = || page.records.iter().map(|(_, call)| call).filter(|call| !call.approval_dry_run);
    let turns =
        CONVERSATION.iter().map(|step| if let Step::Calls(it) = step { it.len() } else { 0 });
    assert_eq!(calls().count(), turns.sum::<usize>());
    let approved = calls().filter_map(|call| call.approval.as_ref()?.by.as_deref());
    assert_eq!(approved.collect::<Vec<_>>(), ["demo"]);
    assert!(calls().all(|call| Some(&call.trace_id) == call.request_id.as_ref()));
    assert!(host.ledger().verify(&[]).await.is_ok());
}

#[tokio::test]
async fn a_quote_that_is_asked_again_drifts_with_its_price() {
    let host = host().await;
    call(&host, "pricing.get_realtime_quote", json!({"sku": "D00090"})).await;
    let again = async || {
        let access = auditor();
        let replay = Replay::new(host.runtime(), host.ledger(), access).vault(host.vault());
        let trace = host.request().expect("a request").request_id().to_owned();
        replay.run(&trace).await.expect("a report")
    };
    assert!(again().await.is_unchanged());
    host.shop().reprice(&Sku::from("D00090"), 1);
    let report = again().await;
    assert!(!report.is_unchanged());
    let diff = serde_json::to_value(report.calls()).expect("JSON");
    assert_eq!(diff[0]["verdict"]["diff"][0]["path"], "/price/minor_units", "{diff}");
}
