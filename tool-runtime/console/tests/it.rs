//! The console as a browser without scripts uses it, over a real API.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_TYPE, COOKIE, HOST, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tool_runtime::console::Console;
use tool_runtime::contracts::server::Tenant;
use tool_runtime::http::{self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal};
use tool_runtime::ledger::{Ledger, MemoryLedger};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tower::ServiceExt as _;

const TENANT: &str = "yantian";

/// The payments that were made.
#[derive(Debug, Clone, Default)]
struct Paid(Arc<Mutex<Vec<String>>>);

impl Paid {
    fn all(&self) -> Vec<String> {
        self.0.lock().expect("the payments").clone()
    }
}

/// The failure of a payment.
#[derive(Debug, ToolFailure)]
enum Unpaid {
    /// There is no such payee.
    #[failure(NOT_FOUND, message = "nobody has this name")]
    Nobody,
    /// The answer of the bank was lost.
    #[failure(UPSTREAM_ERROR, hide)]
    Reply,
}

/// Makes a payment.
#[ai_tool(effect = "write", title = "Pay somebody")]
fn pay(
    paid: &Paid,
    dry_run: &DryRun,
    /// The payee.
    #[arg(length(1..=2000))]
    payee: String,
    /// The amount in cents.
    #[arg(range(1..=100))]
    cents: u32,
    /// The word that opens the till.
    #[arg(default, secret)]
    pin: String,
) -> Result<String, Unpaid> {
    if payee == "nobody" {
        return Err(Unpaid::Nobody);
    }
    if !dry_run.is_active() {
        paid.0.lock().expect("the payments").push(format!("{cents} to {payee} by {pin}"));
        if payee == "the far bank" {
            return Err(Unpaid::Reply);
        }
    }
    Ok(format!("paid {cents} to {payee}"))
}

/// Says how much has been paid.
#[ai_tool(effect = "read")]
fn balance(paid: &Paid) -> usize {
    paid.all().len()
}

/// An application with the API, the console and people who have keys.
struct Application {
    app: Router,
    keys: ApiKeys,
    paid: Paid,
    agent: ApiKey,
    boss: ApiKey,
    clerk: ApiKey,
    /// The key with the scope `view_approvals`.
    watcher: ApiKey,
    /// The key with the scopes of outcomes, traces, replays and the ledger.
    operator: ApiKey,
}

impl Application {
    fn new() -> Self {
        let paid = Paid::default();
        let ring = || KeyRing::ephemeral().expect("a ring");
        let ledger = Ledger::builder(ring()).open(MemoryLedger::new(10_000)).expect("a ledger");
        let runtime = Runtime::builder().tool::<PayTool>().tool::<BalanceTool>();
        let runtime = runtime.state(paid.clone()).ledger(&ledger).policy(Policy::new());
        let runtime = runtime.build().expect("a runtime");
        let key = || ApiKey::generate().expect("a key");
        let [agent, boss, clerk, watcher, operator] = [(); 5].map(|()| key());
        let tenant = Tenant::parse(TENANT).expect("a tenant").id();
        let principal = |name: &str, scopes: &str| {
            Principal::new(name).with_scopes(scopes.parse().expect("scopes")).for_tenants([tenant])
        };
        let keys = ApiKeySet::new()
            .with(agent.hash(), principal("agent", "tools"))
            .and_then(|keys| keys.with(boss.hash(), principal("boss", "tools approvals")))
            .and_then(|keys| {
                keys.with(clerk.hash(), principal("clerk", "approvals approves:tools:pay"))
            })
            .and_then(|keys| {
                keys.with(watcher.hash(), principal("watcher", "tools view_approvals"))
            })
            .and_then(|keys| {
                keys.with(
                    operator.hash(),
                    principal("operator", "tools outcomes traces replay ledger"),
                )
            })
            .expect("keys");
        let keys = ApiKeys::new(keys);
        let config = HttpConfig::new(Auth::new().api_keys(&keys)).ledger(&ledger);
        let api = http::router(runtime, config);
        let console = Console::new(api.clone(), ring());
        let app = Router::new().nest("/api", api).nest("/console", console.router());
        Self { app, keys, paid, agent, boss, clerk, watcher, operator }
    }

