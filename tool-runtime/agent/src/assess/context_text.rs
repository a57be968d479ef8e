//! The one text of a context: fixed parts, and parts whose passages may be left out.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;
use tool_contracts::act::ActResult;
use tool_contracts::assess::{ChatMessage, ChatRole, ContextData};
use tool_runtime_core::articulate::Articulator;

use super::escapes::decoded;
use super::json_rows;
use super::options::AssessOptions;
use super::passages::sentences;

/// The parts of a context whose passages may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrunableParts {
    /// None: the context as it is.
    Nothing,
    /// Messages and results of tools.
    MessagesAndResults,
    /// Results of tools.
    Results,
    /// The messages before the newest ones.
    OlderMessages { from: usize },
    /// The results alone: no other part of the context is in the text.
    ResultsAlone,
}

/// A context as segments of one text.
#[derive(Debug, Default)]
pub(super) struct ContextText<'c> {
    pub(super) segments: Vec<Segment<'c>>,
    /// The passages of all segments that may be shortened, in the order of the text.
    pub(super) passages: Vec<Passage>,
    /// Writes documents of results in fewer tokens, if there is one.
    serializer: Option<&'c Articulator>,
}

/// A part of the text, with what stands before it.
#[derive(Debug)]
pub(super) struct Segment<'c> {
    head: Cow<'c, str>,
    text: Cow<'c, str>,
    kind: SegmentKind,
    /// True if the text is a document in JSON.
    is_json: bool,
    passage_ranges: Vec<PassageRange>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SegmentKind {
    Fixed,
    Message,
    ToolResult,
}

/// A piece of the text of the prunable parts.
#[derive(Debug)]
pub(super) struct PrunablePiece {
    pub(super) text: String,
    /// True if the text has the escapes of JSON.
    pub(super) is_json: bool,
}

/// A range of a segment's text that consists of passages.
#[derive(Debug)]
struct PassageRange {
    range: Range<usize>,
    content: PassageKind,
    passages: Range<usize>,
}

/// The kind of passages in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PassageKind {
    /// Sentences and lines.
    Sentences,
    /// Elements of an array in JSON.
    Rows,
}

/// A part of a segment that is kept or left out as a whole.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    pub(super) segment: usize,
    pub(super) range: Range<usize>,
    /// The same number for passages that follow each other.
    pub(super) group: usize,
}

/// The heading of the instructions, which are the first part.
pub(super) const INSTRUCTIONS: &str = "# Instructions\n";
/// The heading of the question, which is the last part.
pub(super) const QUESTION: &str = "# Question\n";
/// The mark of left-out passages.
const GAP: &str = "…";
const NOTHING_KEPT: &str = "(left out: nothing in it fits the question)";
/// The group of the messages; each result has the group of its segment.
const MESSAGES: usize = usize::MAX;

impl<'c> ContextText<'c> {
    /// Writes the text with all passages.
    pub(super) fn render_all(&self) -> String {
        self.render(&vec![true; self.passages.len()])
    }

    /// Builds the text of a context; the parts that are not prunable are fixed. A serializer writes
    /// documents of results in fewer tokens.
    pub(super) fn new(
        context: &'c ContextData,
        prunable: PrunableParts,
        options: &AssessOptions,
        serializer: Option<&'c Articulator>,
    ) -> Self {
        let mut context_text = Self { serializer, ..Self::default() };
        if prunable == PrunableParts::ResultsAlone {
            for result in context.tool_results() {
                context_text.push_result(result, Cow::Borrowed(""), prunable, options);
            }
            return context_text;
        }
        if let Some(text) = context.persistent_context() {
            context_text.push_fixed(INSTRUCTIONS, Cow::Borrowed(text));
            context_text.push_fixed("\n\n", Cow::Borrowed(""));
        }
        context_text.push_messages(context.message_history(), prunable);
        context_text.push_results(context.tool_results(), prunable, options);
        context_text.push_facts(context);
        context_text
    }

    fn push_fixed(&mut self, head: &'c str, text: Cow<'c, str>) {
        let head = Cow::Borrowed(head);
        self.segments.push(Segment::new(head, text, SegmentKind::Fixed));
    }

    fn push_messages(&mut self, messages: &'c [ChatMessage], prunable: PrunableParts) {
        if messages.is_empty() {
            return;
        }
        self.push_fixed("# Conversation\n", Cow::Borrowed(""));
        for (at, message) in messages.iter().enumerate() {
            let is_open = message.role() != ChatRole::System
                && match prunable {
                    PrunableParts::Nothing
                    | PrunableParts::Results
                    | PrunableParts::ResultsAlone => false,
                    PrunableParts::MessagesAndResults => true,
                    PrunableParts::OlderMessages { from } => at < from,
                };
            let head = Cow::Owned(format!("{}: ", message.role()));
            let text = Cow::Borrowed(message.content());
            let kind = if is_open { SegmentKind::Message } else { SegmentKind::Fixed };
            let mut segment = Segment::new(head, text, kind);
            if is_open {
                self.split(&mut segment, MESSAGES, None);
            }
            self.segments.push(segment);
            if !is_open {
                self.push_fixed("\n", Cow::Borrowed(""));
            }
        }
        self.push_fixed("\n", Cow::Borrowed(""));
    }

