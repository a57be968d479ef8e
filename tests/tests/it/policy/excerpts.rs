//! Long answers: what a model gets of them, and how the rest is read.

use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::policy::{ExcerptInfo, ModelAnswer, OutputHandle, Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::{
    MemoryLimits, MemoryStore, OutputSlice, OutputStore, StoreError, StoreErrorKind, StoredOutput,
    UnixMillis, async_trait,
};
use tool_runtime::testing::ManualClock;

use super::script::{jane, user_context};

const ALMOST_AN_HOUR: Duration = Duration::from_millis(60 * 60 * 1_000 - 1);
const MS: Duration = Duration::from_millis(1);

/// The answer of a search.
#[ai_type]
struct Hits {
    /// The hits.
    hits: Vec<Hit>,
    /// The number of all hits.
    total: u32,
}

/// One hit.
#[ai_type]
struct Hit {
    /// Its title.
    title: String,
    /// Its tags.
    tags: Vec<String>,
}

/// Searches.
#[ai_tool(effect = "read")]
async fn search(
    /// The number of hits.
    count: u32,
) -> Hits {
    let hit = |n| Hit {
        title: format!("tea \u{8336} \u{1f375} {n}"),
        tags: vec!["\u{e9}".to_owned(); 3],
    };
    Hits { hits: (0..count).map(hit).collect(), total: count }
}

/// Recites.
#[ai_tool(effect = "read")]
async fn recite(
    /// The number of repetitions.
    count: u32,
) -> String {
    "\u{1f375}".repeat(count as usize)
}

fn runtime(policy: Policy) -> Runtime {
    let rules = ToolPolicy::new().max_output_bytes(512);
    let builder = Runtime::builder().tool::<SearchTool>().tool::<ReciteTool>();
    builder.policy(policy.rules(rules)).build().expect("the runtime")
}

/// Executes a call; gives its whole answer and what leaves for a model.
async fn leaving(runtime: &Runtime, tool: &str, count: u32) -> (String, ModelAnswer) {
    let mut call = runtime.call(tool, json!({ "count": count }).to_string(), &jane());
    call.execute().await;
    let whole = call.output().and_then(ToolOutput::data_json).expect("an answer").to_owned();
    (whole, call.for_model().await)
}

#[tokio::test]
async fn a_short_answer_leaves_whole() {
    let (whole, answer) = leaving(&runtime(Policy::new()), "search", 5).await;
    assert_eq!((answer.data_json(), answer.excerpt()), (Some(&*whole), None));
}

#[tokio::test]
async fn an_error_has_nothing_to_leave() {
    let runtime = runtime(Policy::new());
    let mut call = runtime.call("search", r#"{"count":"many"}"#, &jane());
    for _ in 0..2 {
        let answer = call.for_model().await;
        assert_eq!((answer.data_json(), answer.excerpt()), (None, None));
        call.execute().await;
    }
}

#[tokio::test]
async fn a_long_answer_leaves_as_whole_rows_and_a_mark() {
    let runtime = runtime(Policy::new());
    let (whole, answer) = leaving(&runtime, "search", 100).await;
    let shown = answer.data_json().expect("an excerpt");
    assert!(shown.len() <= 512 && shown.len() > 400, "{shown}");
    // The type's own reader checks it against the output schema.
    let (shown, all): (Hits, Hits) =
        (serde_json::from_str(shown).unwrap(), serde_json::from_str(&whole).unwrap());
    assert_eq!(shown.total, 100);
    for (shown, all) in shown.hits.iter().zip(&all.hits) {
        assert_eq!((&shown.title, &shown.tags), (&all.title, &all.tags));
    }
    let mark = answer.excerpt().expect("a mark");
    let handle = mark.handle().expect("a handle");
    assert_eq!(mark.total_bytes(), whole.len() as u64);
    let [cut] = mark.cuts() else { panic!("{mark:?}") };
    assert_eq!((&*cut.pointer, cut.rows_total), ("/hits", 100));
    assert_eq!(cut.rows_shown, shown.hits.len() as u64);
    assert_eq!(
        mark.to_string(),
        format!(
            "this is an excerpt of {} bytes; /hits shows {} of 100 rows; the whole answer is stored as {handle}",
            whole.len(),
            cut.rows_shown,
        )
    );
}

#[tokio::test]
async fn an_answer_without_rows_leaves_as_its_first_part() {
    let runtime = runtime(Policy::new());
    let (whole, answer) = leaving(&runtime, "recite", 500).await;
    assert_eq!(answer.data_json(), None);
    // With the quotation mark, as many characters of four bytes as fit.
    assert_eq!(answer.text(), Some(&*"\u{1f375}".repeat(127)));
    let mark = answer.excerpt().expect("a mark");
    let handle = mark.handle().expect("a handle");
    assert_eq!((mark.cuts(), mark.next()), ([].as_slice(), 509));
    assert_eq!(
        mark.to_string(),
        format!(
            "this is an excerpt of {} bytes; it has the first 509; the whole answer is stored as {handle}",
            whole.len()
        )
    );
    let (mut text, mut next) = (answer.text().unwrap().to_owned(), Some(mark.next()));
    while let Some(offset) = next {
        let page = runtime.outputs().text_page(handle, offset, 100, &jane()).await.unwrap();
        let page = page.expect("a page");
        text.push_str(page.text());
        next = page.next();
    }
    assert_eq!(text, "\u{1f375}".repeat(500));
    let other = user_context(1, "joe");
    assert_eq!(runtime.outputs().text_page(handle, 509, 100, &other).await.unwrap(), None);
    assert_eq!(read(&runtime, handle, 1_000, &jane()).await, Some(whole));
}

#[tokio::test]
async fn the_first_part_fits_the_budget_of_tokens() {
    let runtime = runtime(Policy::new());
    for (budget, is_empty) in [(1, true), (60, false), (100, false)] {
        let cx = ToolContext::builder(Uuid::from_u128(1), "trace-1").run_id("run-1");
        let cx = cx.user_id("jane").budget_tokens(budget).build().unwrap();
        let mut call = runtime.call("recite", r#"{"count":500}"#, &cx);
        call.execute().await;
        let answer = call.for_model().await;
        let text = answer.text().unwrap_or_default();
        assert_eq!(text.is_empty(), is_empty, "{budget}: {text}");
        assert!(text.len() <= 512 && text.chars().count() as u64 <= budget, "{budget}: {text}");
    }
}

#[track_caller]
fn handle_of(answer: &ModelAnswer) -> OutputHandle {
    answer.excerpt().and_then(ExcerptInfo::handle).expect("a handle")
}

/// Reads all pages of this size.
async fn read(
    runtime: &Runtime,
    handle: OutputHandle,
    max_bytes: usize,
    cx: &ToolContext,
) -> Option<String> {
    let (mut text, mut offset) = (String::new(), Some(0));
    while let Some(begin) = offset {
        let page =
            runtime.outputs().page(handle, begin, max_bytes, cx).await.expect("the store")?;
        assert!(page.text().len() <= max_bytes, "{page:?}");
        text.push_str(page.text());
        assert_eq!(page.next().is_none(), text.len() as u64 == page.total_bytes());
        offset = page.next();
    }
    Some(text)
}

#[tokio::test]
async fn all_pages_together_are_the_answer() {
    let runtime = runtime(Policy::new());
    for (tool, count) in [("search", 30), ("recite", 200)] {
        let (whole, answer) = leaving(&runtime, tool, count).await;
        let handle = handle_of(&answer);
        assert_eq!(OutputHandle::parse(&handle.to_string()), Some(handle));
        for max_bytes in (4..=40).chain([whole.len() - 1, whole.len(), whole.len() + 1, usize::MAX])
        {
            assert_eq!(
                read(&runtime, handle, max_bytes, &jane()).await.as_ref(),
                Some(&whole),
                "{max_bytes}"
            );
        }
        let least = runtime.outputs().page(handle, 0, 0, &jane()).await.unwrap().expect("a page");
        assert!(least.next().is_some_and(|next| next > 0), "no page is so small that it is empty");
    }
}

#[tokio::test]
async fn no_page_begins_within_a_character_or_beyond_the_end() {
    let runtime = runtime(Policy::new());
    let (whole, answer) = leaving(&runtime, "recite", 200).await;
    let handle = handle_of(&answer);
    let page = async |offset| runtime.outputs().page(handle, offset, 100, &jane()).await.unwrap();
    // A quotation mark, then characters of four bytes.
    for (offset, begins) in [(1, true), (2, false), (3, false), (4, false), (5, true)] {
        assert_eq!(page(offset).await.is_some(), begins, "{offset}");
    }
    let end = page(whole.len() as u64).await.expect("the end is a page");
    assert_eq!((end.text(), end.next()), ("", None));
}

#[tokio::test]
async fn no_other_user_reads_it() {
    let runtime = runtime(Policy::new());
    let (whole, answer) = leaving(&runtime, "search", 100).await;
    let handle = handle_of(&answer);
    let anonymous = ToolContext::builder(Uuid::from_u128(1), "t").run_id("r").build().unwrap();
    for other in [user_context(1, "joe"), user_context(2, "jane"), anonymous] {
        assert_eq!(read(&runtime, handle, 1_000, &other).await, None);
    }
    assert_eq!(read(&runtime, handle, 1_000, &jane()).await, Some(whole));
    for text in ["", "out_", "out_1", "0198c0de00007000800000000000abcd"] {
        assert_eq!(OutputHandle::parse(text), None, "{text}");
    }
    let unknown = OutputHandle::parse("out_0198c0de00007000800000000000abcd").unwrap();
    assert_eq!(read(&runtime, unknown, 1_000, &jane()).await, None);
}

#[tokio::test]
async fn it_is_kept_for_its_time_and_then_swept() {
    let clock = ManualClock::at(UnixMillis::new(1_000_000));
    let runtime = runtime(Policy::new().clock(clock.clone()).output_lifetime(ALMOST_AN_HOUR + MS));
    let mut handles = Vec::new();
    for _ in 0..3 {
        let (_, answer) = leaving(&runtime, "search", 100).await;
        handles.push(handle_of(&answer));
    }
    clock.advance(ALMOST_AN_HOUR);
    assert_eq!(runtime.sweep().await.unwrap(), 0);
    assert!(read(&runtime, handles[0], 1_000, &jane()).await.is_some());
    clock.advance(MS);
    assert_eq!(read(&runtime, handles[0], 1_000, &jane()).await, None);
    assert_eq!((runtime.sweep().await.unwrap(), runtime.sweep().await.unwrap()), (3, 0));
}

/// Rejects everything.
struct Full;

#[async_trait]
impl OutputStore for Full {
    async fn put_output(&self, _: StoredOutput) -> Result<(), StoreError> {
        Err(StoreError::new(StoreErrorKind::Unavailable, "the disk is full"))
    }

    async fn read_output(
        &self,
        _: Uuid,
        _: Uuid,
        _: &str,
        _: u64,
        _: usize,
        _: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError> {
        Err(StoreError::new(StoreErrorKind::Unavailable, "the disk is full"))
    }

    async fn sweep_outputs(&self, _: UnixMillis, _: usize) -> Result<usize, StoreError> {
        Err(StoreError::new(StoreErrorKind::Unavailable, "the disk is full"))
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_stored_leaves_without_a_handle() {
    let runtime = runtime(Policy::new().output_store(Full));
    let (_, answer) = leaving(&runtime, "search", 100).await;
    assert!(answer.data_json().is_some());
    let mark = answer.excerpt().expect("a mark");
    assert_eq!(mark.handle(), None);
    assert!(
        mark.to_string().ends_with(" of 100 rows; the whole answer could not be stored"),
        "{mark}"
    );
    assert!(!mark.to_string().contains("disk"), "why is for the log");
    let handle = OutputHandle::parse("out_0198c0de00007000800000000000abcd").unwrap();
    assert!(runtime.outputs().page(handle, 0, 100, &jane()).await.is_err());
    assert!(runtime.sweep().await.is_err());
}

#[tokio::test]
async fn a_list_at_the_root_is_called_the_answer() {
    let list = DynamicTool::new("list", Effect::Read)
        .description("Lists.")
        .input_schema(json!({ "type": "object", "additionalProperties": false }))
        .output_schema(json!({ "type": "array", "items": { "type": "integer" }, "minItems": 3 }))
        .sync_handler(|_| Ok::<_, Failure>(json!((0..1_000).collect::<Vec<u32>>())));
    let runtime = Runtime::builder().dynamic(list);
    let policy = Policy::new().rules(ToolPolicy::new().max_output_bytes(256));
    let runtime = runtime.policy(policy).build().unwrap();
    let mut call = runtime.call("list", "{}", &jane());
    call.execute().await;
    let answer = call.for_model().await;
    let shown: Vec<u32> = serde_json::from_str(answer.data_json().unwrap()).unwrap();
    assert!(shown.iter().zip(0..).all(|(found, expected)| *found == expected), "the first rows");
    let mark = answer.excerpt().expect("a mark").to_string();
    assert!(mark.contains(&format!("the answer shows {} of 1000 rows", shown.len())), "{mark}");
}

#[tokio::test]
async fn an_answer_is_not_cut_to_fewer_rows_than_its_schema_needs() {
    // A thousand rows or none: the schema forbids fewer.
    let list = DynamicTool::new("list", Effect::Read)
        .description("Lists.")
        .input_schema(json!({ "type": "object", "additionalProperties": false }))
        .output_schema(json!({ "type": "array", "items": { "type": "integer" }, "minItems": 1000 }))
        .sync_handler(|_| Ok::<_, Failure>(json!((0..1_000).collect::<Vec<u32>>())));
    let policy = Policy::new().rules(ToolPolicy::new().max_output_bytes(256));
    let runtime = Runtime::builder().dynamic(list).policy(policy).build().unwrap();
    let mut call = runtime.call("list", "{}", &jane());
    call.execute().await;
    let answer = call.for_model().await;
    assert_eq!(answer.data_json(), None);
    let handle = handle_of(&answer);
    let text = read(&runtime, handle, 100, &jane()).await.expect("all of it");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap().as_array().map(Vec::len), Some(1_000));
}

#[tokio::test]
async fn answers_whose_time_is_over_make_room_for_others() {
    let clock = ManualClock::at(UnixMillis::new(1_800_000_000_000));
    let store = MemoryStore::bounded(MemoryLimits::new().with_outputs(2, 1 << 20));
    let runtime = runtime(Policy::new().store(store).clock(clock.clone()));
    let handle = async || {
        let (_, answer) = leaving(&runtime, "search", 100).await;
        answer.excerpt().expect("an excerpt").handle().is_some()
    };
    for _ in 0..3 {
        clock.advance(Duration::from_secs(2 * 24 * 60 * 60));
        assert_eq!([handle().await, handle().await], [true, true]);
    }
    assert!(!handle().await, "what is still good is kept");
}
