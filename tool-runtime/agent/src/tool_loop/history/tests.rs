//! Results are compressed and rounds compacted, and the savings are counted.

use futures::executor::block_on;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::assess::AssessOptions;
use crate::model::AssistantMessage;

fn calls(ids: &[&str]) -> ModelMessage {
    let calls = ids.iter().map(|id| ModelCall::new(*id, "log", r#"{"host":"web-17"}"#));
    ModelMessage::Assistant(AssistantMessage::new("").with_calls(calls))
}

fn result(id: &str, text: &str) -> ModelMessage {
    ModelMessage::tool_result(id, text)
}

fn log(line: &str) -> String {
    let usual = "The request was served without delay by the usual worker.\n";
    format!("{}{line}\n{}", usual.repeat(40), usual.repeat(40))
}

fn assessor() -> Assessor {
    let options = AssessOptions::default().with_threshold_tokens(500).with_verbatim_rounds(1);
    Assessor::new().options(options)
}

/// Three rounds of one call each, after a question.
fn history() -> History {
    let mut messages = vec![ModelMessage::User("Why is web-17 slow?".to_owned())];
    for (id, line) in
        [("1", "web-17 has no memory left."), ("2", "The order is O-4711."), ("3", "Nothing.")]
    {
        messages.extend([calls(&[id]), result(id, &log(line))]);
    }
    History::new(messages)
}

/// Everything about messages but the texts of results.
fn structure(history: &History) -> Vec<String> {
    let shape = |message: &ModelMessage| match message {
        ModelMessage::ToolResult { call_id, .. } => format!("result {call_id}"),
        other => format!("{other:?}"),
    };
    history.messages.iter().map(shape).collect()
}

#[test]
fn older_results_keep_what_names_something_and_the_newest_stays_word_for_word() {
    let (raw, mut history) = (history(), history());
    block_on(history.compact(&assessor(), 5));
    assert_eq!(structure(&history), structure(&raw), "no call lost its result");
    assert!(history.messages[2].text().contains("web-17 has no memory left."));
    assert!(history.messages[4].text().contains("The order is O-4711."));
    for at in [2, 4] {
        assert!(history.messages[at].text().len() * 2 < raw.messages[at].text().len());
    }
    assert_eq!(history.messages[6], raw.messages[6]);
    assert_eq!(history.savings.report(1.0).compactions, 1);
}

#[test]
fn error_lines_of_older_results_stay_if_a_later_turn_speaks_of_errors() {
    let line = "panicked at the second counter";
    let is_line_kept = |said: &str| {
        let mut messages = vec![ModelMessage::User("Is all well?".to_owned())];
        messages.extend([calls(&["1"]), result("1", &log(&format!("{line}\n{}", names())))]);
        messages.push(ModelMessage::Assistant(AssistantMessage::new(said)));
        messages.extend([calls(&["2"]), result("2", &log("Nothing."))]);
        let mut history = History::new(messages);
        let options = *assessor().options_in_use();
        let assessor = Assessor::new().options(options.with_target_ratio(0.1));
        block_on(history.compact(&assessor, 5));
        assert_eq!(history.savings.report(1.0).compactions, 1);
        history.messages[2].text().contains(line)
    };
    assert!(!is_line_kept("I look at the next log."), "sixty lines name more");
    assert!(is_line_kept("Something failed there, so I look at the next log."));
}

/// Lines that each name something, and so come before a line that names nothing.
fn names() -> String {
    (0..60).map(|n| format!("order_{n} for host_{n}\n")).collect::<Vec<_>>().concat()
}

#[test]
fn compacted_messages_do_not_change_again() {
    let mut history = history();
    block_on(history.compact(&assessor(), 5));
    let first = history.messages.clone();
    block_on(history.compact(&assessor(), 5));
    assert_eq!(history.messages, first);
    history.messages.extend([calls(&["4"]), result("4", &log("Done."))]);
    block_on(history.compact(&assessor(), 5));
    assert_eq!(history.messages[..5], first[..5]);
    assert!(history.messages[6].text().len() < first[6].text().len());
}

#[test]
fn a_round_that_waits_for_an_answer_is_left_as_it_is() {
    let mut history = history();
    history.messages.push(calls(&["4", "5"]));
    history.messages.push(result("4", &log("Half.")));
    let raw = history.clone();
    assert_eq!(complete_rounds(&raw.messages), [1..3, 3..5, 5..7]);
    block_on(history.compact(&assessor(), 5));
    assert_eq!(history.messages[5..], raw.messages[5..]);
    assert_ne!(history.messages[..5], raw.messages[..5]);
}

#[test]
fn a_short_history_and_a_compaction_that_does_not_pay_change_nothing() {
    let raw = history();
    let mut history = raw.clone();
    let long = AssessOptions::default().with_verbatim_rounds(1);
    block_on(history.compact(&Assessor::new().options(long), 5));
    assert_eq!(history.messages, raw.messages);
    // One turn is left: the cache of all messages after the first result is worth more.
    let options = AssessOptions::default().with_threshold_tokens(500).with_verbatim_rounds(1);
    let cached = Assessor::new().options(options.with_prompt_cache(0.1, 8));
    block_on(history.compact(&cached, 1));
    assert_eq!(history.messages, raw.messages);
    block_on(history.compact(&cached, 50));
    assert_ne!(history.messages, raw.messages);
}

#[test]
fn arguments_of_calls_count_as_messages_do() {
    let mut history = history();
    let many: Vec<String> = (0..2_000).map(|n| format!("web-{n}")).collect();
    let many = serde_json::to_string(&many).expect("texts");
    let call = ModelCall::new("4", "restart", many);
    let text = "The usual worker restarts every one of them, one after the other. ";
    let message = AssistantMessage::new("").with_calls([call]);
    history.messages.extend([ModelMessage::Assistant(message), result("4", &text.repeat(3))]);
    let texts = |history: &History| {
        history.messages.iter().map(|it| assessor().estimate_tokens(it.text())).sum::<u64>()
    };
    let options = *assessor().options_in_use();
    let assessor = Assessor::new().options(options.with_threshold_tokens(texts(&history)));
    block_on(history.compact(&assessor, 5));
    assert_eq!(history.savings.report(1.0).compactions, 1);
}

/// Compresses rows by a question, and compacts what is left; returns both messages.
fn compressed_and_compacted(assessor: &Assessor, notes: &str) -> (String, String) {
    let row = |n: u32| format!(r#"{{"id":{n},"host":"web-{n}","state":"it is up and running"}}"#);
    let rows = format!("[{}]", (0..300).map(row).collect::<Vec<_>>().join(","));
    let mut history = history();
    let first = block_on(history.compress_result(assessor, "hosts", &rows));
    let first = first.expect("300 rows are many") + notes;
    history.messages[2] = result("1", &first);
    block_on(history.compact(assessor, 5));
    let second = history.messages[2].text().to_owned();
    assert!(second.len() < first.len(), "{second}");
    (first, second)
}

/// Reads the count of rows before the data of a message: those that are there, and all.
fn counted(message: &str) -> (usize, usize, &str) {
    let (count, data) = message.split_once(" rows)\n").expect("a count of rows");
    let (kept, all) = count.trim_start_matches('(').split_once(" of ").expect("two numbers");
    (kept.parse().expect("a number"), all.parse().expect("a number"), data)
}

#[test]
fn rows_that_were_left_out_twice_are_whole_and_counted_once() {
    let notes = "\n\nthe list is of yesterday";
    let (first, second) = compressed_and_compacted(&assessor(), notes);
    let (before, all, _) = counted(&first);
    assert!(before < 300 && all == 300, "{before} of {all}");
    let (kept, all, data) = counted(&second);
    let data = data.strip_suffix(notes).expect("the notes stay word for word");
    let rows: Vec<serde_json::Value> = serde_json::from_str(data).expect("whole rows");
    assert!(kept == rows.len() && kept < before && all == 300, "{kept} of {all}: {second}");
}

#[cfg(feature = "toon")]
#[test]
fn tables_that_are_compacted_keep_a_true_length() {
    use tool_runtime_core::articulate::{Articulator, from_toon};

    let assessor = assessor().result_serializer(Articulator::new());
    let (first, second) = compressed_and_compacted(&assessor, "");
    assert!(counted(&first).2.starts_with("The data is in TOON"), "{first}");
    let (kept, all, data) = counted(&second);
    let table = data.split_once('\n').expect("a note, and a table").1;
    let rows: Vec<serde_json::Value> = from_toon(table).expect("a whole table");
    assert!(kept == rows.len() && all == 300, "{kept} of {all}: {second}");
}

#[test]
fn a_result_with_references_to_its_rows_stays_as_it_is() {
    let owner = r#"{"name":"Ada Lovelace","city":"London","phone":"none","rank":"first"}"#;
    let row = |n: u32| format!(r#"{{"tea":"green tea {n}","owner":{owner}}}"#);
    let rows = format!("[{}]", (0..300).map(row).collect::<Vec<_>>().join(","));
    let mut history = history();
    let first = block_on(history.compress_result(&assessor(), "teas", &rows));
    let first = first.expect("300 rows are many");
    assert!(first.contains("$ref"), "{first}");
    history.messages[2] = result("1", &first);
    block_on(history.compact(&assessor(), 5));
    assert_eq!(history.messages[2].text(), first);
}

/// A line of a result: it names something, decides, fails, or says nothing.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just("The request was served without delay by the usual worker.".to_owned()),
        1 => "(order|host|file)_[0-9]{1,3} is (late|open|lost)\\.",
        1 => Just("error: the connection was refused".to_owned()),
        1 => Just("Shall we order more?".to_owned()),
        1 => "\\PC{0,40}",
    ]
}

/// A result: a text of lines, or rows in JSON.
fn any_result() -> impl Strategy<Value = String> {
    (vec(line(), 0..60), any::<bool>()).prop_map(|(lines, is_json)| {
        if is_json { serde_json::to_string(&lines).expect("texts") } else { lines.join("\n") }
    })
}

/// A round of up to three calls, of which the last ones may still wait for their results.
fn any_round() -> impl Strategy<Value = (String, Vec<Option<String>>)> {
    let calls = vec(proptest::option::weighted(0.9, any_result()), 0..3);
    (line(), calls)
}

fn any_history() -> impl Strategy<Value = Vec<ModelMessage>> {
    vec((any_round(), proptest::bool::weighted(0.2)), 0..8).prop_map(|rounds| {
        let mut messages = vec![ModelMessage::User("Which order_17 is late?".to_owned())];
        for (number, ((said, calls), asks)) in rounds.into_iter().enumerate() {
            let ids: Vec<String> = (0..calls.len()).map(|n| format!("{number}.{n}")).collect();
            let requested = ids.iter().map(|id| ModelCall::new(id, "log", "{}"));
            let message = AssistantMessage::new(said).with_calls(requested);
            messages.push(ModelMessage::Assistant(message));
            let answered = ids.iter().zip(calls).filter_map(|(id, text)| Some((id, text?)));
            messages.extend(answered.map(|(id, text)| result(id, &text)));
            if asks {
                messages.push(ModelMessage::User("And web-17?".to_owned()));
            }
        }
        messages
    })
}

/// The rounds in which a call has no result.
fn waiting_rounds(messages: &[ModelMessage]) -> Vec<Range<usize>> {
    let calls = |message: &ModelMessage| match message {
        ModelMessage::Assistant(answer) => Some(answer.calls().len()),
        _ => None,
    };
    let starts = (0..messages.len()).filter_map(|at| Some((at, calls(&messages[at])?)));
    let is_result = |it: &&ModelMessage| matches!(it, ModelMessage::ToolResult { .. });
    let rounds = starts.map(|(at, calls)| {
        let results = messages[at + 1..].iter().take_while(is_result).count();
        (at..at + 1 + results, results < calls)
    });
    rounds.filter(|(_, waits)| *waits).map(|(round, _)| round).collect()
}

fn any_assessor() -> impl Strategy<Value = Assessor> {
    let cache = proptest::option::of((0.0..1.0_f64, 0..20_u32));
    (0..2_000_u64, 0.05..1.0_f64, 0..4_usize, any::<bool>(), cache).prop_map(
        |(threshold, ratio, rounds, drops, cache)| {
            let options = AssessOptions::default()
                .with_threshold_tokens(threshold)
                .with_target_ratio(ratio)
                .with_verbatim_rounds(rounds)
                .with_nulls_dropped(drops)
                .with_links_dropped(drops);
            Assessor::new().options(match cache {
                Some((share, turns)) => options.with_prompt_cache(share, turns),
                None => options,
            })
        },
    )
}

#[test]
fn a_saved_token_counts_in_every_request_and_less_where_the_cache_had_it() {
    let mut meter = SavingsMeter::default();
    meter.add_result(100);
    for _ in 0..3 {
        meter.add_request();
    }
    let report = meter.report(0.1);
    assert_eq!((report.compressed_results, report.input_tokens), (1, 300));
    assert!((report.net_input_tokens - 120.0).abs() < 1e-9, "100 once, and 10 twice: {report:?}");
    assert!((meter.report(1.0).net_input_tokens - 300.0).abs() < 1e-9);
}

#[test]
fn a_compaction_costs_the_cache_of_what_follows() {
    assert!(!SavingsMeter::is_worthwhile(1_000, 500, 0.1, 4), "400 saved, 450 lost");
    assert!(SavingsMeter::is_worthwhile(1_000, 500, 0.1, 5), "500 saved, 450 lost");
    assert!(SavingsMeter::is_worthwhile(1, 500, 1.0, 1), "nothing is cached");
    let mut meter = SavingsMeter::default();
    meter.add_compaction(1_000, 500, 0.1);
    meter.add_request();
    let report = meter.report(0.1);
    assert_eq!((report.compactions, report.input_tokens), (1, 1_000));
    assert!((report.net_input_tokens + 350.0).abs() < 1e-9, "{report:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_call_and_its_result_stay_together_at_any_settings(
        messages in any_history(),
        assessor in any_assessor(),
        turns in 0..10_u32,
    ) {
        let raw = History::new(messages);
        let compacted = || {
            let mut history = raw.clone();
            block_on(history.compact(&assessor, turns));
            history
        };
        let history = compacted();
        prop_assert_eq!(structure(&history), structure(&raw));
        for (after, before) in history.messages.iter().zip(&raw.messages) {
            let [after, before] = [after, before].map(|it| assessor.estimate_tokens(it.text()));
            prop_assert!(after <= before);
        }
        for round in waiting_rounds(&raw.messages) {
            prop_assert_eq!(&history.messages[round.clone()], &raw.messages[round]);
        }
        // The newest rounds stay word for word.
        let rounds = complete_rounds(&raw.messages);
        let older = rounds.len().saturating_sub(assessor.options_in_use().verbatim_rounds());
        let end = rounds[..older].last().map_or(0, |round| round.end);
        prop_assert_eq!(&history.messages[end..], &raw.messages[end..]);
        prop_assert!(history == compacted(), "the same history gives the same messages");
    }
}
