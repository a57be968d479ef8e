//! Answers of reads that stay good for a while, and one flight for what is asked at once.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use async_lock::{Mutex as Turn, MutexGuardArc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::{Map, Value};
use tool_contracts::{ContextFields, ToolContext, ToolResultMeta};

use super::plan::Plan;
use super::principal::principal_of;
use crate::call::{CallScope, ToolOutput};
use crate::canonical::Digest;

/// What an answer weighs beside its bytes.
const OVERHEAD: u64 = 256;
/// About how many bytes an answer has; the cache sizes its tables by it.
const TYPICAL: u64 = 1_024;

/// Fresh answers, bounded by their bytes, and the flights that are under way.
pub(super) struct FreshAnswers {
    answers: Cache<Digest, Arc<FreshAnswer>, ByBytes>,
    /// One entry a question that is being answered now.
    flights: Mutex<HashMap<Digest, Arc<Turn<()>>>>,
}

/// An answer that stays good for a while.
pub(super) struct FreshAnswer {
    data: Box<str>,
    meta: ToolResultMeta,
    until: Instant,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<Digest, Arc<FreshAnswer>> for ByBytes {
    fn weight(&self, _: &Digest, answer: &Arc<FreshAnswer>) -> u64 {
        OVERHEAD + u64::try_from(answer.data.len()).unwrap_or(u64::MAX / 2)
    }
}

/// The turn of the one call that answers a question which others may wait for.
pub(super) struct Flight {
    question: Digest,
    answers: Arc<FreshAnswers>,
    /// Given back before the flight is looked at for the last time.
    turn: Option<MutexGuardArc<()>>,
}

impl FreshAnswers {
    pub(super) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / TYPICAL).unwrap_or(usize::MAX).clamp(16, 1 << 20);
        Self { answers: Cache::with_weighter(items, bytes, ByBytes), flights: Mutex::default() }
    }

    /// Finds an answer that is still good.
    pub(super) fn find(&self, question: Digest, now: Instant) -> Option<Arc<FreshAnswer>> {
        let answer = self.answers.get(&question)?;
        if now < answer.until {
            return Some(answer);
        }
        self.answers.remove_if(&question, |answer| now >= answer.until);
        None
    }

    /// Waits for the turn to answer a question: the one before may have answered it meanwhile.
    pub(super) async fn board(self: &Arc<Self>, question: Digest) -> Flight {
        // Declared first, dropped last: whoever goes away while it waits leaves no flight behind.
        let mut flight = Flight { question, answers: self.clone(), turn: None };
        let turn = self.lock().entry(question).or_default().clone();
        flight.turn = Some(turn.lock_arc().await);
        flight
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Digest, Arc<Turn<()>>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight {
    /// Keeps the answer for those who ask the same.
    pub(super) fn keep(&self, output: &ToolOutput, until: Instant) {
        let meta = serde_json::from_str(output.meta_json());
        if let (Some(data), Ok(meta)) = (output.data_json(), meta) {
            let answer = FreshAnswer { data: data.into(), meta, until };
            self.answers.answers.insert(self.question, Arc::new(answer));
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        drop(self.turn.take());
        let mut flights = self.answers.lock();
        // One is the map's own: nobody else is on this flight or waits for it.
        if flights.get(&self.question).is_some_and(|turn| Arc::strong_count(turn) == 1) {
            flights.remove(&self.question);
        }
    }
}

impl FreshAnswer {
    /// Answers a call that asks the same.
    pub(super) fn serve(&self, scope: &CallScope, now: Instant) -> ToolOutput {
        let left = self.until.saturating_duration_since(now);
        let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
        let meta = self.meta.clone().with_took_ms(0).with_cache_hit(true);
        let meta = meta.with_ttl_seconds(seconds).with_coercions(coercions(scope));
        let meta = meta.with_edits(scope.edits().iter().cloned());
        ToolOutput::given_before(scope.echo(), &self.data, &meta)
    }
}

fn coercions(scope: &CallScope) -> Vec<tool_contracts::Coercion> {
    scope.reading().map(|reading| reading.coercions.clone()).unwrap_or_default()
}

/// Returns the key of the call's answer: a hash of the tool, its arguments, and every field of the
/// context that an answer may depend on. None if the context names no principal, and the answer
/// would be of no other call.
pub(super) fn question(plan: &Plan, scope: &CallScope, arguments: Digest) -> Option<Digest> {
    let cx = scope.cx();
    let principal = if plan.shared { None } else { Some(principal_of(cx)?) };
    let question = serde_json::json!([
        plan.schema.to_string(),
        arguments.to_string(),
        principal,
        context_key(cx),
    ]);
    Some(Digest::of("tool-runtime/question/v1", question.to_string().as_bytes()))
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
        // A dry run is neither served a fresh answer nor kept as one.
        dry_run: _,
    } = cx.fields();
    serde_json::json!([
        [tenant_slug, site_id, locale, currency, timezone],
        [workflow_id, collection_id, document_id, document_version_id, case_id, safety_mode],
        tenant_id,
        actor,
        auth.map(credentials),
        client,
        budget_tokens,
        attributes,
    ])
}

/// Hashes the credentials that a tool may use.
fn credentials(auth: &Map<String, Value>) -> String {
    let auth = serde_json::to_string(auth).unwrap_or_default();
    Digest::of("tool-runtime/credentials/v1", auth.as_bytes()).to_string()
}

impl fmt::Debug for FreshAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FreshAnswers").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}
