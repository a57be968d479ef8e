//! A credential's path through the server: whether it is valid or not, and in any spelling, it is
//! written nowhere.

use axum::Router;
use axum::http::HeaderValue;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::evidence::{EvidenceKeeper, EvidenceStore, SnapshotQuery, Vault};
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Jwks, JwtVerifier, Principal, Scopes,
};
use tool_runtime::ledger::{Ledger, LedgerStore};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;

use super::{Answer, get, post, send};
use crate::ledger::{TestLedger, ring};
use crate::support::{Paper, subscribe};

/// The text of an unusual header.
const SECRET: &str = "q7Zx-secret-of-a-caller-4711";

/// A public key without any signatures.
const JWKS: &str = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","use":"sig","kid":"it",
    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

/// Answers, and leaves a proof.
#[ai_tool(effect = "read", ttl = "1h", evidence, requires_auth = false)]
async fn ping() -> bool {
    true
}

/// A server with all stores, and everything that it has written.
struct RecordingServer {
    app: Router,
    kept: TestLedger,
    snapshots: MemoryStore,
}

impl RecordingServer {
    fn new(auth: Auth) -> Self {
        let (kept, snapshots) = (TestLedger::default(), MemoryStore::new());
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let keeper = EvidenceKeeper::new(Vault::new(snapshots.clone(), ring()), &ledger);
        let vault = keeper.vault().clone();
        let runtime = Runtime::builder().tool::<PingTool>().policy(Policy::new());
        let runtime = runtime.ledger(&ledger).evidence(keeper).build().unwrap();
        let config = HttpConfig::new(auth).ledger(&ledger).vault(&vault);
        Self { app: http::router(runtime, config), kept, snapshots }
    }

    /// Calls the tool, and reads traces and metrics, with this value in a header.
    async fn visit(&self, header: &'static str, value: &[u8]) -> Vec<Answer> {
        let mut answers = Vec::new();
        for mut request in [
            post("/tools/call", r#"{"tool_name":"ping"}"#),
            post("/tools/list", "{}"),
            post("/traces/trace-1/replay", r#"{"reason":"complaint"}"#),
            get("/traces/trace-1"),
            get("/approvals"),
            get("/openapi.json"),
            get("/metrics"),
        ] {
            request.headers_mut().insert(header, HeaderValue::from_bytes(value).unwrap());
            answers.push(send(&self.app, request).await);
        }
        answers
    }

    /// Returns the contents of the ledger and the vault.
    async fn written(&self) -> String {
        let entries = self.kept.clone().read(0, usize::MAX).unwrap();
        let ledger: String = entries.iter().filter_map(|entry| entry.body()).collect();
        let query = SnapshotQuery::new(Tenant::parse("yantian").unwrap().id());
        let listed = self.snapshots.list_snapshots(&query, None, 1_000).await.unwrap();
        listed.iter().fold(ledger, |text, it| text + &String::from_utf8_lossy(&it.facts.facts))
    }
}

fn auth_methods() -> [(&'static str, Auth); 4] {
    let network = || Auth::unauthenticated_as(Principal::trusted("gateway"));
    let keys = ApiKeySet::new().with(ApiKey::generate().unwrap().hash(), Principal::trusted("one"));
    let keys = ApiKeys::new(keys.unwrap());
    let verifier = || {
        let keys = Jwks::from_json(JWKS).unwrap();
        JwtVerifier::new(keys, "https://issuer.example", "tools").unwrap()
    };
    [
        ("looks at neither", network()),
        ("looks at both", network().api_keys(&keys).jwt(verifier())),
        ("accepts no other credentials", Auth::new().api_keys(&keys).jwt(verifier())),
        ("lets strangers in", Auth::new().jwt(verifier()).anonymous(Scopes::all())),
    ]
}

#[tokio::test]
async fn a_credential_is_written_nowhere_however_it_is_spelt() {
    let paper = Paper::default();
    let log = layer().with_ansi(false).with_span_events(FmtSpan::FULL).with_writer(paper.clone());
    let _here = subscribe(tracing_subscriber::registry().with(log));
    let (mut ran, mut refused) = (0, 0);
    for (method, auth) in auth_methods() {
        let recording_server = RecordingServer::new(auth);
        for scheme in
            ["Bearer ", "BEARER\t", "bEaReR \t ", " bearer  ", "Bearer", "Basic ", "Token\t", ""]
        {
            for header in ["authorization", "x-internal-api-key"] {
                let value = format!("{scheme}{SECRET}\t");
                for answer in recording_server.visit(header, value.as_bytes()).await {
                    let shown = format!("{answer:?}");
                    assert!(!shown.contains(SECRET), "{method}: {value:?}: {shown}");
                    ran += u32::from(answer.status == 200);
                    refused += u32::from(matches!(answer.status, 401 | 429));
                }
            }
        }
        // If the header was ignored, the call is recorded.
        send(&recording_server.app, post("/tools/call", r#"{"tool_name":"ping"}"#)).await;
        let written = recording_server.written().await;
        assert!(!written.contains(SECRET), "{method}: {written}");
        if method.starts_with("looks") {
            assert!(written.contains("ping") && written.contains("trace-1"), "{method}: {written}");
        }
    }
    assert!(ran > 50 && refused > 50, "{ran} {refused}");
    let log = paper.text();
    assert!(log.contains("a token is refused") && log.contains("ping"), "it is written to");
    assert!(!log.contains(SECRET), "{log}");
}

#[tokio::test]
async fn a_server_without_keys_warns_once_that_it_checks_none() {
    let key = ApiKey::generate().unwrap();
    let keys = ApiKeySet::new().with(key.hash(), Principal::trusted("one")).unwrap();
    let network = || Auth::unauthenticated_as(Principal::trusted("gateway"));
    for (auth, header, expected) in [
        (network(), "x-internal-api-key", 1),
        (network(), "x-other-key", 0),
        (network().api_keys(&ApiKeys::new(keys)), "x-internal-api-key", 0),
    ] {
        let paper = Paper::default();
        let log = layer().with_ansi(false).with_writer(paper.clone());
        let _here = subscribe(tracing_subscriber::registry().with(log));
        let recording_server = RecordingServer::new(auth);
        for value in [key.expose(), SECRET] {
            recording_server.visit(header, value.as_bytes()).await;
        }
        let text = paper.text();
        let warnings = text.lines().filter(|line| line.contains("api_key_ignored"));
        let warnings: Vec<_> = warnings.collect();
        assert_eq!(warnings.len(), expected, "{header}: {warnings:?}");
        assert!(warnings.iter().all(|it| it.contains("WARN") && !it.contains(SECRET)), "{text}");
    }
}