    /// Has the agent request a payment, and returns its ticket.
    async fn request(&self, input: Value) -> String {
        let body = self.call("pay", input).await;
        let ticket = body["detail"]["details"]["ticket"]["id"].as_str();
        ticket.unwrap_or_else(|| panic!("no ticket: {body}")).to_owned()
    }

    /// Has the agent call a tool.
    async fn call(&self, tool: &str, input: Value) -> Value {
        let request = Request::post("/api/tools/call")
            .header("x-internal-api-key", self.agent.expose())
            .header("x-tenant-id", TENANT)
            .header("x-site-id", "main")
            .header("x-trace-id", "trace-1")
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(json!({"tool_name": tool, "input": input}).to_string()));
        let response =
            self.app.clone().oneshot(request.expect("a request")).await.expect("it answers");
        let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn browser(&self) -> Browser {
        Browser { app: self.app.clone(), cookies: Vec::new(), language: "en", site: "none" }
    }

    async fn signed_in(&self, key: &ApiKey) -> Browser {
        let mut browser = self.browser();
        let fields = [("credential", key.expose()), ("tenant", TENANT)];
        let page = browser.post("/console/sign-in", &fields).await;
        assert_eq!(
            (page.status, page.location.as_str()),
            (StatusCode::SEE_OTHER, "/console"),
            "{}",
            page.text
        );
        browser
    }
}

/// A browser: it keeps cookies, and does not follow redirects.
struct Browser {
    app: Router,
    cookies: Vec<(String, String)>,
    language: &'static str,
    site: &'static str,
}

struct Page {
    status: StatusCode,
    location: String,
    headers: HeaderMap,
    text: String,
}

impl Browser {
    async fn get(&mut self, path: &str) -> Page {
        self.send(Method::GET, path, Body::empty()).await
    }

    async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.post_from("same-origin", path, fields).await
    }

    async fn post_from(&mut self, site: &'static str, path: &str, fields: &[(&str, &str)]) -> Page {
        self.site = site;
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.extend_pairs(fields);
        self.send(Method::POST, path, Body::from(body.finish())).await
    }

    /// Sends the form of a page to a path, with these fields in addition to its token.
    async fn send_form(&mut self, page: &Page, path: &str, fields: &[(&str, &str)]) -> Page {
        let token = page.form_token();
        let fields: Vec<_> =
            [("form_token", token.as_str())].into_iter().chain(fields.iter().copied()).collect();
        self.post(path, &fields).await
    }

    async fn send(&mut self, method: Method, path: &str, body: Body) -> Page {
        let cookies: Vec<_> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "tools.example")
            .header(ACCEPT_LANGUAGE, self.language)
            .header("sec-fetch-site", self.site)
            .header(COOKIE, cookies.join("; "))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body)
            .expect("a request");
        let response = self.app.clone().oneshot(request).await.expect("it answers");
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(SET_COOKIE) {
            let cookie = cookie.to_str().expect("ASCII");
            assert!(
                cookie.contains("; Path=/console; ")
                    && cookie.ends_with("; HttpOnly; SameSite=Lax; Secure"),
                "{cookie}"
            );
            let (name, value) =
                cookie.split(';').next().and_then(|it| it.split_once('=')).expect("a cookie");
            self.cookies.retain(|it| it.0 != name);
            if !cookie.contains("Max-Age=0;") {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        let location = parts.headers.get(LOCATION).map_or("", |it| it.to_str().expect("ASCII"));
        let text = to_bytes(body, 8 << 20).await.expect("a body");
        Page {
            status: parts.status,
            location: location.to_owned(),
            text: String::from_utf8(text.into()).expect("UTF-8"),
            headers: parts.headers,
        }
    }
}

