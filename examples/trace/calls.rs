//! The calls of a ledger, trace by trace.

use std::error::Error;

use tool_runtime::Uuid;
use tool_runtime::ledger::{LedgerQuery, LedgerStore, Record, RecordedCall};

/// The calls of one request.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) id: String,
    pub(crate) tenant: Uuid,
    /// The calls, in the order of opening.
    pub(crate) calls: Vec<RecordedCall>,
    /// The number of omitted calls of earlier replays.
    pub(crate) replays: usize,
}

/// Reads the calls of one trace, or of all, in the order of the traces' first ends.
pub(crate) fn traces(
    ledger: &mut dyn LedgerStore,
    trace: Option<&str>,
) -> Result<Vec<Trace>, Box<dyn Error>> {
    let query = trace.map_or_else(LedgerQuery::new, |id| LedgerQuery::new().trace(id));
    let mut traces = Vec::new();
    let mut page = ledger.find(&query)?;
    while let Some(last) = page.last() {
        let next = query.clone().after(last.seq());
        for entry in &page {
            if let Some(Record::Call(call)) = entry.body().map(Record::read).transpose()? {
                add(&mut traces, *call);
            }
        }
        page = ledger.find(&next)?;
    }
    if let (Some(id), true) = (trace, traces.is_empty()) {
        return Err(format!("no call of the trace {id} is in this ledger").into());
    }
    for trace in &mut traces {
        // All texts have one format, so they sort by time. A dry run before its approval comes after its call.
        let place = |call: &RecordedCall| (call.opened_at.clone(), call.approval_dry_run);
        trace.calls.sort_by_cached_key(place);
    }
    Ok(traces)
}

fn add(traces: &mut Vec<Trace>, call: RecordedCall) {
    let (id, tenant) = (&call.trace_id, call.tenant_id);
    let known = traces.iter().position(|trace| trace.id == *id && trace.tenant == tenant);
    let index = known.unwrap_or_else(|| {
        traces.push(Trace { id: id.clone(), tenant, calls: Vec::new(), replays: 0 });
        traces.len() - 1
    });
    let trace = &mut traces[index];
    if call.replay_of.is_some() { trace.replays += 1 } else { trace.calls.push(call) }
}
