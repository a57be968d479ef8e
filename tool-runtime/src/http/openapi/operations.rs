//! The paths: who may ask them for what, and what they answer.

use serde_json::{Map, Value, json};

use super::About;
use super::answers::{self, BODY, DOOR, refused, refused_as};
use super::components::of;
use super::parameters;
use super::tools::Tools;
use crate::http::answer::ResponseFormat;
use crate::http::evidence::{self, ID_PATTERN};
use crate::http::outcomes::Cursor;

/// What a call may be answered beside what keeps any request out.
const CALL: [u16; 5] = [404, 406, 409, 502, 504];

/// Says what the groups of paths are for.
pub(super) fn tags() -> Value {
    json!([
        {"name": "tools", "description": "List and call tools."},
        {"name": "approvals", "description": "See and decide what waits for a person."},
        {"name": "traces", "description": "Look back on what was called."},
        {"name": "outcomes", "description": "See and resolve calls that may have had their effect."},
        {"name": "evidence", "description": "See what calls have proven."},
        {"name": "server", "description": "Ask how the server is."},
    ])
}

/// Gives the paths of a server.
pub(super) fn paths(about: &About<'_>, tools: &Tools) -> Value {
    let keeps_ledger = about.app.config.ledger.is_some();
    let mut paths = Map::new();
    let mut add = |path: &str, method: &str, operation: Value| {
        paths.insert(path.to_owned(), json!({ method: operation }));
    };
    add("/tools/list", "post", list());
    add("/tools/call", "post", call(tools, keeps_ledger));
    add("/calls/{tool}", "post", envelope_call(about));
    add("/approvals", "get", approvals());
    add("/approvals/{ticket}", "post", decision(tools));
    if keeps_ledger {
        add("/traces/{id}", "get", trace());
        add("/traces/{id}/replay", "post", replay());
    }
    add("/outcomes", "get", outcomes());
    add("/outcomes/{id}", "post", resolution());
    if evidence::is_served(about.app) {
        add("/evidence", "get", evidence_list());
        add("/evidence/{id}", "get", evidence_snapshot());
        add("/evidence/{id}/contents", "post", evidence_contents());
    }
    add("/openapi.json", "get", document());
    add("/healthz", "get", health());
    add("/readyz", "get", readiness());
    add("/metrics", "get", metrics(about));
    paths.into()
}

fn list() -> Value {
    let ok = answers::json("The tools that this caller may see.", &of("ListResponse"));
    let operation = operation("listTools", "tools", "List the tools that this caller may see");
    let operation = with_body(operation, &of("ListRequest"));
    answered(operation, parameters::of_request(), ok, refused(&[&DOOR, &BODY]))
}

fn call(tools: &Tools, keeps_ledger: bool) -> Value {
    let mut ok = answers::json("What the tool returned.", &tools.success);
    ok["content"]["text/event-stream"] = json!({"schema": {
        "type": "string",
        "description": "Events `progress`, then one `result`, whose data is what JSON would answer.",
    }});
    if keeps_ledger {
        let parameters = json!({"id": "$response.body#/audit/trace_id"});
        ok["links"] = json!({"trace": {"operationId": "readTrace", "parameters": parameters}});
    }
    let mut failures = refused(&[&DOOR, &BODY, &CALL]);
    failures.insert("409".to_owned(), answers::waiting(ResponseFormat::CallResponse));
    let operation = operation("callTool", "tools", "Call a tool");
    let operation = with_body(operation, &tools.request);
    answered(operation, parameters::of_call(), ok, failures)
}

fn envelope_call(about: &About<'_>) -> Value {
    let ok = answers::json("What the tool returned.", &of("EnvelopeSuccess"));
    let mut failures = refused_as(ResponseFormat::Envelope, &[&DOOR, &BODY, &CALL]);
    failures.insert("409".to_owned(), answers::waiting(ResponseFormat::Envelope));
    let names: Vec<&str> = about.tools.iter().map(|tool| tool.name()).collect();
    let tool = if names.is_empty() { json!({"type": "string"}) } else { json!({"enum": names}) };
    let mut parameters = parameters::of_envelope_call();
    parameters.push(parameters::of_path("tool", "The tool's name.", &tool));
    let operation =
        operation("callToolByEnvelope", "tools", "Call a tool with the envelopes of services");
    answered(with_body(operation, &of("CallEnvelope")), parameters, ok, failures)
}