impl Browser {
    /// Reads the first part of an answer that has no end.
    async fn first_part(&self, path: &str) -> (HeaderMap, String) {
        let cookies: Vec<_> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = Request::get(path).header(HOST, "tools.example");
        let request = request.header(COOKIE, cookies.join("; ")).body(Body::empty());
        let request = request.expect("a request");
        let response = self.app.clone().oneshot(request).await.expect("it answers");
        let (parts, mut body) = response.into_parts();
        let frame = body.frame().await.expect("a part").expect("no error");
        let bytes = frame.into_data().expect("data");
        (parts.headers, String::from_utf8(bytes.into()).expect("UTF-8"))
    }
}

impl Page {
    fn form_token(&self) -> String {
        let (_, rest) = self.text.split_once(r#"name="form_token" value=""#).expect("a form");
        rest.split('"').next().expect("a value").to_owned()
    }

    /// Returns the value of the only field of a name that is a `textarea`, as a browser reads it.
    fn textarea(&self, name: &str) -> String {
        let (_, rest) = self.text.split_once(&format!("name=\"{name}\"")).expect("a field");
        let (_, rest) = rest.split_once(">\n").expect("its text");
        rest.split("</textarea>").next().expect("its end").replace("&#34;", "\"")
    }

    #[track_caller]
    fn has(&self, text: &str) {
        assert!(self.text.contains(text), "`{text}` is not in {}", self.text);
    }
}

#[tokio::test]
async fn a_page_needs_a_session_that_the_api_admits() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5})).await;
    let mut browser = application.browser();
    assert_eq!(browser.get("/console").await.location, "/console/sign-in");
    let link = browser.get(&format!("/console/approvals/{ticket}")).await;
    assert_eq!(link.location, format!("/console/sign-in?ticket={ticket}"));
    let form = browser.get(&link.location).await;
    form.has(&format!(r#"<input type="hidden" name="ticket" value="{ticket}">"#));

    // Another site cannot sign a person in.
    let fields = [("credential", application.boss.expose()), ("tenant", TENANT)];
    let foreign = browser.post_from("cross-site", "/console/sign-in", &fields).await;
    assert_eq!((foreign.status, browser.cookies.len()), (StatusCode::FORBIDDEN, 0));

    let wrong =
        browser.post("/console/sign-in", &[("credential", "tsk_wrong"), ("tenant", TENANT)]).await;
    assert_eq!((wrong.status, browser.cookies.len()), (StatusCode::UNAUTHORIZED, 0));
    wrong.has("the API key is not valid");
    // A key that may act for another tenant alone.
    let fields = [("credential", application.agent.expose()), ("tenant", "elsewhere")];
    assert_eq!(browser.post("/console/sign-in", &fields).await.status, StatusCode::FORBIDDEN);
    assert_eq!(browser.cookies.len(), 0);
    // The agent may call, and sees nothing that waits.
    let mut agent = application.signed_in(&application.agent).await;
    let inbox = agent.get("/console").await;
    assert_eq!(inbox.status, StatusCode::FORBIDDEN);
    inbox.has("this path requires the scope `view_approvals` or `approvals`");

    let fields =
        [("credential", application.boss.expose()), ("tenant", TENANT), ("ticket", &ticket)];
    let page = browser.post("/console/sign-in", &fields).await;
    assert_eq!(page.location, format!("/console/approvals/{ticket}"));
    let page = browser.get(&page.location).await;
    page.has("Pay somebody");

    let page = browser.send_form(&page, "/console/sign-out", &[]).await;
    assert_eq!((page.location.as_str(), browser.cookies.len()), ("/console/sign-in", 0));
}

#[tokio::test]
async fn an_approved_call_runs_once_and_its_answer_is_shown() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5, "pin": "horse"})).await;
    let (mut boss, mut clerk) = (
        application.signed_in(&application.boss).await,
        application.signed_in(&application.clerk).await,
    );
    let inbox = boss.get("/console").await;
    inbox.has(&format!("/console/approvals/{ticket}"));
    let path = format!("/console/approvals/{ticket}");
    let (page, other_page) = (boss.get(&path).await, clerk.get(&path).await);
    for page in [&inbox, &page, &other_page] {
        assert!(!page.text.contains("horse"), "{}", page.text);
    }

    // One click alone decides nothing.
    let approve = format!("{path}/approve");
    assert_eq!(boss.send_form(&page, &approve, &[]).await.location, path);
    assert_eq!(application.paid.all(), [""; 0]);

    let answer = boss.send_form(&page, &approve, &[("confirm", "yes")]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    answer.has("The call has run.");
    answer.has("paid 5 to joe");
    assert_eq!(application.paid.all(), ["5 to joe by horse"]);

    // The other one still has the page open.
    let late = clerk.send_form(&other_page, &approve, &[("confirm", "yes")]).await;
    assert_eq!(late.status, StatusCode::CONFLICT, "{}", late.text);
    late.has("This call was decided before, or no longer exists.");
    assert_eq!(application.paid.all().len(), 1);
    assert_eq!(boss.get(&path).await.status, StatusCode::NOT_FOUND);
    boss.get("/console").await.has("No call waits for a decision.");
}

