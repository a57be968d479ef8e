//! The one text of a context, and what of it stays word for word.

use serde_json::json;

use super::{eager, log, message, optimized, question, result, time};
use crate::assess::Assessor;
use tool_contracts::act::ActResult;
use tool_contracts::assess::{ChatRole, CompressionMethod, ContextData};

#[test]
fn a_context_is_one_text() {
    let failed = ActResult::failed("stock", "no such item", time()).build().expect("a result");
    let context = question("Which orders are open?")
        .transient("user", "Ada")
        .transient("shop", json!({"id": 7}))
        .persistent_context("You answer questions about orders.")
        .message_history([message(ChatRole::User, "Hello"), message(ChatRole::Assistant, "Hi!")])
        .tool_results([result("orders", json!([{"id": 17}])), failed]);
    let expected = "\
# Instructions
You answer questions about orders.

# Conversation
user: Hello
assistant: Hi!

# Tool results
## orders
[{\"id\":17}]

## stock
error: no such item

# Facts
shop: {\"id\":7}
user: Ada
# Question
Which orders are open?";
    let optimized = optimized(&Assessor::new(), context);
    assert_eq!(optimized.optimized_text(), expected);
    assert_eq!(optimized.method_used(), CompressionMethod::None);
}

#[test]
fn an_empty_context_is_an_empty_text() {
    let optimized = optimized(&Assessor::new(), ContextData::builder());
    assert_eq!((optimized.optimized_text(), optimized.original_tokens()), ("", 0));
}

#[test]
fn instructions_facts_question_and_failures_stay_word_for_word() {
    let failed = ActResult::failed("stock", "no such item", time()).build().expect("a result");
    let context = question("What was said about tea?")
        .transient("user", "Ada")
        .persistent_context("Never guess.\n\nAnswer in one line.")
        .message_history([
            message(ChatRole::System, "The shop is closed on Monday."),
            message(ChatRole::User, &log(40)),
        ])
        .tool_results([result("log", log(200)), failed]);
    let optimized = optimized(&eager(), context);
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    for kept in [
        "# Instructions\nNever guess.\n\nAnswer in one line.\n",
        "system: The shop is closed on Monday.\n",
        "## stock\nerror: no such item\n",
        "user: Ada\n",
        "# Question\nWhat was said about tea?",
    ] {
        assert!(optimized.optimized_text().contains(kept), "{kept}");
    }
}

#[test]
fn gaps_are_marked_and_kept_passages_keep_their_letters() {
    let text = format!("{}Green  tea was sold out.\n{}", log(30), log(30));
    let context = question("Was green tea sold?").tool_results([result("log", text)]);
    let optimized = optimized(&eager(), context);
    let text = optimized.optimized_text();
    assert!(text.contains("Green  tea was sold out.\n"), "{text}");
    assert!(text.contains("… "), "{text}");
}

#[test]
fn a_result_of_which_nothing_fits_still_names_its_tool() {
    let context = question("Where is the green tea?").tool_results([
        result("log", log(300)),
        result("shelf", "The green tea is on the green shelf.\n".repeat(40)),
    ]);
    let context = context.max_tokens(1_000);
    let optimized = optimized(&eager(), context);
    let text = optimized.optimized_text();
    assert!(text.contains("## log\n") && text.contains("## shelf\n"), "{text}");
}
