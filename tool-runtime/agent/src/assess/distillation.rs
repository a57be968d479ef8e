//! Has a smaller model summarize the prunable parts of a context, in concurrent chunks.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::StreamExt;
use futures::stream;
use tool_runtime_core::tokens::TokenCounter;

use super::context_text::PrunablePiece;
use super::escapes::decoded;
use super::identifiers::{by_frequency, identifiers, with_parts};
use super::manager::{CompressionError, Summarizer, SummaryRequest};
use super::passages::short_pieces;
use super::references::References;

/// The most tokens of a chunk.
const CHUNK_TOKENS: u64 = 4_000;
/// The longest part of a piece that does not fit in a chunk, in bytes: no token is shorter than one.
const MAX_PART_BYTES: usize = 1_000;
/// The most identifiers that a summary has to contain for being frequent, if there is no question.
const MAX_FREQUENT_IDENTIFIERS: usize = 8;
/// The most chunks that are summarized at once.
const MAX_CONCURRENT_CHUNKS: usize = 4;

/// The work of a distillation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distillation<'d> {
    pub(super) summarizer: &'d dyn Summarizer,
    pub(super) counter: &'d dyn TokenCounter,
    pub(super) query: Option<&'d str>,
    pub(super) references: &'d References<'d>,
    /// The tokens of all summaries together.
    pub(super) budget: u64,
}

/// A text that is summarized by one request.
#[derive(Debug)]
struct Chunk {
    text: String,
    /// The text without escapes of JSON.
    decoded: String,
    /// The tokens of its parts.
    tokens: u64,
}

/// The parts of a chunk.
#[derive(Debug, Default)]
struct ChunkParts<'p> {
    parts: Vec<ChunkPart<'p>>,
}

/// A piece of the context, or a part of a long one.
#[derive(Debug)]
struct ChunkPart<'p> {
    text: &'p str,
    /// True if the text has the escapes of JSON.
    is_json: bool,
    tokens: u64,
}

/// The tokens of requests that a model has answered.
#[derive(Debug, Default)]
pub(super) struct PaidTokens {
    read: AtomicU64,
    written: AtomicU64,
}

impl PaidTokens {
    fn add(&self, read: u64, written: u64) {
        self.read.fetch_add(read, Ordering::Relaxed);
        self.written.fetch_add(written, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    pub(super) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }
}

impl Distillation<'_> {
    /// Summarizes pieces of a text; the summaries are in their order. What was paid is added, whether the
    /// summaries are used or not.
    ///
    /// # Errors
    /// Returns an error if the summarizer fails, writes more than its budget, or loses an identifier
    /// that it had to keep.
    pub(super) async fn summarize(
        &self,
        pieces: &[PrunablePiece],
        paid: &PaidTokens,
    ) -> Result<String, CompressionError> {
        let chunks = self.chunks(pieces);
        let total: u64 = chunks.iter().map(|chunk| chunk.tokens).sum();
        let summaries = chunks.into_iter().map(|chunk| {
            let share = self.budget.saturating_mul(chunk.tokens) / total.max(1);
            async move { self.summarize_chunk(&chunk, share.max(32), paid).await }
        });
        let summaries: Vec<_> =
            stream::iter(summaries).buffered(MAX_CONCURRENT_CHUNKS).collect().await;
        let summaries = summaries.into_iter().collect::<Result<Vec<String>, _>>()?;
        Ok(summaries.join("\n"))
    }

    async fn summarize_chunk(
        &self,
        chunk: &Chunk,
        tokens: u64,
        paid: &PaidTokens,
    ) -> Result<String, CompressionError> {
        let identifiers = self.demanded_identifiers(&chunk.decoded, tokens);
        let (text, query) = (&*chunk.text, self.query);
        let request = SummaryRequest { text, query, max_tokens: tokens, identifiers: &identifiers };
        let summary = self.summarizer.summarize(request).await;
        let summary = summary.inspect_err(|error| {
            if let Some(written) = error.written_tokens() {
                paid.add(chunk.tokens, written);
            }
        })?;
        let length = self.counter.count(&summary);
        paid.add(chunk.tokens, length);
        let lost = lost(&identifiers, &summary);
        if lost > 0 {
            let text = format!("the summary lost {lost} identifiers that it had to keep");
            return Err(CompressionError::new(text));
        }
        // A model counts its tokens with another encoding.
        if length > tokens + tokens / 4 {
            return Err(CompressionError::new("the summary is longer than its budget"));
        }
        Ok(summary)
    }