#[tokio::test]
async fn a_failure_of_the_tool_is_not_taken_for_a_lost_decision() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let path = format!("/console/approvals/{ticket}");
    let page = boss.get(&path).await;
    let fields = [("confirm", "yes"), ("arguments", r#"{"payee":"nobody","cents":5}"#)];
    let answer = boss.send_form(&page, &format!("{path}/approve"), &fields).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND, "{}", answer.text);
    answer.has("The call has not succeeded.");
    answer.has("nobody has this name");
}

#[tokio::test]
async fn a_person_whose_key_is_revoked_signs_in_again_at_the_call() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let path = format!("/console/approvals/{ticket}");
    let page = boss.get(&path).await;
    application.keys.replace(ApiKeySet::new());
    let sign_in = format!("/console/sign-in?ticket={ticket}");
    let answer = boss.send_form(&page, &format!("{path}/approve"), &[("confirm", "yes")]).await;
    assert_eq!((answer.location.as_str(), boss.cookies.len()), (sign_in.as_str(), 0));
    assert_eq!(boss.get(&format!("{path}/approve")).await.location, sign_in);
    assert_eq!(application.paid.all(), [""; 0]);
}

#[tokio::test]
async fn a_host_that_only_the_uri_names_reaches_the_api() {
    let runtime = Runtime::builder().tool::<PayTool>().state(Paid::default());
    let runtime = runtime.policy(Policy::new()).build().expect("a runtime");
    let auth = Auth::unauthenticated_as(Principal::trusted("laptop"));
    let api = http::router(runtime, HttpConfig::new(auth).hosts(["tools.example"]));
    let console = Console::new(api, KeyRing::ephemeral().expect("a ring")).without_tls();
    let app = Router::new().nest("/console", console.router());
    for (uri, status) in [
        ("https://tools.example/console/sign-in", StatusCode::SEE_OTHER),
        ("https://other.example/console/sign-in", StatusCode::MISDIRECTED_REQUEST),
    ] {
        let request = Request::post(uri).body(Body::from("tenant=yantian&user=ada"));
        let answer = app.clone().oneshot(request.expect("a request")).await.expect("it answers");
        assert_eq!(answer.status(), status, "{uri}");
        let cookie = answer.headers().get(SET_COOKIE).map(|it| it.to_str().expect("ASCII"));
        assert!(cookie.is_none_or(|cookie| cookie.ends_with("; SameSite=Lax")), "{cookie:?}");
    }
}

