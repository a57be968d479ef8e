//! The paths of the document, with their operations.

use serde_json::{Map, Value, json};
use tool_runtime_record::ledger::RecordPosition;

use super::DocumentInput;
use super::parameters;
use super::reference::schema_ref;
use super::responses::{self, ADMISSION, BODY, refused, refused_as};
use super::shapes;
use super::tools::CallBodies;
use crate::endpoints::attachments;
use crate::endpoints::budgets::PeriodCursor;
use crate::endpoints::evidence::{self, ID_PATTERN};
use crate::endpoints::outcomes::OutcomeCursor;
use crate::response::ResponseFormat;

/// The further statuses of a call.
pub(super) const CALL: [u16; 5] = [404, 406, 409, 502, 504];

/// Returns the descriptions of the tags.
pub(super) fn tags() -> Value {
    json!([
        {"name": "tools", "description": "List and call tools."},
        {"name": "approvals", "description": "List and decide the calls that wait for approval."},
        {"name": "budgets", "description": "List what calls may spend, and have spent."},
        {"name": "traces", "description": "Read and replay recorded calls."},
        {"name": "outcomes", "description": "List and resolve calls whose outcome is unknown."},
        {"name": "evidence", "description": "List and read the evidence of calls."},
        {"name": "server", "description": "Probes, metrics and this document."},
    ])
}

pub(crate) fn list(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("The tools that the caller may call.", &schema_ref("ListResponse"));
    let operation = operation("listTools", "tools", "List the tools that the caller may call");
    let operation = with_body(operation, &schema_ref("ListRequest"));
    answered(operation, parameters::for_request(), ok, refused(&[&ADMISSION, &BODY]))
}

pub(crate) fn tools(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok =
        responses::json("A page of the tools, in the order of their names.", &schema_ref("Tools"));
    let operation = operation("findTools", "tools", "Find tools that the caller may call");
    let text = json!({"type": "string"});
    let mut parameters = parameters::for_page(&text);
    let effect = json!({"type": "string", "enum": ["read", "write", "destructive"]});
    for (name, about, schema) in [
        ("name", "The name of one tool.", &text),
        ("toolkit", "The name of a toolkit.", &text),
        ("effect", "The effect of the tools.", &effect),
        ("words", "Words that occur in the name, the title or the description.", &text),
    ] {
        parameters.push(parameters::query_parameter(name, about, schema));
    }
    answered(operation, parameters, ok, refused(&[&ADMISSION, &[422]]))
}

pub(crate) fn call(input: &DocumentInput<'_>, tools: &CallBodies) -> Value {
    let mut ok = responses::json("What the tool returned.", &tools.success_or(&[]));
    ok["content"]["text/event-stream"] = json!({"schema": {
        "type": "string",
        "description": "Events `progress`, then one `result`, whose data is the body of a JSON response.",
    }});
    if keeps_ledger(input) {
        let parameters = json!({"id": "$response.body#/audit/trace_id"});
        ok["links"] = json!({"trace": {"operationId": "readTrace", "parameters": parameters}});
    }
    let mut failures = refused(&[&ADMISSION, &BODY, &CALL]);
    failures.insert("409".to_owned(), responses::waiting(ResponseFormat::CallResponse));
    let operation = operation("callTool", "tools", "Call a tool");
    let operation = with_body(operation, &tools.request);
    answered(operation, parameters::for_call(), ok, failures)
}

pub(crate) fn text_call(_: &DocumentInput<'_>, tools: &CallBodies) -> Value {
    let ok = responses::json(
        "What the tool returned, as text for a model.",
        &schema_ref("CallTextSuccess"),
    );
    let mut failures = refused(&[&ADMISSION, &BODY, &CALL]);
    failures.insert("409".to_owned(), responses::waiting(ResponseFormat::CallResponse));
    let operation =
        operation("callToolForText", "tools", "Call a tool for a text that a model reads");
    answered(with_body(operation, &tools.request), parameters::for_call(), ok, failures)
}

pub(crate) fn envelope_call(input: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("What the tool returned.", &schema_ref("EnvelopeSuccess"));
    let mut failures = refused_as(ResponseFormat::Envelope, &[&ADMISSION, &BODY, &CALL]);
    failures.insert("409".to_owned(), responses::waiting(ResponseFormat::Envelope));
    let names: Vec<&str> = input.tools.iter().map(|tool| tool.name()).collect();
    let mut tool = json!({"type": "string"});
    if !names.is_empty() {
        tool["enum"] = names.into();
        shapes::restate(&mut tool);
    }
    let mut parameters = parameters::for_envelope_call();
    parameters.push(parameters::path_parameter("tool", "The tool's name.", &tool));
    let operation = operation(
        "callToolByEnvelope",
        "tools",
        "Call a tool with a request envelope, answered with a response envelope",
    );
    answered(with_body(operation, &schema_ref("CallEnvelope")), parameters, ok, failures)
}

