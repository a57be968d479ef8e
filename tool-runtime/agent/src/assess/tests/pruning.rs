//! Pruning keeps what the question needs: sentences, rows, identifiers, error lines.

use serde_json::{Value, json};

use super::{eager, log, message, optimized, options, question, result};
use crate::assess::AssessOptions;
use tool_contracts::assess::{ChatRole, CompressionMethod, CompressionStrategy, ContextData};

fn rows(count: u32) -> Value {
    let row =
        |n: u32| json!({"id": n, "city": format!("City number {n}"), "note": "nothing to report"});
    let mut rows: Vec<Value> = (0..count).map(row).collect();
    rows[40] = json!({"id": 40, "city": "Kyoto", "note": "famous for green tea"});
    json!({"source": "register", "cities": rows})
}

/// The JSON of the one result in a text.
fn json_of(text: &str) -> Value {
    let body = text.split_once("\n{").map(|(_, body)| body).expect("an object");
    let body = body.split_once("\n\n").map_or(body, |(body, _)| body);
    serde_json::from_str(&format!("{{{body}")).expect("valid JSON")
}

#[test]
fn rows_are_chosen_whole_and_the_rest_of_a_document_stays() {
    let context =
        question("Which city is known for tea?").tool_results([result("cities", rows(120))]);
    let optimized = optimized(&eager(), context);
    assert!(optimized.compression_ratio() <= 0.35, "{optimized:?}");
    let document = json_of(optimized.optimized_text());
    assert_eq!(document["source"], "register");
    let cities = document["cities"].as_array().expect("rows");
    assert!(cities.iter().any(|row| row["city"] == "Kyoto"));
    assert!(cities.iter().all(|row| row.as_object().is_some_and(|row| row.len() == 3)));
    let note = format!("## cities ({} of 120 rows)\n", cities.len());
    assert!(optimized.optimized_text().contains(&note), "{note}");
}

#[test]
fn long_texts_inside_of_json_are_pruned_and_stay_json() {
    let page = format!("{}He said: \"green tea\\only\".\n{}", log(60), log(60));
    let context = question("Who said green tea?")
        .tool_results([result("page", json!({"id": 7, "text": page}))]);
    let optimized = optimized(&eager(), context);
    let document = json_of(optimized.optimized_text());
    assert_eq!(document["id"], 7);
    let text = document["text"].as_str().expect("a text");
    assert!(text.contains("He said: \"green tea\\only\".") && text.contains('…'), "{text}");
}

#[test]
fn identifiers_that_the_question_names_are_kept() {
    let line = "Invoice A-9917 went to the archive.\n";
    let text = format!("{}{line}{}", log(80), log(80));
    let context = question("Show it for A-9917.").tool_results([result("log", text)]);
    let assessor = eager().options(options().with_target_ratio(0.05));
    let optimized = optimized(&assessor, context);
    assert!(optimized.optimized_text().contains(line));
}

#[test]
fn identifiers_that_the_newest_messages_name_are_kept() {
    let line = "The file src/tea.rs was moved.\n";
    let history = [
        message(ChatRole::User, "We talk about src/tea.rs now."),
        message(ChatRole::Assistant, "Good."),
    ];
    let context = question("And then?")
        .message_history(history)
        .tool_results([result("log", format!("{}{line}{}", log(80), log(80)))])
        .strategy(CompressionStrategy::SemanticPruning);
    let assessor = eager().options(options().with_target_ratio(0.1));
    assert!(optimized(&assessor, context).optimized_text().contains(line));
}

#[test]
fn error_lines_are_kept_if_the_question_asks_for_errors() {
    let line = "panicked at the second counter\n";
    let text = format!("{}{line}{}", log(80), log(80));
    let kept = |asked: &str| {
        let context = question(asked).tool_results([result("log", text.clone())]);
        let assessor = eager().options(options().with_target_ratio(0.1));
        optimized(&assessor, context).optimized_text().contains(line)
    };
    assert!(kept("Did anything fail?"));
    assert!(kept("What went wrong?"));
}

#[test]
fn error_lines_are_kept_if_a_newer_message_speaks_of_errors() {
    // A longer line than the others, since a short one fits in what they leave.
    let line = "panicked at the second counter of the third hall on the left side of the house\n";
    let text = format!("{}{line}{}", log(80), log(80));
    let kept = |said: &str| {
        let history = [message(ChatRole::User, said), message(ChatRole::Assistant, "I see.")];
        let context = question("And the worker?")
            .message_history(history)
            .tool_results([result("log", text.clone())])
            .strategy(CompressionStrategy::SemanticPruning);
        let assessor = eager().options(options().with_target_ratio(0.15));
        optimized(&assessor, context).optimized_text().contains(line)
    };
    assert!(kept("The nightly job crashed."));
    assert!(!kept("The nightly job is over."));
}

#[test]
fn referenced_text_is_kept_within_the_limit_of_the_context() {
    let text: String =
        (0..2_000).map(|n| format!("error {n}: A-17 is late.\n")).collect::<Vec<_>>().concat();
    let context = question("Which errors are there of A-17?").tool_results([result("log", text)]);
    let assessor = eager().options(options().with_target_ratio(1.0));
    let optimized = optimized(&assessor, context.max_tokens(1_000));
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    assert!((800..=1_000).contains(&optimized.optimized_tokens()), "{optimized:?}");
}

