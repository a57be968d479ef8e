//! Budgets that ask a person, and what the person sees.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tool_runtime::budgets::{Budget, OverLimit, RuntimeBudgets as _};
use tool_runtime::policy::{ApprovalRequest, Decision, Policy, approver_fn};

use crate::shop::{Shop, amount_json, cx, reason};

/// The questions to the approver.
type Questions = Arc<Mutex<Vec<String>>>;

fn approver(questions: &Questions, exceeds: bool) -> Policy {
    let questions = questions.clone();
    Policy::new().approver(approver_fn(move |request: &ApprovalRequest<'_>| {
        let notes = request.preview().budgets().join(", ");
        let question = format!("{} | {notes}", request.reason().unwrap_or_default());
        questions.lock().expect("the questions").push(question);
        let decision = Decision::approve("boss");
        let decision = if exceeds { decision.exceeding_budgets() } else { decision };
        async move { decision }
    }))
}

fn asked(questions: &Questions) -> Vec<String> {
    std::mem::take(&mut questions.lock().expect("the questions"))
}

#[tokio::test]
async fn a_person_decides_above_an_amount() {
    let questions = Questions::default();
    let budget = Budget::new("shopping").per_day("50 EUR").ask_above("20 EUR");
    let shop = Shop::new(approver(&questions, false).budget(budget));
    assert!(shop.pay("20").await);
    assert_eq!(asked(&questions), [""; 0]);
    assert!(shop.pay("20.01").await);
    assert_eq!(
        asked(&questions),
        ["it spends 20.01 EUR, and a person decides above 20.00 EUR (`shopping`) | \
          uses 20.01 of 30.00 EUR left today (shopping)"]
    );
    // No approval exceeds a limit that refuses, and no person is asked in vain.
    assert!(!shop.pay("25").await);
    assert_eq!(asked(&questions), [""; 0]);
}

#[tokio::test]
async fn a_budget_may_ask_above_an_amount_and_limit_nothing() {
    let questions = Questions::default();
    let shop =
        Shop::new(approver(&questions, false).budget(Budget::new("big").ask_above("20 EUR")));
    assert!(shop.pay("20").await && shop.pay("20").await);
    assert_eq!(asked(&questions), [""; 0]);
    assert!(shop.pay("500").await);
    let question = "it spends 500.00 EUR, and a person decides above 20.00 EUR (`big`) | ";
    assert_eq!(asked(&questions), [question]);
}

#[tokio::test]
async fn only_a_person_with_the_right_to_it_lets_a_call_exceed_a_limit_that_asks() {
    for exceeds in [true, false] {
        let questions = Questions::default();
        let budget = Budget::new("shopping").per_day("50 EUR").over(OverLimit::Ask);
        let shop = Shop::new(approver(&questions, exceeds).budget(budget));
        assert!(shop.pay("40").await);
        assert_eq!(asked(&questions), [""; 0]);
        assert_eq!(shop.pay("30").await, exceeds);
        assert_eq!(
            asked(&questions),
            [
                "it exceeds the budget `shopping`: 10.00 EUR left today | uses 30.00 of 10.00 EUR left today (shopping)"
            ]
        );
    }
}

#[tokio::test]
async fn no_person_is_asked_about_a_budget_that_is_paused() {
    let questions = Questions::default();
    let budget = Budget::new("shopping").per_day("50 EUR").over(OverLimit::Ask);
    let shop = Shop::new(approver(&questions, true).budget(budget));
    shop.runtime.budgets().pause("shopping").await.expect("it is paused");
    assert!(!shop.pay("1").await);
    assert_eq!(asked(&questions), [""; 0], "no approval would let the call run");
}

#[tokio::test]
async fn a_ticket_says_what_the_call_uses_and_reserves_nothing() {
    let shop = Shop::asking(Policy::new().budget(Budget::new("shopping").per_day("50 EUR")));
    let waiting = shop.call("pay", &amount_json("30")).await;
    let details = waiting.error().and_then(|error| error.details()).expect("details").clone();
    assert_eq!(details["budgets"][0], "uses 30.00 of 50.00 EUR left today (shopping)");
    let ticket = details["ticket"].to_string();

    let call = shop.runtime.tickets().resume(&ticket, &cx("jane")).await;
    assert_eq!(call.preview().budgets(), ["uses 30.00 of 50.00 EUR left today (shopping)"]);
    drop(call);

    // Another call takes the money meanwhile, and the approval comes too late.
    let other = shop.call("buy", r#"{"price":{"amount":"40","currency":"EUR"}}"#).await;
    let other = other.error().and_then(|error| error.details()).expect("details").clone();
    let mut call = shop.runtime.tickets().resume(&other["ticket"].to_string(), &cx("jane")).await;
    call.approve("boss").expect("it waits");
    assert!(call.execute().await.is_ok());
    let mut call = shop.runtime.tickets().resume(&ticket, &cx("jane")).await;
    call.approve("boss").expect("it waits");
    let output = call.execute().await.clone();
    assert_eq!(reason(&output), "budget_exceeded", "{}", output.json());
    assert_eq!(shop.paid(), 4_000);
}

#[tokio::test]
async fn a_ticket_that_expires_is_declined_or_superseded_has_reserved_nothing() {
    let policy = Policy::new().budget(Budget::new("shopping").per_day("50 EUR"));
    let shop = Shop::asking(policy.ticket_lifetime(Duration::from_secs(60)));
    let ticket = async || {
        let waiting = shop.call("pay", &amount_json("50")).await;
        waiting.error().and_then(|error| error.details()).expect("details")["ticket"].to_string()
    };
    let resume = async |ticket: &str| shop.runtime.tickets().resume(ticket, &cx("jane")).await;
    let superseded = ticket().await;
    assert_eq!(shop.runtime.tickets().supersede(&cx("jane")).await.expect("the store works"), 1);
    let replaced = resume(&superseded).await.execute().await.clone();
    assert_eq!(reason(&replaced), "ticket_superseded", "{}", replaced.json());
    let (expired, declined, last) = (ticket().await, ticket().await, ticket().await);
    let mut call = resume(&declined).await;
    call.decline("boss", "too much").expect("it waits");
    assert!(!call.execute().await.is_ok());
    let mut call = resume(&last).await;
    call.approve("boss").expect("it waits");
    assert!(call.execute().await.is_ok(), "the whole day is left for it");
    shop.pass(Duration::from_secs(61));
    let late = resume(&expired).await.execute().await.clone();
    assert_eq!(reason(&late), "ticket_expired", "{}", late.json());
    assert_eq!(shop.paid(), 5_000);
}

#[tokio::test]
async fn the_caller_of_a_waiting_call_reads_nothing_of_a_hidden_budget() {
    let budget = Budget::new("secret").per_day("50 EUR").hidden();
    let shop = Shop::asking(Policy::new().budget(budget));
    let waiting = shop.call("pay", &amount_json("30")).await;
    assert!(
        !waiting.json().contains("secret") && !waiting.json().contains("50.00"),
        "{}",
        waiting.json()
    );
    let calls = shop.runtime.tickets().waiting(tool_runtime::Uuid::nil(), None, 10).await;
    let calls = calls.expect("a list").calls;
    let notes = shop.runtime.tickets().budget_notes(&calls).await.expect("the notes");
    assert_eq!(notes, [["uses 30.00 of 50.00 EUR left today (secret)"]], "the approver does");
    let refused = shop.call("pay", &amount_json("60")).await;
    assert!(
        !refused.json().contains("secret") && !refused.json().contains("50.00"),
        "{}",
        refused.json()
    );
}
