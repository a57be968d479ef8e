use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;

use crate::http::fixture::{Answer, Stage, send};
use crate::http::{Auth, HttpConfig, Jwks, JwtVerifier};

/// The public key of RFC 8037, appendix A.
const KEYS: &str = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig",
    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

async fn asked(app: &Router) -> Answer {
    send(app, Request::get("/readyz").body(Body::empty()).expect("it is a request")).await
}

#[tokio::test]
async fn a_server_whose_file_of_keys_is_not_there_is_not_ready_until_it_is() {
    let path = std::env::temp_dir().join(format!("token-keys-{}.json", std::process::id()));
    let keys = Jwks::file(&path).read_at_most_every(Duration::ZERO);
    let verifier = JwtVerifier::new(keys, "https://issuer.example", "tools").expect("it is named");
    let app = Stage::new().app(HttpConfig::new(Auth::new().jwt(verifier)));

    let answer = asked(&app).await;
    answer.refused(503, "UNAVAILABLE");
    let failing = &answer.json()["detail"]["details"]["failing"];
    assert_eq!(*failing, serde_json::json!(["token_keys"]));
    assert!(!answer.text.contains(".json"), "{}", answer.text);

    std::fs::write(&path, KEYS).expect("it is written");
    // An answer stands for a second, on the clock of the machine: what is read is a real file.
    let begun = std::time::Instant::now();
    while asked(&app).await.status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", asked(&app).await.text);
        tokio::task::yield_now().await;
    }
    // Keys that were read stay good while nothing newer can be.
    std::fs::remove_file(&path).expect("it is there");
    assert_eq!(asked(&app).await.status, 200);
}
