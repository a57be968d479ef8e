//! Collects the problems of a request's context fields, without their values.

use axum::http::StatusCode;
use serde_json::{Value, json};
use tool_contracts::{ContractError, ErrorCode};

use super::head_fields::{BodyFields, Field};
use crate::problem::Problem;

const AN_ID: &str =
    "1 to 256 characters of UTF-8 without control, bidirectional or zero-width characters";
const A_KEY: &str = "1 to 256 characters without control, bidirectional or zero-width characters, \
     as they are or in quotes with `\\` before `\"` and `\\`";
const AN_ACTOR_TYPE: &str = "`user`, `agent` or `system`";
const A_TENANT: &str = "a UUID with hyphens, or a slug of 1 to 63 lower-case letters, digits, `_` \
    and `-` that starts with a letter or a digit";

const NOT_THE_TENANT: &str = "this server serves one tenant, and it is not the requested one; \
     leave the tenant out, or use the server of the requested tenant";

/// The source of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum FieldSource {
    Header(Field),
    Query,
}

impl FieldSource {
    const fn name(self) -> &'static str {
        match self {
            Self::Header(field) => field.header(),
            Self::Query => "?trace_id=",
        }
    }
}

/// Collects the problems of all fields, so that they are reported at once.
#[derive(Debug)]
#[must_use = "the request is refused by `finish`"]
pub(super) struct FieldProblems {
    /// The fields of the body that can replace a missing header.
    fields: BodyFields,
    problems: Vec<FieldProblem>,
}

#[derive(Debug)]
struct FieldProblem {
    rule: &'static str,
    places: Vec<&'static str>,
    /// The expected value, and the fix.
    message: String,
}

impl FieldProblems {
    pub(super) const fn new(fields: BodyFields) -> Self {
        Self { fields, problems: Vec::new() }
    }

    pub(super) fn missing_if(&mut self, is_missing: bool, field: Field) {
        if is_missing {
            self.missing(field);
        }
    }

    #[cold]
    fn missing(&mut self, field: Field) {
        let mut places = vec![field.header()];
        if field == Field::Trace {
            places.extend(["X-Request-ID", "?trace_id="]);
        }
        places.extend(self.fields.name_of(field));
        if field == Field::Trace {
            places.push("traceparent");
        }
        let message = match &places[1..] {
            [] => "missing; send this header".to_owned(),
            [only] => format!("missing; send this header, or `{only}` in the body"),
            others => format!("missing; send this header, or one of {}", join_quoted(others)),
        };
        self.problems.push(FieldProblem { rule: "required", places, message });
    }

    #[cold]
    pub(super) fn repeated(&mut self, place: FieldSource) {
        self.add("repeated", place, "given more than once; send it once".to_owned());
    }

    #[cold]
    pub(super) fn invalid_id(&mut self, place: FieldSource) {
        let expected =
            if matches!(place, FieldSource::Header(Field::IdempotencyKey)) { A_KEY } else { AN_ID };
        self.add("text", place, format!("expected {expected}; correct it or leave it out"));
    }

    #[cold]
    pub(super) fn invalid_tenant(&mut self, place: FieldSource) {
        self.add("tenant", place, format!("expected {A_TENANT}"));
    }

    #[cold]
    pub(super) fn not_the_tenant(&mut self, place: FieldSource) {
        self.add("single_tenant", place, NOT_THE_TENANT.to_owned());
    }

    #[cold]
    pub(super) fn not_the_tenant_of_body(&mut self) {
        let places = self.fields.name_of(Field::Tenant).into_iter().collect();
        let message = NOT_THE_TENANT.to_owned();
        self.problems.push(FieldProblem { rule: "single_tenant", places, message });
    }

    #[cold]
    pub(super) fn invalid_actor_type(&mut self, place: FieldSource) {
        self.add("actor_type", place, format!("expected {AN_ACTOR_TYPE}"));
    }

    #[cold]
    pub(super) fn contradicted(&mut self, field: Field) {
        let message = "expected the same in both; send it in one place, or the same in both";
        let mut places = vec![field.header()];
        places.extend(self.fields.name_of(field));
        self.problems.push(FieldProblem {
            rule: "contradiction",
            places,
            message: message.to_owned(),
        });
    }

    /// Returns whether this source has a problem.
    pub(super) fn has_problem_of(&self, place: FieldSource) -> bool {
        self.problems.iter().any(|problem| problem.places == [place.name()])
    }

    fn add(&mut self, rule: &'static str, place: FieldSource, message: String) {
        self.problems.push(FieldProblem { rule, places: vec![place.name()], message });
    }

    /// Ends the collection.
    ///
    /// # Errors
    /// The problem of all fields, if there is one.
    pub(super) fn finish(self, trace_id: Option<&str>) -> Result<(), Problem> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let problem_texts: Vec<String> = self.problems.iter().map(FieldProblem::text).collect();
        let message = format!("the request's context is not valid: {}", problem_texts.join("; "));
        let mut problem =
            Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message);
        let problem_values = self.problems.iter().map(FieldProblem::to_json).collect();
        problem.details.insert("problems".to_owned(), Value::Array(problem_values));
        Err(with_trace_id(problem, trace_id))
    }
}

impl FieldProblem {
    /// Describes the problem with its sources; a missing field is named by its header.
    fn text(&self) -> String {
        let place_count = if self.rule == "required" { 1 } else { self.places.len() };
        format!("{}: {}", join_quoted(&self.places[..place_count]), self.message)
    }

    fn to_json(&self) -> Value {
        json!({"places": self.places, "rule": self.rule, "message": self.message})
    }
}

/// Sets the trace id of a problem.
pub(super) fn with_trace_id(problem: Problem, trace_id: Option<&str>) -> Problem {
    Problem { trace_id: trace_id.map(Into::into), ..problem }
}

/// Returns the problem of a context that breaks a rule of the contract, which no single field did.
#[cold]
pub(super) fn invalid_context(error: &ContractError) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, error.to_string())
}

fn join_quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
