//! The wire form of the context, and its rules.

use std::{collections::BTreeMap, fmt};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Actor, Allowance, Client, ToolContext, Trace, syntax};
use crate::{
    ContractError,
    contract_error::Problems,
    hidden::VISIBLE,
    wire::{self, is_false, reads, write_time},
};

// The schema's `bounded_text_map` has the same three numbers.
const MAX_ALLOWANCES: usize = 8;
const MAX_ATTRIBUTES: usize = 32;
const MAX_NAME_LENGTH: usize = 128;
const MAX_VALUE_LENGTH: usize = 1024;

/// The context of a call: its tenant, its actor and its limits.
///
/// Exactly one of `run_id` and `ingestion_run_id` is set.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "ToolContext",
    transform = crate::schemas::documented("tool_context"),
    transform = crate::schemas::exactly_one_run
)]
pub(super) struct Fields {
    /// The tenant.
    #[schemars(extend("pattern" = syntax::UUID))]
    pub(super) tenant_id: Uuid,
    /// The request's id, for audit and replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) request_id: Option<String>,
    /// The trace id of the request, shared by all services.
    #[schemars(length(min = 1))]
    pub(super) trace_id: String,
    /// The graph's run; excludes `ingestion_run_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) run_id: Option<String>,
    /// The run of an upload; excludes `run_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) ingestion_run_id: Option<String>,
    /// The name of the graph or business process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) workflow_id: Option<String>,
    /// The id of this one invocation of a tool.
    #[schemars(extend("pattern" = syntax::UUID))]
    pub(super) invocation_id: Uuid,
    /// The caller's current time; has an offset, is stored in UTC.
    #[serde(serialize_with = "write_time")]
    #[schemars(extend("pattern" = wire::WITH_OFFSET))]
    pub(super) now_iso: DateTime<Utc>,
    /// The document collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) collection_id: Option<String>,
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) document_id: Option<String>,
    /// The version of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) document_version_id: Option<String>,
    /// The business case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) case_id: Option<String>,
    /// The idempotency key: a repeated call with the same key counts as the same call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) idempotency_key: Option<String>,
    /// The language: a BCP 47 tag, well-formed by RFC 5646.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = syntax::LOCALE))]
    pub(super) locale: Option<String>,
    /// The total time budget, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub(super) timeouts_ms: Option<u64>,
    /// The model's budget, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) budget_tokens: Option<u64>,
    /// The safety profile of the guardrails.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) safety_mode: Option<String>,
    /// The forwarded credentials; never logged.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>", extend("x-sensitivity" = "secret"))]
    pub(super) auth: Option<Auth>,
    /// The actor that initiated the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actor: Option<Actor>,
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("pattern" = VISIBLE))]
    pub(super) user_id: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("pattern" = VISIBLE))]
    pub(super) session_id: Option<String>,
    /// The tenant's short name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) tenant_slug: Option<String>,
    /// The site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub(super) site_id: Option<String>,
    /// The currency: three letters, as in ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = syntax::CURRENCY))]
    pub(super) currency: Option<String>,
    /// The time zone: a name as in the IANA database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), extend("pattern" = syntax::TIMEZONE))]
    pub(super) timezone: Option<String>,
    /// The host's own ids.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "Option<BTreeMap<String, String>>", transform = crate::schemas::bounded_text_map)]
    pub(super) attributes: BTreeMap<String, String>,
    /// The limits on what the calls of this context spend.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Allowance>>", length(max = 8))]
    pub(super) allowances: Vec<Allowance>,
    /// The program that the call came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<Client>,
    /// True for a dry run: the tool only reports what it would do.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(super) dry_run: bool,
    /// The position in a distributed trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<Trace>,
}

/// Credentials, which `Debug` does not show.
#[derive(Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Auth(pub(super) Map<String, Value>);

impl fmt::Debug for Auth {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("\"***\"")
    }
}

impl Fields {
    /// Checks the rules that the types do not enforce.
    pub(super) fn check(&self) -> Result<(), ContractError> {
        let mut problems = Problems::new("ToolContext");
        problems.filled("trace_id", Some(&self.trace_id));
        problems.writable("now_iso", &self.now_iso);
        problems.check(
            self.run_id.is_some() != self.ingestion_run_id.is_some(),
            "run_id",
            "expected exactly one of `run_id` and `ingestion_run_id`; set one, leave out the other",
        );
        for (field, text) in self.texts() {
            problems.filled(field, text);
        }
        problems.visible("user_id", self.user_id.as_deref());
        problems.visible("session_id", self.session_id.as_deref());
        problems.check(self.timeouts_ms != Some(0), "timeouts_ms", "expected more than 0");
        syntax::check(
            &mut problems,
            self.locale.as_deref(),
            self.currency.as_deref(),
            self.timezone.as_deref(),
        );
        self.check_attributes(&mut problems);
        check_allowances(&mut problems, &self.allowances);
        problems.finish()
    }

