//! Tests of the context that is made of a request.

mod actor;
mod anonymous;
mod defaults;
mod fields;
mod problems;
mod tenant;
mod trace;
mod user;

use axum::http::header::{HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use tool_contracts::server::{CallContext, Tenant};
use tool_contracts::{ActorType, ErrorCode, ToolContext};

use super::{RequestHead, context};
use crate::problem::Problem;
use crate::state::config::ContextDefaults;
use crate::{Auth, HttpConfig, Principal};

const NEEDED: [(&str, &str); 3] =
    [("x-tenant-id", "yantian"), ("x-site-id", "main"), ("x-trace-id", "trace-1")];
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const SECRET: &str = "hunter2";

/// The parts of a request that give a call's context.
#[derive(Default)]
struct TestRequest {
    headers: HeaderMap,
    query: Option<&'static str>,
    body: Option<CallContext>,
    defaults: ContextDefaults,
}

impl TestRequest {
    fn with(headers: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        headers.into_iter().fold(Self::default(), |request, (name, value)| request.and(name, value))
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

    fn context_for(self, principal: &Principal) -> Result<ToolContext, Problem> {
        let head = RequestHead { headers: &self.headers, query: self.query };
        context(&head, self.body, principal, &self.defaults)
    }

    #[track_caller]
    fn context(self) -> ToolContext {
        self.context_for(&Principal::trusted("orchestrator")).unwrap()
    }

    /// Returns the rule and the sources of each problem.
    #[track_caller]
    fn refused(self) -> Vec<(String, Vec<String>)> {
        let problem = self.context_for(&Principal::trusted("orchestrator")).unwrap_err();
        assert_eq!(problem.status, StatusCode::BAD_REQUEST);
        assert_eq!(problem.code, ErrorCode::InvalidArgument);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let problems = problem.details["problems"].as_array().unwrap().iter();
        problems
            .map(|it| {
                let places: Vec<String> =
                    it["places"].as_array().unwrap().iter().map(text).collect();
                assert!(
                    problem.message.contains(&format!("`{}`", places[0])),
                    "{}",
                    problem.message
                );
                assert!(problem.message.contains(it["message"].as_str().unwrap()));
                (text(&it["rule"]), places)
            })
            .collect()
    }
}

#[track_caller]
fn check_refused(request: TestRequest, rule: &str, places: &[&str]) {
    let places = places.iter().map(|&place| place.to_owned()).collect();
    assert_eq!(request.refused(), [(rule.to_owned(), places)]);
}
