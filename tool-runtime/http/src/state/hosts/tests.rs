use axum::Router;
use axum::body::Body;
use axum::http::header::{HOST, ORIGIN};
use axum::http::{Request, Version};

use crate::auth::API_KEY;
use crate::tests::fixture::{Answer, ToolGate, anonymous, calling, open, send};
use crate::{ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, Scopes};

const KEY: &str = "a-key-of-at-least-32-characters!";

/// Serves callers with a key, and those without.
fn keyed() -> HttpConfig {
    let key = ApiKey::new(KEY).expect("it is long enough");
    let keys = ApiKeySet::new().with(key.hash(), Principal::trusted("orchestrator"));
    let keys = ApiKeys::new(keys.expect("there is one key"));
    HttpConfig::new(Auth::new().api_keys(&keys).anonymous(Scopes::all()))
}

fn under(host: &str) -> Request<Body> {
    let mut request = calling("guess", "{}");
    request.headers_mut().insert(HOST, host.parse().expect("a value"));
    request
}

fn page_request(host: &str, origin: &str) -> Request<Body> {
    let mut request = under(host);
    request.headers_mut().insert(ORIGIN, origin.parse().expect("a value"));
    request
}

fn with_key(mut request: Request<Body>) -> Request<Body> {
    request.headers_mut().insert(API_KEY, KEY.parse().expect("a value"));
    request
}

async fn status(app: &Router, request: Request<Body>) -> u16 {
    send(app, request).await.status
}

#[track_caller]
fn misdirected(answer: &Answer) -> String {
    let message = answer.refused(421, "FORBIDDEN");
    assert_eq!(answer.json()["detail"]["details"]["reason"], "host");
    assert!(!answer.text.contains("evil"), "{}", answer.text);
    message
}

#[tokio::test]
async fn a_page_that_points_its_name_here_is_refused_where_nothing_is_proven() {
    for config in [open(), anonymous(), keyed()] {
        let app = ToolGate::new().app(config);
        for host in [
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil.example:8000",
            "localhost:evil",
            "evil:127.0.0.1",
            "[::1].evil.example",
            "::1",
            "tools",
            "",
        ] {
            let message = misdirected(&send(&app, under(host)).await);
            assert!(message.contains("`HttpConfig::hosts`"), "{message}");
        }
        for host in ["localhost", "LocalHost:8000", "127.0.0.1:1", "10.0.0.7:8000", "[::1]:8000"] {
            assert_eq!(status(&app, under(host)).await, 200, "{host}");
        }
        // A browser always sends a host name.
        assert_eq!(status(&app, calling("guess", "{}")).await, 200);
    }
}

#[tokio::test]
async fn every_name_that_a_request_says_has_to_fit() {
    let app = ToolGate::new().app(open());
    let mut twice = under("localhost");
    twice.headers_mut().append(HOST, "evil.example".parse().expect("a value"));
    misdirected(&send(&app, twice).await);
    let mut absolute = under("localhost");
    *absolute.uri_mut() = "http://evil.example/tools/call".parse().expect("a URI");
    misdirected(&send(&app, absolute).await);
    let nested = Router::new().nest("/api", app.clone());
    let mut absolute = under("localhost");
    *absolute.uri_mut() = "http://evil.example/api/tools/call".parse().expect("a URI");
    misdirected(&send(&nested, absolute).await);
    let mut http2 = calling("guess", "{}");
    *http2.version_mut() = Version::HTTP_2;
    *http2.uri_mut() = "http://localhost:8000/tools/call".parse().expect("a URI");
    assert_eq!(status(&app, http2).await, 200);
}

#[tokio::test]
async fn an_authenticated_caller_may_use_any_host_name() {
    let app = ToolGate::new().app(keyed());
    let mut add = with_key(under("tools.example"));
    *add.body_mut() = r#"{"tool_name":"add"}"#.into();
    assert_eq!(status(&app, add).await, 200);
    assert_eq!(
        status(&app, with_key(page_request("tools.example", "https://x.example"))).await,
        200
    );
    let mut wrong = under("tools.example");
    wrong.headers_mut().insert(API_KEY, "not-the-key".parse().expect("a value"));
    send(&app, wrong).await.refused(401, "UNAUTHORIZED");
    let closed = ToolGate::new().app(HttpConfig::new(Auth::new()));
    assert_eq!(status(&closed, under("tools.example")).await, 401);
}

#[tokio::test]
async fn the_names_that_are_listed_are_the_only_ones() {
    for config in [open(), keyed()] {
        let app =
            ToolGate::new().app(config.hosts(["Tools.Example", "edge.example:8443", "[::1]"]));
        for host in ["tools.example", "TOOLS.example:80", "edge.example:8443", "[::1]:8000"] {
            assert_eq!(status(&app, under(host)).await, 200, "{host}");
        }
        for host in ["localhost", "edge.example", "edge.example:443", "tools.example.evil", "::1"] {
            misdirected(&send(&app, with_key(under(host))).await);
        }
        misdirected(&send(&app, calling("guess", "{}")).await);
    }
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_where_nothing_is_proven() {
    let app = ToolGate::new().app(open().hosts(["tools.example"]));
    for origin in [
        "http://tools.example",
        "https://TOOLS.example:8443",
        "http://localhost:5173",
        "http://127.0.0.1:8000",
        "http://[::1]:8000",
    ] {
        assert_eq!(status(&app, page_request("tools.example", origin)).await, 200, "{origin}");
    }
    let own_page = page_request("10.0.0.7:8000", "http://10.0.0.7:8000");
    assert_eq!(status(&ToolGate::new().app(open()), own_page).await, 200);
    for app in [app, ToolGate::new().app(anonymous().hosts(["tools.example"]))] {
        for origin in ["https://evil.example", "null", "", "http://10.0.0.8", "evil://"] {
            let answer = send(&app, page_request("tools.example", origin)).await;
            answer.refused(403, "FORBIDDEN");
            assert_eq!(answer.json()["detail"]["details"]["reason"], "origin");
        }
    }
}

#[tokio::test]
async fn a_server_open_to_any_host_is_asked_under_any_name() {
    let app = ToolGate::new().app(open().any_host());
    assert_eq!(status(&app, page_request("tools.example", "https://other.example")).await, 200);
}

#[tokio::test]
async fn the_name_is_asked_for_on_every_path_but_the_probes() {
    let app = ToolGate::new().app(open().hosts(["tools.example"]));
    let asked = async |method: &str, path: &str| {
        let mut request = under("evil.example");
        *request.method_mut() = method.parse().expect("a method");
        *request.uri_mut() = path.parse().expect("a path");
        status(&app, request).await
    };
    for path in ["/tools/list", "/approvals/x", "/traces/t/replay"] {
        assert_eq!(asked("POST", path).await, 421, "{path}");
    }
    for path in ["/approvals", "/traces/t", "/openapi.json", "/metrics"] {
        assert_eq!(asked("GET", path).await, 421, "{path}");
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(asked("GET", path).await, 200, "{path}");
    }
}
