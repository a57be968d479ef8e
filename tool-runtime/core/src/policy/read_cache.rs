//! Caches the answers of reads that have a `ttl`, with one flight for identical calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_lock::{Mutex as AsyncMutex, MutexGuardArc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::{Map, Value};
use tool_contracts::{ContextFields, ToolContext, ToolResultMeta};
use tool_runtime_schema::canonical::Digest;
use tool_runtime_schema::json::normalized;

use super::approval::fingerprint;
use super::claim::ShortCircuit;
use super::deadline::within_deadline;
use super::tool_plan::ToolPlan;
use crate::dispatch::AnswerOrigin;
use crate::dispatch::outcome::CallOutcome;
use crate::store::principal::principal_of;
use crate::timer::Timer;
use crate::tool::{Attachment, CallScope, ToolOutput};

/// The size of a cache entry beside its data, in bytes.
const ENTRY_OVERHEAD: u64 = 256;
/// The typical size of an answer, in bytes, by which the cache sizes its tables.
const TYPICAL_BYTES: u64 = 1_024;

/// A cache of answers, bounded by their bytes, and the flights of the calls that compute them.
pub(super) struct ReadCache {
    answers: Cache<Digest, Arc<CachedAnswer>, ReadWeigher>,
    /// One entry for each key whose answer is being computed.
    flights: Mutex<HashMap<Digest, Arc<AsyncMutex<()>>>>,
    timer: Arc<dyn Timer>,
}

/// An answer with its time of expiry.
struct CachedAnswer {
    data: Box<str>,
    meta: ToolResultMeta,
    attachments: Option<Arc<[Attachment]>>,
    expires_at: Instant,
}

#[derive(Clone)]
struct ReadWeigher;

impl Weighter<Digest, Arc<CachedAnswer>> for ReadWeigher {
    fn weight(&self, _: &Digest, answer: &Arc<CachedAnswer>) -> u64 {
        let attached = answer.attachments.iter().flat_map(|attachments| attachments.iter());
        let attached: usize = attached.map(Attachment::bytes_here).sum();
        // The envelope's `meta` has the same bytes, in base64.
        let bytes = answer.data.len().saturating_add(attached.saturating_mul(3));
        ENTRY_OVERHEAD + u64::try_from(bytes).unwrap_or(u64::MAX / 2)
    }
}

/// The single flight of one cache key: the call that holds it computes the answer, others wait.
pub(super) struct Flight {
    key: Digest,
    cache: Arc<ReadCache>,
    /// Released before the flight's entry is looked up for removal.
    turn: Option<MutexGuardArc<()>>,
}

impl ReadCache {
    pub(super) fn new(bytes: u64, timer: Arc<dyn Timer>) -> Self {
        let items = usize::try_from(bytes / TYPICAL_BYTES).unwrap_or(usize::MAX).clamp(16, 1 << 20);
        let answers = Cache::with_weighter(items, bytes, ReadWeigher);
        Self { answers, flights: Mutex::default(), timer }
    }

    /// Answers the call from the cache, or joins the flight for its answer; neither if the answer
    /// cannot be cached.
    pub(super) async fn answer_or_join(
        self: &Arc<Self>,
        plan: &ToolPlan,
        scope: &CallScope,
        started: Instant,
    ) -> Result<Option<Flight>, ShortCircuit> {
        let arguments = fingerprint(plan, scope).ok();
        let Some(key) = arguments.and_then(|it| cache_key(plan, scope, it)) else {
            return Ok(None);
        };
        self.must_be_absent(scope, key)?;
        let flight = within_deadline(scope, started, self.join_flight(key)).await?;
        // The flight that this call waited for may have cached the answer.
        self.must_be_absent(scope, key)?;
        Ok(Some(flight))
    }

    /// Answers the call if the cache has an answer that has not expired.
    fn must_be_absent(&self, scope: &CallScope, key: Digest) -> Result<(), ShortCircuit> {
        let now = self.timer.now();
        let Some(answer) = self.answers.get(&key) else { return Ok(()) };
        if now >= answer.expires_at {
            self.answers.remove_if(&key, |answer| now >= answer.expires_at);
            return Ok(());
        }
        let output = answer.to_output(scope, now);
        Err(CallOutcome::from_earlier(output, AnswerOrigin::Cache).into())
    }

