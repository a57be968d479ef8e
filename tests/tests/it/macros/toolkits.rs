//! Toolkits: state with tools on it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_runtime::contracts::ToolkitSpec;
use tool_runtime::prelude::*;
use tool_runtime::{Runtime, Toolkit};

use super::{answer, answer_in, build, context, data, error, input_schema};

struct Notes {
    lines: Mutex<Vec<String>>,
    reads: AtomicUsize,
}

impl Notes {
    const MOST: usize = 3;

    fn new() -> Self {
        Self { lines: Mutex::new(Vec::new()), reads: AtomicUsize::new(0) }
    }
}

#[derive(Debug, ToolFailure)]
enum NotesError {
    #[failure(CONFLICT, message = "there are {count} notes already", details(count))]
    Full { count: usize },
}

/// Keeps notes
/// for a while.
#[ai_toolkit]
impl Notes {
    /// Not a tool: has no attribute.
    fn read(&self) -> Vec<String> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.lines.lock().expect("no thread panicked").clone()
    }

    /// Lists the notes.
    #[ai_tool(effect = "read")]
    async fn list(
        &self,
        cx: &ToolContext,
        /// Most notes to list.
        #[arg(default = Self::MOST, range(1..=Self::MOST))]
        limit: usize,
    ) -> Vec<String> {
        assert_eq!(cx.trace_id(), "trace");
        self.read().into_iter().take(limit).collect()
    }

    /// Adds a note.
    #[ai_tool(effect = "write", preview = would_add)]
    fn add(
        &self,
        /// The note.
        #[arg(length(1..))]
        text: &str,
    ) -> Result<usize, NotesError> {
        let mut lines = self.lines.lock().expect("no thread panicked");
        if lines.len() == Self::MOST {
            return Err(NotesError::Full { count: lines.len() });
        }
        lines.push(text.to_owned());
        Ok(lines.len())
    }

    #[allow(clippy::unnecessary_wraps)]
    fn would_add(&self, text: &str) -> Result<String, NotesError> {
        Ok(format!("would add {} bytes to {}", text.len(), self.read().len()))
    }

    /// Counts what was read.
    #[ai_tool(effect = "read", name = "how_often", blocking)]
    fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    /// Needs no notes.
    #[ai_tool(effect = "read")]
    fn most() -> usize {
        Self::MOST
    }

    /// Is not there.
    #[cfg(any())]
    #[ai_tool(effect = "read")]
    fn absent(&self) -> Missing {}
}

#[test]
fn tools_are_named_after_their_toolkit() {
    assert_eq!(Notes::NAME, "notes");
    assert_eq!(Notes::DESCRIPTION, "Keeps notes\nfor a while.");
    let runtime = build(Runtime::builder().toolkit(Notes::new()));
    let names: Vec<_> = runtime.specs().map(|spec| spec.name().to_owned()).collect();
    assert_eq!(names, ["notes.add", "notes.how_often", "notes.list", "notes.most"]);
    assert_eq!(input_schema(&runtime, "notes.list")["title"], "it::macros::toolkits::Notes::list");
}

