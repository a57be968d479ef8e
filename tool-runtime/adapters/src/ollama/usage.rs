//! Reads the model and the token counts of a response, or of a line of one.

use crate::TurnUsage;
use crate::format::{ResponseMetadata, ResponseValue};

/// There is no id; the last line of a stream has the counts.
pub(super) fn metadata(response: ResponseValue<'_>) -> ResponseMetadata {
    let (input, output) =
        (response.number_of("prompt_eval_count"), response.number_of("eval_count"));
    let is_reported = input.is_some() || output.is_some();
    let usage = is_reported.then(|| TurnUsage { input, output, ..TurnUsage::default() });
    ResponseMetadata { id: None, model: response.label_of("model"), usage }
}
