//! The context of a call in a request's body.

use schemars::JsonSchema;
use serde::Serialize;

use super::{CallContextBuilder, ID_PATTERN, MAX_CHARACTERS, Tenant, is_id};
use crate::{
    ActorType, ContractError,
    accessors::text_getters,
    context::syntax,
    contract_error::Problems,
    wire::{self, is_false, reads},
};

const NO_ID: &str = "expected text of 1 to 256 characters without control, bidirectional or \
                     zero-width characters";

/// The caller of a tool, its tenant and its limits, as a request's body gives them.
///
/// Every field may be omitted, because a request's headers can supply it. A call needs a tenant, a
/// site and a trace, from the body or from headers.
///
/// ```
/// use tool_contracts::server::{CallContext, Tenant};
///
/// let context = CallContext::builder()
///     .tenant_id(Tenant::parse("yantian")?)
///     .site_id("yantian-main")
///     .trace_id("trace-1")
///     .npc_id("ancestor_yan")
///     .build()?;
/// let cx = context.clone().into_context()?;
/// assert_eq!(cx.attributes().get("npc_id").map(String::as_str), Some("ancestor_yan"));
/// assert!(cx.run_id().is_some_and(|run| run.starts_with("run_")));
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = crate::schemas::documented("call_context"),
    transform = crate::schemas::at_most_one_run
)]
pub struct CallContext {
    /// The tenant whose data the call accesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tenant_id: Option<Tenant>,
    /// The site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) site_id: Option<String>,
    /// The trace id of the request, shared by all services.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) trace_id: Option<String>,
    /// The span that the call belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) span_id: Option<String>,
    /// The user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) user_id: Option<String>,
    /// The type of the actor that initiates the call; its id comes from authentication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actor_type: Option<ActorType>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) session_id: Option<String>,
    /// The character that a model plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) npc_id: Option<String>,
    /// The graph's run; excludes `ingestion_run_id`. A new run if both are omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) run_id: Option<String>,
    /// The run of an upload; excludes `run_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) ingestion_run_id: Option<String>,
    /// The name of the graph or business process.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) workflow_id: Option<String>,
    /// The document collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) collection_id: Option<String>,
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) document_id: Option<String>,
    /// The version of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) document_version_id: Option<String>,
    /// The business case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) case_id: Option<String>,
    /// The request's id, for audit and replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) request_id: Option<String>,
    /// The language: a BCP 47 tag, well-formed by RFC 5646.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_CHARACTERS), extend("pattern" = syntax::LOCALE))]
    pub(super) locale: Option<String>,
    /// The currency: three letters, as in ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("pattern" = syntax::CURRENCY))]
    pub(super) currency: Option<String>,
    /// The time zone: a name as in the IANA database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64), extend("pattern" = syntax::TIMEZONE))]
    pub(super) timezone: Option<String>,
    /// The total time budget, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = u64::MAX))]
    pub(super) timeouts_ms: Option<u64>,
    /// The model's budget, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = u64::MAX))]
    pub(super) budget_tokens: Option<u64>,
    /// The safety profile of the guardrails.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) safety_mode: Option<String>,
    /// The idempotency key: a repeated call with the same key counts as the same call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CHARACTERS), extend("pattern" = ID_PATTERN))]
    pub(super) idempotency_key: Option<String>,
    /// True for a dry run: the tool only reports what it would do.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    pub(super) dry_run: bool,
}

impl CallContext {
    /// Starts an empty context.
    pub fn builder() -> CallContextBuilder {
        CallContextBuilder::from(Self::default())
    }

    /// Returns a builder that starts from this context.
    pub fn into_builder(self) -> CallContextBuilder {
        CallContextBuilder::from(self)
    }

    /// Returns whether no field is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the tenant whose data the call accesses.
    #[must_use]
    pub const fn tenant_id(&self) -> Option<&Tenant> {
        self.tenant_id.as_ref()
    }

    /// Returns the type of the actor that initiates the call.
    #[must_use]
    pub const fn actor_type(&self) -> Option<ActorType> {
        self.actor_type
    }

    /// Returns the total time budget, in milliseconds; more than 0.
    #[must_use]
    pub const fn timeouts_ms(&self) -> Option<u64> {
        self.timeouts_ms
    }

    /// Returns the model's budget, in tokens.
    #[must_use]
    pub const fn budget_tokens(&self) -> Option<u64> {
        self.budget_tokens
    }

    /// Returns whether this is a dry run.
    #[must_use]
    pub const fn dry_run(&self) -> bool {
        self.dry_run
    }

