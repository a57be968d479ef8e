//! Pruned conversations keep the answers to questions about them.

use std::fs;
use std::path::PathBuf;

use futures::executor::block_on;
use serde::Deserialize;
use tool_runtime::assess::{AssessOptions, Assessor};
use tool_runtime::contracts::assess::{ChatMessage, ChatRole, CompressionStrategy, ContextData};
use tool_runtime::tokens::{TokenCounter, TokenEstimate};
use tool_tests::bfcl;

/// A conversation, and questions about it.
#[derive(Deserialize)]
struct Conversation {
    conversation: Vec<Message>,
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Message {
    role: ChatRole,
    content: String,
}

#[derive(Deserialize)]
struct Question {
    question: String,
    gold: Vec<String>,
}

impl Conversation {
    fn read(path: &PathBuf) -> Self {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    }

    /// The conversation, to be pruned by a question.
    fn context(&self, question: &str) -> ContextData {
        let message = |message: &Message| {
            let tokens = TokenEstimate.count(&message.content);
            let time = "2026-01-01T00:00:00Z".parse().unwrap();
            ChatMessage::new(message.role, &*message.content, time, tokens).unwrap()
        };
        ContextData::builder()
            .message_history(self.conversation.iter().map(message))
            .transient(ContextData::QUERY, question)
            .strategy(CompressionStrategy::SemanticPruning)
            .build()
            .unwrap()
    }
}

#[test]
#[allow(clippy::cast_precision_loss, reason = "small counts")]
fn pruning_to_a_third_keeps_the_answers_to_real_questions() {
    let Some(files) = bfcl::conversations_beside_the_project() else { return };
    let options = AssessOptions::default().with_threshold_tokens(0).with_target_ratio(0.35);
    let assessor = Assessor::new().options(options);
    let (mut questions, mut kept, mut tokens, mut original) = (0_u32, 0_u32, 0_u64, 0_u64);
    for file in files {
        let file = Conversation::read(&file);
        for Question { question, gold } in &file.questions {
            let pruned = block_on(assessor.optimize(&file.context(question)));
            tokens += pruned.optimized_tokens();
            original += pruned.original_tokens();
            let text = pruned.into_text().to_lowercase();
            // The question may have the answer's words itself.
            let text = text.rsplit_once("# question\n").map_or(&*text, |(before, _)| before);
            questions += 1;
            kept += u32::from(gold.iter().any(|answer| text.contains(&answer.to_lowercase())));
        }
    }
    let (ratio, gold) = (tokens as f64 / original as f64, f64::from(kept) / f64::from(questions));
    assert_eq!(questions, 54);
    assert!(ratio <= 0.35 && gold >= 0.97, "{gold:.3} of the answers at {ratio:.3}");
}
