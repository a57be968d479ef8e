//! Limits of an approval: the host's access policy, and the contents of a ticket.

use serde_json::Value;
use tool_runtime::canonical::Digest;
use tool_runtime::policy::{AccessPolicy, AccessVerdict, Decision, GrantFor, Policy};

use super::fixture::{EventLog, Fixture, approver, context, jane, reason, rule};

const LITTLE: &str = r#"{"to":"joe","cents":5}"#;
const MUCH: &str = r#"{"to":"joe","cents":50}"#;
const TOO_MUCH: &str = r#"{"to":"joe","cents":500}"#;

#[derive(serde::Deserialize)]
struct Amount {
    cents: u32,
}

/// A policy that defers small payments to the tool's permission, asks about large ones and denies
/// very large ones.
fn limit() -> impl AccessPolicy {
    rule(|request| {
        Ok(match request.arguments::<Amount>()?.cents {
            0..=10 => AccessVerdict::ByPermission,
            11..=100 => AccessVerdict::ask("it is much"),
            _ => AccessVerdict::deny("it is too much"),
        })
    })
}

#[tokio::test]
async fn the_hosts_rule_judges_what_an_approver_changed() {
    let boss = approver(|_| Decision::approve("boss").with_arguments(TOO_MUCH));
    let fixture = Fixture::new(Policy::new().access(limit()).approver(boss));
    for asked in [LITTLE, MUCH] {
        assert_eq!(reason(&fixture.answer("pay", asked).await), "denied_by_policy");
    }
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn the_hosts_rule_judges_what_was_changed_behind_a_ticket() {
    let fixture = Fixture::new(Policy::new().access(limit()));
    let ticket = fixture.ticket("pay", MUCH).await;
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    call.approve_edited("boss", TOO_MUCH).expect("valid arguments");
    assert_eq!(reason(call.execute().await), "denied_by_policy");
    assert!(fixture.notes.is_empty());
}

#[tokio::test]
async fn a_standing_grant_does_not_answer_where_the_hosts_rule_asks() {
    let (asked, notes) = (EventLog::default(), EventLog::default());
    let note = asked.clone();
    let boss = approver(move |request| {
        note.record(request.reason().unwrap_or("by permission"));
        Decision::approve("boss").always(GrantFor::Tool)
    });
    let policy = Policy::new().access(limit()).approver(boss);
    let fixture = Fixture::with_events(&notes, policy, |builder| builder);
    for arguments in [LITTLE, LITTLE, MUCH, MUCH] {
        assert!(fixture.answer("pay", arguments).await.is_ok());
    }
    assert_eq!(asked.all(), ["by permission", "it is much", "it is much"]);
}

#[tokio::test]
async fn a_resumed_call_is_judged_by_the_current_attributes() {
    let admins = rule(|request| {
        let role = request.cx().attributes().get("role").map(String::as_str);
        Ok(match role {
            Some("admin") => AccessVerdict::ByPermission,
            _ => AccessVerdict::deny("admins only"),
        })
    });
    let fixture = Fixture::new(Policy::new().access(admins));
    let role = |role| context("jane").attribute("role", role).build().unwrap();
    let opened = fixture.runtime.call("pay", LITTLE, &role("admin")).ticket().await;
    let ticket = opened.unwrap().to_json();
    for (now, runs) in [("guest", false), ("admin", true)] {
        let mut call = fixture.runtime.tickets().resume(&ticket, &role(now)).await;
        call.approve("boss").unwrap();
        assert_eq!(call.execute().await.is_ok(), runs, "{now}");
        assert_eq!(fixture.notes.is_empty(), !runs, "{now}");
    }
}

/// Returns a ticket's hashes of the call's arguments and of the preview.
async fn hashes(fixture: &Fixture, arguments: &str) -> [String; 2] {
    let ticket: Value = serde_json::from_str(&fixture.ticket("pay", arguments).await).unwrap();
    ["arguments", "preview"].map(|name| ticket[name].as_str().expect("a hash").to_owned())
}

#[tokio::test]
async fn the_hashes_of_a_ticket_are_under_a_key_of_the_hosts() {
    let (one, other) = (Fixture::new(Policy::new()), Fixture::new(Policy::new()));
    let hashed = hashes(&one, LITTLE).await;
    assert_eq!(hashes(&one, LITTLE).await, hashed, "the same call has the same hashes");
    for (hash, elsewhere) in hashed.iter().zip(&hashes(&other, LITTLE).await) {
        assert_ne!(hash, elsewhere, "who has no key must not be able to work one out");
    }
}

#[tokio::test]
async fn a_secret_cannot_be_guessed_by_the_hash_in_its_ticket() {
    let fixture = Fixture::new(Policy::new());
    let secret = r#"{"cents":5,"items":[],"labels":{},"pin":"4711","to":"joe"}"#;
    let [hash, _] = hashes(&fixture, secret).await;
    let guess = Digest::compute("tool-runtime/arguments/v1", secret.as_bytes());
    assert_ne!(hash, guess.to_string());
}