    /// Lists the identifiers that a summary of so many tokens has to contain: those that are referred
    /// to, and without a question the most frequent ones, in at most half of the summary.
    fn demanded_identifiers<'t>(&self, text: &'t str, tokens: u64) -> Vec<&'t str> {
        let mut demanded_identifiers = self.references.within(text);
        if self.query.is_some_and(|query| !query.trim().is_empty()) {
            return demanded_identifiers;
        }
        let mut room = tokens / 2;
        let fits = |word: &&str| {
            let cost = self.counter.count(word) + 1;
            let left = room.checked_sub(cost);
            room = left.unwrap_or(room);
            left.is_some()
        };
        let others =
            by_frequency(text).into_iter().filter(|word| !demanded_identifiers.contains(word));
        let frequent: Vec<&str> = others.filter(fits).take(MAX_FREQUENT_IDENTIFIERS).collect();
        demanded_identifiers.extend(frequent);
        demanded_identifiers
    }

    /// Joins pieces to chunks of about the same size, none of which takes too many tokens.
    fn chunks(&self, pieces: &[PrunablePiece]) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut chunk = ChunkParts::default();
        let mut tokens = 0;
        for part in pieces.iter().flat_map(|piece| self.parts(piece)) {
            if tokens + part.tokens > CHUNK_TOKENS && !chunk.parts.is_empty() {
                let excess = self.split_off_excess(&mut chunk);
                chunks.push(std::mem::replace(&mut chunk, excess).joined());
                tokens = chunk.tokens();
            }
            tokens += part.tokens;
            chunk.parts.push(part);
        }
        while !chunk.parts.is_empty() {
            let excess = self.split_off_excess(&mut chunk);
            chunks.push(std::mem::replace(&mut chunk, excess).joined());
        }
        chunks
    }

    /// Splits a piece into parts that fit in a chunk; most pieces are one part.
    fn parts<'p>(&self, piece: &'p PrunablePiece) -> Vec<ChunkPart<'p>> {
        let part =
            |text| ChunkPart { text, is_json: piece.is_json, tokens: self.counter.count(text) };
        let single_part = part(&piece.text);
        if single_part.tokens <= CHUNK_TOKENS {
            return vec![single_part];
        }
        short_pieces(&piece.text, MAX_PART_BYTES).into_iter().map(part).collect()
    }

    /// Takes the last parts off a chunk whose text takes too many tokens: joined parts may take more
    /// than the parts alone.
    fn split_off_excess<'p>(&self, chunk: &mut ChunkParts<'p>) -> ChunkParts<'p> {
        let mut excess_parts = Vec::new();
        loop {
            let excess = self.counter.count(&chunk.text()).saturating_sub(CHUNK_TOKENS);
            if excess == 0 || chunk.parts.len() < 2 {
                excess_parts.reverse();
                return ChunkParts { parts: excess_parts };
            }
            let mut removed = 0;
            while removed < excess && chunk.parts.len() > 1 {
                let last = chunk.parts.pop();
                removed += last.as_ref().map_or(excess, |part| part.tokens.max(1));
                excess_parts.extend(last);
            }
        }
    }
}

impl ChunkParts<'_> {
    fn joined(self) -> Chunk {
        Chunk { text: self.text(), decoded: self.decoded(), tokens: self.tokens() }
    }

    /// Returns the tokens of the parts.
    fn tokens(&self) -> u64 {
        self.parts.iter().map(|part| part.tokens).sum()
    }

    fn text(&self) -> String {
        self.parts.iter().map(|part| part.text).collect()
    }

    /// Returns the text without escapes of JSON.
    fn decoded(&self) -> String {
        let mut text = String::new();
        // Parts of one document are joined first, since one may end inside of an escape.
        for parts in self.parts.chunk_by(|one, other| one.is_json == other.is_json) {
            let joined: String = parts.iter().map(|part| part.text).collect();
            let is_json = parts.iter().any(|part| part.is_json);
            text.push_str(&if is_json { decoded(&joined) } else { Cow::Borrowed(&*joined) });
        }
        text
    }
}

/// Counts the identifiers that are not in a summary, neither whole nor as a part of a joined one.
fn lost(identifiers: &[&str], summary: &str) -> usize {
    let summary_identifiers: HashSet<&str> =
        self::identifiers(summary).flat_map(with_parts).collect();
    identifiers.iter().filter(|word| !summary_identifiers.contains(**word)).count()
}