    /// Checks the rules that the types do not enforce.
    pub(super) fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("CallContext");
        for (field, text) in self.ids() {
            problems.check(text.is_none_or(is_id), field, NO_ID);
        }
        problems.check(
            self.run_id.is_none() || self.ingestion_run_id.is_none(),
            "ingestion_run_id",
            "expected at most one of `run_id` and `ingestion_run_id`; leave one out",
        );
        problems.check(self.timeouts_ms != Some(0), "timeouts_ms", "expected more than 0");
        let fits = |tag: &str| tag.len() <= MAX_CHARACTERS;
        problems.check(self.locale().is_none_or(fits), "locale", "expected at most 256 characters");
        syntax::check(&mut problems, self.locale(), self.currency(), self.timezone());
        problems.finish().map(|()| self)
    }

    fn ids(&self) -> [(&'static str, Option<&str>); 16] {
        [
            ("site_id", self.site_id()),
            ("trace_id", self.trace_id()),
            ("span_id", self.span_id()),
            ("user_id", self.user_id()),
            ("session_id", self.session_id()),
            ("npc_id", self.npc_id()),
            ("run_id", self.run_id()),
            ("ingestion_run_id", self.ingestion_run_id()),
            ("workflow_id", self.workflow_id()),
            ("collection_id", self.collection_id()),
            ("document_id", self.document_id()),
            ("document_version_id", self.document_version_id()),
            ("case_id", self.case_id()),
            ("safety_mode", self.safety_mode()),
            ("request_id", self.request_id()),
            ("idempotency_key", self.idempotency_key()),
        ]
    }
}

text_getters! {
    CallContext, |cx| cx;
    /// Returns the site.
    site_id;
    /// Returns the trace id of the request, shared by all services.
    trace_id;
    /// Returns the span that the call belongs to.
    span_id;
    /// Returns the user.
    user_id;
    /// Returns the session.
    session_id;
    /// Returns the character that a model plays.
    npc_id;
    /// Returns the graph's run.
    run_id;
    /// Returns the run of an upload; excludes `run_id`.
    ingestion_run_id;
    /// Returns the name of the graph or business process.
    workflow_id;
    /// Returns the document collection.
    collection_id;
    /// Returns the document.
    document_id;
    /// Returns the version of the document.
    document_version_id;
    /// Returns the business case.
    case_id;
    /// Returns the safety profile.
    safety_mode;
    /// Returns the request's id, for audit and replay.
    request_id;
    /// Returns the language, a BCP 47 tag.
    locale;
    /// Returns the currency, three letters of ISO 4217.
    currency;
    /// Returns the time zone, a name of the IANA database.
    timezone;
    /// Returns the idempotency key.
    idempotency_key;
}

reads! {
    CallContext, "a call's context";
    optional tenant_id = "tenant_id", nested Tenant;
    optional site_id = "site_id", leaf wire::FilledText;
    optional trace_id = "trace_id", leaf wire::FilledText;
    optional span_id = "span_id", leaf wire::FilledText;
    optional user_id = "user_id", leaf wire::FilledText;
    optional actor_type = "actor_type", nested ActorType;
    optional session_id = "session_id", leaf wire::FilledText;
    optional npc_id = "npc_id", leaf wire::FilledText;
    optional run_id = "run_id", leaf wire::FilledText;
    optional ingestion_run_id = "ingestion_run_id", leaf wire::FilledText;
    optional workflow_id = "workflow_id", leaf wire::FilledText;
    optional collection_id = "collection_id", leaf wire::FilledText;
    optional document_id = "document_id", leaf wire::FilledText;
    optional document_version_id = "document_version_id", leaf wire::FilledText;
    optional case_id = "case_id", leaf wire::FilledText;
    optional request_id = "request_id", leaf wire::FilledText;
    optional locale = "locale", leaf wire::FilledText;
    optional currency = "currency", leaf wire::FilledText;
    optional timezone = "timezone", leaf wire::FilledText;
    optional timeouts_ms = "timeouts_ms", leaf wire::Whole<u64>;
    optional budget_tokens = "budget_tokens", leaf wire::Whole<u64>;
    optional safety_mode = "safety_mode", leaf wire::FilledText;
    optional idempotency_key = "idempotency_key", leaf wire::FilledText;
    optional dry_run = "dry_run", leaf wire::Flag;
    => {
        let context = CallContext {
            tenant_id,
            site_id,
            trace_id,
            span_id,
            user_id,
            actor_type,
            session_id,
            npc_id,
            run_id,
            ingestion_run_id,
            workflow_id,
            collection_id,
            document_id,
            document_version_id,
            case_id,
            request_id,
            locale,
            currency,
            timezone,
            timeouts_ms,
            budget_tokens,
            safety_mode,
            idempotency_key,
            dry_run: dry_run.unwrap_or_default(),
        };
        context.checked().map_err(wire::refused)
    }
}