#[tokio::test]
async fn changed_arguments_are_compared_before_they_are_approved() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 50, "pin": "horse"})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let path = format!("/console/approvals/{ticket}");
    let page = boss.get(&path).await;
    let review = format!("{path}/review");
    let sent =
        |cents| [("argument.payee", "joe"), ("argument.cents", cents), ("argument.pin", "***")];

    let wrong = boss.send_form(&page, &review, &sent("a lot")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.has(r#"value="a lot" inputmode="numeric" aria-describedby="hint-1" aria-invalid="true""#);
    boss.send_form(&page, &review, &sent("50")).await.has("Nothing has been changed.");

    let changes = boss.send_form(&page, &review, &sent("20")).await;
    changes.has("<del><bdi>50</bdi></del>");
    changes.has("<ins><bdi>20</bdi></ins>");
    assert_eq!(application.paid.all(), [""; 0]);
    let arguments = changes.textarea("arguments");
    let approve = format!("{path}/approve");
    // Arguments that the tool's schema refuses are refused, and the call still waits.
    let above = arguments.replace("20", "200");
    let refused =
        boss.send_form(&changes, &approve, &[("confirm", "yes"), ("arguments", &above)]).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.text);
    refused.has("The decision was refused; the call still waits.");
    let answer =
        boss.send_form(&changes, &approve, &[("confirm", "yes"), ("arguments", &arguments)]).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(application.paid.all(), ["20 to joe by horse"]);
}

#[tokio::test]
async fn a_person_without_the_tool_edits_its_arguments_as_json() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 50})).await;
    let mut clerk = application.signed_in(&application.clerk).await;
    let path = format!("/console/approvals/{ticket}");
    let page = clerk.get(&path).await;
    let arguments = page.textarea("arguments").replace("joe", "ann");
    let changes =
        clerk.send_form(&page, &format!("{path}/review"), &[("arguments", &arguments)]).await;
    changes.has("ann");
    let arguments = changes.textarea("arguments");
    let fields = [("confirm", "yes"), ("arguments", arguments.as_str())];
    let answer = clerk.send_form(&changes, &format!("{path}/approve"), &fields).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(application.paid.all(), ["50 to ann by "]);
}

#[tokio::test]
async fn a_declined_call_needs_a_reason_and_never_runs() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let path = format!("/console/approvals/{ticket}");
    let page = boss.get(&path).await;
    let decline = format!("{path}/decline");
    assert_eq!(boss.send_form(&page, &decline, &[("feedback", " \r\n ")]).await.location, path);
    boss.get(&path).await.has("Pay somebody");
    let declined = boss.send_form(&page, &decline, &[("feedback", "ask ann first")]).await;
    assert_eq!(declined.status, StatusCode::OK, "{}", declined.text);
    declined.has("The call was declined.");
    let late = boss.send_form(&page, &format!("{path}/approve"), &[("confirm", "yes")]).await;
    assert_eq!(late.status, StatusCode::CONFLICT, "{}", late.text);
    assert_eq!(application.paid.all(), [""; 0]);
}

#[tokio::test]
async fn a_form_of_another_session_decides_nothing() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5})).await;
    let (mut boss, mut clerk) = (
        application.signed_in(&application.boss).await,
        application.signed_in(&application.clerk).await,
    );
    let path = format!("/console/approvals/{ticket}");
    let page = clerk.get(&path).await;
    for (action, field) in [
        ("approve", ("confirm", "yes")),
        ("decline", ("feedback", "no")),
        ("review", ("arguments", "{}")),
    ] {
        let action = format!("{path}/{action}");
        let forged = boss.send_form(&page, &action, &[field]).await;
        assert_eq!(forged.status, StatusCode::FORBIDDEN, "{action}");
        assert_eq!(boss.post(&action, &[field]).await.status, StatusCode::FORBIDDEN, "{action}");
    }
    assert_eq!(boss.send_form(&page, "/console/sign-out", &[]).await.status, StatusCode::FORBIDDEN);
    boss.get(&path).await.has("Pay somebody");
    assert_eq!(application.paid.all(), [""; 0]);
}

