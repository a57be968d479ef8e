//! Tools under the strictest lints, defined in this package's library, still work.

use tool_runtime::Runtime;
use tool_tests::strict::{AnswerQuestionTool, StrictKit, StrictWriteTool};

use super::{build, data};

#[test]
fn strict_lints_are_content() {
    let builder = Runtime::builder().toolkit(StrictKit);
    let runtime = build(builder.tool::<AnswerQuestionTool>().tool::<StrictWriteTool>());
    let arguments = r#"{"question":{"words":"a"}}"#;
    assert_eq!(data(&runtime, "answer_question", arguments)["count"], 3);
    assert_eq!(data(&runtime, "strict_write", r#"{"name":"abc"}"#), 3);
    assert_eq!(data(&runtime, "strict_kit.count", r#"{"words":"abc"}"#), 3);
}
