//! Files and texts that must be the same in every build: written by a build of the workspace, and
//! read by it and by the package `companion-unified`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::body::{Body, to_bytes};
use axum::http::Request;
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::articulate::to_toon;
use tool_runtime::evidence::{Access, EvidenceKeeper, Replay, ReplayVerdict, Sealing, Vault};
use tool_runtime::http::{self, Auth, HttpConfig, Principal};
use tool_runtime::ledger::{Ledger, MemoryLedger, SqliteLedger};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::schema::Export;
use tool_runtime::serde::Serialize;
use tool_runtime::serde_json::{Value, json};
use tool_runtime::store::{MemoryStore, SqliteStore};
use tool_runtime::testing::assert_tool;
use tool_runtime::{DynamicTool, Registry};
use tower::ServiceExt;

/// The variable with the folder of the files.
pub(crate) const FOLDER: &str = "UNIFIED_FOLDER";

const TENANT: Uuid = Uuid::from_u128(7);
/// A whole number, a fraction, and two numbers that are no integers as they are written.
const NUMBERS: [&str; 4] = ["1", "1.5", "1e2", "0.1"];

/// A size, tagged in its object.
#[ai_type]
#[derive(Debug, PartialEq)]
#[serde(tag = "unit", rename_all = "snake_case")]
enum Tagged {
    /// A length.
    Metres { value: f64 },
    /// A weight.
    Grams { value: f64, tare: Option<f64> },
}

/// A size, with its tag beside it.
#[ai_type]
#[derive(Debug, PartialEq)]
#[serde(tag = "unit", content = "value", rename_all = "snake_case")]
enum Beside {
    /// A length.
    Metres(f64),
    /// Weights.
    Grams(Vec<f64>),
}

/// A number, or a text.
#[ai_type]
#[derive(Debug, PartialEq)]
#[serde(untagged)]
enum Untagged {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// A price.
#[ai_type]
#[derive(Debug, PartialEq)]
struct Price {
    /// The amount.
    amount: f64,
    /// The discount, from 0 to 1.
    #[arg(default = 0.25, range(0.0..=1.0))]
    discount: f64,
}

/// An offer with its price in the same object.
#[ai_type]
#[derive(Debug, PartialEq)]
struct Flattened {
    /// The name of the offer.
    name: String,
    #[serde(flatten)]
    price: Price,
}

/// Returns the size in its object.
#[ai_tool(effect = "read")]
async fn tagged(
    /** The size. */
    size: Tagged,
) -> Tagged {
    size
}

/// Returns the size with its tag beside it.
#[ai_tool(effect = "read")]
async fn beside(
    /** The size. */
    size: Beside,
) -> Beside {
    size
}

/// Returns the number or the text.
#[ai_tool(effect = "read")]
async fn untagged(
    /** The number or the text. */
    size: Untagged,
) -> Untagged {
    size
}

/// Returns the offer.
#[ai_tool(effect = "read")]
async fn flattened(
    /** The offer. */
    offer: Flattened,
) -> Flattened {
    offer
}

/// Quotes a price.
#[ai_tool(effect = "read", version = "1.2.0", evidence, ttl = "60s")]
async fn quote(
    /// The weight in grams.
    #[arg(range(1..=5_000))]
    weight: u32,
    /// The article.
    #[arg(example = "tea", length(1..=40))]
    article: String,
    /// The discount, from 0 to 1.
    #[arg(default = 0.1, range(0.0..=1.0))]
    discount: f64,
) -> Value {
    let price = f64::from(weight) * (1.0 - discount);
    json!({"price": price, "article": article, "id": u64::MAX})
}

/// Pays once, and is asked about first.
#[ai_tool(effect = "write")]
async fn pay(
    payments: &AtomicU32,
    dry_run: &DryRun,
    /// The amount in cents.
    cents: u64,
    /// The reference.
    about: Option<String>,
) -> u64 {
    if !dry_run.is_active() {
        payments.fetch_add(1, Ordering::SeqCst);
    }
    let _ = about;
    cents
}

/// Books once under its key.
#[ai_tool(effect = "write")]
async fn book(bookings: &AtomicU32, dry_run: &DryRun) -> u32 {
    if dry_run.is_active() { 0 } else { bookings.fetch_add(1, Ordering::SeqCst) + 1 }
}

/// The reason why a shelf gives nothing.
#[derive(Debug, ToolFailure)]
enum ShelfFailure {
    /// No shelf has the number.
    #[failure(NOT_FOUND, message = "there is no shelf {number}", details(number))]
    Absent { number: u8 },
    /// The shelf's own reason, which is not the caller's.
    #[failure(UPSTREAM_ERROR, hide, retry_after = "2s")]
    Stuck(std::io::Error),
}

impl std::fmt::Display for ShelfFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent { number } => write!(f, "no shelf {number}"),
            Self::Stuck(error) => write!(f, "the shelf is stuck: {error}"),
        }
    }
}

