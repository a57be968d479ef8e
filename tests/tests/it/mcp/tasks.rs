//! Long calls as tasks: handles, states, results, questions, cancellation, and restarts.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_runtime::mcp::{self, Stdio};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{MemoryStore, SqliteStore, UnixMillis};
use tool_runtime::testing::ManualClock;
use tool_runtime::{InputAnswer, UserInput};

use super::{Client, STATELESS, shop};

/// The time for which a task is kept.
const LIFETIME: Duration = Duration::from_secs(600);

/// Lets the long tools of a test go on.
#[derive(Clone)]
struct Gate(Arc<Semaphore>, Arc<()>);

/// Bakes bread.
#[ai_tool(effect = "read")]
async fn bake(gate: &Gate, progress: &Progress) -> String {
    let _inside = gate.1.clone();
    progress.report(0.5, "in the oven");
    gate.0.acquire().await.unwrap().forget();
    "bread".to_owned()
}

/// Delivers bread.
#[ai_tool(effect = "write")]
async fn deliver(gate: &Gate, dry_run: &DryRun) -> String {
    if !dry_run.is_active() {
        gate.0.acquire().await.unwrap().forget();
    }
    "delivered".to_owned()
}

/// Asks for a name after a while.
#[ai_tool(effect = "read")]
async fn ask_late(gate: &Gate, input: &UserInput) -> Result<String, tool_runtime::InputError> {
    gate.0.acquire().await.unwrap().forget();
    let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let (one, two) = (input.ask("one", "Who?", form.clone()), input.ask("two", "And?", form));
    let (one, two) = futures::future::join(one, two).await;
    Ok(match (one?, two?) {
        (InputAnswer::Given(one), InputAnswer::Given(two)) => {
            format!("{} {}", one["name"], two["name"])
        }
        _ => "nobody".to_owned(),
    })
}

/// Breaks down after a while.
#[ai_tool(effect = "read")]
async fn break_late(gate: &Gate) -> String {
    gate.0.acquire().await.unwrap().forget();
    panic!("a secret of the house")
}

struct Bakery {
    gate: Gate,
    runtime: Runtime,
}

impl Bakery {
    fn new() -> Self {
        Self::with(Runtime::builder().store(MemoryStore::new()))
    }

    fn with(builder: tool_runtime::RuntimeBuilder) -> Self {
        Self::of(builder, Policy::new())
    }

    fn of(builder: tool_runtime::RuntimeBuilder, policy: Policy) -> Self {
        let gate = Gate(Arc::new(Semaphore::new(0)), Arc::default());
        let runtime = builder
            .policy(policy)
            .tool::<BakeTool>()
            .tool::<DeliverTool>()
            .tool::<AskLateTool>()
            .tool::<BreakLateTool>()
            .state(gate.clone())
            .build()
            .unwrap();
        Self { gate, runtime }
    }

    fn server(&self) -> Stdio {
        self.server_after(Duration::ZERO)
    }

    /// Returns a server whose calls become tasks after this time.
    fn server_after(&self, time: Duration) -> Stdio {
        let config = shop::config()
            .task("bake")
            .task("deliver")
            .task("ask_late")
            .required_task("break_late")
            .task_after(time)
            .task_lifetime(LIFETIME);
        mcp::stdio(self.runtime.clone()).config(config)
    }

    fn client(&self) -> Client {
        Self::client_of(self.server())
    }

    fn client_of(server: Stdio) -> Client {
        let extensions = json!({"io.modelcontextprotocol/tasks": {}});
        let capabilities = json!({"elicitation": {}, "extensions": extensions});
        Client::of(server, STATELESS, capabilities)
    }
}

async fn begun(client: &mut Client, tool: &str) -> String {
    let task = client.call(tool, json!({})).await;
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working")),
        "{task}"
    );
    assert_eq!(task["ttlMs"], 600_000);
    task["taskId"].as_str().unwrap().to_owned()
}

async fn state(client: &mut Client, task: &str) -> Value {
    let answer = client.request("tasks/get", json!({"taskId": task})).await;
    assert_eq!(answer["result"]["taskId"], task, "{answer}");
    answer["result"].clone()
}

