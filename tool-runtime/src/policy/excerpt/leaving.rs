//! An answer as it leaves for a model, and the pages in which the rest is read.

use std::fmt;

use tool_contracts::ToolContext;
use uuid::Uuid;

use super::{Cut, excerpt};
use crate::call::ToolCall;
use crate::dispatch::Runtime;
use crate::limits::Limits;
use crate::policy::governor::State;
use crate::policy::principal::principal_of;
use crate::schema::Coerce;
use crate::store::{KeptOutput, StoreError};

/// A model's part of an answer: all of it, or an excerpt with a handle to the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    data: Option<String>,
    mark: Option<ExcerptMark>,
}

/// Says that a model got an excerpt, of what, and how the rest is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcerptMark {
    handle: Option<OutputHandle>,
    total_bytes: u64,
    cuts: Vec<Cut>,
}

/// Leads to a whole answer: `out_` and a UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutputHandle(Uuid);

/// A page of a whole answer's JSON text. All pages put together are that text, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPage {
    text: String,
    next: Option<u64>,
    total_bytes: u64,
}

impl ModelAnswer {
    /// Returns the answer's JSON text, or an excerpt of it that keeps the tool's output schema too.
    ///
    /// None for an answer that is too long and has no rows to leave out, and for an error.
    #[must_use]
    pub fn data_json(&self) -> Option<&str> {
        self.data.as_deref()
    }

    /// Returns the mark of an excerpt; none if the answer is whole.
    #[must_use]
    pub fn excerpt(&self) -> Option<&ExcerptMark> {
        self.mark.as_ref()
    }
}

impl ExcerptMark {
    /// Returns what the whole answer is read by; none if it could not be kept.
    #[must_use]
    pub fn handle(&self) -> Option<OutputHandle> {
        self.handle
    }

    /// Returns how many bytes the whole answer has.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Lists the arrays of which only the first rows are shown.
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }
}

/// Says it to a model.
impl fmt::Display for ExcerptMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is an excerpt of {} bytes", self.total_bytes)?;
        for cut in &self.cuts {
            let place = if cut.pointer.is_empty() { "the answer" } else { &cut.pointer };
            write!(f, "; {place} shows {} of {} rows", cut.rows_shown, cut.rows_total)?;
        }
        match self.handle {
            Some(handle) => write!(f, "; all of it is kept as {handle}"),
            None => f.write_str("; the rest could not be kept"),
        }
    }
}

impl OutputPage {
    /// Returns this page's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns where the next page begins, in bytes; none after the last one.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Returns how many bytes the whole answer has.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }
}

impl OutputHandle {
    /// Reads a handle; none if this is no handle.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("out_").and_then(|id| Uuid::parse_str(id).ok()).map(Self)
    }
}

impl fmt::Display for OutputHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "out_{}", self.0.simple())
    }
}

impl ToolCall {
    /// Makes what leaves for a model of this call's answer.
    ///
    /// An answer over the tool's [`max_output_bytes`](crate::policy::Rules::max_output_bytes)
    /// becomes an excerpt: whole rows of its longest arrays are left out, so that it still keeps the
    /// output schema, and all of it is kept to be [read in pages](Runtime::read_output). The
    /// [`output`](Self::output) itself is never cut.
    pub async fn for_model(&self) -> ModelAnswer {
        let whole = |data: Option<&str>| ModelAnswer { data: data.map(str::to_owned), mark: None };
        let data = self.output().and_then(|output| output.data_json());
        let (Some(data), Some(scope)) = (data, self.scope()) else { return whole(None) };
        let Some(state) = State::of(self.runtime()) else { return whole(Some(data)) };
        let most = state.plan(scope).max_output_bytes;
        if data.len() <= most {
            return whole(Some(data));
        }
        let schema = scope.registered().output.as_ref();
        let keeps = |text: &str| {
            let widest =
                Limits::new().with_max_bytes(Limits::LONGEST).with_max_pattern_bytes(usize::MAX);
            schema.is_none_or(|schema| schema.check(text, &widest, Coerce::Off).is_admitted())
        };
        let (shown, cuts) = match excerpt(data, most, keeps) {
            Some(excerpt) => (Some(excerpt.json), excerpt.cuts),
            None => (None, Vec::new()),
        };
        let handle = state.keep_output(scope.cx(), data).await.ok();
        let total_bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
        ModelAnswer { data: shown, mark: Some(ExcerptMark { handle, total_bytes, cuts }) }
    }
}

impl State {
    async fn keep_output(&self, cx: &ToolContext, data: &str) -> Result<OutputHandle, StoreError> {
        let (id, end) = (Uuid::now_v7(), self.clock.now().after(self.output_lifetime));
        let principal = principal_of(cx).unwrap_or_default();
        let output = KeptOutput::new(id, cx.tenant_id(), principal, data.into(), end);
        self.with_room(|| self.stores.outputs.put_output(output.clone())).await?;
        self.sweep_if_due().await;
        Ok(OutputHandle(id))
    }
}

impl Runtime {
    /// Reads a page of an answer that was too long for a model: at most `most` bytes (at least 4)
    /// from `offset`, which is 0 or what the page before says comes [next](OutputPage::next).
    ///
    /// None if there is no such answer for whom the context is for, its time is over, or no page
    /// begins there.
    ///
    /// # Errors
    /// The store's.
    pub async fn read_output(
        &self,
        handle: OutputHandle,
        offset: u64,
        most: usize,
        cx: &ToolContext,
    ) -> Result<Option<OutputPage>, StoreError> {
        let Some(state) = State::of(self) else { return Ok(None) };
        let principal = principal_of(cx).unwrap_or_default();
        let (tenant, now, most) = (cx.tenant_id(), state.clock.now(), most.max(4));
        let outputs = &state.stores.outputs;
        let slice = outputs.read_output(handle.0, tenant, &principal, offset, most, now).await?;
        Ok(slice.and_then(|slice| page(slice.bytes, slice.total, offset)))
    }
}

fn page(mut bytes: Vec<u8>, total_bytes: u64, offset: u64) -> Option<OutputPage> {
    // A character that the page's end cuts apart belongs to the next page.
    if let Err(error) = std::str::from_utf8(&bytes) {
        bytes.truncate(error.valid_up_to());
    }
    let end = offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    let next = (end < total_bytes).then_some(end).filter(|end| *end > offset);
    // An offset within a character begins no page.
    let begins = next.is_some() || end >= total_bytes;
    Some(OutputPage { text: String::from_utf8(bytes).ok()?, next, total_bytes }).filter(|_| begins)
}
