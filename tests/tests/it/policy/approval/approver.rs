//! An approver in this process, which is asked while the call waits.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use tool_runtime::policy::{AccessVerdict, ApprovalRequest, Approver, Decision, Policy};
use tool_runtime::prelude::*;

use super::fixture::{
    EventLog, Fixture, SECRET, approver, code, context, details, jane, meta, rule, slow_boss,
    ticket_in,
};

const PAYMENT: &str = r#"{"to":"joe","cents":5}"#;

fn fixture(approver: impl Approver) -> Fixture {
    Fixture::new(Policy::new().approver(approver))
}

#[tokio::test]
async fn a_yes_lets_the_call_run_under_the_name_of_who_said_it() {
    let fixture = fixture(approver(|_| Decision::approve("boss")));
    assert!(fixture.answer("pay", PAYMENT).await.is_ok());
    assert_eq!(fixture.notes.all(), ["paid 5 to joe"]);
    let end = fixture.closed.last();
    assert_eq!((end.status, end.approver.as_deref()), (CallStatus::Executed, Some("boss")));
    assert_eq!(end.log, "");
}

#[tokio::test]
async fn an_approver_sees_the_call_and_why_they_are_asked() {
    let seeing = approver(|request| {
        assert_eq!((request.tool().name(), request.cx().user_id()), ("pay", Some("jane")));
        assert_eq!(request.reason(), Some("it is late"));
        assert!(request.arguments_with_secrets().contains(SECRET), "they may edit all of it");
        let preview = request.preview().to_string();
        assert!(preview.contains("joe") && !preview.contains(SECRET), "{preview}");
        assert!(!format!("{request:?}").contains(SECRET));
        assert!(request.dry_run().is_none() && request.refused_edit().is_none());
        Decision::approve("boss")
    });
    let late = rule(|_| Ok(AccessVerdict::ask("it is late")));
    let fixture = Fixture::new(Policy::new().access(late).approver(seeing));
    let output = fixture.answer("pay", &format!(r#"{{"to":"joe","pin":"{SECRET}"}}"#)).await;
    assert!(output.is_ok(), "{output}");
}

#[tokio::test]
async fn a_decline_reaches_the_model_with_its_feedback() {
    let fixture = fixture(approver(|_| Decision::decline("boss", "joe has been paid already")));
    let output = fixture.answer("pay", PAYMENT).await;
    assert_eq!(code(&output), "DECLINED");
    assert!(output.error().unwrap().message().contains("joe has been paid already"));
    assert_eq!(details(&output)["feedback"], "joe has been paid already");
    let end = fixture.closed.last();
    assert_eq!((end.status, end.decliner.as_deref()), (CallStatus::Declined, Some("boss")));
    assert_eq!(end.approver, None);
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_yes_may_change_the_arguments() {
    let edited =
        approver(|_| Decision::approve("boss").with_arguments(r#"{"to":"joe","cents":4}"#));
    let fixture = fixture(edited);
    let output = fixture.answer("pay", PAYMENT).await;
    assert_eq!(output.data_json(), Some(r#""4 to joe""#));
    assert_eq!(meta(&output)["edits"], serde_json::json!(["/cents"]));
    assert_eq!(fixture.notes.all(), ["paid 4 to joe"]);
}

#[tokio::test]
async fn an_approver_with_invalid_edits_is_asked_again_with_the_error() {
    let fixture = fixture(approver(|request| match request.refused_edit() {
        None => Decision::approve("boss").with_arguments(r#"{"to":"joe","cents":0}"#),
        Some(detail) => {
            assert_eq!(detail.code(), Some("INVALID_ARGUMENT"));
            let violations = &detail.details().unwrap()["violations"];
            assert_eq!(violations[0]["pointer"], "/cents", "{violations}");
            assert_eq!(request.arguments_with_secrets(), PAYMENT, "the call is as it was");
            Decision::approve("boss").with_arguments(r#"{"to":"joe","cents":3}"#)
        }
    }));
    let output = fixture.answer("pay", PAYMENT).await;
    assert_eq!(output.data_json(), Some(r#""3 to joe""#));
    assert_eq!(fixture.notes.all(), ["paid 3 to joe"]);
}

#[tokio::test]
async fn an_approver_with_invalid_edits_is_asked_four_times_before_a_ticket_is_left() {
    let asked = EventLog::default();
    let times = asked.clone();
    let fixture = fixture(approver(move |request| {
        times.record(format!("{}", request.refused_edit().is_some()));
        Decision::approve("boss").with_arguments("{}")
    }));
    let ticket = fixture.ticket("pay", PAYMENT).await;
    assert_eq!(asked.all(), ["false", "true", "true", "true"]);
    assert!(fixture.notes.is_empty());
    assert_eq!(fixture.approved(&ticket).await.data_json(), Some(r#""5 to joe""#));
}

async fn check_deferred(approver: impl Approver) {
    let fixture = fixture(approver);
    let ticket = fixture.ticket("pay", PAYMENT).await;
    assert_eq!(fixture.closed.last().status, CallStatus::NotExecuted);
    assert!(fixture.notes.is_empty());
    assert!(fixture.approved(&ticket).await.is_ok());
    assert_eq!(fixture.notes.all(), ["paid 5 to joe"]);
}

#[tokio::test]
async fn an_approver_that_defers_leaves_a_ticket() {
    check_deferred(approver(|_| Decision::defer())).await;
}

#[tokio::test]
async fn an_approver_without_a_name_leaves_a_ticket() {
    check_deferred(approver(|_| Decision::approve(" \t"))).await;
    check_deferred(approver(|_| Decision::decline("", "no"))).await;
    check_deferred(approver(|_| Decision::decline("a\u{202e}b", "no"))).await;
    check_deferred(approver(|_| Decision::approve("").with_arguments(PAYMENT))).await;
}

#[tokio::test]
async fn an_approver_that_panics_leaves_a_ticket() {
    struct ByHand;

    impl Approver for ByHand {
        fn decide<'a, 'b, 'c, 'f>(&'a self, _: &'b ApprovalRequest<'c>) -> BoxFuture<'f, Decision>
        where
            'a: 'f,
            'b: 'f,
            'c: 'f,
            Self: 'f,
        {
            panic!("the window was closed")
        }
    }

    check_deferred(approver(|_| panic!("the window was closed"))).await;
    check_deferred(ByHand).await;
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_does_not_count() {
    let asked = EventLog::default();
    let fixture = fixture(slow_boss(&asked, Duration::from_secs(3_600)));
    let cx = context("jane").timeouts_ms(1_000).build().unwrap();
    let mut call = fixture.runtime.call("pay", PAYMENT, &cx);
    let output = call.execute().await;
    assert!(output.is_ok(), "{output}");
    assert_eq!(asked.all().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_an_approver_is_asked_stays_pending() {
    let asked = EventLog::default();
    let fixture = fixture(slow_boss(&asked, Duration::from_secs(60)));
    let mut call = fixture.runtime.call("pay", PAYMENT, &jane());
    let given_up = tokio::time::timeout(Duration::from_secs(1), call.execute()).await;
    assert!(given_up.is_err());
    assert_eq!(asked.all(), [format!("asked about {PAYMENT}")]);
    assert_eq!(call.status(), CallStatus::Pending);
    assert!(fixture.notes.is_empty() && call.output().is_none());
    assert!(call.execute().await.is_ok());
    assert_eq!(fixture.notes.all(), ["paid 5 to joe"]);
}

#[tokio::test]
async fn an_approved_call_asks_no_approver() {
    let fixture = fixture(approver(|_| panic!("it is approved already")));
    let mut call = fixture.runtime.call("pay", PAYMENT, &jane());
    assert!(call.needs_approval());
    assert!(call.approve("  ").is_err(), "a blank name is no approver");
    assert!(call.needs_approval());
    call.approve("jane").unwrap();
    assert!(!call.needs_approval());
    assert!(call.execute().await.is_ok());
}

#[tokio::test]
async fn without_an_approver_the_answer_is_a_ticket() {
    let fixture = Fixture::new(Policy::new());
    ticket_in(&fixture.answer("wipe", r#"{"what":"it"}"#).await);
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn each_asked_person_answers_for_one_call() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let names = seen.clone();
    let fixture = fixture(approver(move |request| {
        names.lock().unwrap().push(request.arguments_with_secrets().to_owned());
        Decision::approve("boss")
    }));
    for _ in 0..2 {
        assert!(fixture.answer("pay", PAYMENT).await.is_ok());
    }
    assert_eq!(seen.lock().unwrap().len(), 2, "a yes is for one call");
}
