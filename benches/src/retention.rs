//! Answers that are left in compressed contexts: long conversations with questions.

use std::fs;
use std::time::Instant;

use futures::executor::block_on;
use serde::Deserialize;
use tool_runtime::assess::{AssessOptions, Assessor};
use tool_runtime::contracts::assess::{ChatMessage, ChatRole, CompressionStrategy, ContextData};
use tool_runtime::tokens::{TokenCounter, TokenEstimate};

/// A file: a conversation, and questions about it.
#[derive(Deserialize)]
pub(crate) struct Conversation {
    conversation: Vec<Message>,
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: String,
}

/// A question with its accepted answers, and a quotation of where the answer stands.
#[derive(Deserialize)]
struct Question {
    #[serde(rename = "question")]
    text: String,
    gold: Vec<String>,
    source: String,
}

/// A way to shorten a conversation.
#[derive(Clone, Copy)]
pub(crate) enum Method {
    Strategy(CompressionStrategy),
    /// `semantic_pruning` without a question.
    WithoutQuestion,
    /// The newest messages that fit: what most programs do.
    Newest,
    /// Every n-th sentence.
    Spread,
}

pub(crate) const METHODS: [(&str, Method); 5] = [
    ("semantic_pruning", Method::Strategy(CompressionStrategy::SemanticPruning)),
    ("semantic_pruning, no question", Method::WithoutQuestion),
    ("history_compaction", Method::Strategy(CompressionStrategy::HistoryCompaction)),
    ("baseline: newest messages", Method::Newest),
    ("baseline: every n-th sentence", Method::Spread),
];

const RATIOS: [f64; 5] = [0.1, 0.2, 0.35, 0.4, 0.5];

/// The ratio and the method of the last line.
const RECORDED: f64 = 0.35;

/// Answers that were found, over all questions of all files.
#[derive(Default)]
pub(crate) struct Found {
    questions: u32,
    gold: u32,
    /// The questions whose quotation stands in the conversation.
    sources: u32,
    quoted: u32,
    tokens: u64,
    original: u64,
}

/// Prints for each method and ratio the share of gold answers and of quotations that are left.
///
/// # Errors
/// Returns an error if a file cannot be read or is not of this form.
pub fn figures(files: &[&str]) -> Result<(), String> {
    let files = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    println!("{:<34}{:>7}{:>8}{:>8}{:>8}", "", "target", "ratio", "gold", "source");
    let mut recorded = Found::default();
    for (name, method) in METHODS {
        for target in RATIOS {
            let mut found = Found::default();
            for file in &files {
                found.ask(file, method, target);
            }
            let (ratio, gold, source) = found.shares();
            println!("{name:<34}{target:>7.2}{ratio:>8.3}{gold:>8.3}{source:>8.3}");
            let is_recorded = name == "semantic_pruning" && (target - RECORDED).abs() < 1e-9;
            if is_recorded {
                recorded = found;
            }
        }
    }
    let (ratio, gold, source) = recorded.shares();
    let speed = speed(&files);
    println!(
        "retention: ratio={ratio:.3} gold={gold:.3} source={source:.3} mb_per_second={speed:.1}"
    );
    Ok(())
}

pub(crate) fn read(file: &str) -> Result<Conversation, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let conversation: Conversation =
        serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    if conversation.questions.is_empty() {
        return Err(format!("{file}: expected at least one question in `questions`"));
    }
    Ok(conversation)
}

impl Found {
    fn ask(&mut self, file: &Conversation, method: Method, ratio: f64) {
        let original = TokenEstimate.count(&file.text());
        self.look_for_answers(file, |question| method.shorten(file, question, ratio, original));
    }

    /// Looks for the answers to a file's questions in the text that remains for each of them.
    pub(crate) fn look_for_answers(
        &mut self,
        file: &Conversation,
        shortened: impl Fn(&str) -> String,
    ) {
        let whole = normal(&file.text());
        let original = TokenEstimate.count(&file.text());
        for question in &file.questions {
            let text = shortened(&question.text);
            self.tokens += TokenEstimate.count(&text);
            self.original += original;
            let text = normal(&text);
            self.questions += 1;
            let has = |answer: &String| text.contains(&normal(answer));
            self.gold += u32::from(question.gold.iter().any(has));
            let pieces = pieces(&question.source);
            if pieces.iter().all(|piece| whole.contains(piece)) {
                self.sources += 1;
                self.quoted += u32::from(pieces.iter().all(|piece| text.contains(piece)));
            }
        }
    }

    /// Returns the ratio of tokens, and the shares of answers and of quotations that are left.
    #[allow(clippy::cast_precision_loss, reason = "ratios of counts")]
    pub(crate) fn shares(&self) -> (f64, f64, f64) {
        (
            self.tokens as f64 / self.original as f64,
            f64::from(self.gold) / f64::from(self.questions),
            f64::from(self.quoted) / f64::from(self.sources.max(1)),
        )
    }
}