fn approvals() -> Value {
    let mut ok = answers::json("A page of what waits, the oldest first.", &of("Approvals"));
    ok["links"] = json!({"decide": {
        "operationId": "decideApproval",
        "parameters": {"ticket": "$response.body#/approvals/0/ticket"},
    }});
    let operation =
        operation("listApprovals", "approvals", "List the calls that wait for a person");
    let after = json!({"type": "string", "format": "uuid"});
    answered(operation, parameters::of_page(&after), ok, refused(&[&DOOR, &[422]]))
}

fn decision(tools: &Tools) -> Value {
    let schema = json!({"anyOf": [tools.success, of("Declined")]});
    let ok = answers::json("What the tool returned, or that the call was declined.", &schema);
    let ticket = json!({"type": "string", "format": "uuid"});
    let mut parameters = parameters::of_request();
    parameters.push(parameters::of_path("ticket", "The id of what waits.", &ticket));
    let operation = operation("decideApproval", "approvals", "Decide about a call that waits");
    let operation = with_body(operation, &of("ApprovalDecision"));
    let failures = refused(&[&DOOR, &BODY, &[404, 409, 410, 502, 504]]);
    answered(operation, parameters, ok, failures)
}

fn trace() -> Value {
    let ok = answers::json("A page of the trace's records.", &of("TraceRecords"));
    let parameters = parameters_of_trace();
    let operation = operation("readTrace", "traces", "Read what was recorded of a trace");
    answered(operation, parameters, ok, refused(&[&DOOR, &[404, 422, 504]]))
}

fn replay() -> Value {
    let ok = answers::json("Whether each call would answer the same today.", &of("ReplayReport"));
    let parameters = parameters_of_trace();
    let operation = operation("replayTrace", "traces", "Run the reads of a trace again");
    let operation = with_body(operation, &of("ReplayRequest"));
    answered(operation, parameters, ok, refused(&[&DOOR, &BODY, &[404, 504]]))
}

fn parameters_of_trace() -> Vec<Value> {
    let after = json!({"type": "integer", "minimum": 0, "maximum": u64::MAX});
    let mut parameters = parameters::of_page(&after);
    parameters.push(parameters::of_path("id", "The trace.", &parameters::id()));
    parameters
}

fn outcomes() -> Value {
    let mut ok = answers::json("A page of the outcomes that are not known.", &of("Outcomes"));
    ok["links"] = json!({"resolve": {
        "operationId": "resolveOutcome",
        "parameters": {"id": "$response.body#/outcomes/0/id"},
    }});
    let operation =
        operation("listOutcomes", "outcomes", "List the calls whose outcome is not known");
    let after = json!({"type": "string", "pattern": Cursor::PATTERN});
    answered(operation, parameters::of_page(&after), ok, refused(&[&DOOR, &[422, 504]]))
}

fn resolution() -> Value {
    let ok = answers::json("The outcome is resolved.", &of("ResolvedOutcome"));
    let id = json!({"type": "integer", "minimum": 0, "maximum": u64::MAX});
    let mut parameters = parameters::of_request();
    parameters.push(parameters::of_path("id", "The outcome's id.", &id));
    let operation = operation("resolveOutcome", "outcomes", "Say what became of a call");
    let operation = with_body(operation, &of("OutcomeResolution"));
    answered(operation, parameters, ok, refused(&[&DOOR, &BODY, &[404, 409, 504]]))
}

