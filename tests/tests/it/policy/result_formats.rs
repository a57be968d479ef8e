//! Results in a format that takes fewer tokens, within the context's budget of tokens.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_runtime::Uuid;
use tool_runtime::articulate::Articulator;
use tool_runtime::contracts::articulate::{
    OutputSerializer, SerializationError, SerializationFormat, SerializationRequest,
    SerializedOutput,
};
use tool_runtime::policy::{ModelAnswer, Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::tokens::{TokenCounter, TokenEstimate, TokenMethod};

/// One village.
#[ai_type]
#[derive(Debug, PartialEq, Clone)]
struct Village {
    /// Its name.
    name: String,
    /// Its inhabitants.
    inhabitants: u32,
    /// Whether it has a temple.
    temple: bool,
}

/// A page of villages.
#[ai_type]
struct Page {
    /// The villages.
    villages: Vec<Village>,
    /// The number of all villages.
    total: u32,
}

/// Lists villages.
#[ai_tool(effect = "read")]
async fn villages(
    /// How many.
    count: u32,
) -> Page {
    let village =
        |n| Village { name: format!("Village, \"{n}\""), inhabitants: n * 37, temple: n % 2 == 0 };
    Page { villages: (0..count).map(village).collect(), total: count }
}

/// Lists villages for programs.
#[ai_tool(effect = "read")]
async fn plain_villages(
    /// How many.
    count: u32,
) -> Page {
    villages(count).await
}

/// A number.
#[ai_type]
struct Number {
    /// The number.
    n: u32,
    /// Twice the number.
    twice: u32,
}

/// Counts.
#[ai_tool(effect = "read")]
async fn numbers(
    /// How far.
    count: u32,
) -> Vec<Number> {
    (0..count).map(|n| Number { n, twice: 2 * n }).collect()
}

fn runtime(policy: Policy) -> Runtime {
    let builder = Runtime::builder().tool::<VillagesTool>().tool::<PlainVillagesTool>();
    let builder = builder.tool::<NumbersTool>();
    builder.policy(policy).build().expect("the runtime")
}

fn articulated() -> Policy {
    Policy::new().rules(ToolPolicy::new().result_serializer(Articulator::new()))
}

async fn answer(policy: Policy, tool: &str, count: u32, budget: Option<u64>) -> ModelAnswer {
    let builder =
        ToolContext::builder(Uuid::from_u128(1), "trace-1").run_id("run-1").user_id("jane");
    let builder = match budget {
        Some(tokens) => builder.budget_tokens(tokens),
        None => builder,
    };
    let cx = builder.build().expect("the context");
    let mut call = runtime(policy).call(tool, json!({ "count": count }).to_string(), &cx);
    call.execute().await;
    call.for_model().await
}

/// Reads the text as a model would: strictly, in the format that it has.
fn read(answer: &ModelAnswer) -> Page {
    let text = answer.text().expect("a text");
    Articulator::new().deserialize(text, answer.format()).expect("a valid text")
}

/// Counts all that the model reads of the answer.
fn tokens(answer: &ModelAnswer) -> u64 {
    let count = |text: Option<&str>| text.map_or(0, |text| TokenEstimate.count(text));
    let mark = answer.excerpt().map(ToString::to_string);
    count(answer.text()) + count(answer.format().model_note()) + count(mark.as_deref())
}

#[tokio::test]
async fn a_table_leaves_as_toon() {
    let answer = answer(articulated(), "villages", 40, None).await;
    assert_eq!(answer.format(), SerializationFormat::Toon);
    assert!(answer.text().is_some_and(|text| text.starts_with("villages[40]{")));
    assert_eq!(read(&answer).villages, villages(40).await.villages);
    assert!(answer.serialized().is_some_and(SerializedOutput::is_valid));
    assert!(answer.data_json().is_some_and(|json| json.starts_with('{')), "JSON stays at hand");
}

#[tokio::test]
async fn without_a_serializer_a_model_reads_json() {
    let answer = answer(Policy::new(), "villages", 40, None).await;
    assert_eq!(
        (answer.format(), answer.text()),
        (SerializationFormat::CompactJson, answer.data_json())
    );
    assert!(answer.serialized().is_none());
}

#[tokio::test]
async fn one_tool_keeps_json() {
    let policy = || articulated().rules_for("plain_villages", ToolPolicy::new().json_results());
    let plain = answer(policy(), "plain_villages", 40, None).await;
    assert_eq!((plain.format(), plain.serialized()), (SerializationFormat::CompactJson, None));
    let toon = answer(policy(), "villages", 40, None).await;
    assert_eq!(toon.format(), SerializationFormat::Toon);
}

/// Returns the format of a table of numbers without the note.
async fn alone(count: u32) -> SerializationFormat {
    let table = numbers(count).await;
    Articulator::new().negotiate_format(&SerializationRequest::new(table)).expect("a format")
}

#[tokio::test]
async fn a_table_that_saves_less_than_the_note_costs_stays_json() {
    assert_eq!(alone(6).await, SerializationFormat::Toon);
    let short = answer(articulated(), "numbers", 6, None).await;
    assert_eq!(short.format(), SerializationFormat::CompactJson);
    let long = answer(articulated(), "numbers", 70, None).await;
    assert_eq!(long.format(), SerializationFormat::Toon);
}

#[tokio::test]
async fn an_answer_within_the_budget_leaves_whole() {
    let all = answer(articulated(), "villages", 100, None).await;
    let enough = tokens(&all);
    let whole = answer(articulated(), "villages", 100, Some(enough)).await;
    assert!(whole.excerpt().is_none() && whole.text() == all.text());
    let cut = answer(articulated(), "villages", 100, Some(enough - 1)).await;
    assert!(cut.excerpt().is_some());
}

#[tokio::test]
async fn an_excerpt_fits_the_budget_with_all_that_the_model_reads_and_stays_a_valid_table() {
    for policy in [articulated as fn() -> Policy, Policy::new] {
        for budget in [120, 200, 400, 1_000] {
            let answer = answer(policy(), "villages", 300, Some(budget)).await;
            let found = tokens(&answer);
            assert!(found <= budget && found * 2 > budget, "{found} of {budget}");
            let page = read(&answer);
            let [cut] = answer.excerpt().expect("an excerpt").cuts() else { panic!("one cut") };
            assert_eq!((&*cut.pointer, cut.rows_total), ("/villages", 300));
            assert_eq!(cut.rows_shown, page.villages.len() as u64);
            assert_eq!(page.villages, villages(300).await.villages[..page.villages.len()]);
        }
    }
}

#[tokio::test]
async fn toon_shows_more_rows_within_the_same_budget() {
    let toon = read(&answer(articulated(), "villages", 300, Some(600)).await).villages.len();
    let json = read(&answer(Policy::new(), "villages", 300, Some(600)).await).villages.len();
    assert!(toon * 5 > json * 7, "{toon} rows beside {json}");
}

#[tokio::test]
async fn bytes_are_those_of_the_text_that_the_model_reads() {
    let rules = || ToolPolicy::new().max_output_bytes(2_048);
    let toon = || Policy::new().rules(rules().result_serializer(Articulator::new()));
    let whole = answer(toon(), "villages", 60, None).await;
    assert!(whole.excerpt().is_none() && whole.data_json().is_some_and(|json| json.len() > 2_048));
    let cut = answer(toon(), "villages", 300, None).await;
    assert!(cut.excerpt().is_some() && cut.text().is_some_and(|text| text.len() <= 2_048));
    let json = answer(Policy::new().rules(rules()), "villages", 60, None).await;
    assert!(json.excerpt().is_some());
}

#[tokio::test]
async fn a_budget_for_nothing_leaves_the_description_alone() {
    let answer = answer(articulated(), "villages", 300, Some(5)).await;
    assert_eq!((answer.text(), answer.data_json()), (None, None));
    assert!(answer.excerpt().is_some_and(|mark| mark.handle().is_some()));
}

/// A counter that counts characters.
#[derive(Debug)]
struct Characters;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> u64 {
        text.chars().count() as u64
    }

    fn method(&self) -> TokenMethod {
        TokenMethod::Estimate
    }
}

