//! Tests of the server as a protected resource of OAuth: challenges, metadata, scopes of tokens.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use http_body_util::BodyExt;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use tool_runtime_core::{DynamicTool, Failure, Runtime};
use tower::ServiceExt;
use uuid::Uuid;

use crate::auth::issuer::{Signer, claims_but, verifier_of};
use crate::mcp::{McpConfig, ProtectedResource, router};
use crate::state::refusal_counts::MAX_RECORDED;
use crate::{Auth, HttpConfig};

const METADATA: &str =
    r#"resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp""#;

fn app(signer: &Signer) -> Router {
    let tool = |name: &str| {
        DynamicTool::new(name, tool_contracts::Effect::Read)
            .description("Answers.")
            .input_schema(json!({"type": "object"}))
            .handler(|_| async { Ok::<_, Failure>("done") })
    };
    let runtime = Runtime::builder()
        .dynamic(tool("greet"))
        .dynamic(tool("count"))
        .dynamic(tool("closed"))
        .dynamic(tool("audit").ai_callable(false))
        .dynamic(tool("who").handler(|call| {
            let (user, tenant) = (call.cx().user_id().map(str::to_owned), call.cx().tenant_id());
            async move { Ok::<_, Failure>(json!({ "user": user, "tenant": tenant })) }
        }))
        .build()
        .expect("the tools are valid");
    assert!(runtime.tools().disable("closed", "stocktaking"));
    let resource = ProtectedResource::new("https://tools.example/mcp")
        .authorization_server("https://login.example")
        .scope("tools");
    let mcp = McpConfig::new("shop", "1.0.0").protected_resource(resource);
    let config = HttpConfig::new(Auth::new().jwt(verifier_of(&[signer]))).any_host().mcp(mcp);
    router(runtime, config)
}

fn call(tool: &str, token: Option<&str>) -> Request<Body> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": {}, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut request = Request::post("/mcp")
        .header("host", "tools.example")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    request.body(body.to_string().into()).expect("it is a request")
}

async fn sent(app: &Router, request: Request<Body>) -> Response<Body> {
    app.clone().oneshot(request).await.expect("the router answers")
}

fn challenge(response: &Response<Body>) -> &str {
    response.headers().get("www-authenticate").map_or("", |it| it.to_str().expect("it is text"))
}

async fn body(response: Response<Body>) -> Value {
    let bytes = response.into_body().collect().await.expect("it has a body").to_bytes();
    serde_json::from_slice(&bytes).expect("it is JSON")
}

#[tokio::test]
async fn a_client_without_a_token_learns_who_issues_one() {
    let app = app(&Signer::new("one", Algorithm::ES256));
    let refused = sent(&app, call("greet", None)).await;
    assert_eq!(refused.status(), 401);
    assert_eq!(challenge(&refused), format!("Bearer {METADATA}"));
    let forged = sent(&app, call("greet", Some("a.b.c"))).await;
    assert_eq!(challenge(&forged), format!(r#"Bearer error="invalid_token", {METADATA}"#));
    for path in
        ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]
    {
        let request = Request::get(path).body(Body::empty()).expect("it is a request");
        let metadata = body(sent(&app, request).await).await;
        assert_eq!(metadata["resource"], "https://tools.example/mcp");
        assert_eq!(metadata["authorization_servers"], json!(["https://login.example"]));
        assert_eq!(metadata["scopes_supported"], json!(["tools"]));
    }
}

#[tokio::test]
async fn a_token_without_the_scope_of_a_tool_is_told_the_scope() {
    let signer = Signer::new("one", Algorithm::ES256);
    let (app, token) = (app(&signer), signer.sign(&claims_but(&json!({"scope": "tools:greet"}))));
    let served = sent(&app, call("greet", Some(&token))).await;
    assert_eq!(body(served).await["result"]["content"][0]["text"], "done");
    let denied = sent(&app, call("count", Some(&token))).await;
    assert_eq!(denied.status(), 403);
    let expected = format!(r#"Bearer error="insufficient_scope", scope="tools:count", {METADATA}"#);
    assert_eq!(challenge(&denied), expected);
    assert_eq!(body(denied).await["error"]["code"], -32602);
    let internal = sent(&app, call("audit", Some(&token))).await;
    let expected =
        format!(r#"Bearer error="insufficient_scope", scope="tools:audit internal", {METADATA}"#);
    assert_eq!(challenge(&internal), expected);
}

#[tokio::test]
async fn the_user_and_the_tenant_are_those_of_the_token() {
    let signer = Signer::new("one", Algorithm::ES256);
    let (own, other) = (Uuid::from_u128(7), Uuid::from_u128(8));
    let claims = claims_but(&json!({"sub": "jo", "tenants": [own], "scope": "tools"}));
    let (app, token) = (app(&signer), signer.sign(&claims));
    let served = body(sent(&app, call("who", Some(&token))).await).await;
    let expected = json!({"user": "jo", "tenant": own});
    assert_eq!(served["result"]["structuredContent"], expected, "{served}");

    for (header, value) in [("x-tenant-id", other.to_string()), ("x-user-id", "eve".to_owned())] {
        let mut request = call("who", Some(&token));
        request.headers_mut().insert(header, value.parse().expect("it is a header"));
        let refused = body(sent(&app, request).await).await;
        assert_eq!(refused["error"]["data"]["code"], "FORBIDDEN", "{header}: {refused}");
    }
}

#[tokio::test]
async fn a_disabled_tool_asks_for_no_scope() {
    let signer = Signer::new("one", Algorithm::ES256);
    let (app, token) = (app(&signer), signer.sign(&claims_but(&json!({"scope": "tools"}))));
    for _ in 0..MAX_RECORDED {
        let failed = sent(&app, call("closed", Some(&token))).await;
        assert_eq!((failed.status().as_u16(), challenge(&failed)), (200, ""));
        let failed = body(failed).await;
        assert_eq!(failed["result"]["isError"], true, "{failed}");
    }
    // Further refusals are counted, and no call is opened for them.
    let refused = sent(&app, call("closed", Some(&token))).await;
    assert_eq!((refused.status().as_u16(), challenge(&refused)), (403, ""));
    let refused = body(refused).await;
    assert_eq!(refused["error"]["data"]["details"]["reason"], "tool_disabled", "{refused}");
}