fn evidence_list() -> Value {
    let mut ok = answers::json("A page of the tenant's evidence.", &of("EvidencePage"));
    ok["links"] = json!({"read": {
        "operationId": "readEvidence",
        "parameters": {"id": "$response.body#/evidence/0/snapshot_id"},
    }});
    let mut parameters = parameters::of_page(&snapshot_id());
    let uuid = json!({"type": "string", "format": "uuid"});
    let time = json!({"type": "string", "format": "date-time"});
    for (name, about, schema) in [
        ("trace", "Only evidence of this trace.", &parameters::id()),
        ("tool", "Only evidence of this tool.", &parameters::id()),
        ("invocation_id", "Only evidence of this call.", &uuid),
        ("since", "Only evidence that was made at this time or later.", &time),
        ("until", "Only evidence that was made before this time.", &time),
    ] {
        parameters.push(parameters::of_query(name, about, schema));
    }
    let operation = operation("listEvidence", "evidence", "List evidence, without what is sealed");
    answered(operation, parameters, ok, refused(&[&DOOR, &[404, 422, 504]]))
}

fn evidence_snapshot() -> Value {
    let ok = answers::json("The evidence, without what is sealed.", &of("EvidenceSnapshot"));
    let operation =
        operation("readEvidence", "evidence", "See what a call has proven, without what is sealed");
    answered(operation, of_snapshot(), ok, refused(&[&DOOR, &[404, 422, 504]]))
}

fn evidence_contents() -> Value {
    let ok = answers::json("The evidence, with its contents.", &of("EvidenceContents"));
    let operation = operation("openEvidence", "evidence", "Open what is sealed of evidence");
    let operation = with_body(operation, &of("EvidenceReadRequest"));
    answered(operation, of_snapshot(), ok, refused(&[&DOOR, &BODY, &[404, 410, 504]]))
}

fn of_snapshot() -> Vec<Value> {
    let mut parameters = parameters::of_request();
    parameters.push(parameters::of_path("id", "The snapshot's id.", &snapshot_id()));
    parameters
}

fn snapshot_id() -> Value {
    json!({"type": "string", "pattern": ID_PATTERN})
}

fn document() -> Value {
    let ok = answers::json("This document.", &json!({"type": "object"}));
    let operation = operation("readDocument", "server", "Read what this caller may ask for");
    answered(operation, Vec::new(), ok, refused(&[&[401, 403, 421, 429, 500, 503]]))
}

fn health() -> Value {
    let ok = answers::json("The process lives.", &status("ok"));
    let mut operation = operation("readHealth", "server", "Ask whether the process lives");
    operation["security"] = json!([]);
    answered(operation, Vec::new(), ok, Map::new())
}

fn readiness() -> Value {
    let ok = answers::json("Calls are wanted here.", &status("ready"));
    let mut operation = operation("readReadiness", "server", "Ask whether calls are wanted here");
    operation["security"] = json!([]);
    answered(operation, Vec::new(), ok, refused(&[&[503]]))
}

fn metrics(about: &About<'_>) -> Value {
    let text = json!({"application/openmetrics-text": {"schema": {"type": "string"}}});
    let ok = json!({"description": "The figures, as OpenMetrics has them.", "content": text});
    let mut operation = operation("readMetrics", "server", "Read the server's figures");
    if about.app.config.public_metrics {
        operation["security"] = json!([]);
        return answered(operation, Vec::new(), ok, Map::new());
    }
    answered(operation, Vec::new(), ok, refused(&[&[401, 403, 421, 429, 500]]))
}

fn status(word: &str) -> Value {
    json!({
        "type": "object",
        "properties": {"status": {"type": "string", "const": word}},
        "required": ["status"],
        "additionalProperties": false,
    })
}

fn operation(id: &str, tag: &str, summary: &str) -> Value {
    json!({"operationId": id, "tags": [tag], "summary": summary})
}

fn with_body(mut operation: Value, schema: &Value) -> Value {
    let content = json!({"application/json": {"schema": schema}});
    operation["requestBody"] = json!({"required": true, "content": content});
    operation
}

fn answered(
    mut operation: Value,
    parameters: Vec<Value>,
    ok: Value,
    failures: Map<String, Value>,
) -> Value {
    let mut responses = failures;
    responses.insert("200".to_owned(), ok);
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    operation["responses"] = responses.into();
    operation
}
