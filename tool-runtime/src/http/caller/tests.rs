use axum::http::header::{HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use tool_contracts::server::{CallContext, Tenant};
use tool_contracts::{ActorType, ErrorCode, ToolContext};

use super::{RequestHead, context};
use crate::http::problem::Problem;
use crate::http::{Auth, Principal};

const NEEDED: [(&str, &str); 3] =
    [("x-tenant-id", "yantian"), ("x-site-id", "main"), ("x-trace-id", "trace-1")];
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const SECRET: &str = "hunter2";

/// A request, as far as it says who asks for what.
#[derive(Default)]
struct Asked {
    headers: HeaderMap,
    query: Option<&'static str>,
    body: Option<CallContext>,
}

impl Asked {
    fn with(headers: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        headers.into_iter().fold(Self::default(), |asked, (name, value)| asked.and(name, value))
    }

    fn needed() -> Self {
        Self::with(NEEDED)
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    fn and(self, name: &'static str, value: &str) -> Self {
        self.and_bytes(name, value.as_bytes())
    }

    fn and_bytes(mut self, name: &'static str, value: &[u8]) -> Self {
        let value = HeaderValue::from_bytes(value).unwrap();
        self.headers.append(HeaderName::from_static(name), value);
        self
    }

    fn query(self, query: &'static str) -> Self {
        Self { query: Some(query), ..self }
    }

    fn body(self, context: &Value) -> Self {
        let context = serde_json::from_str(&context.to_string()).unwrap();
        Self { body: Some(context), ..self }
    }

    fn said_by(self, principal: &Principal) -> Result<ToolContext, Problem> {
        context(&RequestHead { headers: &self.headers, query: self.query }, self.body, principal)
    }

    #[track_caller]
    fn said(self) -> ToolContext {
        self.said_by(&Principal::trusted("orchestrator")).unwrap()
    }

    /// What is told of each thing that is wrong: its rule, and where it is.
    #[track_caller]
    fn refused(self) -> Vec<(String, Vec<String>)> {
        let problem = self.said_by(&Principal::trusted("orchestrator")).unwrap_err();
        assert_eq!(problem.status, StatusCode::BAD_REQUEST);
        assert_eq!(problem.code, ErrorCode::InvalidArgument);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let told = problem.details["problems"].as_array().unwrap().iter();
        told.map(|told| {
            let places: Vec<String> = told["places"].as_array().unwrap().iter().map(text).collect();
            assert!(problem.message.contains(&format!("`{}`", places[0])), "{}", problem.message);
            assert!(problem.message.contains(told["message"].as_str().unwrap()));
            (text(&told["rule"]), places)
        })
        .collect()
    }
}

#[track_caller]
fn check_refused(asked: Asked, rule: &str, places: &[&str]) {
    let places = places.iter().map(|&place| place.to_owned()).collect();
    assert_eq!(asked.refused(), [(rule.to_owned(), places)]);
}

mod what_is_said {
    use serde_json::json;

    use super::*;

    #[test]
    fn headers_alone_make_a_context() {
        let cx = Asked::needed().said();
        assert_eq!(cx.tenant_id(), Tenant::parse("yantian").unwrap().id());
        assert_eq!(cx.tenant_slug(), Some("yantian"));
        assert_eq!((cx.site_id(), cx.trace_id()), (Some("main"), "trace-1"));
        assert!(cx.run_id().unwrap().starts_with("run_"));
        let actor = cx.actor().unwrap();
        assert_eq!((actor.kind(), actor.id()), (ActorType::System, "orchestrator"));
    }

    #[test]
    fn the_body_alone_makes_a_context() {
        let body = json!({"tenant_id": "yantian", "site_id": "main", "trace_id": "trace-1"});
        let cx = Asked::default().body(&body).said();
        assert_eq!((cx.tenant_slug(), cx.site_id()), (Some("yantian"), Some("main")));
        assert_eq!(cx.trace_id(), "trace-1");
    }

    #[test]
    fn every_optional_header_has_its_place() {
        let asked = Asked::needed()
            .and("x-span-id", "span-1")
            .and("x-user-id", "u-1")
            .and("x-session-id", "s-1")
            .and("x-npc-id", "ancestor_yan")
            .and("x-request-id", "req-1")
            .and("idempotency-key", "key-1");
        let cx = asked.said();
        assert_eq!(cx.trace().unwrap().span_id(), "span-1");
        assert_eq!((cx.user_id(), cx.session_id()), (Some("u-1"), Some("s-1")));
        assert_eq!(cx.attributes()["npc_id"], "ancestor_yan");
        assert_eq!((cx.request_id(), cx.idempotency_key()), (Some("req-1"), Some("key-1")));
    }

    #[test]
    fn what_only_a_body_says_is_kept() {
        let body = json!({
            "run_id": "run-1", "request_id": "req-1", "locale": "zh-CN", "currency": "CNY",
            "timezone": "Asia/Shanghai", "timeouts_ms": 500, "dry_run": true,
        });
        let cx = Asked::needed().and("x-request-id", "gateway-1").body(&body).said();
        assert_eq!((cx.run_id(), cx.request_id()), (Some("run-1"), Some("req-1")));
        assert_eq!((cx.locale(), cx.currency()), (Some("zh-CN"), Some("CNY")));
        assert_eq!((cx.timezone(), cx.timeouts_ms()), (Some("Asia/Shanghai"), Some(500)));
        assert!(cx.dry_run());
    }

    #[test]
    fn what_a_body_says_of_the_tools_work_reaches_its_context() {
        let body = json!({
            "ingestion_run_id": "ingest-1", "workflow_id": "import", "collection_id": "records",
            "document_id": "scroll-12", "document_version_id": "scroll-12-v3", "case_id": "case-88",
            "budget_tokens": 4096, "safety_mode": "strict",
        });
        let cx = Asked::needed().body(&body).said();
        assert_eq!((cx.run_id(), cx.ingestion_run_id()), (None, Some("ingest-1")));
        assert_eq!((cx.workflow_id(), cx.collection_id()), (Some("import"), Some("records")));
        let document = (cx.document_id(), cx.document_version_id());
        assert_eq!(document, (Some("scroll-12"), Some("scroll-12-v3")));
        assert_eq!((cx.case_id(), cx.safety_mode()), (Some("case-88"), Some("strict")));
        assert_eq!(cx.budget_tokens(), Some(4096));
    }

    #[test]
    fn a_header_that_says_the_same_as_the_body_adds_nothing() {
        let body = json!({"tenant_id": "yantian", "site_id": "main", "user_id": "u-1"});
        let cx = Asked::needed().and("x-user-id", "u-1").body(&body).said();
        assert_eq!((cx.site_id(), cx.user_id()), (Some("main"), Some("u-1")));
    }

    #[test]
    fn texts_may_be_of_any_script() {
        let cx = Asked::needed().and("x-user-id", "严").said();
        assert_eq!(cx.user_id(), Some("严"));
    }

    #[test]
    fn a_key_may_be_the_string_of_a_structured_field() {
        let quoted = r#""key \"7\" \\""#;
        let cx = Asked::needed().and("idempotency-key", quoted).said();
        assert_eq!(cx.idempotency_key(), Some(r#"key "7" \"#));
        let cx = Asked::needed()
            .and("idempotency-key", r#""key-7""#)
            .body(&json!({"idempotency_key": "key-7"}));
        assert_eq!(cx.said().idempotency_key(), Some("key-7"));
    }
}

mod the_tenant {
    use serde_json::json;

    use super::*;

    fn id() -> String {
        Tenant::parse("yantian").unwrap().id().to_string()
    }

    #[test]
    fn is_the_same_under_both_of_its_names_and_keeps_the_slug() {
        let slug = json!({"tenant_id": "yantian"});
        let cx =
            Asked::needed().without("x-tenant-id").and("x-tenant-id", &id()).body(&slug).said();
        assert_eq!(cx.tenant_slug(), Some("yantian"));
        let cx = Asked::needed().body(&json!({"tenant_id": id()})).said();
        assert_eq!(cx.tenant_slug(), Some("yantian"));
        let upper = id().to_uppercase();
        let cx = Asked::needed().body(&json!({"tenant_id": upper})).said();
        assert_eq!(cx.tenant_id().to_string(), id());
    }

    #[test]
    fn is_refused_where_it_is_neither_slug_nor_uuid() {
        for name in ["Yantian", "two words", "_x", "beb0fa20bffc5f8493424d9d82896176"] {
            let asked = Asked::needed().without("x-tenant-id").and("x-tenant-id", name);
            check_refused(asked, "tenant", &["X-Tenant-ID"]);
        }
    }

    #[test]
    fn is_one_that_the_principal_may_act_for() {
        let [own, other] = ["yantian", "other"].map(|slug| Tenant::parse(slug).unwrap().id());
        let principal = Principal::new("orchestrator").for_tenants([own]);
        assert!(Asked::needed().said_by(&principal).is_ok());
        let principal = Principal::new("orchestrator").for_tenants([other]);
        for asked in [Asked::needed(), Asked::needed().body(&json!({"tenant_id": id()}))] {
            let problem = asked.said_by(&principal).unwrap_err();
            assert_eq!(
                (problem.status, problem.code),
                (StatusCode::FORBIDDEN, ErrorCode::Forbidden)
            );
            assert_eq!(problem.trace_id.as_deref(), Some("trace-1"));
        }
    }

    #[test]
    fn in_the_body_is_held_to_the_principal_too() {
        let other = Tenant::parse("other").unwrap().id();
        let principal = Principal::new("orchestrator").for_tenants([other]);
        let body = json!({"tenant_id": "yantian"});
        let asked = Asked::needed().without("x-tenant-id").body(&body);
        assert_eq!(asked.said_by(&principal).unwrap_err().code, ErrorCode::Forbidden);
    }
}

mod a_caller_that_nobody_knows {
    use super::*;

    async fn nobody() -> Principal {
        let auth = Auth::new().anonymous("tools".parse().unwrap());
        auth.principal(&HeaderMap::new()).await.unwrap()
    }

    #[tokio::test]
    async fn has_no_actor_so_that_strangers_share_no_key() {
        let cx = Asked::needed().said_by(&nobody().await).unwrap();
        assert!(cx.actor().is_none());
    }

    #[tokio::test]
    async fn acts_for_no_user() {
        let problem = Asked::needed().and("x-user-id", "u-1").said_by(&nobody().await).unwrap_err();
        let expected = (StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized);
        assert_eq!((problem.status, problem.code), expected);
    }
}

mod the_user {
    use serde_json::json;

    use super::*;
    use crate::http::Users;

    fn of(users: Users) -> Principal {
        Principal::new("caller").for_every_tenant().naming(users)
    }

    #[track_caller]
    fn check_forbidden(asked: Asked, principal: &Principal) {
        let problem = asked.said_by(principal).unwrap_err();
        assert_eq!((problem.status, problem.code), (StatusCode::FORBIDDEN, ErrorCode::Forbidden));
        assert_eq!(problem.details["reason"], "user");
        assert!(problem.message.contains("leave the user out"), "{}", problem.message);
    }

    #[test]
    fn is_refused_where_the_principal_may_not_name_it() {
        let body = json!({"user_id": "boss"});
        for principal in [of(Users::None), of(Users::Only("jane".into()))] {
            check_forbidden(Asked::needed().and("x-user-id", "boss"), &principal);
            check_forbidden(Asked::needed().body(&body), &principal);
        }
        check_forbidden(Asked::needed().and("x-user-id", "jane"), &of(Users::None));
        let cx = Asked::needed().and("x-user-id", "boss").said_by(&of(Users::OfItsTenants));
        assert_eq!(cx.unwrap().user_id(), Some("boss"));
    }

    #[test]
    fn of_a_person_is_the_person_whether_it_is_named_or_not() {
        let jane = of(Users::Only("jane".into()));
        let named = Asked::needed().and("x-user-id", "jane").said_by(&jane).unwrap();
        let unnamed = Asked::needed().said_by(&jane).unwrap();
        assert_eq!((named.user_id(), unnamed.user_id()), (Some("jane"), Some("jane")));
        assert_eq!(Asked::needed().said_by(&of(Users::None)).unwrap().user_id(), None);
    }

    #[test]
    fn is_kept_in_one_form() {
        let asked = Asked::needed()
            .and("x-user-id", "jose\u{301}")
            .and("x-session-id", "e\u{301}")
            .body(&json!({"user_id": "jos\u{e9}"}));
        let cx = asked.said();
        assert_eq!((cx.user_id(), cx.session_id()), (Some("jos\u{e9}"), Some("\u{e9}")));
    }

    #[test]
    fn has_no_characters_that_cannot_be_seen() {
        for hidden in ["bo\u{200b}ss", "\u{202e}ssob", "boss\u{feff}", "bo\u{ad}ss", "b\u{2066}oss"]
        {
            check_refused(Asked::needed().and("x-user-id", hidden), "text", &["X-User-ID"]);
        }
    }
}

mod the_actor {
    use serde_json::json;

    use super::*;
    use crate::http::Users;

    fn kind(asked: Asked, principal: &Principal) -> ActorType {
        asked.said_by(principal).unwrap().actor().unwrap().kind()
    }

    #[test]
    fn is_of_the_type_that_header_or_body_say_as_far_as_the_principal_may() {
        let service = Principal::new("caller").for_every_tenant();
        let saying = |kind: &str| Asked::needed().and("x-actor-type", kind);
        assert_eq!(kind(Asked::needed(), &service), ActorType::System);
        assert_eq!(kind(saying("agent"), &service), ActorType::Agent);
        let body = json!({"actor_type": "agent"});
        assert_eq!(kind(Asked::needed().body(&body), &service), ActorType::Agent);
        assert_eq!(kind(saying("agent").body(&body), &service), ActorType::Agent);
        let problem = saying("user").said_by(&service).unwrap_err();
        assert_eq!(problem.status, StatusCode::FORBIDDEN);
        assert_eq!(problem.details["reason"], "actor_type");

        let person = service.naming(Users::Only("jane".into()));
        assert_eq!(kind(Asked::needed(), &person), ActorType::User);
        assert_eq!(kind(saying("agent"), &person), ActorType::Agent);
        assert_eq!(saying("system").said_by(&person).unwrap_err().status, StatusCode::FORBIDDEN);
    }

    #[test]
    fn of_the_type_user_has_a_user() {
        let gateway = Principal::trusted("gateway");
        let asked = || Asked::needed().and("x-actor-type", "user");
        assert_eq!(kind(asked().and("x-user-id", "jane"), &gateway), ActorType::User);
        let problem = asked().said_by(&gateway).unwrap_err();
        assert_eq!(
            (problem.status, problem.code),
            (StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument)
        );
    }

    #[test]
    fn has_a_type_that_is_a_word_and_the_same_in_both_places() {
        check_refused(
            Asked::needed().and("x-actor-type", "robot"),
            "actor_type",
            &["X-Actor-Type"],
        );
        let asked = Asked::needed().and("x-actor-type", "agent");
        check_refused(
            asked.body(&json!({"actor_type": "system"})),
            "contradiction",
            &["X-Actor-Type", "context.actor_type"],
        );
    }

    #[tokio::test]
    async fn of_a_caller_that_is_not_known_has_no_type() {
        let auth = Auth::new().anonymous("tools".parse().unwrap());
        let stranger = auth.principal(&HeaderMap::new()).await.unwrap();
        let problem = Asked::needed().and("x-actor-type", "agent").said_by(&stranger).unwrap_err();
        assert_eq!(problem.status, StatusCode::UNAUTHORIZED);
    }

    #[test]
    fn has_the_id_of_the_principal_with_the_kind_of_its_credential() {
        use crate::http::auth::Way;

        let caller = || Principal::new("jane").for_every_tenant();
        let id = |principal: Principal| {
            let cx = Asked::needed().said_by(&principal).unwrap();
            cx.actor().unwrap().id().to_owned()
        };
        assert_eq!(id(caller().proven_by(Way::Key)), "key:jane");
        assert_eq!(id(caller().proven_by(Way::Token)), "token:jane");
        assert_eq!(id(caller().of_network()), "network:jane");
    }
}

mod the_trace {
    use serde_json::json;

    use super::*;

    #[test]
    fn is_said_by_the_first_place_that_says_one() {
        let body = json!({"trace_id": "of-body"});
        let mut asked = Asked::needed()
            .and("x-request-id", "of-request")
            .and("traceparent", PARENT)
            .query("a=1&trace_id=of-query")
            .body(&body);
        assert_eq!(asked.said().trace_id(), "trace-1");
        let less = || Asked::needed().without("x-trace-id").and("traceparent", PARENT);
        asked = less().and("x-request-id", "of-request").query("trace_id=of-query").body(&body);
        assert_eq!(asked.said().trace_id(), "of-request");
        assert_eq!(less().query("trace_id=of-query").body(&body).said().trace_id(), "of-query");
        assert_eq!(less().body(&body).said().trace_id(), "of-body");
        assert_eq!(less().said().trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
    }

    #[test]
    fn is_read_from_a_query_as_a_form_writes_it() {
        let asked = || Asked::needed().without("x-trace-id");
        let cx = asked().query("trace_id=a%2Fb+%E4%B8%A5").said();
        assert_eq!(cx.trace_id(), "a/b 严");
        for broken in ["trace_id=", "trace_id=%4", "trace_id=%zz", "trace_id=%ff", "trace_id=%0A"] {
            check_refused(Asked { query: Some(broken), ..asked() }, "text", &["?trace_id="]);
        }
        check_refused(asked().query("trace_id=a&trace_id=a"), "repeated", &["?trace_id="]);
    }

    #[test]
    fn goes_on_in_the_span_of_its_parent() {
        let asked = Asked::needed().without("x-trace-id").and("traceparent", PARENT);
        let cx = asked.and("tracestate", "rojo=1").and("tracestate", "congo=2").said();
        let sent: Vec<_> = cx.trace_context().to_headers().collect();
        assert_eq!(sent[0].1, PARENT);
        assert_eq!(sent[1].1, "rojo=1,congo=2");
    }

    #[test]
    fn keeps_another_name_of_the_parents_span_beside_it() {
        let asked = Asked::needed().without("x-trace-id").and("traceparent", PARENT);
        let cx = asked.and("x-span-id", "span-1").said();
        assert_eq!(cx.trace().unwrap().span_id(), "00f067aa0ba902b7");
        assert_eq!(cx.attributes()["span_id"], "span-1");
    }

    #[test]
    fn of_a_hosts_own_keeps_its_id_in_the_span_of_its_parent() {
        let asked = Asked::needed().and("traceparent", PARENT).and("x-span-id", "span-1");
        let cx = asked.and("tracestate", "rojo=1").said();
        let sent: Vec<_> = cx.trace_context().to_headers().collect();
        assert_eq!((cx.trace_id(), &*sent[0].1, &*sent[1].1), ("trace-1", PARENT, "rojo=1"));
        assert_eq!(cx.attributes()["span_id"], "span-1");
        assert_eq!(cx.attributes().len(), 1);
    }

    #[test]
    fn of_a_uuid_keeps_its_form_and_is_its_parents() {
        let id = "4bf92f35-77b3-4da6-a3ce-929d0e0e4736";
        let asked = Asked::needed().without("x-trace-id").and("x-trace-id", id);
        let cx = asked.and("traceparent", PARENT).said();
        assert_eq!((cx.trace_id(), cx.trace().unwrap().trace_id()), (id, None));
        assert_eq!(cx.trace_context().parent().to_string(), PARENT);
    }

    #[test]
    fn of_a_parent_that_does_not_hold_is_none() {
        let cx = Asked::needed().and("traceparent", SECRET).said();
        assert!(cx.trace().is_none() && cx.attributes().is_empty());
        let asked = Asked::needed().without("x-trace-id").and("traceparent", SECRET);
        assert_eq!(asked.refused()[0].0, "required");
    }

    #[test]
    fn is_known_of_what_is_refused_too() {
        let problem = Asked::needed().without("x-site-id").said_by(&Principal::trusted("o"));
        assert_eq!(problem.unwrap_err().trace_id.as_deref(), Some("trace-1"));
    }
}

mod what_is_refused {
    use serde_json::json;

    use super::*;

    #[test]
    fn everything_that_is_missing_is_named_at_once() {
        let rules: Vec<_> = Asked::default().refused();
        let names: Vec<_> = rules.iter().map(|(rule, places)| (&**rule, &*places[0])).collect();
        let expected = ["X-Tenant-ID", "X-Site-ID", "X-Trace-ID"].map(|name| ("required", name));
        assert_eq!(names, expected);
    }

    #[test]
    fn the_body_is_named_only_where_it_could_say_it() {
        let asked = || Asked::needed().without("x-site-id");
        check_refused(asked(), "required", &["X-Site-ID"]);
        let asked = asked().body(&json!({}));
        check_refused(asked, "required", &["X-Site-ID", "context.site_id"]);
    }

    #[test]
    fn contradictions_are_named_all_at_once() {
        let body = json!({
            "tenant_id": "other", "site_id": "x", "span_id": "x", "user_id": "x", "session_id": "x",
            "npc_id": "x", "idempotency_key": "x", "trace_id": "x",
        });
        let asked = Asked::needed()
            .and("x-span-id", "span-1")
            .and("x-user-id", "u-1")
            .and("x-session-id", "s-1")
            .and("x-npc-id", "ancestor_yan")
            .and("idempotency-key", "key-1")
            .body(&body);
        let named = asked.refused();
        assert!(named.iter().all(|(rule, places)| rule == "contradiction" && places.len() == 2));
        let bodies: Vec<_> = named.iter().map(|(_, places)| &*places[1]).collect();
        let fields = ["tenant", "site", "span", "user", "session", "npc"];
        let expected = fields.map(|field| format!("context.{field}_id"));
        assert_eq!(bodies[..6], expected);
        assert_eq!(bodies[6..], ["context.idempotency_key"]);
    }

    #[test]
    fn what_is_missing_broken_repeated_and_contradicted_is_told_together() {
        let asked = Asked::needed()
            .without("x-trace-id")
            .and("x-user-id", "")
            .and("x-npc-id", "a")
            .and("x-npc-id", "a")
            .body(&json!({"site_id": "other"}));
        let rules: Vec<_> = asked.refused().into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(rules, ["text", "repeated", "required", "contradiction"]);
    }

    #[test]
    fn a_text_has_1_to_256_characters_of_utf8_and_no_control_character() {
        check_refused(Asked::needed().and("x-user-id", ""), "text", &["X-User-ID"]);
        check_refused(Asked::needed().and("x-user-id", "a\tb"), "text", &["X-User-ID"]);
        check_refused(Asked::needed().and("x-user-id", "a\u{85}b"), "text", &["X-User-ID"]);
        check_refused(Asked::needed().and_bytes("x-user-id", b"\xff"), "text", &["X-User-ID"]);
        let long = "严".repeat(256);
        assert_eq!(Asked::needed().and("x-user-id", &long).said().user_id(), Some(&*long));
        let longer = "严".repeat(257);
        check_refused(Asked::needed().and("x-user-id", &longer), "text", &["X-User-ID"]);
    }

    #[test]
    fn what_is_broken_is_not_missing_too() {
        for (name, place) in [
            ("x-tenant-id", "X-Tenant-ID"),
            ("x-site-id", "X-Site-ID"),
            ("x-trace-id", "X-Trace-ID"),
        ] {
            check_refused(Asked::needed().without(name).and(name, ""), "text", &[place]);
        }
    }

    #[test]
    fn a_key_whose_quotes_do_not_hold() {
        for key in ["\"", "\"a", "\"a\"b\"", "\"a\"; b=1", "\"a\\b\"", "\"a\\\"", "\"é\"", "\"\""]
        {
            check_refused(
                Asked::needed().and("idempotency-key", key),
                "text",
                &["Idempotency-Key"],
            );
        }
    }

    #[test]
    fn a_header_that_is_there_twice_even_if_it_says_the_same() {
        for (name, place) in [("x-tenant-id", "X-Tenant-ID"), ("x-trace-id", "X-Trace-ID")] {
            let value = Asked::needed().headers[name].to_str().unwrap().to_owned();
            let asked = Asked::needed().and(name, &value).and(name, &value);
            check_refused(asked, "repeated", &[place]);
        }
    }

    #[test]
    fn no_value_is_told() {
        let broken = format!("{SECRET}\t");
        let asked = Asked::needed()
            .and("x-user-id", &broken)
            .and("x-npc-id", SECRET)
            .and("idempotency-key", &format!("\"{SECRET}"))
            .and("x-tenant-id", SECRET)
            .query("trace_id=hunter2%00")
            .body(&json!({"npc_id": "hunter2-other", "site_id": SECRET}));
        let problem = asked.said_by(&Principal::trusted("orchestrator")).unwrap_err();
        let told = format!("{} {:?}", problem.message, problem.details);
        assert!(!told.contains(SECRET), "{told}");
        assert!(told.contains("X-NPC-ID") && told.contains("context.site_id"), "{told}");
    }
}