impl std::error::Error for ShelfFailure {}

/// The shelves of a store room.
struct Shelves {
    /// The articles on each shelf.
    articles: u32,
}

/// Looks after the shelves of a store room.
#[ai_toolkit]
impl Shelves {
    /// Counts the articles on a shelf.
    #[ai_tool(effect = "read", blocking)]
    fn count(
        &self,
        /** The number of the shelf. */
        number: u8,
    ) -> Result<u32, ShelfFailure> {
        match number {
            0 => Err(ShelfFailure::Absent { number }),
            1 => Err(ShelfFailure::Stuck(std::io::Error::other("door 17"))),
            _ => Ok(self.articles * u32::from(number)),
        }
    }
}

/// Moves articles to another shelf.
#[ai_tool(effect = "write", idempotent, preview = preview_move)]
fn move_articles(
    /** The number of the shelf. */
    to: u8,
) -> Result<u8, ShelfFailure> {
    if to == 0 { Err(ShelfFailure::Absent { number: to }) } else { Ok(to) }
}

fn preview_move(to: u8) -> Result<String, ShelfFailure> {
    if to > 200 {
        return Err(ShelfFailure::Absent { number: to });
    }
    Ok(format!("moves the articles to shelf {to}"))
}

/// A tool whose schema is data, with its names and numbers in the order and notation of a server.
fn listed() -> DynamicTool {
    let schema = r#"{"type":"object","required":["size"],"properties":{
        "size":{"type":"number","minimum":1e0,"maximum":1e2,"multipleOf":0.50},
        "id":{"type":"integer","maximum":18446744073709551615},
        "kind":{"enum":["z","a",1.0]}},"$defs":{"b":{"type":"null"},"a":{"type":"string"}}}"#;
    DynamicTool::new("listed", Effect::Read)
        .description("A tool of another server.")
        .input_schema(tool_runtime::serde_json::from_str(schema).expect("a schema"))
        .handler(|_| async { Ok::<_, Failure>(json!({"b": 1, "a": 2})) })
}

fn registry() -> Registry {
    Registry::new()
        .tool::<TaggedTool>()
        .tool::<BesideTool>()
        .tool::<UntaggedTool>()
        .tool::<FlattenedTool>()
        .tool::<QuoteTool>()
        .tool::<PayTool>()
        .tool::<BookTool>()
        .tool::<MoveArticlesTool>()
        .dynamic(listed())
}

/// The runtime on the files of a folder.
struct Process {
    runtime: Runtime,
    ledger: Ledger,
    vault: Vault,
    effects: Arc<AtomicU32>,
}

impl Process {
    fn open(folder: &Path) -> Self {
        let keys = || KeyRing::new("2026-11", &[7; 32]).expect("a key");
        let file = SqliteLedger::open(folder.join("ledger.db")).expect("a ledger's file");
        let ledger = Ledger::builder(keys()).open(file).expect("a ledger");
        let store = |name: &str| SqliteStore::open(folder.join(name)).expect("a store");
        let keeper = EvidenceKeeper::new(Vault::new(store("evidence.db"), keys()), &ledger)
            .sealing(Sealing::Everything);
        let vault = keeper.vault().clone();
        let effects = Arc::new(AtomicU32::new(0));
        let runtime = Runtime::builder()
            .registry(registry())
            .shared_state(Arc::clone(&effects))
            .toolkit(Shelves { articles: 12 })
            .permission("book", Permission::Allow)
            .ledger(&ledger)
            .evidence(keeper)
            .policy(Policy::new().store(store("tools.db")).ticket_keys(keys()))
            .build()
            .expect("a runtime");
        Self { runtime, ledger, vault, effects }
    }