    fn texts(&self) -> [(&'static str, Option<&str>); 14] {
        [
            ("run_id", self.run_id.as_deref()),
            ("ingestion_run_id", self.ingestion_run_id.as_deref()),
            ("workflow_id", self.workflow_id.as_deref()),
            ("collection_id", self.collection_id.as_deref()),
            ("document_id", self.document_id.as_deref()),
            ("document_version_id", self.document_version_id.as_deref()),
            ("case_id", self.case_id.as_deref()),
            ("idempotency_key", self.idempotency_key.as_deref()),
            ("safety_mode", self.safety_mode.as_deref()),
            ("request_id", self.request_id.as_deref()),
            ("user_id", self.user_id.as_deref()),
            ("session_id", self.session_id.as_deref()),
            ("tenant_slug", self.tenant_slug.as_deref()),
            ("site_id", self.site_id.as_deref()),
        ]
    }

    fn check_attributes(&self, problems: &mut Problems) {
        problems.check(
            self.attributes.len() <= MAX_ATTRIBUTES,
            "attributes",
            "expected at most 32 entries",
        );
        let fits = |(name, value): (&String, &String)| {
            !name.is_empty()
                && name.chars().count() <= MAX_NAME_LENGTH
                && value.chars().count() <= MAX_VALUE_LENGTH
        };
        problems.check(
            self.attributes.iter().all(fits),
            "attributes",
            "expected names of 1 to 128 characters and values of at most 1024",
        );
    }
}

pub(super) fn check_allowances(problems: &mut Problems, allowances: &[Allowance]) {
    problems.check(allowances.len() <= MAX_ALLOWANCES, "allowances", "expected at most 8 entries");
}

reads! {
    ToolContext, "a tool context";
    required tenant_id = "tenant_id", leaf wire::Id;
    optional request_id = "request_id", leaf wire::FilledText;
    required trace_id = "trace_id", leaf wire::FilledText;
    optional run_id = "run_id", leaf wire::FilledText;
    optional ingestion_run_id = "ingestion_run_id", leaf wire::FilledText;
    optional workflow_id = "workflow_id", leaf wire::FilledText;
    required invocation_id = "invocation_id", leaf wire::Id;
    required now_iso = "now_iso", leaf wire::Instant;
    optional collection_id = "collection_id", leaf wire::FilledText;
    optional document_id = "document_id", leaf wire::FilledText;
    optional document_version_id = "document_version_id", leaf wire::FilledText;
    optional case_id = "case_id", leaf wire::FilledText;
    optional idempotency_key = "idempotency_key", leaf wire::FilledText;
    optional locale = "locale", leaf wire::FilledText;
    optional timeouts_ms = "timeouts_ms", leaf wire::Whole<u64>;
    optional budget_tokens = "budget_tokens", leaf wire::Whole<u64>;
    optional safety_mode = "safety_mode", leaf wire::FilledText;
    optional auth = "auth", leaf wire::Object;
    optional actor = "actor", nested Actor;
    optional user_id = "user_id", leaf wire::FilledText;
    optional session_id = "session_id", leaf wire::FilledText;
    optional tenant_slug = "tenant_slug", leaf wire::FilledText;
    optional site_id = "site_id", leaf wire::FilledText;
    optional currency = "currency", leaf wire::FilledText;
    optional timezone = "timezone", leaf wire::FilledText;
    optional attributes = "attributes", leaf wire::Labels;
    optional allowances = "allowances", nested Vec<Allowance>;
    optional client = "client", nested Client;
    optional dry_run = "dry_run", leaf wire::Flag;
    optional trace = "trace", nested Trace;
    => {
        let fields = Fields {
            tenant_id,
            request_id,
            trace_id,
            run_id,
            ingestion_run_id,
            workflow_id,
            invocation_id,
            now_iso,
            collection_id,
            document_id,
            document_version_id,
            case_id,
            idempotency_key,
            locale,
            timeouts_ms,
            budget_tokens,
            safety_mode,
            auth: auth.map(Auth),
            actor,
            user_id,
            session_id,
            tenant_slug,
            site_id,
            currency,
            timezone,
            attributes: attributes.unwrap_or_default(),
            allowances: allowances.unwrap_or_default(),
            client,
            dry_run: dry_run.unwrap_or_default(),
            trace,
        };
        fields.check().map_err(wire::refused::<A::Error>)?;
        Ok(ToolContext::from_fields(fields))
    }
}