#[tokio::test]
async fn the_budget_is_counted_by_the_hosts_counter() {
    let policy = Policy::new().token_counter(Characters);
    let answer = answer(policy, "villages", 300, Some(1_000)).await;
    let characters =
        answer.text().map_or(0, str::len) + answer.excerpt().expect("cut").to_string().len();
    assert!((500..=1_000).contains(&characters), "{characters}");
}

/// A strategy of a host's own: the JSON in capitals, as a format that cannot be read back.
#[derive(Debug)]
struct Capitals;

impl OutputSerializer for Capitals {
    fn serialize<T: Serialize>(
        &self,
        request: &SerializationRequest<T>,
    ) -> Result<SerializedOutput, SerializationError> {
        let text = serde_json::to_string(request.data()).expect("JSON").to_uppercase();
        let built = SerializedOutput::builder(text, SerializationFormat::CompactJson).build();
        built.map_err(|error| SerializationError::new(error.to_string()))
    }

    fn deserialize<T: DeserializeOwned>(
        &self,
        _: &str,
        _: SerializationFormat,
    ) -> Result<T, SerializationError> {
        Err(SerializationError::new("expected nothing"))
    }

    fn negotiate_format<T: Serialize>(
        &self,
        _: &SerializationRequest<T>,
    ) -> Result<SerializationFormat, SerializationError> {
        Ok(SerializationFormat::CompactJson)
    }
}

#[tokio::test]
async fn a_hosts_own_strategy_writes_the_text() {
    let policy = Policy::new().rules(ToolPolicy::new().result_serializer(Capitals));
    let answer = answer(policy, "villages", 1, None).await;
    assert!(answer.text().is_some_and(|text| text.contains(r#""TEMPLE":TRUE"#)));
    assert!(answer.data_json().is_some_and(|json| serde_json::from_str::<Value>(json).is_ok()));
}
