//! Tests of keys that are fetched from a URL.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;

use super::super::{Jwks, JwksError, TokenError};
use super::issuer::{set, verifier};
use super::key_cache::{answer, signers};

#[tokio::test]
async fn keys_are_fetched_and_rotated_over_http() {
    let [one, two] = signers();
    let body = Arc::new(Mutex::new(set(&[&one])));
    let asked = Arc::new(AtomicUsize::new(0));
    let handler = {
        let (body, asked) = (Arc::clone(&body), Arc::clone(&asked));
        move || async move {
            asked.fetch_add(1, Ordering::SeqCst);
            body.lock().expect("no thread panicked").clone()
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let url = format!("http://{}/keys", listener.local_addr().expect("it has one"));
    let app = Router::new().route("/keys", get(handler));
    let server = tokio::spawn(async { axum::serve(listener, app).await });
    let keys = Jwks::url(&url).expect("it is near").read_at_most_every(Duration::ZERO);
    let verifier = verifier(keys);
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    assert_eq!(answer(&verifier, &two).await, Err(TokenError::Invalid));
    *body.lock().expect("no thread panicked") = set(&[&two]);
    assert_eq!(answer(&verifier, &two).await, Ok(()));
    assert_eq!(answer(&verifier, &one).await, Err(TokenError::Invalid));
    *body.lock().expect("no thread panicked") = "x".repeat((1 << 20) + 1);
    assert_eq!(answer(&verifier, &one).await, Err(TokenError::Invalid));
    assert_eq!(verifier.key_failure(), Some(JwksError::TooLarge));
    server.abort();
    let _ = server.await;
    assert_eq!(answer(&verifier, &two).await, Ok(()), "the last keys stay");
    assert!(asked.load(Ordering::SeqCst) >= 4);
}

#[test]
fn keys_come_by_https_or_from_this_machine() {
    for url in
        ["https://issuer.example/keys", "http://127.0.0.1:1/", "http://[::1]/", "http://localhost/"]
    {
        assert!(Jwks::url(url).is_ok(), "{url}");
    }
    for (url, error) in [
        ("http://issuer.example/keys", JwksError::Insecure),
        ("http://127.0.0.1.example/keys", JwksError::Insecure),
        ("http://localhost.example/keys", JwksError::Insecure),
        ("http://10.0.0.1/keys", JwksError::Insecure),
        ("ftp://127.0.0.1/keys", JwksError::Insecure),
        ("file:///keys", JwksError::Insecure),
        ("keys", JwksError::Url),
        ("https://user:secret@issuer.example/keys", JwksError::Url),
    ] {
        assert_eq!(Jwks::url(url).expect_err(url), error);
    }
}

#[test]
fn a_key_source_is_shown_without_its_query() {
    let keys = Jwks::url("https://issuer.example/keys?token=secret").expect("it is a URL");
    assert!(!format!("{keys:?}").contains("secret"));
}
