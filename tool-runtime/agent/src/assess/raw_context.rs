//! A context as it is: its text, and what it takes.

use super::assessor::Assessor;
use super::compression::TextScope;
use super::context_text::{ContextText, PrunableParts};
use super::json_rows;
use super::options::AssessOptions;
use tool_contracts::act::ActResult;
use tool_contracts::assess::ContextData;

/// A context before anything is left out.
pub(super) struct RawContext {
    pub(super) scope: TextScope,
    /// The text, with results in their shortest form if there is a serializer.
    pub(super) text: String,
    /// The tokens of the context as it is.
    pub(super) original: u64,
    /// The tokens of the text.
    pub(super) tokens: u64,
}

impl RawContext {
    pub(super) fn new(context: &ContextData, scope: TextScope, assessor: &Assessor) -> Self {
        let (text, prunable) = match scope {
            TextScope::Context => (raw_text(context), PrunableParts::Results),
            TextScope::ResultsAlone => (results_alone(context), PrunableParts::ResultsAlone),
        };
        let original = assessor.counter.count(&text);
        let raw = Self { scope, text, original, tokens: original };
        let Some(serializer) = &assessor.serializer else { return raw };
        // A context that is not compressed has all of its fields.
        let context_text =
            ContextText::new(context, prunable, &AssessOptions::default(), Some(serializer));
        let text = context_text.render_all();
        let tokens = assessor.counter.count(&text);
        if tokens < original { Self { scope, text, original, tokens } } else { raw }
    }
}

/// Writes a context as it is.
pub(super) fn raw_text(context: &ContextData) -> String {
    let context_text =
        ContextText::new(context, PrunableParts::Nothing, &AssessOptions::default(), None);
    context_text.render(&[])
}

/// Writes results as they are, documents in JSON compactly.
fn results_alone(context: &ContextData) -> String {
    let options = AssessOptions::default();
    let text = |result: &ActResult| {
        let json = result.success().then(|| json_rows::compact(result.data(), &options)).flatten();
        json.unwrap_or_else(|| result.to_text())
    };
    let texts: Vec<String> = context.tool_results().iter().map(text).collect();
    texts.join("\n\n")
}
