//! The parameters of requests: headers, and parts of paths and queries.

use serde_json::{Map, Value, json};
use tool_contracts::server::{ID_PATTERN, MAX_CHARACTERS};

use super::reference::schema_ref;
use crate::request::parameters::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::state::config::ContextDefaults;

/// A header or query parameter whose value is an id.
struct IdParameter {
    name: &'static str,
    location: &'static str,
    about: &'static str,
}

/// Required unless the configuration has a default, in this order: tenant, site.
const REQUIRED: [IdParameter; 2] = [
    IdParameter { name: "X-Tenant-ID", location: "header", about: "The tenant: a UUID or a slug." },
    IdParameter { name: "X-Site-ID", location: "header", about: "The site." },
];

const OPTIONAL: [IdParameter; 4] = [
    IdParameter { name: "X-Trace-ID", location: "header", about: TRACE },
    IdParameter {
        name: "X-Request-ID",
        location: "header",
        about: "The request's id; the trace id too, unless `X-Trace-ID` gives one.",
    },
    IdParameter {
        name: "trace_id",
        location: "query",
        about: "The trace id, if no header gives it.",
    },
    IdParameter { name: "X-User-ID", location: "header", about: "The user." },
];

const OF_CALLS: [IdParameter; 5] = [
    IdParameter {
        name: "X-Actor-Type",
        location: "header",
        about: "The type of the actor, one that the caller may use.",
    },
    IdParameter { name: "X-Span-ID", location: "header", about: "The caller's span." },
    IdParameter { name: "X-Session-ID", location: "header", about: "The session." },
    IdParameter {
        name: "X-NPC-ID",
        location: "header",
        about: "The character that a model plays.",
    },
    IdParameter {
        name: "Idempotency-Key",
        location: "header",
        about: "The idempotency key, under which a repeated call runs once.",
    },
];

const TRACE: &str = "The trace id, which all calls of one request share across services. It is \
                     required, and taken from the first of: this header, `X-Request-ID`, \
                     `trace_id` in the query, the body, `traceparent`.";

const OPTIONAL_TRACE: &str = "The trace id, which all calls of one request share across services. It \
     is taken from the first of: this header, `X-Request-ID`, `trace_id` in the query, the body, \
     `traceparent`; else it is new.";

/// Printable ASCII without surrounding spaces: HTTP trims a header, and readers decode other bytes
/// differently.
const IN_HEADER: &str = "^[!-~]([ -~]*[!-~])?$";

/// Plain, or as a string of a structured field (RFC 9651).
const KEY: &str = r#"^([!#-~]([ -~]*[!-~])?|"([ !#-\[\]-~]|\\["\\])+")$"#;

/// Returns the parameters as components.
pub(super) fn all(defaults: &ContextDefaults) -> Value {
    let mut parameters = Map::new();
    let required = [defaults.tenant.is_none(), defaults.site.is_none()];
    for (id, is_required) in REQUIRED.into_iter().zip(required) {
        parameters.insert(id.name.to_owned(), id.parameter(is_required));
        // A call's body may give them instead.
        parameters.insert(format!("{}-or-body", id.name), id.parameter(false));
    }
    for id in OPTIONAL.iter().chain(&OF_CALLS) {
        parameters.insert(id.name.to_owned(), id.parameter(false));
    }
    if defaults.new_trace_ids {
        parameters["X-Trace-ID"]["description"] = OPTIONAL_TRACE.into();
    }
    parameters.insert("traceparent".to_owned(), traceparent());
    parameters.insert("limit".to_owned(), limit());
    parameters.into()
}

/// Returns the parameters of every request.
pub(super) fn for_request() -> Vec<Value> {
    let ids = REQUIRED.iter().chain(&OPTIONAL).map(|id| named(id.name));
    ids.chain([named("traceparent")]).collect()
}

/// Returns the parameters of a call, which its body may give instead.
pub(super) fn for_call() -> Vec<Value> {
    let required = REQUIRED.iter().map(|id| named(&format!("{}-or-body", id.name)));
    let others = OPTIONAL.iter().chain(&OF_CALLS).map(|id| named(id.name));
    required.chain(others).chain([named("traceparent")]).collect()
}

/// Returns the parameters of a call by envelope, whose body has no tenant and no site.
pub(super) fn for_envelope_call() -> Vec<Value> {
    let mut headers = for_request();
    headers.extend(OF_CALLS.iter().map(|id| named(id.name)));
    headers
}

/// Returns the parameters of a request for a page.
pub(super) fn for_page(after: &Value) -> Vec<Value> {
    let about = "The `next` of the previous page.";
    let after = query_parameter("after", about, after);
    let mut page = for_request();
    page.extend([named("limit"), after]);
    page
}

/// Returns a path parameter.
pub(super) fn path_parameter(name: &str, about: &str, schema: &Value) -> Value {
    json!({
        "name": name, "in": "path", "required": true, "description": about, "schema": schema,
    })
}

/// A part of the query.
pub(super) fn query_parameter(name: &str, about: &str, schema: &Value) -> Value {
    json!({"name": name, "in": "query", "description": about, "schema": schema})
}

/// Returns the schema of an id.
pub(super) fn id() -> Value {
    text(ID_PATTERN)
}

impl IdParameter {
    fn parameter(&self, required: bool) -> Value {
        let Self { name, location, about } = self;
        let schema = match (*name, *location) {
            ("X-Tenant-ID", _) => schema_ref("Tenant"),
            ("Idempotency-Key", _) => text(KEY),
            ("X-Actor-Type", _) => schema_ref("ActorType"),
            (_, "header") => text(IN_HEADER),
            _ => id(),
        };
        let mut parameter =
            json!({"name": name, "in": location, "description": about, "schema": schema});
        if required {
            parameter["required"] = true.into();
        }
        parameter
    }
}

fn text(pattern: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": MAX_CHARACTERS, "pattern": pattern})
}

fn limit() -> Value {
    let schema = json!({
        "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT,
    });
    json!({"name": "limit", "in": "query", "description": "The most items of a page.", "schema": schema})
}

fn traceparent() -> Value {
    let about = "The caller's span (W3C Trace Context). The call's span and the requests of its tool \
                 continue this trace, also under a trace id of another form. An invalid value is \
                 ignored.";
    json!({"name": "traceparent", "in": "header", "description": about, "schema": {"type": "string"}})
}

fn named(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}