    /// Waits until no other call computes the answer of this key; by then it may be cached.
    async fn join_flight(self: &Arc<Self>, key: Digest) -> Flight {
        // Created before it waits, so that a dropped future removes the flight's entry.
        let mut flight = Flight { key, cache: self.clone(), turn: None };
        let turn = self.lock().entry(key).or_default().clone();
        flight.turn = Some(turn.lock_arc().await);
        flight
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Digest, Arc<AsyncMutex<()>>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight {
    /// Caches the answer for identical calls.
    pub(super) fn cache(&self, output: &ToolOutput, expires_at: Instant) {
        if let (Some(data), Some(meta)) = (output.data_json(), output.result_meta()) {
            let (meta, attachments) = (meta.into_owned(), output.shared_attachments());
            let answer = CachedAnswer { data: data.into(), meta, attachments, expires_at };
            self.cache.answers.insert(self.key, Arc::new(answer));
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        drop(self.turn.take());
        let mut flights = self.cache.lock();
        // The last reference is the map's own: no call is on this flight or waits for it.
        if flights.get(&self.key).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            flights.remove(&self.key);
        }
    }
}

impl CachedAnswer {
    /// Makes the output of an identical call.
    fn to_output(&self, scope: &CallScope, now: Instant) -> ToolOutput {
        let left = self.expires_at.saturating_duration_since(now);
        let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        let meta = self.meta.clone().with_took_ms(0).with_cache_hit(true);
        let meta = meta.with_ttl_seconds(seconds).with_coercions(coercions(scope));
        let meta = meta.with_edits(scope.edits().iter().cloned());
        ToolOutput::given_with(scope.echo(), &self.data, meta, self.attachments.clone())
    }
}

fn coercions(scope: &CallScope) -> Vec<tool_contracts::Coercion> {
    scope.schema_report().map(|report| report.coercions.clone()).unwrap_or_default()
}

/// Returns the cache key of the call's answer: a hash of the tool, its arguments, and every field
/// of the context that an answer may depend on. None if the context names no principal, and the
/// answer would be of no other call.
fn cache_key(plan: &ToolPlan, scope: &CallScope, arguments: Digest) -> Option<Digest> {
    let cx = scope.cx();
    let principal = if plan.shared { None } else { Some(principal_of(cx)?) };
    let key = serde_json::json!([
        plan.schema.to_string(),
        arguments.to_string(),
        principal,
        context_key(cx),
    ]);
    Some(Digest::compute("tool-runtime/cache-key/v1", key.to_string().as_bytes()))
}

/// Returns the fields of a context that an answer may depend on.
///
/// The pattern has no `..`: a field that is added to the context does not compile until it is
/// decided here.
fn context_key(cx: &ToolContext) -> Value {
    let ContextFields {
        tenant_id,
        tenant_slug,
        // An actor may be shown less than the user for whom it acts.
        actor,
        auth,
        client,
        site_id,
        locale,
        currency,
        timezone,
        workflow_id,
        collection_id,
        document_id,
        document_version_id,
        case_id,
        safety_mode,
        budget_tokens,
        attributes,
        // Part of the principal, unless the tool's answers are shared by all users.
        user_id: _,
        // A user has one set of answers in all sessions.
        session_id: _,
        // These differ from call to call: with them, no answer would be served again.
        request_id: _,
        trace_id: _,
        run_id: _,
        ingestion_run_id: _,
        invocation_id: _,
        idempotency_key: _,
        trace: _,
        // These bound the run of the tool, and its answer has a time of its own.
        now_iso: _,
        timeouts_ms: _,
        // They bound what a call spends, and an answer from the cache spends nothing.
        allowances: _,
        // A dry run is neither answered from the cache nor cached.
        dry_run: _,
    } = cx.fields();
    normalized(serde_json::json!([
        [tenant_slug, site_id, locale, currency, timezone],
        [workflow_id, collection_id, document_id, document_version_id, case_id, safety_mode],
        tenant_id,
        actor,
        auth.map(credentials),
        client,
        budget_tokens,
        attributes,
    ]))
}

/// Hashes the credentials that a tool may use.
fn credentials(auth: &Map<String, Value>) -> String {
    let auth = serde_json::to_string(auth).unwrap_or_default();
    Digest::compute("tool-runtime/credentials/v1", auth.as_bytes()).to_string()
}

impl fmt::Debug for ReadCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadCache").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}
