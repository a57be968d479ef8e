//! Tests of keys and tokens of the same name: two principals, unless the host joins them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request};
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use tool_contracts::{Effect, Permission};
use tool_runtime_core::policy::Policy;
use tool_runtime_core::{DynamicTool, Failure, Runtime};

use super::super::{JwtVerifier, TokenSubject};
use super::issuer::{Signer, claims_but, verifier_of};
use crate::router;
use crate::tests::fixture::{post, send};
use crate::{ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes};

/// A server that counts, with a key for this principal and tokens whose subject is `jane`.
struct Counter {
    app: Router,
    runs: Arc<AtomicU32>,
    key: ApiKey,
    token: String,
}

impl Counter {
    fn new(principal: Principal, change: impl FnOnce(JwtVerifier) -> JwtVerifier) -> Self {
        let signer = Signer::new("it", Algorithm::EdDSA);
        let token = signer.sign(&claims_but(&json!({"sub": "jane", "scope": "tools"})));
        let verifier = change(verifier_of(&[&signer]));
        let key = ApiKey::generate().expect("there is randomness");
        let principal = principal.for_every_tenant().with_scopes(Scopes::all());
        let set = ApiKeySet::new().with(key.hash(), principal).expect("it is the first");
        let auth = Auth::new().api_keys(&ApiKeys::new(set)).jwt(verifier);
        let runs = Arc::<AtomicU32>::default();
        let counted = runs.clone();
        let tool = DynamicTool::new("count", Effect::Write)
            .description("Counts.")
            .input_schema(json!({"type": "object"}))
            .handles_dry_run()
            .sync_handler(move |_| Ok::<_, Failure>(counted.fetch_add(1, Ordering::SeqCst) + 1));
        let runtime = Runtime::builder().dynamic(tool).permission("count", Permission::Allow);
        let runtime = runtime.policy(Policy::new()).build().expect("the tool is whole");
        Self { app: router(runtime, HttpConfig::new(auth)), runs, key, token }
    }

    /// Calls under one idempotency key, with these credentials.
    async fn count(&self, by_key: bool, by_token: bool) -> (u16, Value) {
        let mut request = post("/tools/call", r#"{"tool_name":"count"}"#);
        insert(&mut request, "idempotency-key", "order-1");
        if by_key {
            insert(&mut request, "x-internal-api-key", self.key.expose());
        }
        if by_token {
            insert(&mut request, "authorization", &format!("Bearer {}", self.token));
        }
        let answer = send(&self.app, request).await;
        (answer.status, serde_json::from_str::<Value>(&answer.text).expect("it is JSON"))
    }
}

fn insert(request: &mut Request<Body>, name: &'static str, value: &str) {
    let value = HeaderValue::from_str(value).expect("it is a value");
    request.headers_mut().insert(name, value);
}

#[tokio::test]
async fn a_key_and_a_token_of_one_name_replay_nothing_of_each_other() {
    for subjects in [TokenSubject::Person, TokenSubject::Service, TokenSubject::TrustedService] {
        let counter = Counter::new(Principal::new("jane"), |it| it.subjects(subjects));
        for (by_key, output) in [(true, 1), (false, 2), (true, 1), (false, 2)] {
            let (status, body) = counter.count(by_key, !by_key).await;
            assert_eq!((status, &body["output"]), (200, &output.into()), "{subjects:?}: {body}");
        }
        assert_eq!(counter.runs.load(Ordering::SeqCst), 2);
        assert_eq!(counter.count(true, true).await.0, 401, "they are two callers");
    }
}

#[tokio::test]
async fn a_key_that_the_host_maps_to_a_subject_is_its_tokens_principal() {
    let service = |it: JwtVerifier| it.subjects(TokenSubject::Service);
    let counter = Counter::new(Principal::token_subject("jane"), service);
    for (by_key, by_token) in [(true, false), (false, true), (true, true)] {
        let (status, body) = counter.count(by_key, by_token).await;
        assert_eq!((status, &body["output"]), (200, &1.into()), "{body}");
    }
    assert_eq!(counter.runs.load(Ordering::SeqCst), 1);
}
