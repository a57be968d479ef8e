//! Tests that an order is placed once, and only after approval.

use std::io::Cursor;

use tool_runtime::EvidenceRecorder;
use tool_runtime::contracts::ToolResultMeta;
use tool_runtime::policy::Policy;

use super::*;
use crate::approval::Prompt;
use crate::checkout::Checkout;
use crate::options::Options;
use crate::shipping::Service;

const ORDER: &str = "checkout.create_draft_order";

/// Opens the shop on the files of another host, like a later process.
async fn host_beside(other: &Host, policy: Policy) -> Host {
    let files = Files::beside(other.files().database());
    Host::start(files, policy, false).await.expect("the shop opens")
}

/// Makes a host whose approver answers with these lines.
async fn host_with_answers(lines: &'static str) -> Host {
    host_that_asks(Policy::new().approver(Prompt::new(Cursor::new(lines)))).await
}

fn meta(answer: &ResponseEnvelope) -> ToolResultMeta {
    let meta = serde_json::to_value(answer).expect("JSON")["meta"].take();
    if meta.is_null() {
        ToolResultMeta::default()
    } else {
        serde_json::from_value(meta).expect("the meta of a result")
    }
}

/// Creates a draft order that waits for approval, and returns its ticket.
async fn deferred(host: &Host) -> String {
    let arguments = right_order(host).await;
    let waiting = call(host, ORDER, arguments).await;
    refused_with(&waiting, "NEEDS_USER_CONFIRMATION")["ticket"].to_string()
}

#[tokio::test]
async fn a_lost_answer_is_asked_for_again_and_a_repeat_gets_the_same_one() {
    let host = host().await;
    let arguments = right_order(&host).await;
    host.orders().lose_next_answer();
    let first = call(&host, ORDER, arguments.clone()).await;
    assert_eq!(data(&first)["order_id"], "order-1");
    assert_eq!(meta(&first).budget()[0].total(), "10000.00");
    assert_eq!(meta(&first).attempts(), Some(2));
    assert!(host.shop().basket(&["D00090".into()], CurrencyCode::USD).is_err(), "it is sold");
    let again = call(&host, ORDER, arguments).await;
    assert!(meta(&again).replayed(), "{again:?}");
    assert_eq!(data(&again), data(&first));
    assert_eq!(host.orders().orders().len(), 1);
}

#[tokio::test]
async fn an_order_that_stands_is_found_by_its_key_when_its_stone_is_sold() {
    let host = host().await;
    let checkout = Checkout::new(OrderClient::new(host.orders().address()));
    let (arguments, headers) = (right_order(&host).await, TraceHeaders::default());
    for fence in [1, 2] {
        let key = Idempotency::new("key", fence);
        let address = serde_json::from_value(arguments["address"].clone()).expect("an address");
        let total = serde_json::from_value(arguments["expected_total"].clone()).expect("money");
        let (skus, evidence) = (vec![Sku::from("D00090")], EvidenceRecorder::detached());
        let placed = checkout.create_draft_order(
            &key,
            host.shop(),
            &evidence,
            &headers,
            skus.clone(),
            address,
            Service::Courier,
            total,
        );
        let placed = json!(placed.await.expect("an order"));
        assert_eq!(placed["order_id"], "order-1");
        assert!(host.shop().basket(&skus, CurrencyCode::USD).is_err());
    }
    assert_eq!(host.orders().orders().len(), 1);
}

#[tokio::test]
async fn a_second_run_gets_the_first_ones_order() {
    let first_run = host().await;
    let arguments = right_order(&first_run).await;
    let first = call(&first_run, ORDER, arguments.clone()).await;
    let second_run = host_beside(&first_run, Policy::new()).await;
    let again = call(&second_run, ORDER, arguments).await;
    assert!(meta(&again).replayed(), "{again:?}");
    assert_eq!(data(&again), data(&first));
    assert_eq!(second_run.orders().orders().len(), 1);
}