pub(crate) fn approvals(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let mut ok =
        responses::json("A page of the waiting calls, the oldest first.", &schema_ref("Approvals"));
    ok["content"]["text/event-stream"] = json!({"schema": {
        "type": "string",
        "description": "Events `waiting`, whose data has the `tickets` of the page: one at once, and one for each change.",
    }});
    ok["links"] = json!({"decide": {
        "operationId": "decideApproval",
        "parameters": {"ticket": "$response.body#/approvals/0/ticket"},
    }});
    let operation =
        operation("listApprovals", "approvals", "List the calls that wait for approval");
    let uuid = json!({"type": "string", "format": "uuid"});
    let mut parameters = parameters::for_page(&uuid);
    let about =
        "The ticket's id, for a page with this call alone, or with none if it does not wait.";
    parameters.push(parameters::query_parameter("ticket", about, &uuid));
    answered(operation, parameters, ok, refused(&[&ADMISSION, &[406, 422]]))
}

pub(crate) fn decision(_: &DocumentInput<'_>, tools: &CallBodies) -> Value {
    let schema = tools.success_or(&[schema_ref("Declined")]);
    let ok = responses::json("What the tool returned, or that the call was declined.", &schema);
    let ticket = json!({"type": "string", "format": "uuid"});
    let mut parameters = parameters::for_request();
    parameters.push(parameters::path_parameter("ticket", "The ticket's id.", &ticket));
    let operation =
        operation("decideApproval", "approvals", "Decide about a call that waits for approval");
    let operation = with_body(operation, &schema_ref("ApprovalDecision"));
    let failures = refused(&[&ADMISSION, &BODY, &[404, 409, 410, 502, 504]]);
    answered(operation, parameters, ok, failures)
}

pub(crate) fn budgets(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json(
        "The limits of the host, and a page of what the tenant's calls have used of them.",
        &schema_ref("Budgets"),
    );
    let operation =
        operation("listBudgets", "budgets", "List the budgets and what is left of them");
    let after = json!({"type": "string", "pattern": PeriodCursor::PATTERN});
    answered(operation, parameters::for_page(&after), ok, refused(&[&ADMISSION, &[422, 504]]))
}

pub(crate) fn request_records(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("A page of the request's records.", &schema_ref("RequestRecords"));
    let mut parameters = parameters::for_page(&record_cursor());
    let about =
        "The id of the request, or the trace of a call's body if a header named another one.";
    let mut request_id = parameters::query_parameter("request_id", about, &parameters::id());
    request_id["required"] = true.into();
    parameters.push(request_id);
    let operation = operation("readRequest", "traces", "Read the records of a request");
    answered(operation, parameters, ok, refused(&[&ADMISSION, &[404, 422, 504]]))
}

pub(crate) fn trace(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("A page of the trace's records.", &schema_ref("TraceRecords"));
    let parameters = trace_parameters();
    let operation = operation("readTrace", "traces", "Read the records of a trace");
    answered(operation, parameters, ok, refused(&[&ADMISSION, &[404, 422, 504]]))
}

pub(crate) fn replay(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json(
        "The result of each call, compared with its record.",
        &schema_ref("ReplayReport"),
    );
    let parameters = trace_parameters();
    let operation = operation("replayTrace", "traces", "Run the reads of a trace again");
    let operation = with_body(operation, &schema_ref("ReplayRequest"));
    answered(operation, parameters, ok, refused(&[&ADMISSION, &BODY, &[404, 504]]))
}

pub(crate) fn ledger_verification(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json(
        "The records are as they were written, or the first one that is not.",
        &schema_ref("LedgerVerification"),
    );
    let operation = operation("verifyLedger", "traces", "Verify the ledger of all tenants");
    answered(operation, parameters::for_request(), ok, refused(&[&ADMISSION, &[404, 422, 504]]))
}

/// Returns true if the server has a ledger to read.
pub(crate) fn keeps_ledger(input: &DocumentInput<'_>) -> bool {
    input.app.config.ledger.is_some()
}

/// Returns true if the server shows evidence.
pub(crate) fn serves_evidence(input: &DocumentInput<'_>) -> bool {
    evidence::is_served(input.app)
}

/// Returns the schema of a record's position, after which a page begins.
fn record_cursor() -> Value {
    json!({"type": "string", "pattern": RecordPosition::PATTERN})
}

fn trace_parameters() -> Vec<Value> {
    let mut parameters = parameters::for_page(&record_cursor());
    parameters.push(parameters::path_parameter("id", "The trace.", &parameters::id()));
    parameters
}

pub(crate) fn outcomes(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let mut ok = responses::json("A page of the unknown outcomes.", &schema_ref("Outcomes"));
    ok["links"] = json!({"resolve": {
        "operationId": "resolveOutcome",
        "parameters": {"id": "$response.body#/outcomes/0/id"},
    }});
    let operation =
        operation("listOutcomes", "outcomes", "List the calls whose outcome is unknown");
    let after = json!({"type": "string", "pattern": OutcomeCursor::PATTERN});
    let mut parameters = parameters::for_page(&after);
    let about =
        "The outcome's id, for a page with this one alone, or with none if it is not unknown.";
    parameters.push(parameters::query_parameter("id", about, &outcome_id()));
    answered(operation, parameters, ok, refused(&[&ADMISSION, &[422, 504]]))
}

