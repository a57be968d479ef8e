use axum::Router;
use axum::body::Body;
use axum::http::Request;

use crate::tests::fixture::{Answer, ToolGate, calling, open, send};

async fn asked(app: &Router, path: &str) -> Answer {
    send(app, Request::get(path).body(Body::empty()).expect("it is a request")).await
}

#[tokio::test]
async fn refusals_are_counted_by_status() {
    let app = ToolGate::new().app(open().max_body_bytes(100));
    for input in ["{}", "{", &" ".repeat(100), &" ".repeat(101)] {
        send(&app, calling("add", input)).await;
    }
    let page = asked(&app, "/metrics").await.text;
    let counts: Vec<_> =
        page.lines().filter(|line| line.starts_with("tool_server_refusals_total")).collect();
    assert_eq!(
        counts,
        [
            "tool_server_refusals_total{status=\"400\"} 1",
            "tool_server_refusals_total{status=\"413\"} 2"
        ]
    );
}

#[cfg(feature = "jwt")]
mod token_keys {
    use std::time::Duration;

    use super::*;
    use crate::{Auth, HttpConfig, Jwks, JwtVerifier};

    /// The public key of RFC 8037, appendix A.
    const KEYS: &str = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig",
    "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;

    #[tokio::test]
    async fn a_server_whose_file_of_keys_is_not_there_is_not_ready_until_it_is() {
        let path = std::env::temp_dir().join(format!("token-keys-{}.json", std::process::id()));
        let keys = Jwks::file(&path).read_at_most_every(Duration::ZERO);
        let verifier =
            JwtVerifier::new(keys, "https://issuer.example", "tools").expect("it is named");
        let app = ToolGate::new().app(HttpConfig::new(Auth::new().jwt(verifier)));

        let answer = asked(&app, "/readyz").await;
        answer.refused(503, "UNAVAILABLE");
        let failing = &answer.json()["detail"]["details"]["failing"];
        assert_eq!(*failing, serde_json::json!(["token_keys"]));
        assert!(!answer.text.contains(".json"), "{}", answer.text);

        std::fs::write(&path, KEYS).expect("it is written");
        // An answer stands for a second, on the clock of the machine: what is read is a real file.
        let begun = std::time::Instant::now();
        while asked(&app, "/readyz").await.status != 200 {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "{}",
                asked(&app, "/readyz").await.text
            );
            tokio::task::yield_now().await;
        }
        // Keys that were read stay good while nothing newer can be.
        std::fs::remove_file(&path).expect("it is there");
        assert_eq!(asked(&app, "/readyz").await.status, 200);
    }

    #[tokio::test]
    async fn keys_that_cannot_be_read_are_among_the_figures() {
        let page = async |auth: Auth| {
            let app = ToolGate::new().app(HttpConfig::new(auth).public_metrics());
            asked(&app, "/readyz").await;
            asked(&app, "/metrics").await.text
        };
        let with = |keys| {
            let verifier = JwtVerifier::new(keys, "https://issuer.example", "tools");
            Auth::new().jwt(verifier.expect("it is named"))
        };
        let missing = page(with(Jwks::file("/no/such/file"))).await;
        assert!(missing.contains("\ntool_server_token_keys_failing 1\n"), "{missing}");
        let there = page(with(Jwks::from_json(KEYS).expect("these are keys"))).await;
        assert!(there.contains("\ntool_server_token_keys_failing 0\n"), "{there}");
        assert!(!page(Auth::new()).await.contains("token_keys"));
    }
}