#[tokio::test]
async fn a_hostile_argument_is_text() {
    let application = Application::new();
    let payee = "\u{202e}eoj\u{200b}</pre></textarea><script>alert(1)</script>\" onfocus=\"x";
    let ticket = application.request(json!({"payee": payee, "cents": 5})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let path = format!("/console/approvals/{ticket}");
    let page = boss.get(&path).await;
    for shown in [&boss.get("/console").await, &page] {
        assert!(
            shown.text.matches("<script").count() == 1 && !shown.text.contains("\" onfocus"),
            "{}",
            shown.text
        );
        shown.has("⟦U+202E⟧eoj⟦U+200B⟧");
        let policy = shown.headers["content-security-policy"].to_str().expect("ASCII");
        assert!(
            policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(shown.headers["cache-control"], "no-store");
        assert_eq!(shown.headers["x-content-type-options"], "nosniff");
    }
    let answer = boss.send_form(&page, &format!("{path}/approve"), &[("confirm", "yes")]).await;
    assert!(!answer.text.contains("<script"), "{}", answer.text);
    answer.has("paid 5 to");
}

#[tokio::test]
async fn the_pages_speak_the_language_that_a_person_chooses() {
    let application = Application::new();
    let mut boss = application.signed_in(&application.boss).await;
    boss.language = "de-AT,en;q=0.5";
    boss.get("/console").await.has(r#"<html lang="de">"#);
    assert_eq!(boss.get("/console/language/zh-Hans").await.location, "/console");
    let page = boss.get("/console").await;
    page.has(r#"<html lang="zh-Hans">"#);
    page.has("没有等待决定的调用。");
    assert_eq!(boss.get("/console/nowhere").await.status, StatusCode::NOT_FOUND);
    let style = page.text.split("stylesheet\" href=\"").nth(1).and_then(|it| it.split('"').next());
    let style = boss.get(style.expect("a style")).await;
    assert_eq!(
        (style.status, style.headers[CONTENT_TYPE].as_bytes()),
        (StatusCode::OK, &b"text/css; charset=utf-8"[..])
    );
    // Everything that a page loads.
    assert!(style.text.len() + page.text.len() < 200_000);
}

#[tokio::test]
async fn an_inbox_is_paged() {
    let application = Application::new();
    for cents in 0..120 {
        application.request(json!({"payee": format!("p{cents}"), "cents": 1 + cents % 100})).await;
    }
    let mut boss = application.signed_in(&application.boss).await;
    let (mut path, mut tickets) = ("/console".to_owned(), std::collections::BTreeSet::new());
    while !path.is_empty() {
        let page = boss.get(&path).await;
        let links = page.text.split("href=\"/console/approvals/").skip(1);
        tickets.extend(links.filter_map(|it| it.split('"').next().map(str::to_owned)));
        let next =
            page.text.split("href=\"/console?after=").nth(1).and_then(|it| it.split('"').next());
        path = next.map(|next| format!("/console?after={next}")).unwrap_or_default();
    }
    assert_eq!(tickets.len(), 120);
}

#[tokio::test]
async fn who_may_only_look_sees_a_call_and_no_form_to_decide_about_it() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5})).await;
    let mut watcher = application.signed_in(&application.watcher).await;
    watcher.get("/console").await.has("Pay somebody");
    let path = format!("/console/approvals/{ticket}");
    let page = watcher.get(&path).await;
    page.has("You may look at this call, and not decide about it.");
    page.has("joe");
    assert!(!page.text.contains("/approve\"") && !page.text.contains("/decline\""));
    for (action, field) in [("approve", "confirm"), ("decline", "feedback")] {
        let answer = watcher.send_form(&page, &format!("{path}/{action}"), &[(field, "yes")]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        answer.has("The decision was refused; the call still waits.");
    }
    assert_eq!(application.paid.all(), [""; 0]);
}

#[tokio::test]
async fn an_unknown_outcome_is_resolved_with_a_reason() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "the far bank", "cents": 5})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let path = format!("/console/approvals/{ticket}");
    let page = boss.get(&path).await;
    let answer = boss.send_form(&page, &format!("{path}/approve"), &[("confirm", "yes")]).await;
    answer.has("It is not known whether the call has had its effect.");
    assert_eq!(boss.get("/console/outcomes").await.status, StatusCode::FORBIDDEN);

    let mut operator = application.signed_in(&application.operator).await;
    let list = operator.get("/console/outcomes").await;
    list.has(&format!("ticket:{ticket}"));
    let (_, rest) = list.text.split_once("href=\"/console/outcomes/").expect("an outcome");
    let path = format!("/console/outcomes/{}", rest.split('"').next().expect("its id"));
    let page = operator.get(&path).await;
    page.has("principal:key:agent");

    // Neither the return key nor a button without its tick resolves anything.
    let reason = ("reason", "the bank has payment 17");
    let happened = [("decision", "happened"), ("answer", "\"paid\""), reason];
    let by_return_key = [&happened[..], &[("default", "yes"), ("confirm", "yes")]].concat();
    let answer = operator.send_form(&page, &path, &by_return_key).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    answer.has("the bank has payment 17");
    for fields in [&happened[..], &[("decision", "did_not_happen"), ("confirm", "yes")]] {
        let answer = operator.send_form(&page, &path, fields).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
        answer.has("a reason and the tick are needed");
    }
    // The form keeps its fields when the answer does not fit.
    for (wrong, why) in [("paid", "the answer has to be JSON"), ("17", "output schema")] {
        let fields = [("decision", "happened"), ("answer", wrong), ("confirm", "yes"), reason];
        let answer = operator.send_form(&page, &path, &fields).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
        answer.has(why);
        answer.has("the bank has payment 17");
        assert_eq!(answer.textarea("answer").trim(), wrong);
    }

    let fields = [&happened[..], &[("confirm", "yes")]].concat();
    let answer = operator.send_form(&page, &path, &fields).await;
    assert_eq!(answer.location, "/console/outcomes", "{}", answer.text);
    operator.get("/console/outcomes").await.has("No outcome is unknown.");
    let late = operator.send_form(&page, &path, &fields).await;
    assert_eq!(late.status, StatusCode::NOT_FOUND);
    late.has("This outcome is not unknown");
}