/// Asks for the state until it is this one.
async fn reached(client: &mut Client, task: &str, status: &str) -> Value {
    loop {
        let state = state(client, task).await;
        if state["status"] == status {
            return state;
        }
        assert!(state["status"] == "working" || state["status"] == "input_required", "{state}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_long_call_is_a_task_whose_result_is_read_later() {
    let bakery = Bakery::new();
    let mut client = bakery.client();
    let task = begun(&mut client, "bake").await;
    let working = state(&mut client, &task).await;
    assert_eq!(working["statusMessage"], "in the oven", "{working}");
    bakery.gate.0.add_permits(1);
    let done = reached(&mut client, &task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "bread", "{done}");
    assert_eq!(reached(&mut client, &task, "completed").await, done);
    assert_eq!(
        client.request("tasks/cancel", json!({"taskId": task})).await["result"]["resultType"],
        "complete"
    );
    assert_eq!(state(&mut client, &task).await, done);
}

#[tokio::test]
async fn a_client_without_the_extension_waits_or_is_refused() {
    let bakery = Bakery::new();
    bakery.gate.0.add_permits(9);
    let mut client = Client::of(bakery.server(), STATELESS, json!({}));
    assert_eq!(client.call("bake", json!({})).await["content"][0]["text"], "bread");
    let refused =
        client.request("tools/call", json!({"name": "break_late", "arguments": {}})).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let refused = client.request("tasks/get", json!({"taskId": "a"})).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}

#[tokio::test]
async fn a_cancelled_task_ends_as_cancelled_and_a_panic_as_failed() {
    let bakery = Bakery::new();
    let mut client = bakery.client();
    let task = begun(&mut client, "bake").await;
    client.request("tasks/cancel", json!({"taskId": task})).await;
    reached(&mut client, &task, "cancelled").await;
    let task = begun(&mut client, "break_late").await;
    bakery.gate.0.add_permits(1);
    let failed = reached(&mut client, &task, "failed").await;
    assert_eq!(failed["error"]["code"], -32603, "{failed}");
    assert!(!failed.to_string().contains("secret"), "{failed}");
}

#[tokio::test]
async fn a_task_asks_its_user_and_goes_on_with_the_answers() {
    let bakery = Bakery::new();
    let mut client = bakery.client();
    let task = begun(&mut client, "ask_late").await;
    bakery.gate.0.add_permits(1);
    let asked = reached(&mut client, &task, "input_required").await;
    assert_eq!(asked["inputRequests"].as_object().unwrap().len(), 2, "{asked}");
    let answer = |key: &str, name: &str| {
        let given = json!({"action": "accept", "content": {"name": name}});
        json!({"taskId": task, "inputResponses": {key: given, "unknown": {"action": "accept"}}})
    };
    client.request("tasks/update", answer("one", "Ada")).await;
    let asked = reached(&mut client, &task, "input_required").await;
    assert!(asked["inputRequests"].get("one").is_none(), "{asked}");
    client.request("tasks/update", answer("two", "Jo")).await;
    let done = reached(&mut client, &task, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], r#""Ada" "Jo""#);
}

#[tokio::test]
async fn a_confirmed_call_becomes_a_task() {
    let bakery = Bakery::new();
    let mut client = bakery.client();
    let asked = client.call("deliver", json!({})).await;
    let accepted = json!({"confirmation": {"action": "accept", "content": {}}});
    let params = json!({
        "name": "deliver", "arguments": {},
        "inputResponses": accepted, "requestState": asked["requestState"],
    });
    let begun = client.request("tools/call", params).await["result"].clone();
    assert_eq!(begun["resultType"], "task", "{begun}");
    bakery.gate.0.add_permits(1);
    let done = reached(&mut client, begun["taskId"].as_str().unwrap(), "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "delivered", "{done}");
}

#[tokio::test]
async fn until_it_is_a_task_a_call_tells_its_progress_and_ends_when_it_is_cancelled() {
    let bakery = Bakery::new();
    let mut client = Bakery::client_of(bakery.server_after(Duration::from_secs(3600)));
    let params = json!({"name": "bake", "arguments": {}, "_meta": {"progressToken": 7}});
    let id = client.begin("tools/call", params).await;
    let told = client.read().await;
    assert_eq!(told["params"]["message"], "in the oven", "{told}");
    let holders = Arc::strong_count(&bakery.gate.1);
    let params = json!({"requestId": id});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    let ended = async {
        while Arc::strong_count(&bakery.gate.1) == holders {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ended).await.expect("the call ends");
}

#[tokio::test]
async fn a_task_is_unknown_to_others() {
    let bakery = Bakery::new();
    let mut client = bakery.client();
    let task = begun(&mut client, "bake").await;
    let stranger = bakery.server().user("somebody else");
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut stranger = Client::of(stranger, STATELESS, capabilities);
    for method in ["tasks/get", "tasks/cancel"] {
        let answer = stranger.request(method, json!({"taskId": task})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(state(&mut client, &task).await["status"], "working");
}

#[tokio::test]
async fn the_result_of_a_task_survives_a_restart_and_a_lost_task_is_said_to_be_lost() {
    let folder = std::env::temp_dir().join(format!("tool-runtime-tasks-{}", Uuid::now_v7()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("store.db");
    let clock = ManualClock::at(UnixMillis::new(1_800_000_000_000));
    let bakery = || {
        let builder = Runtime::builder().store(SqliteStore::open(&path).unwrap());
        Bakery::of(builder, Policy::new().clock(clock.clone()))
    };
    let before = bakery();
    let mut client = before.client();
    let (done, lost) = (begun(&mut client, "bake").await, begun(&mut client, "bake").await);
    before.gate.0.add_permits(1);
    reached(&mut client, &done, "completed").await;
    drop((client, before));

    let after = bakery();
    let mut client = after.client();
    let state_of_done = state(&mut client, &done).await;
    assert_eq!(state_of_done["result"]["content"][0]["text"], "bread", "{state_of_done}");
    // Its process may still run it: until its deadline it counts as working.
    assert_eq!(state(&mut client, &lost).await["status"], "working");
    let cancelled = client.request("tasks/cancel", json!({"taskId": lost})).await;
    assert!(
        cancelled["error"]["message"].as_str().unwrap().contains("another process"),
        "{cancelled}"
    );
    clock.advance(Duration::from_secs(120));
    let state_of_lost = state(&mut client, &lost).await;
    assert_eq!(state_of_lost["status"], "failed", "{state_of_lost}");
    let words = state_of_lost["error"]["message"].as_str().unwrap();
    assert!(words.contains("whether it had its effect is unknown"), "{words}");
    drop((client, after));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_task_is_forgotten_when_its_time_is_over() {
    let clock = ManualClock::at(UnixMillis::new(1_800_000_000_000));
    let builder = Runtime::builder().store(MemoryStore::new());
    let bakery = Bakery::of(builder, Policy::new().clock(clock.clone()));
    let mut client = bakery.client();
    let task = begun(&mut client, "bake").await;
    bakery.gate.0.add_permits(1);
    let ended = reached(&mut client, &task, "completed").await;
    assert_eq!(ended["ttlMs"], 600_000, "{ended}");
    clock.advance(LIFETIME);
    let gone = client.request("tasks/get", json!({"taskId": task})).await;
    assert_eq!(gone["error"]["code"], -32602, "{gone}");
}