fn outcome_id() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": u64::MAX})
}

pub(crate) fn resolution(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("The outcome is resolved.", &schema_ref("ResolvedOutcome"));
    let mut parameters = parameters::for_request();
    parameters.push(parameters::path_parameter("id", "The outcome's id.", &outcome_id()));
    let operation =
        operation("resolveOutcome", "outcomes", "Resolve a call whose outcome is unknown");
    let operation = with_body(operation, &schema_ref("OutcomeResolution"));
    answered(operation, parameters, ok, refused(&[&ADMISSION, &BODY, &[404, 409, 504]]))
}

pub(crate) fn evidence_list(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let mut ok = responses::json("A page of the tenant's evidence.", &schema_ref("EvidencePage"));
    ok["links"] = json!({"read": {
        "operationId": "readEvidence",
        "parameters": {"id": "$response.body#/evidence/0/snapshot_id"},
    }});
    let mut parameters = parameters::for_page(&snapshot_id());
    let uuid = json!({"type": "string", "format": "uuid"});
    let time = json!({"type": "string", "format": "date-time"});
    for (name, about, schema) in [
        ("trace", "Only evidence of this trace.", &parameters::id()),
        ("tool", "Only evidence of this tool.", &parameters::id()),
        ("invocation_id", "Only evidence of this call.", &uuid),
        ("since", "Only evidence that was made at this time or later.", &time),
        ("until", "Only evidence that was made before this time.", &time),
    ] {
        parameters.push(parameters::query_parameter(name, about, schema));
    }
    let operation = operation("listEvidence", "evidence", "List evidence, without sealed contents");
    answered(operation, parameters, ok, refused(&[&ADMISSION, &[404, 422, 504]]))
}

pub(crate) fn evidence_snapshot(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok =
        responses::json("The evidence, without sealed contents.", &schema_ref("EvidenceSnapshot"));
    let operation = operation(
        "readEvidence",
        "evidence",
        "Read the evidence of a call, without sealed contents",
    );
    answered(operation, snapshot_parameters(), ok, refused(&[&ADMISSION, &[404, 422, 504]]))
}

pub(crate) fn evidence_contents(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("The evidence, with its contents.", &schema_ref("EvidenceContents"));
    let operation = operation("openEvidence", "evidence", "Read the sealed contents of evidence");
    let operation = with_body(operation, &schema_ref("EvidenceReadRequest"));
    answered(operation, snapshot_parameters(), ok, refused(&[&ADMISSION, &BODY, &[404, 410, 504]]))
}

fn snapshot_parameters() -> Vec<Value> {
    let mut parameters = parameters::for_request();
    parameters.push(parameters::path_parameter("id", "The snapshot's id.", &snapshot_id()));
    parameters
}

fn snapshot_id() -> Value {
    json!({"type": "string", "pattern": ID_PATTERN})
}

pub(crate) fn attachment(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = json!({
        "description": "The content; files that a browser could run are served as bytes.",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    });
    let operation = operation("readAttachment", "tools", "Read an attachment of an own call");
    let mut parameters = parameters::for_request();
    let id = json!({"type": "string", "pattern": attachments::ID_PATTERN});
    parameters.push(parameters::path_parameter(
        "id",
        "The attachment's id, as `meta` has it.",
        &id,
    ));
    answered(operation, parameters, ok, refused(&[&ADMISSION, &[404, 422, 504]]))
}

pub(crate) fn document(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("This document.", &json!({"type": "object"}));
    let operation =
        operation("readDocument", "server", "Read this document, for the tools of the caller");
    answered(operation, Vec::new(), ok, refused(&[&[401, 403, 421, 429, 500, 503]]))
}

pub(crate) fn health(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("The process is alive.", &status("ok"));
    let mut operation = operation("readHealth", "server", "Check that the process is alive");
    operation["security"] = json!([]);
    answered(operation, Vec::new(), ok, Map::new())
}

pub(crate) fn readiness(_: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let ok = responses::json("The server accepts calls.", &status("ready"));
    let mut operation = operation("readReadiness", "server", "Check that the server accepts calls");
    operation["security"] = json!([]);
    answered(operation, Vec::new(), ok, refused(&[&[503]]))
}

pub(crate) fn metrics(input: &DocumentInput<'_>, _: &CallBodies) -> Value {
    let text = json!({"application/openmetrics-text": {"schema": {"type": "string"}}});
    let ok = json!({"description": "The metrics in the OpenMetrics format.", "content": text});
    let mut operation = operation("readMetrics", "server", "Read the server's metrics");
    if input.app.config.public_metrics {
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
