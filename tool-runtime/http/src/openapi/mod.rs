//! `GET /openapi.json`: the API of this server as an OpenAPI 3.1 document.
//!
//! The schemas come from the types and the tools; these modules add the paths around them.

mod components;
mod extraction;
mod names;
pub(crate) mod numbers;
pub(crate) mod operations;
mod parameters;
mod recursion;
mod reference;
mod responses;
mod shapes;
mod tools;

use std::future::{Ready, ready};
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{OriginalUri, State};
use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use tool_contracts::ToolSpec;
use tool_runtime_schema::json::normalized;

use self::components::Components;
pub(crate) use self::tools::CallBodies;
use crate::auth::Principal;
use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::response::JsonResponse;
use crate::state::app::{App, SharedApp};
use crate::state::tool_caches::DocumentKey;

/// Describes the paths of the table of endpoints, each with its operation.
pub(crate) type DescribePaths = fn(&DocumentInput<'_>, &CallBodies) -> Value;

/// The input of a document.
pub(crate) struct DocumentInput<'a> {
    app: &'a App,
    tools: Vec<Arc<ToolSpec>>,
    base: &'a str,
}

/// Makes the handler of the document, which is served under this path below the router's own.
pub(crate) fn document(
    path: &'static str,
    describe: DescribePaths,
) -> impl Fn(Admitted, State<SharedApp>, OriginalUri) -> Ready<Result<JsonResponse, Problem>>
+ Clone
+ Send
+ Sync
+ 'static {
    move |admitted, State(app), OriginalUri(uri)| {
        let base = uri.path().strip_suffix(path).unwrap_or_default();
        let body = document_of(&app, admitted.principal(), base, describe);
        ready(Ok(JsonResponse::new(StatusCode::OK, body)))
    }
}

/// Returns the document of a caller, shared by all callers with the same visible tools.
fn document_of(app: &App, principal: &Principal, base: &str, describe: DescribePaths) -> Bytes {
    let list = app.runtime.tools().list();
    let numbered_specs = list.specs().cloned().enumerate();
    let seen: Vec<(usize, _)> =
        numbered_specs.filter(|(_, spec)| principal.may_call(spec)).collect();
    let visible = seen.iter().map(|(place, _)| *place).collect();
    let key = DocumentKey { base: base.into(), version: list.version(), visible };
    app.documents.get_or_write(key, || {
        let tools = seen.into_iter().map(|(_, spec)| spec).collect();
        normalized(DocumentInput { app, tools, base }.document(describe)).to_string().into()
    })
}

impl DocumentInput<'_> {
    fn document(&self, describe: DescribePaths) -> Value {
        let mut components = Components::from_contract();
        let tools = tools::add(self, &mut components);
        let paths = describe(self, &tools);
        let security = self.security();
        json!({
            // Written as JSON, not by a crate of attributes: the schemas come from the contract and
            // the tools, and must not be written twice.
            "openapi": "3.1.1",
            "info": {
                "title": "Tool server",
                "summary": "Tools for models, and the approvals, traces and outcomes of their calls.",
                "version": env!("CARGO_PKG_VERSION"),
            },
            "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
            "servers": [{"url": if self.base.is_empty() { "/" } else { self.base }}],
            "security": security.0,
            "tags": operations::tags(),
            "paths": paths,
            "components": {
                "schemas": components.into_schemas(),
                "responses": responses::failures(),
                "parameters": parameters::all(&self.app.config.context_defaults),
                "securitySchemes": security.1,
            },
        })
    }

    /// Returns the security requirements and schemes: each kind of credential, and none if
    /// anonymous callers are admitted.
    fn security(&self) -> (Vec<Value>, Map<String, Value>) {
        let (mut ways, mut schemes) = (Vec::new(), Map::new());
        let key = json!({"type": "apiKey", "in": "header", "name": "X-Internal-API-Key"});
        let token = json!({"type": "http", "scheme": "bearer", "bearerFormat": "JWT"});
        let auth = &self.app.config.auth;
        for (name, scheme, is_taken) in
            [("apiKey", key, auth.takes_api_keys()), ("token", token, auth.takes_tokens())]
        {
            if is_taken {
                ways.push(json!({ name: [] }));
                schemes.insert(name.to_owned(), scheme);
            }
        }
        if auth.admits_anonymous() {
            ways.push(json!({}));
        }
        (ways, schemes)
    }
}
