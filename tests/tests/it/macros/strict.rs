//! Tools under the strictest lints, defined in this package's library, still work.

use tool_runtime::Runtime;
use tool_tests::strict::{AnswerQuestion, StrictKit, StrictWrite};

use super::{build, data};

#[test]
fn strict_lints_are_content() {
    let builder = Runtime::builder().toolkit(StrictKit);
    let runtime = build(builder.tool::<AnswerQuestion>().tool::<StrictWrite>());
    let arguments = r#"{"question":{"words":"a"}}"#;
    assert_eq!(data(&runtime, "answer_question", arguments)["count"], 3);
    assert_eq!(data(&runtime, "strict_write", r#"{"name":"abc"}"#), 3);
    assert_eq!(data(&runtime, "strict_kit.count", r#"{"words":"abc"}"#), 3);
}
