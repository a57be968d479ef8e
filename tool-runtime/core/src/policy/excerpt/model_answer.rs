//! The answer that a model gets, and the pages of the whole answer.

use std::fmt;

use tool_contracts::ToolContext;
use tool_contracts::articulate::{SerializationFormat, SerializedOutput};
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::Coerce;
use uuid::Uuid;

use super::TruncatedArray;
use super::answer_size::{AnswerSize, FittedAnswer};
use super::text_part::{LONGEST_ESCAPE, TextPart};
use crate::call::ToolCall;
use crate::policy::store_client::STORE_TIMEOUT;
use crate::policy::stored_outputs::Outputs;
use crate::store::StoreError;
use crate::store::principal::principal_of;

/// An answer for a model: the whole, or an excerpt with a handle to the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelAnswer {
    data: Option<String>,
    /// The first part of an answer of which no excerpt fits.
    first_part: Option<String>,
    output: Option<SerializedOutput>,
    mark: Option<ExcerptInfo>,
}

/// Describes an excerpt: the size of the whole, the arrays that were cut, and the handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcerptInfo {
    handle: Option<OutputHandle>,
    total_bytes: u64,
    /// The bytes of the first part, which is shown alone.
    first_bytes: Option<u64>,
    cuts: Vec<TruncatedArray>,
}

/// The handle of a stored whole answer: `out_` and a UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutputHandle(Uuid);

/// A page of a whole answer's JSON text. All pages concatenated are that text, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputPage {
    text: String,
    next: Option<u64>,
    total_bytes: u64,
}

impl ModelAnswer {
    fn new(answer: FittedAnswer, mark: Option<ExcerptInfo>) -> Self {
        Self { data: Some(answer.json), first_part: None, output: answer.output, mark }
    }

    /// Returns the answer's JSON text, or an excerpt that fits the tool's output schema too.
    ///
    /// None for an answer that is too long and has no rows to remove, of which [`text`](Self::text)
    /// has the first part, and for an error.
    #[must_use]
    pub fn data_json(&self) -> Option<&str> {
        self.data.as_deref()
    }

    /// Returns the text that the model reads: [`data_json`](Self::data_json), or the same in the
    /// format of the tool's [serializer](crate::policy::ToolPolicy::result_serializer).
    ///
    /// Of an answer without rows to remove it is the first part of the JSON text; if the tool answered
    /// with a text, the first part of that, without quotes and escapes.
    ///
    /// The model needs the format's [note](SerializationFormat::model_note) beside it.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        let text = self.output.as_ref().map(SerializedOutput::serialized_text);
        text.or(self.data.as_deref()).or(self.first_part.as_deref())
    }

    /// Returns the format of the text.
    #[must_use]
    pub fn format(&self) -> SerializationFormat {
        let format = self.output.as_ref().map(SerializedOutput::format_used);
        format.unwrap_or(SerializationFormat::CompactJson)
    }

    /// Returns the text with its cost in tokens, if the tool's results have a
    /// [serializer](crate::policy::ToolPolicy::result_serializer).
    #[must_use]
    pub fn serialized(&self) -> Option<&SerializedOutput> {
        self.output.as_ref()
    }

    /// Returns the description of the excerpt; none if the answer is whole.
    #[must_use]
    pub fn excerpt(&self) -> Option<&ExcerptInfo> {
        self.mark.as_ref()
    }
}

impl ExcerptInfo {
    /// Returns the handle of the whole answer; none if it could not be stored.
    #[must_use]
    pub fn handle(&self) -> Option<OutputHandle> {
        self.handle
    }

    /// Returns the size of the whole answer, in bytes.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Returns the offset at which a page goes on after the shown part: 0 if the excerpt is not the
    /// first part of the text.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.first_bytes.unwrap_or_default()
    }

    /// Lists the arrays of which only the first rows are shown.
    #[must_use]
    pub fn cuts(&self) -> &[TruncatedArray] {
        &self.cuts
    }
}

/// Writes the description for a model.
impl fmt::Display for ExcerptInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is an excerpt of {} bytes", self.total_bytes)?;
        for cut in &self.cuts {
            let array = if cut.pointer.is_empty() { "the answer" } else { &cut.pointer };
            write!(f, "; {array} shows {} of {} rows", cut.rows_shown, cut.rows_total)?;
        }
        if let Some(bytes) = self.first_bytes {
            write!(f, "; it has the first {bytes}")?;
        }
        match self.handle {
            Some(handle) => write!(f, "; the whole answer is stored as {handle}"),
            None => f.write_str("; the whole answer could not be stored"),
        }
    }
}

impl OutputPage {
    /// Returns this page's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the offset of the next page, in bytes; none on the last page.
    #[must_use]
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Returns the size of the whole answer, in bytes.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }
}

