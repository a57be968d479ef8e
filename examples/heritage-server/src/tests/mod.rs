//! Tests of the guide through its public calls, on each available database.

mod contracts;
mod isolation;
mod reads;
mod search;
mod seed;
mod writes;

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::{env, fs, io};

use clap::Parser as _;
use tokio_postgres::NoTls;
use tool_runtime::Uuid;
use tool_runtime::contracts::ToolContext;
use tool_runtime::serde_json::Value;

use crate::Options;
use crate::files::Files;
use crate::guide::{Guide, tenant};
use crate::host::Host;
use crate::words::Words;

/// A server's URL, to run all tests on PostgreSQL too; its user must be allowed to create databases.
const SERVER: &str = "HERITAGE_POSTGRES";

/// Read once for all tests.
static WORDS: LazyLock<Arc<Words>> = LazyLock::new(|| Arc::new(Words::new()));

/// A guide with the shipped data, in its own database.
struct Trial {
    guide: Guide,
    host: Host,
    folder: PathBuf,
}

/// Runs a test on SQLite, and on PostgreSQL if there is a server.
async fn on_each_database(attempt: impl AsyncFn(&Trial)) {
    attempt(&Trial::start(None).await).await;
    if let Ok(server) = env::var(SERVER) {
        let database = made_database(&server).await;
        attempt(&Trial::start(Some(database)).await).await;
    }
}

/// Creates an empty database, and returns its URL.
async fn made_database(server: &str) -> String {
    let (client, connection) = tokio_postgres::connect(server, NoTls).await.expect("a server");
    tokio::spawn(connection);
    let name = format!("heritage_{}", Uuid::now_v7().simple());
    client.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("a database");
    let (address, _) = server.rsplit_once('/').expect("a URL with a database's name");
    format!("{address}/{name}")
}

impl Trial {
    async fn start(database: Option<String>) -> Self {
        let folder = env::temp_dir().join(format!("heritage-{}", Uuid::now_v7()));
        let files = Files::open(&Options::in_folder(&folder)).expect("a folder");
        let database = database.unwrap_or_else(|| files.guide());
        let guide = Guide::with_words(&database, Arc::clone(&WORDS)).await.expect("a guide");
        Self::over(guide, folder).await
    }

    /// Starts another guide on the same tables, without this one's files.
    async fn forgetful(&self) -> Self {
        let folder = env::temp_dir().join(format!("heritage-{}", Uuid::now_v7()));
        Self::over(self.guide.clone(), folder).await
    }

    async fn over(guide: Guide, folder: PathBuf) -> Self {
        let files = Files::open(&Options::in_folder(&folder)).expect("a folder");
        let host = Host::start(guide.clone(), &files, &options(), io::sink()).await;
        let host = host.expect("a host");
        Self { guide, host, folder }
    }

    /// Calls a tool at the village, and returns the envelope.
    async fn call(&self, tool: &str, input: &Value) -> Value {
        self.call_as(&Self::cx("yantian", "yantian-main"), tool, input).await
    }

    async fn call_as(&self, cx: &ToolContext, tool: &str, input: &Value) -> Value {
        let mut call = self.host.runtime.call(tool, input.to_string(), cx);
        let output = call.execute().await;
        tool_runtime::serde_json::to_value(output).expect("an envelope")
    }

    /// Calls a tool at the village, and returns the answer.
    async fn answer(&self, tool: &str, input: &Value) -> Value {
        let envelope = self.call(tool, input).await;
        assert_eq!(envelope["status"], "ok", "{tool} {input}: {envelope}");
        envelope["data"].clone()
    }

    fn cx(slug: &str, site_id: &str) -> ToolContext {
        let tenant = tenant(slug).expect("a tenant");
        let cx = ToolContext::builder(tenant, "trace-1").run_id("run-1").site_id(site_id);
        cx.build().expect("a context")
    }

    /// Counts the rows of a table, of all tenants.
    async fn count(&self, table: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        let row = self.guide.store().row(crate::store::Statement::new(sql, [])).await;
        row.expect("an answer").expect("a row").number(0).expect("a number")
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        // The system cleans up files that cannot be removed.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The program's options: only the rate limit is raised.
fn options() -> Options {
    Options::parse_from(["heritage-server", "--calls-per-minute", "100000"])
}

/// Returns the ids of the results, best first.
fn ids(found: &Value) -> Vec<&str> {
    let items = found["items"].as_array().expect("items");
    items.iter().map(|item| item["id"].as_str().expect("an id")).collect()
}