    fn push_results(
        &mut self,
        results: &'c [ActResult],
        prunable: PrunableParts,
        options: &AssessOptions,
    ) {
        if results.is_empty() {
            return;
        }
        self.push_fixed("# Tool results\n", Cow::Borrowed(""));
        for result in results {
            let head = Cow::Owned(format!("## {}", result.tool_id()));
            self.push_result(result, head, prunable, options);
            self.push_fixed("\n\n", Cow::Borrowed(""));
        }
    }

    fn push_result(
        &mut self,
        result: &'c ActResult,
        head: Cow<'c, str>,
        prunable: PrunableParts,
        options: &AssessOptions,
    ) {
        // A failure is short, and what the model has to know.
        let is_open = result.success()
            && match prunable {
                PrunableParts::MessagesAndResults
                | PrunableParts::Results
                | PrunableParts::ResultsAlone => true,
                PrunableParts::Nothing | PrunableParts::OlderMessages { .. } => false,
            };
        let json = is_open.then(|| json_rows::compact(result.data(), options)).flatten();
        let kind = if is_open { SegmentKind::ToolResult } else { SegmentKind::Fixed };
        let text = match &json {
            Some(json) => json.clone(),
            None if is_open => result.to_text(),
            None => self.whole_text(result),
        };
        let text = Cow::Owned(text);
        let mut segment = Segment::new(head, text, kind);
        segment.is_json = json.is_some();
        if is_open {
            let group = self.segments.len();
            self.split(&mut segment, group, json.as_deref());
        } else if !segment.head.is_empty() {
            segment.head.to_mut().push('\n');
        }
        self.segments.push(segment);
    }

    /// Writes a result with all of its fields: a document in JSON compactly, as any program sends it, so
    /// that the removal of white space counts as no saving.
    fn whole_text(&self, result: &ActResult) -> String {
        let data = Some(result.data()).filter(|_| result.success());
        let json = data.and_then(|data| json_rows::compact(data, &AssessOptions::default()));
        json.map_or_else(|| result.to_text(), |json| json_rows::in_short(json, self.serializer))
    }

    fn push_facts(&mut self, context: &'c ContextData) {
        let facts = context.transient_context();
        let others = facts
            .iter()
            .filter(|(name, value)| !(name.as_str() == ContextData::QUERY && value.is_string()));
        for (at, (name, value)) in others.enumerate() {
            if at == 0 {
                self.push_fixed("# Facts\n", Cow::Borrowed(""));
            }
            let value = match value {
                Value::String(text) => Cow::Borrowed(text.as_str()),
                other => Cow::Owned(other.to_string()),
            };
            self.push_fixed(name, Cow::Borrowed(": "));
            self.push_fixed("", value);
            self.push_fixed("\n", Cow::Borrowed(""));
        }
        if let Some(query) = context.query() {
            self.push_fixed(QUESTION, Cow::Borrowed(query));
        }
    }

    /// Splits the text of a segment into passages: a document in JSON by its rows and its long
    /// texts, any other text by its sentences.
    fn split(&mut self, segment: &mut Segment<'_>, group: usize, json: Option<&str>) {
        let passage_ranges = if let Some(json) = json {
            json_rows::passages(json)
        } else {
            let full_range = 0..segment.text.len();
            vec![(full_range, PassageKind::Sentences, sentences(&segment.text).collect())]
        };
        let index = self.segments.len();
        for (range, content, ranges) in passage_ranges {
            let first = self.passages.len();
            let passage = |range| Passage { segment: index, range, group };
            self.passages.extend(ranges.into_iter().map(passage));
            segment.passage_ranges.push(PassageRange {
                range,
                content,
                passages: first..self.passages.len(),
            });
        }
    }

    /// Returns the prunable parts in pieces that together are all of their text, each part after a line
    /// that says what it is.
    pub(super) fn prunable_pieces(&self) -> Vec<PrunablePiece> {
        let mut pieces = Vec::new();
        for segment in self.segments.iter().filter(|it| it.kind != SegmentKind::Fixed) {
            let is_json = segment.is_json;
            let mut piece = segment.head.to_string();
            if segment.kind == SegmentKind::ToolResult {
                piece.push('\n');
            }
            let passages = segment
                .passage_ranges
                .iter()
                .flat_map(|passage_range| passage_range.passages.clone());
            let mut at = 0;
            for passage in passages {
                let end = self.passages[passage].range.end;
                piece.push_str(&segment.text[at..end]);
                pieces.push(PrunablePiece { text: std::mem::take(&mut piece), is_json });
                at = end;
            }
            piece.push_str(&segment.text[at..]);
            piece.push('\n');
            pieces.push(PrunablePiece { text: piece, is_json });
        }
        pieces
    }