impl OutputHandle {
    /// Parses a handle; none if the text is not a handle.
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
    /// Returns this call's answer for a model: in the format of the tool's
    /// [serializer](crate::policy::ToolPolicy::result_serializer), and shortened if it is too long.
    ///
    /// An answer above the tool's [`max_output_bytes`](crate::policy::ToolPolicy::max_output_bytes), or
    /// above the context's [`budget_tokens`](ToolContext::budget_tokens), becomes an excerpt: whole
    /// rows of its longest arrays are removed, so that it still fits the output schema, and the
    /// whole is stored to be [read in pages](crate::policy::StoredOutputs::page). Of an answer that
    /// no rows shorten, such as a long text, the model reads the first part. The budget covers
    /// the text, the line that names its format, and the description of the excerpt. The
    /// [`output`](Self::output) of the call is never cut.
    pub async fn for_model(&self) -> ModelAnswer {
        let none = ModelAnswer { data: None, first_part: None, output: None, mark: None };
        let data = self.output().and_then(|output| output.data_json());
        let Some(data) = data else { return none };
        let Some(scope) = self.scope() else {
            return ModelAnswer { data: Some(data.to_owned()), ..none };
        };
        let outputs = &self.services().policy_state().outputs;
        let plan = scope.plan();
        let size = AnswerSize {
            format: &plan.result_format,
            counter: &*outputs.token_counter,
            max_bytes: plan.max_output_bytes,
            max_tokens: scope.cx().budget_tokens(),
        };
        let full_answer = size.whole(data);
        if size.fits(&full_answer, "") {
            return ModelAnswer::new(full_answer, None);
        }
        let handle = outputs.store_output(scope.cx(), data).await.ok();
        let total_bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
        let mark = |cuts: Vec<TruncatedArray>| ExcerptInfo {
            handle,
            total_bytes,
            first_bytes: None,
            cuts,
        };
        let first_mark = |bytes: usize| ExcerptInfo {
            first_bytes: u64::try_from(bytes).ok(),
            ..mark(Vec::new())
        };
        let schema = scope.registered().output.as_ref();
        let keeps = |text: &str| {
            let widest =
                Limits::new().with_max_bytes(Limits::MAX_BYTES).with_max_pattern_bytes(usize::MAX);
            schema.is_none_or(|schema| schema.check(text, &widest, Coerce::Off).is_admitted())
        };
        let describe = |cuts: &[TruncatedArray]| mark(cuts.to_vec()).to_string();
        match size.excerpt(&full_answer, keeps, describe) {
            Some(shown) => {
                let mark = mark(shown.cuts.clone());
                ModelAnswer::new(shown, Some(mark))
            }
            None => match size.first_part(data, |bytes| first_mark(bytes).to_string()) {
                Some(TextPart { text, length }) => {
                    ModelAnswer { first_part: Some(text), mark: Some(first_mark(length)), ..none }
                }
                None => ModelAnswer { mark: Some(mark(Vec::new())), ..none },
            },
        }
    }
}

impl Outputs {
    async fn store_output(&self, cx: &ToolContext, data: &str) -> Result<OutputHandle, StoreError> {
        let id = Uuid::now_v7();
        self.put_private_blob(id, data.into(), cx, self.lifetime).await?;
        Ok(OutputHandle(id))
    }

    /// Reads a page of a stored answer; none if the caller has no such answer.
    pub(in crate::policy) async fn read_page(
        &self,
        handle: OutputHandle,
        offset: u64,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<Option<OutputPage>, StoreError> {
        let principal = principal_of(cx).unwrap_or_default();
        let (tenant, now, limit) = (cx.tenant_id(), self.stores.now(), limit.max(4));
        let outputs = &self.stores.outputs;
        let read = outputs.read_output(handle.0, tenant, &principal, offset, limit, now);
        let slice = self.stores.call(STORE_TIMEOUT, read).await?;
        Ok(slice.and_then(|slice| page(slice.bytes, slice.total, offset)))
    }
}

impl Outputs {
    /// Reads a page of a stored answer as a model reads it.
    pub(in crate::policy) async fn read_text_page(
        &self,
        handle: OutputHandle,
        offset: u64,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<Option<OutputPage>, StoreError> {
        let limit = limit.max(LONGEST_ESCAPE + 1);
        let Some(page) = self.read_page(handle, offset, limit, cx).await? else { return Ok(None) };
        let is_text = if offset == 0 {
            page.text.starts_with('"')
        } else {
            let first = self.read_page(handle, 0, 1, cx).await?;
            first.is_some_and(|first| first.text.starts_with('"'))
        };
        if !is_text {
            return Ok(Some(page));
        }
        let TextPart { text, length } = TextPart::from_text(&page.text, offset == 0);
        let end = offset.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        let next = Some(end).filter(|end| *end < page.total_bytes && *end > offset);
        Ok(Some(OutputPage { text, next, ..page }))
    }
}

fn page(mut bytes: Vec<u8>, total_bytes: u64, offset: u64) -> Option<OutputPage> {
    // A character that the end of the page splits belongs to the next page.
    if let Err(error) = std::str::from_utf8(&bytes) {
        bytes.truncate(error.valid_up_to());
    }
    let end = offset.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    let next = (end < total_bytes).then_some(end).filter(|end| *end > offset);
    // An offset within a character begins no page.
    let begins = next.is_some() || end >= total_bytes;
    Some(OutputPage { text: String::from_utf8(bytes).ok()?, next, total_bytes }).filter(|_| begins)
}