    async fn quote(&self) {
        let mut call = self.runtime.call("quote", r#"{"weight":1e2,"article":"tea"}"#, &cx());
        let output = call.execute().await;
        assert!(output.is_ok(), "{output}");
    }

    async fn book(&self) -> String {
        let cx = cx().with_idempotency_key("order-1").expect("a key");
        let mut call = self.runtime.call("book", "{}", &cx);
        let output = call.execute().await;
        output.data_json().unwrap_or_else(|| panic!("{output}")).to_owned()
    }

    async fn close(self) {
        drop(self.runtime);
        self.ledger.close().await.expect("a closed ledger");
    }
}

fn cx() -> ToolContext {
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
    cx.build().expect("a context")
}

/// Writes the files of a build.
pub(crate) async fn write(folder: &Path) {
    let export = || Export::new(registry().toolkit::<Shelves>()).accepting();
    export().check(folder.join("tools.lock.json")).expect("a lock");
    export().write_to(folder.join("schemas")).expect("contracts");
    fs::write(folder.join("texts.json"), texts().await).expect("texts");
    let process = Process::open(folder);
    process.quote().await;
    assert_eq!(process.book().await, "1");
    let mut call = process.runtime.call("pay", r#"{"cents":250}"#, &cx());
    let ticket = call.ticket().await.expect("a ticket").to_json();
    fs::write(folder.join("ticket.json"), ticket).expect("a ticket's file");
    process.close().await;
}

/// Reads the files of another build, in which nothing may be stale, lost or different. Each set of
/// files is read once.
pub(crate) async fn read(folder: &Path) {
    let export = || Export::new(registry().toolkit::<Shelves>()).frozen();
    export().check(folder.join("tools.lock.json")).expect("the lock is up to date");
    export().write_to(folder.join("schemas")).expect("the contracts are up to date");
    let written = fs::read_to_string(folder.join("texts.json")).expect("texts");
    let texts = texts().await;
    for (written, now) in written.lines().zip(texts.lines()) {
        assert_eq!(written, now);
    }
    assert_eq!(written.lines().count(), texts.lines().count());

    let process = Process::open(folder);
    assert_eq!(process.book().await, "1", "the stored answer");
    assert_eq!(process.effects.load(Ordering::SeqCst), 0, "nothing ran again");
    let ticket = fs::read_to_string(folder.join("ticket.json")).expect("a ticket's file");
    let mut call = process.runtime.tickets().resume(&ticket, &cx()).await;
    assert!(call.approve("jill").is_ok());
    let output = call.execute().await;
    assert_eq!(output.data_json(), Some("250"), "{output}");
    assert_eq!(process.effects.load(Ordering::SeqCst), 1, "paid once");
    process.ledger.flush().await.expect("a written ledger");
    process.ledger.verify(&[]).await.expect("a whole chain");
    let access = Access::new("user:auditor", "a comparison of builds").expect("an access");
    let replay = Replay::new(&process.runtime, &process.ledger, access).vault(&process.vault);
    let report = replay.run("trace-1").await.expect("a replay");
    let quoted = report.calls().iter().find(|call| call.tool() == "quote").expect("the quote");
    assert_eq!(quoted.verdict(), &ReplayVerdict::Same);
    process.close().await;
}

/// Compares the contracts of two tools with the committed ones. Outside of an executor, since the
/// macro has one of its own.
pub(crate) fn check_snapshots(folder: PathBuf) {
    assert_tool!(flattened, snapshots_in = folder.clone());
    assert_tool!(tagged, snapshots_in = folder);
}

/// Returns the runtime with a ledger and evidence in memory.
fn in_memory() -> Runtime {
    let keys = || KeyRing::ephemeral().expect("a key");
    let ledger = Ledger::builder(keys()).open(MemoryLedger::new(1_000)).expect("a ledger");
    let keeper = EvidenceKeeper::new(Vault::new(MemoryStore::new(), keys()), &ledger);
    let builder = Runtime::builder()
        .registry(registry())
        .toolkit(Shelves { articles: 12 })
        .state(AtomicU32::new(0));
    builder.ledger(&ledger).evidence(keeper).build().expect("a runtime")
}

/// Writes what models and clients read, a line for each text.
async fn texts() -> String {
    let runtime = in_memory();
    let specs: Vec<_> = runtime.specs().collect();
    let mut lines: Vec<String> = specs.iter().map(|spec| text_of(&**spec)).collect();
    for dialect in Dialect::ALL {
        for strict in [false, true] {
            let adapter =
                Adapter::builder(dialect).strict(strict).build(specs.iter().map(|spec| &**spec));
            lines.push(text_of(adapter.declarations()));
        }
    }
    let mut refused = runtime.call("quote", r#"{"wieght":1,"article":""}"#, &cx());
    let error = refused.execute().await.error().expect("a refusal").clone();
    lines.push(text_of(&error));
    let laptop = Principal::trusted("laptop");
    let app = http::router(runtime, HttpConfig::new(Auth::unauthenticated_as(laptop)));
    let request = Request::get("/openapi.json").body(Body::empty()).expect("a request");
    let response = app.oneshot(request).await.expect("a response");
    let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    lines.push(String::from_utf8(body.to_vec()).expect("a text"));
    lines.join("\n")
}

fn text_of(value: &impl Serialize) -> String {
    tool_runtime::serde_json::to_string(value).expect("JSON")
}

/// Calls the tools of every representation with every number.
pub(crate) async fn check_numbers() {
    let runtime = in_memory();
    for number in NUMBERS {
        let arguments = [
            ("tagged", format!(r#"{{"size":{{"unit":"metres","value":{number}}}}}"#)),
            (
                "tagged",
                format!(r#"{{"size":{{"value":{number},"unit":"grams","tare":{number}}}}}"#),
            ),
            ("beside", format!(r#"{{"size":{{"unit":"metres","value":{number}}}}}"#)),
            ("beside", format!(r#"{{"size":{{"value":[{number},2],"unit":"grams"}}}}"#)),
            ("untagged", format!(r#"{{"size":{number}}}"#)),
            ("flattened", format!(r#"{{"offer":{{"name":"tea","amount":{number}}}}}"#)),
            ("listed", format!(r#"{{"size":{number}}}"#).replace("0.1", "2.5")),
        ];
        for (tool, arguments) in arguments {
            let mut call = runtime.call(tool, arguments.as_str(), &cx());
            let output = call.execute().await;
            assert!(output.is_ok(), "{tool} {arguments}: {output}");
        }
        let value: f64 = number.parse().expect("a float");
        let sent = format!(r#"{{"size":{{"value":{number},"unit":"metres"}}}}"#);
        let mut call = runtime.call("tagged", sent, &cx());
        let read: Tagged = call.execute().await.data().expect("the answer is read too");
        assert_eq!(read, Tagged::Metres { value });
    }
    let wide: Value =
        tool_runtime::serde_json::from_str("[12345678901234567890123]").expect("a number");
    assert!(to_toon(&wide).is_ok(), "a number beyond 64 bits is written");
}

/// Calls the tools of a toolkit, of blocking threads and with a preview.
pub(crate) async fn check_shapes_of_tools() {
    let runtime = in_memory();
    for (number, expected) in [(0, "there is no shelf 0"), (1, ""), (2, "24")] {
        let arguments = format!(r#"{{"number":{number}}}"#);
        let mut call = runtime.call("shelves.count", arguments, &cx());
        let output = call.execute().await;
        match output.error() {
            None => assert_eq!(output.data_json(), Some(expected)),
            Some(error) if number == 0 => assert_eq!(error.message(), expected),
            Some(error) => assert!(!error.message().contains("door 17"), "{output}"),
        }
    }
    let mut call = runtime.call("move_articles", r#"{"to":3}"#, &cx());
    let preview = call.preview().to_string();
    assert!(preview.contains("move_articles"), "{preview}");
    call.approve("jill").expect("the call waits");
    assert_eq!(call.execute().await.data_json(), Some("3"));
}