impl Conversation {
    /// Returns the questions about the conversation.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &str> {
        self.questions.iter().map(|question| question.text.as_str())
    }

    pub(crate) fn text(&self) -> String {
        let line = |message: &Message| format!("{}: {}\n", message.role, message.content);
        self.conversation.iter().map(line).collect()
    }

    pub(crate) fn messages(&self) -> impl Iterator<Item = ChatMessage> {
        self.conversation.iter().map(|message| {
            let role = message.role.parse().unwrap_or(ChatRole::User);
            let tokens = TokenEstimate.count(&message.content);
            ChatMessage::new(
                role,
                &*message.content,
                "2026-01-01T00:00:00Z".parse().unwrap_or_default(),
                tokens,
            )
            .expect("the year has four digits")
        })
    }
}

impl Method {
    pub(crate) fn shorten(
        self,
        file: &Conversation,
        question: &str,
        ratio: f64,
        original: u64,
    ) -> String {
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a count"
        )]
        let budget = (original as f64 * ratio) as u64;
        match self {
            Self::Strategy(strategy) => compressed(file, Some(question), strategy, ratio),
            Self::WithoutQuestion => {
                compressed(file, None, CompressionStrategy::SemanticPruning, ratio)
            }
            Self::Newest => newest(file, budget),
            Self::Spread => spread(file, ratio),
        }
    }
}

fn compressed(
    file: &Conversation,
    question: Option<&str>,
    strategy: CompressionStrategy,
    ratio: f64,
) -> String {
    let context = ContextData::builder().message_history(file.messages()).strategy(strategy);
    let context = context.max_tokens(u64::MAX);
    let context = match question {
        Some(question) => context.transient(ContextData::QUERY, question),
        None => context,
    };
    let context = context.build().expect("the limit of tokens is allowed");
    let options = AssessOptions::default().with_threshold_tokens(0).with_target_ratio(ratio);
    let optimized = block_on(Assessor::new().options(options).optimize(&context));
    let text = optimized.into_text();
    // The question may have the answer's words itself.
    let end = text.rfind("# Question\n").unwrap_or(text.len());
    text[..end].to_owned()
}

/// Keeps the end of the conversation.
fn newest(file: &Conversation, budget: u64) -> String {
    let mut kept = Vec::new();
    let mut left = budget;
    for message in file.conversation.iter().rev() {
        let tokens = TokenEstimate.count(&message.content) + 3;
        if tokens > left {
            break;
        }
        left -= tokens;
        kept.push(&*message.content);
    }
    kept.reverse();
    kept.join("\n")
}

/// Keeps sentences at equal distances.
fn spread(file: &Conversation, ratio: f64) -> String {
    let mut due = 0.0;
    let mut kept = String::new();
    for message in &file.conversation {
        for sentence in message.content.split_inclusive(". ") {
            due += ratio;
            if due >= 1.0 {
                due -= 1.0;
                kept.push_str(sentence);
            }
        }
        kept.push('\n');
    }
    kept
}

/// Lower case, with single spaces.
fn normal(text: &str) -> String {
    text.to_lowercase().replace(['’', '‘'], "'").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Splits a quotation at its elisions.
fn pieces(source: &str) -> Vec<String> {
    let source = normal(source).replace('…', "...");
    let is_mark = |letter: char| matches!(letter, '"' | '“' | '”' | ' ' | '.' | ',');
    let pieces = source.split("...").map(|piece| piece.trim_matches(is_mark).to_owned());
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// Returns how many megabytes of conversation are pruned in a second of one thread.
#[allow(clippy::cast_precision_loss, reason = "a count of bytes")]
fn speed(files: &[Conversation]) -> f64 {
    let all = files.iter().flat_map(Conversation::messages).collect::<Vec<_>>();
    let messages: Vec<ChatMessage> = all.iter().cloned().cycle().take(all.len() * 12).collect();
    let bytes: usize = messages.iter().map(|message| message.content().len()).sum();
    let question = files.first().and_then(|file| file.questions.first());
    let question = question.map_or("What is it?", |question| &question.text);
    let context = ContextData::builder()
        .message_history(messages)
        .transient(ContextData::QUERY, question)
        .strategy(CompressionStrategy::SemanticPruning)
        .max_tokens(u64::MAX)
        .build()
        .expect("the limit of tokens is allowed");
    let assessor = Assessor::new().options(AssessOptions::default().with_threshold_tokens(0));
    let best = (0..5).map(|_| {
        let started = Instant::now();
        drop(block_on(assessor.optimize(&context)));
        started.elapsed().as_secs_f64()
    });
    bytes as f64 / 1e6 / best.fold(f64::INFINITY, f64::min)
}