#[test]
fn tools_share_the_toolkits_state() {
    let notes = Arc::new(Notes::new());
    let runtime = build(Runtime::builder().shared_toolkit(Arc::clone(&notes)));
    for count in 1..=3 {
        assert_eq!(data(&runtime, "notes.add", r#"{"text":"n"}"#), count);
    }
    let full = error(&runtime, "notes.add", r#"{"text":"n"}"#);
    assert_eq!(full["message"], "there are 3 notes already");
    assert_eq!(full["details"]["count"], 3);
    assert_eq!(data(&runtime, "notes.list", r#"{"limit":2}"#), json!(["n", "n"]));
    assert_eq!(
        answer(&runtime, "notes.list", r#"{"limit":4}"#)["error"]["code"],
        "INVALID_ARGUMENT"
    );
    assert_eq!(data(&runtime, "notes.how_often", "{}"), 1);
    assert_eq!(data(&runtime, "notes.most", "{}"), 3);
    assert_eq!(notes.read().len(), 3);
}

#[test]
fn a_preview_is_a_method_beside_the_tool() {
    let runtime = build(Runtime::builder().toolkit(Notes::new()));
    let cx = context().dry_run(true).build().expect("a context");
    let envelope = answer_in(&runtime, "notes.add", r#"{"text":"abc"}"#, &cx);
    assert_eq!(envelope["data"], "would add 3 bytes to 0");
    assert_eq!(data(&runtime, "notes.list", "{}"), json!([]));
}

#[test]
fn types_of_the_block_may_be_called_self() {
    /// A counter.
    #[ai_type]
    #[derive(Clone)]
    struct Counter {
        /// How far it is.
        at: u32,
    }

    /// Counts.
    #[ai_toolkit(name = "desk.counter")]
    impl Counter {
        /// Adds to a counter.
        #[ai_tool(effect = "read")]
        async fn plus(
            &self,
            /// The other.
            other: Self,
        ) -> Option<Self> {
            Some(Self { at: self.at + other.at })
        }
    }

    let runtime = build(Runtime::builder().toolkit(Counter { at: 1 }));
    assert_eq!(data(&runtime, "desk.counter.plus", r#"{"other":{"at":2}}"#), json!({"at": 3}));
}

#[test]
fn a_tool_knows_the_toolkit_that_its_method_stands_in() {
    let runtime = build(Runtime::builder().toolkit(Notes::new()));
    for spec in runtime.specs() {
        let toolkit = spec.toolkit().expect("a method belongs to a toolkit");
        assert_eq!((toolkit.name(), toolkit.description()), (Notes::NAME, Notes::DESCRIPTION));
    }
    let listed = tool_runtime::Registry::new().toolkit::<Notes>().specs().expect("the contracts");
    assert!(listed.iter().all(|spec| spec.toolkit().is_some()));
}

fn dynamic(name: &str) -> DynamicTool {
    DynamicTool::new(name, Effect::Read)
        .description("Reads.")
        .input_schema(json!({ "type": "object" }))
        .sync_handler(|_| Ok::<_, Failure>(1))
}

#[test]
fn a_dynamic_tool_may_belong_to_a_toolkit() {
    let files = ToolkitSpec::new("files", "Reads the files of a workspace.").expect("a toolkit");
    let tools = [dynamic("files.read").toolkit(files.clone()), dynamic("alone")];
    let runtime = build(tools.into_iter().fold(Runtime::builder(), |all, tool| all.dynamic(tool)));
    let toolkit = |name: &str| runtime.spec(name).expect("it is listed").toolkit().cloned();
    assert_eq!(toolkit("files.read").as_ref(), Some(&files));
    assert_eq!(toolkit("alone"), None);

    let refused = Runtime::builder().dynamic(dynamic("read").toolkit(files)).build().unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("`read`") && text.contains("toolkit.tool"), "{text}");
}

#[test]
fn a_permission_of_a_toolkit_holds_for_a_tool_whose_own_name_has_a_dot() {
    let files = ToolkitSpec::new("files", "Reads the files of a workspace.").expect("a toolkit");
    let tool = || dynamic("files.text.read").toolkit(files.clone());
    let permission = |name: &str| {
        let runtime = build(Runtime::builder().dynamic(tool()).permission(name, Permission::Ask));
        runtime.spec("files.text.read").expect("it is listed").permission()
    };
    for name in ["files.text.read", "files.text", "files"] {
        assert_eq!(permission(name), Permission::Ask, "{name}");
    }
    let both = Runtime::builder()
        .dynamic(tool())
        .permission("files", Permission::Deny)
        .permission("files.text", Permission::Ask);
    let spec = build(both);
    let spec = spec.spec("files.text.read").expect("it is listed");
    assert_eq!(spec.permission(), Permission::Ask, "the narrower entry wins");
}
