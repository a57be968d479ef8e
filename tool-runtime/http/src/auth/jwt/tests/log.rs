//! Tests of the log events of refused tokens.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use futures::executor::block_on;
use jsonwebtoken::{Algorithm, Header};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::tests::fixture::enable_events_per_thread;

use super::issuer::{Signer, claims, claims_but, now, verifier_of};

/// An event: its level, its target, and each field with its value.
type LoggedEvent = (Level, &'static str, Vec<(&'static str, String)>);

/// Records every event.
#[derive(Clone, Default)]
struct EventRecorder(Arc<Mutex<Vec<LoggedEvent>>>);

impl Subscriber for EventRecorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let told = (*event.metadata().level(), event.metadata().target(), fields.0);
        self.0.lock().expect("no thread panicked").push(told);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Fields(Vec<(&'static str, String)>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}

/// Sends a token to a verifier of this issuer and returns the events.
fn events_of(signer: &Signer, token: &str) -> Vec<LoggedEvent> {
    enable_events_per_thread();
    let ear = EventRecorder::default();
    let refused = tracing::subscriber::with_default(ear.clone(), || {
        block_on(verifier_of(&[signer]).principal(token.as_bytes()))
    });
    assert!(refused.is_err(), "{token}");
    let told = ear.0.lock().expect("no thread panicked");
    told.iter().filter(|(_, target, _)| target.starts_with("tool_runtime")).cloned().collect()
}

/// Checks that this reason is logged once, without any part of the token.
#[track_caller]
fn check(signer: &Signer, token: &str, reason: &str) {
    let told = events_of(signer, token);
    let [(level, target, fields)] = &told[..] else { panic!("{token}: {told:?}") };
    assert_eq!((*level, *target), (Level::DEBUG, "tool_runtime::http::auth::jwt"));
    let expected =
        [("message", "a token is refused".to_owned()), ("reason", format!("{reason:?}"))];
    assert_eq!(fields[..], expected, "{token}");
    let mut text = String::new();
    write!(text, "{told:?}").expect("there is memory");
    let parts = token.split('.').chain(["orchestrator", "somebody", "elsewhere"]);
    for part in parts.filter(|part| part.len() > 3) {
        assert!(!text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_token_that_is_refused_is_told_of_by_its_fault_alone() {
    let signer = Signer::new("it", Algorithm::EdDSA);
    let token_of = |claims| signer.sign(&claims_but(&claims));
    let named = |kid: &str| Header { kid: Some(kid.to_owned()), ..signer.header() };
    for (token, reason) in [
        ("tokenless".to_owned(), "its header is unreadable, or of another kind"),
        (
            signer.sign_as(&named("another"), &claims()),
            "its key or algorithm is none of the issuer's",
        ),
        (Signer::new("it", Algorithm::EdDSA).sign(&claims()), "signature mismatch"),
        (token_of(json!({"exp": now() - 60})), "token expired (`exp`)"),
        (token_of(json!({"nbf": now() + 60})), "token not yet valid (`nbf`)"),
        (token_of(json!({"iss": "https://elsewhere.example"})), "`iss` is another issuer"),
        (token_of(json!({"aud": "elsewhere"})), "`aud` is another audience"),
        (token_of(json!({"exp": null})), "`exp`, `iss`, `aud` or `sub` is missing"),
        (token_of(json!({"sub": " "})), "`sub` is empty or too long"),
        (token_of(json!({"sub": ["somebody"]})), "malformed or unsupported token"),
    ] {
        check(&signer, &token, reason);
    }
}

#[test]
fn nothing_is_told_of_a_token_that_is_good() {
    let (signer, ear) = (Signer::new("it", Algorithm::EdDSA), EventRecorder::default());
    let token = signer.sign(&claims());
    let found = tracing::subscriber::with_default(ear.clone(), || {
        block_on(verifier_of(&[&signer]).principal(token.as_bytes()))
    });
    assert!(found.is_ok() && ear.0.lock().expect("no thread panicked").is_empty());
}