#[tokio::test]
async fn a_ticket_is_good_for_one_order_in_another_process() {
    let evening = host_that_asks(Policy::new()).await;
    let ticket = deferred(&evening).await;
    let morning = host_beside(&evening, Policy::new()).await;
    let unapproved = morning.resume(&ticket, None).await.expect("a context");
    refused_with(&unapproved, "NEEDS_USER_CONFIRMATION");
    assert!(morning.orders().orders().is_empty());
    let approved = morning.resume(&ticket, Some("jane")).await.expect("a context");
    assert_eq!(data(&approved)["order_id"], "order-1");
    let again = morning.resume(&ticket, Some("jane")).await.expect("a context");
    assert_eq!(refused_with(&again, "FORBIDDEN")["reason"], "ticket_used");
    assert_eq!(morning.orders().orders().len(), 1);
}

#[tokio::test]
async fn a_yes_is_for_the_total_that_was_shown() {
    let host = host_that_asks(Policy::new()).await;
    let ticket = deferred(&host).await;
    host.shop().reprice(&Sku::from("D00090"), 1);
    let refused = host.resume(&ticket, Some("jane")).await.expect("a context");
    assert_eq!(refused_with(&refused, "CONFLICT")["reason"], "preview_changed");
    assert!(host.orders().orders().is_empty());
}

#[tokio::test]
async fn an_order_beyond_the_customers_budget_of_the_day_is_refused_whatever_is_approved() {
    let host = host_with_answers("y\n").await;
    host.shop().reprice(&Sku::from("D00090"), 12_000);
    let arguments = right_order(&host).await;
    let refused = call(&host, ORDER, arguments).await;
    let details = refused_with(&refused, "COMPLIANCE_BLOCKED");
    assert_eq!(details["reason"], "budget_exceeded", "{details}");
    assert!(host.orders().orders().is_empty());
}

#[tokio::test]
async fn a_no_orders_nothing_and_tells_why() {
    let host = host_with_answers("perhaps\nn\ntoo dear\n").await;
    let arguments = right_order(&host).await;
    let declined = call(&host, ORDER, arguments).await;
    assert_eq!(refused_with(&declined, "DECLINED")["feedback"], "too dear");
    assert!(host.orders().orders().is_empty());
}

#[tokio::test]
async fn an_edit_that_is_not_valid_is_asked_about_again() {
    let host = host_with_answers("e\n{}\ny\n").await;
    let arguments = right_order(&host).await;
    let placed = call(&host, ORDER, arguments).await;
    assert_eq!(data(&placed)["order_id"], "order-1");
    assert!(meta(&placed).edits().is_empty());
}

#[tokio::test]
async fn an_edit_is_ordered_and_reported() {
    let mut arguments = right_order(&host().await).await;
    let asked = arguments.clone();
    arguments["address"]["name"] = json!("Grace");
    let answers = Cursor::new(format!("e\n{arguments}\n"));
    let host = host_that_asks(Policy::new().approver(Prompt::new(answers))).await;
    let placed = call(&host, ORDER, asked).await;
    assert_eq!(meta(&placed).edits(), ["/address/name"]);
    assert!(host.orders().orders()[0].ship_to.starts_with("Grace, "));
}

#[tokio::test]
async fn a_person_who_goes_away_leaves_a_ticket() {
    let host = host_with_answers("").await;
    deferred(&host).await;
    assert!(host.orders().orders().is_empty());
}

#[tokio::test]
async fn a_quote_is_served_again_while_it_is_fresh() {
    let host = host().await;
    let asked = json!({"sku": "D00090"});
    let first = call(&host, "pricing.get_realtime_quote", asked.clone()).await;
    host.shop().reprice(&Sku::from("D00090"), 1);
    let again = call(&host, "pricing.get_realtime_quote", asked).await;
    assert_eq!(meta(&first).cache_hit(), None);
    assert_eq!(meta(&again).cache_hit(), Some(true));
    assert_eq!(data(&again), data(&first));
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
    let read = |line: &str| Options::read(line.split_whitespace().map(str::to_owned));
    for line in ["", "--yes --db shop.db", "--dry-run", "--defer --db a", "--resume t --db a"] {
        assert!(read(line).is_some(), "{line}");
    }
    let wrong = ["--no", "--db", "--defer", "--approve jane", "--resume t", "--defer --yes --db a"];
    for line in wrong {
        assert_eq!(read(line), None, "{line}");
    }
}
