//! What a request says of itself beside its body: headers, and the parts of paths and queries.

use serde_json::{Map, Value, json};
use tool_contracts::server::{ID_PATTERN, MOST_CHARACTERS};

use super::components;
use crate::http::paging;

/// A header or a part of a query whose value is an id.
struct Id {
    name: &'static str,
    place: &'static str,
    about: &'static str,
}

const REQUIRED: [Id; 2] = [
    Id { name: "X-Tenant-ID", place: "header", about: "Whose data it is about: a UUID or a slug." },
    Id { name: "X-Site-ID", place: "header", about: "The site." },
];

const OPTIONAL: [Id; 4] = [
    Id { name: "X-Trace-ID", place: "header", about: TRACE },
    Id {
        name: "X-Request-ID",
        place: "header",
        about: "The request; where nothing before it says the trace, that too.",
    },
    Id { name: "trace_id", place: "query", about: "The trace, where no header says it." },
    Id { name: "X-User-ID", place: "header", about: "For whom it is asked." },
];

const OF_CALLS: [Id; 5] = [
    Id {
        name: "X-Actor-Type",
        place: "header",
        about: "What kind of actor sets the call off, as far as the caller may act as one.",
    },
    Id { name: "X-Span-ID", place: "header", about: "The span that the call belongs to." },
    Id { name: "X-Session-ID", place: "header", about: "The session." },
    Id { name: "X-NPC-ID", place: "header", about: "The character that a model plays." },
    Id {
        name: "Idempotency-Key",
        place: "header",
        about: "The key under which a repeated call counts as the same.",
    },
];

const TRACE: &str = "What ties together what belongs to one request, across services. It is \
                     required, and taken from the first of: this header, `X-Request-ID`, \
                     `trace_id` in the query, the body's context, `traceparent`.";

/// A header loses the space around it, and what is not ASCII reads differently here and there.
const IN_HEADER: &str = "^[!-~]([ -~]*[!-~])?$";

/// Plain, or as a string of a structured field (RFC 9651).
const KEY: &str = r#"^([!#-~]([ -~]*[!-~])?|"([ !#-\[\]-~]|\\["\\])+")$"#;

/// Gives the parameters as components.
pub(super) fn all() -> Value {
    let mut all = Map::new();
    for id in REQUIRED {
        all.insert(id.name.to_owned(), id.parameter(true));
        // A call's body may say them in their place.
        all.insert(format!("{}-or-body", id.name), id.parameter(false));
    }
    for id in OPTIONAL.iter().chain(&OF_CALLS) {
        all.insert(id.name.to_owned(), id.parameter(false));
    }
    all.insert("traceparent".to_owned(), traceparent());
    all.insert("limit".to_owned(), limit());
    all.into()
}

/// Names what every request says.
pub(super) fn of_request() -> Vec<Value> {
    let ids = REQUIRED.iter().chain(&OPTIONAL).map(|id| named(id.name));
    ids.chain([named("traceparent")]).collect()
}

/// Names what a request for a call says, in its headers or in its body.
pub(super) fn of_call() -> Vec<Value> {
    let required = REQUIRED.iter().map(|id| named(&format!("{}-or-body", id.name)));
    let others = OPTIONAL.iter().chain(&OF_CALLS).map(|id| named(id.name));
    required.chain(others).chain([named("traceparent")]).collect()
}

/// Names the headers of a call by envelope, whose body has no tenant and no site.
pub(super) fn of_envelope_call() -> Vec<Value> {
    let mut headers = of_request();
    headers.extend(OF_CALLS.iter().map(|id| named(id.name)));
    headers
}

/// Names what a request for a page says.
pub(super) fn of_page(after: &Value) -> Vec<Value> {
    let about = "What `next` said on the page before.";
    let after = of_query("after", about, after);
    let mut page = of_request();
    page.extend([named("limit"), after]);
    page
}

/// A part of the path.
pub(super) fn of_path(name: &str, about: &str, schema: &Value) -> Value {
    json!({
        "name": name, "in": "path", "required": true, "description": about, "schema": schema,
    })
}

/// A part of the query.
pub(super) fn of_query(name: &str, about: &str, schema: &Value) -> Value {
    json!({"name": name, "in": "query", "description": about, "schema": schema})
}

/// The schema of an id.
pub(super) fn id() -> Value {
    text(ID_PATTERN)
}

impl Id {
    fn parameter(&self, required: bool) -> Value {
        let Self { name, place, about } = self;
        let schema = match (*name, *place) {
            ("X-Tenant-ID", _) => components::of("Tenant"),
            ("Idempotency-Key", _) => text(KEY),
            ("X-Actor-Type", _) => components::of("ActorType"),
            (_, "header") => text(IN_HEADER),
            _ => id(),
        };
        let mut parameter =
            json!({"name": name, "in": place, "description": about, "schema": schema});
        if required {
            parameter["required"] = true.into();
        }
        parameter
    }
}

fn text(pattern: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS, "pattern": pattern})
}

fn limit() -> Value {
    let schema = json!({
        "type": "integer", "minimum": 1, "maximum": paging::LARGEST, "default": paging::USUAL,
    });
    json!({"name": "limit", "in": "query", "description": "How much a page holds.", "schema": schema})
}

fn traceparent() -> Value {
    let about = "The caller's place in a distributed trace (W3C Trace Context), which the call and \
                 what its tool sends go on in, also under a trace id of another form. One that \
                 does not hold is as none.";
    json!({"name": "traceparent", "in": "header", "description": about, "schema": {"type": "string"}})
}

fn named(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}
