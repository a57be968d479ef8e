//! Words behind the escapes of JSON are found, and the JSON stays as it was written.

use serde_json::value::RawValue;

use super::{eager, optimized, options, question, result};
use tool_contracts::assess::ContextDataBuilder;

/// A result with a document as a tool wrote it, escapes included.
fn written(question_text: &str, json: String) -> ContextDataBuilder {
    let json = RawValue::from_string(json).expect("the test's own JSON");
    question(question_text).tool_results([result("page", json)])
}

/// Checks that the row with this text is kept, letter for letter.
#[track_caller]
fn check_row(asked: &str, text: &str) {
    // Each of the others names more than the one that is asked for.
    let row = |n: u32| format!(r#"{{"id":{n},"text":"of B-{n}, hall_{n} and shelf_{n} no news"}}"#);
    let mut rows: Vec<String> = (0..120).map(row).collect();
    rows[60] = format!(r#"{{"id":60,"text":"{text}"}}"#);
    let context = written(asked, format!("[{}]", rows.join(",")));
    let kept = optimized(&eager().options(options().with_target_ratio(0.05)), context);
    assert!(kept.optimized_text().contains(&rows[60]), "{text}: {}", kept.optimized_text());
}

/// Checks that the sentence is kept, letter for letter, in a long text inside of JSON.
#[track_caller]
fn check_sentence(asked: &str, sentence: &str) {
    let other = "The req_1 of B-18 was served by worker_2 in hall_3 at 12:30. ".repeat(80);
    let context = written(asked, format!(r#"{{"id":7,"text":"{other}{sentence} {other}"}}"#));
    let kept = optimized(&eager().options(options().with_target_ratio(0.05)), context);
    assert!(kept.optimized_text().contains(sentence), "{sentence}: {}", kept.optimized_text());
}

#[test]
fn words_with_escaped_letters_are_words_of_the_question() {
    check_row("Where is the Käse?", r"all of the K\u00e4se of the shop is on the third shelf");
    check_sentence("Where is the Käse?", r"All of the K\u00e4se of the shop is on a shelf.");
    check_row("Was ist 茶?", r"\u8336 is what everybody of the house likes to drink");
}

#[test]
fn words_after_escaped_white_space_are_words_of_the_question() {
    for space in [r"\t", r"\r", r"\u000a", r"\f"] {
        let text = format!("on the shelf of the shop are{space}mangos{space}and other fruits");
        check_row("Where are the mangos?", &text);
        check_sentence("Where are the mangos?", &format!("{text}."));
    }
    let row = r"on the shelf of the shop are\nmangos\nand other fruits";
    check_row("Where are the mangos?", row);
}

#[test]
fn identifiers_with_escapes_are_those_that_the_question_names() {
    for name in [r"\u0041-17", r#"\"A-17\""#, r"\nA-17", r"\u000aA\u002d17\u0021"] {
        check_row("Is A-17 there?", &format!("of {name} one knows that it went to the cellar"));
    }
    let text = r"the page src\/tea.rs was moved to the cellar of the old house";
    check_row("What is in src/tea.rs?", text);
    check_sentence("What is in src/tea.rs?", &format!("{text}."));
}

#[test]
fn a_backslash_of_a_plain_text_is_no_escape() {
    let other = "The request was served without delay by the usual worker.\n".repeat(80);
    let line = r"The page C:\notes\tea_1.md was moved to the cellar of the old house.";
    let text = format!("{other}{line}\n{other}");
    let context = question(r"Where is C:\notes\tea_1.md?").tool_results([result("log", text)]);
    let kept = optimized(&eager().options(options().with_target_ratio(0.05)), context);
    assert!(kept.optimized_text().contains(line), "{}", kept.optimized_text());
}