#[tokio::test]
async fn a_trace_is_on_a_timeline_and_its_reads_are_run_again() {
    let application = Application::new();
    application.call("balance", json!({})).await;
    let ticket = application.request(json!({"payee": "nobody", "cents": 5})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let path = format!("/console/approvals/{ticket}");
    let page = boss.get(&path).await;
    page.has("<a href=\"/console/traces?id=trace-1\">");
    boss.send_form(&page, &format!("{path}/approve"), &[("confirm", "yes")]).await;
    assert_eq!(boss.get("/console/traces?id=trace-1").await.status, StatusCode::FORBIDDEN);

    let mut operator = application.signed_in(&application.operator).await;
    operator.get("/console/traces").await.has("Id of a trace");
    let missing = operator.get("/console/traces?id=trace+2").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    missing.has("the ledger has no call of this trace");
    missing.has("value=\"trace 2\"");
    let page = operator.get("/console/traces?id=trace-1").await;
    for text in ["balance", "ran", "waits for a decision", "failed: <bdi>NOT_FOUND</bdi>", "<rect "]
    {
        page.has(text);
    }

    let fields = [("id", "trace-1")];
    let refused = operator.send_form(&page, "/console/traces", &fields).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fields = [("id", "trace-1"), ("reason", "complaint 17")];
    let page = operator.send_form(&page, "/console/traces", &fields).await;
    for text in ["complaint 17", "Today: the same", "Today: not run (<bdi>write</bdi>)"] {
        page.has(text);
    }
    application.request(json!({"payee": "joe", "cents": 5})).await;
}

#[tokio::test]
async fn a_tool_is_found_and_tried() {
    let application = Application::new();
    let mut boss = application.signed_in(&application.boss).await;
    let list = boss.get("/console/tools").await;
    list.has("<a href=\"/console/tools/pay\"><bdi>Pay somebody</bdi></a>");
    let list = boss.get("/console/tools?words=paid&effect=read").await;
    assert!(
        list.text.contains("/console/tools/balance") && !list.text.contains("/console/tools/pay\"")
    );
    assert_eq!(boss.get("/console/tools/none").await.status, StatusCode::NOT_FOUND);

    // A read runs at once.
    let page = boss.get("/console/tools/balance").await;
    let answer = boss.send_form(&page, "/console/tools/balance", &[]).await;
    answer.has("The call has run.");

    // A write is dry, and then waits for an approval.
    let path = "/console/tools/pay";
    let page = boss.get(path).await;
    page.has("integer, ≥ 1, ≤ 100");
    page.has("{&#34;tool_name&#34;:&#34;pay&#34;,&#34;input&#34;:{},&#34;context&#34;:{&#34;dry_run&#34;:true}}");
    let wrong = [("argument.payee", "joe"), ("argument.cents", "many")];
    let answer = boss.send_form(&page, path, &wrong).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    let fields = [("argument.payee", "joe"), ("argument.cents", "5")];
    let dry = boss.send_form(&page, path, &fields).await;
    dry.has("What the call would do");
    dry.has("paid 5 to joe");
    assert_eq!(application.paid.all(), [""; 0]);
    let (_, rest) = dry.text.split_once("name=\"key\" value=\"").expect("a key");
    let key = rest.split('"').next().expect("its value").to_owned();
    let prepared = dry.textarea("prepared").trim().to_owned();
    let fields = [("key", &*key), ("prepared", &*prepared), ("confirm", "yes")];
    // Without its tick it is a dry run again.
    boss.send_form(&dry, path, &fields[..2]).await.has("What the call would do");
    let response = boss.send_form(&dry, path, &fields).await;
    let ticket = response.location.strip_prefix("/console/tools/pay?ticket=").expect("a ticket");
    boss.get(&response.location).await.has(&format!("/console/approvals/{ticket}"));
    assert_eq!(application.paid.all(), [""; 0]);
    // The same form again is the same call: whichever of its tickets is approved, it runs once.
    let again = boss.send_form(&dry, path, &fields).await;
    let other = again.location.strip_prefix("/console/tools/pay?ticket=").expect("a ticket");
    let mut clerk = application.signed_in(&application.clerk).await;
    for ticket in [ticket, other] {
        let path = format!("/console/approvals/{ticket}");
        let page = clerk.get(&path).await;
        clerk.send_form(&page, &format!("{path}/approve"), &[("confirm", "yes")]).await;
    }
    assert_eq!(application.paid.all().len(), 1);
}

#[tokio::test]
async fn changes_of_the_waiting_calls_arrive() {
    let application = Application::new();
    let ticket = application.request(json!({"payee": "joe", "cents": 5})).await;
    let mut boss = application.signed_in(&application.boss).await;
    let page = boss.get(&format!("/console/approvals/{ticket}")).await;
    page.has(&format!("data-changes=\"/console/changes?ticket={ticket}\""));
    let inbox = boss.get("/console").await;
    inbox.has(&format!("data-changes=\"/console/changes\" data-state=\"{ticket} \""));
    let (headers, event) = boss.first_part("/console/changes").await;
    assert_eq!(headers[CONTENT_TYPE], "text/event-stream");
    let data = format!("event: waiting\ndata: {{\"tickets\":[\"{ticket}\"]}}\n\n");
    assert!(event.ends_with(&data), "{event}");
    let mut operator = application.signed_in(&application.operator).await;
    assert_eq!(operator.get("/console/changes").await.status, StatusCode::FORBIDDEN);
    let script = boss.get("/console/console-0.1.0.js").await;
    assert_eq!(script.headers[CONTENT_TYPE], "text/javascript; charset=utf-8");
}

#[tokio::test]
async fn the_ledger_is_verified() {
    let application = Application::new();
    application.call("balance", json!({})).await;
    let mut operator = application.signed_in(&application.operator).await;
    let page = operator.get("/console/ledger").await;
    let verified = operator.send_form(&page, "/console/ledger", &[]).await;
    assert_eq!(verified.status, StatusCode::OK, "{}", verified.text);
    verified.has("Every record is as it was written.");
    verified.has("No checkpoint is kept outside of the ledger");

    let mut boss = application.signed_in(&application.boss).await;
    let page = boss.get("/console/ledger").await;
    let refused = boss.send_form(&page, "/console/ledger", &[]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    refused.has("this path requires the scope `ledger`");
    let stale = boss.post("/console/ledger", &[("form_token", "x")]).await;
    assert_eq!(stale.status, StatusCode::FORBIDDEN);
}
