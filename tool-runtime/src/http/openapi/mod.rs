//! `GET /openapi.json`: what this server takes and answers, as OpenAPI 3.1.
//!
//! Every schema comes from the types and tools themselves; here stands the frame around them.

mod answers;
mod components;
mod numbers;
mod operations;
mod parameters;
mod tools;

use std::fmt;

use axum::body::Bytes;
use axum::extract::{OriginalUri, Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use quick_cache::sync::Cache;
use serde_json::{Map, Value, json};
use tool_contracts::ToolSpec;

use self::components::Components;
use super::answer::{Heard, Outcome};
use super::app::{App, Shared};
use super::auth::Principal;
use super::problem::Problem;
use super::receiving;

/// The path that the document is served under, below the router's own.
pub(super) const PATH: &str = "/openapi.json";

/// How many documents are kept: one for each set of tools that callers may see.
const MOST: usize = 64;

/// The documents that were asked for lately.
pub(super) struct Documents(Cache<Kind, Bytes>);

/// What tells one document from another.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Kind {
    /// Where the router is nested.
    base: Box<str>,
    /// The tools' places in the catalogue.
    visible: Box<[usize]>,
}

/// What a document is about.
struct About<'a> {
    app: &'a App,
    tools: Vec<&'a ToolSpec>,
    base: &'a str,
}

impl Default for Documents {
    fn default() -> Self {
        Self(Cache::new(MOST))
    }
}

impl fmt::Debug for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Documents").field("kept", &self.0.len()).finish()
    }
}

/// Answers with the document for this caller.
pub(super) async fn document(
    State(app): State<Shared>,
    OriginalUri(uri): OriginalUri,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    receiving::answered(&app, &parts, async |heard| serve(&app, &parts, uri.path(), heard).await)
        .await
}

async fn serve(
    app: &App,
    parts: &Parts,
    path: &str,
    heard: &mut Heard,
) -> Result<Response, Problem> {
    let principal = receiving::admit(app, parts, heard).await?;
    let base = path.strip_suffix(PATH).unwrap_or_default();
    let body = app.documents.of(app, &principal, base);
    Ok(Outcome { status: axum::http::StatusCode::OK, retry_after: None, body }.into_response())
}

impl Documents {
    /// Gives the document of a caller, made once for all who may see the same tools.
    fn of(&self, app: &App, principal: &Principal, base: &str) -> Bytes {
        let all = app.runtime.specs().enumerate();
        let seen: Vec<(usize, &ToolSpec)> =
            all.filter(|(_, spec)| principal.may_call(spec)).collect();
        let visible = seen.iter().map(|(place, _)| *place).collect();
        let kind = Kind { base: base.into(), visible };
        if let Some(kept) = self.0.get(&kind) {
            return kept;
        }
        let tools = seen.into_iter().map(|(_, spec)| spec).collect();
        let text = About { app, tools, base }.document().to_string();
        let body = Bytes::from(text);
        self.0.insert(kind, body.clone());
        body
    }
}

impl About<'_> {
    fn document(&self) -> Value {
        let mut components = Components::of_contract();
        let tools = tools::add(self, &mut components);
        let paths = operations::paths(self, &tools);
        let security = self.security();
        json!({
            "openapi": "3.1.1",
            "info": {
                "title": "Tool server",
                "summary": "Tools for models, and what people decide and look up about their calls.",
                "version": env!("CARGO_PKG_VERSION"),
            },
            "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
            "servers": [{"url": if self.base.is_empty() { "/" } else { self.base }}],
            "security": security.0,
            "tags": operations::tags(),
            "paths": paths,
            "components": {
                "schemas": components.into_schemas(),
                "responses": answers::failures(),
                "parameters": parameters::all(),
                "securitySchemes": security.1,
            },
        })
    }

    /// Says how callers prove who they are: every way by itself, and none where that is let in.
    fn security(&self) -> (Vec<Value>, Map<String, Value>) {
        let (mut ways, mut schemes) = (Vec::new(), Map::new());
        let key = json!({"type": "apiKey", "in": "header", "name": "X-Internal-API-Key"});
        let token = json!({"type": "http", "scheme": "bearer", "bearerFormat": "JWT"});
        let known = &self.app.config.auth;
        for (name, scheme, is_taken) in
            [("apiKey", key, known.takes_api_keys()), ("token", token, known.takes_tokens())]
        {
            if is_taken {
                ways.push(json!({ name: [] }));
                schemes.insert(name.to_owned(), scheme);
            }
        }
        if known.lets_in_unproven() {
            ways.push(json!({}));
        }
        (ways, schemes)
    }
}