    /// Returns the text of a passage.
    pub(super) fn passage_text(&self, passage: &Passage) -> &str {
        &self.segments[passage.segment].text[passage.range.clone()]
    }

    /// Returns what a passage says: its text, in JSON without escapes.
    pub(super) fn decoded_passage(&self, passage: &Passage) -> Cow<'_, str> {
        let text = self.passage_text(passage);
        if self.segments[passage.segment].is_json { decoded(text) } else { Cow::Borrowed(text) }
    }

    /// Writes the text with the passages that are kept.
    pub(super) fn render(&self, kept: &[bool]) -> String {
        let mut text = String::new();
        let mut left_out = false;
        for segment in &self.segments {
            let has_any = segment
                .passage_ranges
                .iter()
                .any(|passage_range| kept[passage_range.passages.clone()].contains(&true));
            match segment.kind {
                SegmentKind::Message if !has_any => left_out = true,
                SegmentKind::Message | SegmentKind::Fixed => {
                    if std::mem::take(&mut left_out) {
                        text.extend([GAP, "\n"]);
                    }
                    text.push_str(&segment.head);
                    self.render_slots(segment, kept, &mut text);
                    if segment.kind == SegmentKind::Message {
                        end_line(&mut text);
                    }
                }
                SegmentKind::ToolResult if has_any || segment.passage_ranges.is_empty() => {
                    text.push_str(&heading(&segment.head, &rows_note(segment, kept)));
                    let mut body = String::new();
                    self.render_slots(segment, kept, &mut body);
                    text.push_str(&json_rows::in_short(body, self.serializer));
                }
                SegmentKind::ToolResult => {
                    text.extend([&*heading(&segment.head, ""), NOTHING_KEPT]);
                }
            }
        }
        text
    }

    fn render_slots(&self, segment: &Segment<'_>, kept: &[bool], text: &mut String) {
        let mut at = 0;
        for passage_range in &segment.passage_ranges {
            text.push_str(&segment.text[at..passage_range.range.start]);
            at = passage_range.range.end;
            let passages = passage_range.passages.clone();
            let passages = self.passages[passages.clone()].iter().zip(&kept[passages]);
            let passages = passages.map(|(it, kept)| kept.then(|| &segment.text[it.range.clone()]));
            match passage_range.content {
                PassageKind::Rows => render_rows(passages, text),
                PassageKind::Sentences => render_sentences(passages, text),
            }
        }
        text.push_str(&segment.text[at..]);
    }
}

impl<'c> Segment<'c> {
    /// Creates a segment whose text is no document and has no passages.
    fn new(head: Cow<'c, str>, text: Cow<'c, str>, kind: SegmentKind) -> Self {
        Self { head, text, kind, is_json: false, passage_ranges: Vec::new() }
    }
}

fn render_rows<'t>(rows: impl Iterator<Item = Option<&'t str>>, text: &mut String) {
    for (at, row) in rows.flatten().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(row);
    }
}

fn render_sentences<'t>(sentences: impl Iterator<Item = Option<&'t str>>, text: &mut String) {
    let mut left_out = false;
    for sentence in sentences {
        match sentence {
            Some(sentence) => {
                if std::mem::take(&mut left_out) {
                    text.extend([GAP, " "]);
                }
                text.push_str(sentence);
            }
            None => left_out = true,
        }
    }
    if left_out {
        text.push_str(GAP);
    }
}

/// Says how many rows of a result are kept, if not all are.
fn rows_note(segment: &Segment<'_>, kept: &[bool]) -> String {
    let (mut of, mut rows) = (0, 0);
    for passage_range in segment
        .passage_ranges
        .iter()
        .filter(|passage_range| passage_range.content == PassageKind::Rows)
    {
        let flags = &kept[passage_range.passages.clone()];
        of += flags.len();
        rows += flags.iter().filter(|kept| **kept).count();
    }
    if rows < of { format!("({rows} of {of} rows)") } else { String::new() }
}

/// Writes the line before a result, if there is something to write.
fn heading(head: &str, note: &str) -> String {
    match (head, note) {
        ("", "") => String::new(),
        ("", line) | (line, "") => format!("{line}\n"),
        (head, note) => format!("{head} {note}\n"),
    }
}

fn end_line(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push('\n');
}