/// A log in which the order A-9917 is in so many of 100 lines.
fn log_with_references(share: usize) -> String {
    let line = |n: usize| {
        let order = if n % 100 < share { "A-9917" } else { "of the house" };
        format!("In the order {order} the parcel went to the archive of the second hall.\n")
    };
    (0..400).map(line).collect()
}

#[test]
fn referenced_text_may_take_more_than_the_target() {
    let kept = |share: usize, max_tokens: u64| {
        let result = result("log", log_with_references(share));
        let context = question("Show all of A-9917.").tool_results([result]).max_tokens(max_tokens);
        let optimized = optimized(&eager().options(options().with_target_ratio(0.35)), context);
        let kept = optimized.optimized_text().matches("A-9917 the parcel").count();
        (kept, optimized.compression_ratio(), optimized.optimized_tokens())
    };
    let (lines, ratio, _) = kept(44, 100_000);
    assert!(lines == 176 && (0.4..=0.5).contains(&ratio), "{lines} lines at {ratio}");
    // No more than half of the text, and never more than the limit.
    let (lines, ratio, _) = kept(90, 100_000);
    assert!(lines < 360 && (0.4..=0.5).contains(&ratio), "{lines} lines at {ratio}");
    let (lines, _, tokens) = kept(44, 1_500);
    assert!((10..176).contains(&lines) && tokens <= 1_500, "{lines} lines in {tokens} tokens");
}

#[test]
fn neighbours_of_a_fitting_sentence_are_kept() {
    let text = format!("{}I asked about the green tea. It was seven coins.\n{}", log(60), log(60));
    let context = question("How much is green tea?").tool_results([result("talk", text)]);
    let assessor = eager().options(options().with_target_ratio(0.1));
    assert!(optimized(&assessor, context).optimized_text().contains("It was seven coins."));
}

#[test]
fn questions_in_chinese_find_their_sentences() {
    let text =
        format!("{}龙井是一种绿茶。{}", "今天天气很好。".repeat(80), "今天天气很好。".repeat(80));
    let context = question("龙井是什么？").tool_results([result("book", text)]);
    assert!(optimized(&eager(), context).optimized_text().contains("龙井是一种绿茶。"));
}

#[test]
fn without_a_question_names_and_numbers_are_kept() {
    let line = "The caller was Ada Lovelace, order 4711.\n";
    let text = format!("{}{line}{}", log(80), log(80));
    let context = ContextData::builder().tool_results([result("log", text)]);
    let assessor = eager().options(options().with_target_ratio(0.1));
    assert!(optimized(&assessor, context).optimized_text().contains(line));
}

#[test]
fn repeated_objects_become_references() {
    let owner = json!({"name": "Ada Lovelace", "city": "London", "phone": "none", "rank": "first"});
    let row = |n: u32| json!({"tea": format!("green tea {n}"), "owner": owner});
    let rows: Vec<Value> = (0..60).map(row).collect();
    let context = question("Who owns the green tea?").tool_results([result("teas", rows)]);
    let optimized = optimized(&eager(), context);
    let text = optimized.optimized_text();
    assert_eq!(text.matches("Ada Lovelace").count(), 1, "{text}");
    assert!(text.contains(r##"{"$ref":"#/0/owner"}"##), "{text}");
}

#[test]
fn nulls_and_links_are_dropped_when_asked() {
    let row = |n: u32| json!({"id": n, "none": null, "url": format!("https://example.org/{n}")});
    let rows: Vec<Value> = (0..60).map(row).collect();
    let text = |options: AssessOptions| {
        let context = question("Which?").tool_results([result("rows", rows.clone())]);
        optimized(&eager().options(options), context).into_text()
    };
    assert!(text(options()).contains("https://") && text(options()).contains("null"));
    let dropped = text(options().with_nulls_dropped(true).with_links_dropped(true));
    assert!(!dropped.contains("https://") && !dropped.contains("null"), "{dropped}");
}

#[test]
fn kept_identifiers_and_numbers_are_counted() {
    let line = |n: u32| format!("The order_{n} costs {n}.5 coins.\n");
    let other = (100..160).map(line).collect::<Vec<_>>().concat();
    let text = format!("{other}Green tea: order_17 costs 12.50.\n{}", log(10));
    let context = question("What does green tea cost?").tool_results([result("log", text)]);
    let optimized = optimized(&eager().options(options().with_target_ratio(0.1)), context);
    let count = |name: &str| optimized.metadata()[name].as_u64().expect("a count");
    assert_eq!((count("identifiers"), count("numbers")), (61, 61));
    let kept = optimized.optimized_text().matches("order_").count() as u64;
    assert_eq!((count("identifiers_kept"), count("numbers_kept")), (kept, kept));
    assert!((1..61).contains(&kept), "{kept}");
    assert!(optimized.optimized_text().contains("order_17 costs 12.50."));
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
}
