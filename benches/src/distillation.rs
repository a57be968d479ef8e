//! Answers that are left in the summaries of a model, asked over OpenAI's API.

use std::time::Duration;

use tool_runtime::agent::{ModelSummarizer, OpenAiModel};
use tool_runtime::assess::{AssessOptions, Assessor};
use tool_runtime::contracts::assess::{CompressionStrategy, ContextData, OptimizedContext};

use crate::retention::{Conversation, Found, read};

const RATIO: f64 = 0.35;

/// Has each conversation summarized once, without a question, and prints what is left of the answers.
///
/// # Errors
/// Returns an error if a file cannot be read or is not of this form, or the URL is not one.
pub fn figures(base_url: &str, model: &str, files: &[&str]) -> Result<(), String> {
    let files = files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let model = OpenAiModel::builder(base_url, model)
        .timeout(Duration::from_secs(1_800))
        .build()
        .map_err(|error| error.to_string())?;
    let options = AssessOptions::default().with_threshold_tokens(0).with_target_ratio(RATIO);
    let assessor = Assessor::new().options(options).summarizer(ModelSummarizer::new(model));
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let (mut found, mut summarized) = (Found::default(), 0);
    for file in &files {
        let optimized = runtime.block_on(assessor.optimize(&context(file)));
        summarized += u32::from(report(&optimized));
        found.look_for_answers(file, |_| optimized.optimized_text().to_owned());
    }
    let (ratio, gold, source) = found.shares();
    println!(
        "distillation: ratio={ratio:.3} gold={gold:.3} source={source:.3} summarized={summarized}/{}",
        files.len()
    );
    Ok(())
}

fn context(file: &Conversation) -> ContextData {
    ContextData::builder()
        .message_history(file.messages())
        .strategy(CompressionStrategy::Distillation)
        .build()
        .expect("the context has the default size")
}

/// Prints how a conversation was compressed, and returns whether the summary was used.
fn report(optimized: &OptimizedContext) -> bool {
    let fallback = optimized.metadata().get("fallback");
    println!(
        "{}: {} of {} tokens, {:.0} s{}",
        optimized.method_used(),
        optimized.optimized_tokens(),
        optimized.original_tokens(),
        optimized.compression_time_ms() / 1e3,
        fallback.map(|reason| format!(", {reason}")).unwrap_or_default(),
    );
    fallback.is_none()
}
