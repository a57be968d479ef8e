//! A PostgreSQL server that one test stops, or whose clock it sets.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::task::JoinHandle;
use tokio_postgres::{Client, NoTls};

/// The exit code of the script if a program is not installed.
const NOT_INSTALLED: i32 = 69;

/// A server that one test uses; it ends when the pipe to it is closed.
pub(crate) struct PrivateServer {
    pub(crate) url: String,
    runner: Child,
    input: Option<ChildStdin>,
}

impl PrivateServer {
    pub(crate) fn start() -> Self {
        Self::start_with(None).expect("PostgreSQL is installed")
    }

    /// Starts a server whose wall clock differs by the text of this file, such as `+3600`; `None` if a program for it is
    /// not installed.
    pub(crate) fn start_with(clock: Option<&Path>) -> Option<Self> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/postgres/run");
        let mut runner = Command::new(script)
            .envs(clock.map(|file| ("TEST_POSTGRES_CLOCK", file)))
            .args(["bash", "-c", "echo \"$TEST_POSTGRES\"; read -r _ || true"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the script starts");
        let mut url = String::new();
        let output = runner.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut url).expect("a URL");
        if url.is_empty() {
            let code = runner.wait().expect("it ends").code();
            assert_eq!(code, Some(NOT_INSTALLED), "the script fails");
            return None;
        }
        let input = runner.stdin.take();
        Some(Self { url: url.trim().to_owned(), runner, input })
    }

    /// Connects as soon as the server accepts connections; the task ends with the connection.
    pub(crate) async fn client(&self) -> (Client, JoinHandle<()>) {
        loop {
            if let Ok((client, connection)) = tokio_postgres::connect(&self.url, NoTls).await {
                return (client, tokio::spawn(async { drop(connection.await) }));
            }
            tokio::task::yield_now().await;
        }
    }

    /// Stops the server without a checkpoint, and waits until it has recovered.
    pub(crate) async fn crash(&self) {
        let (client, connection) = self.client().await;
        let id = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int";
        let id: i32 = client.query_one(id, &[]).await.expect("its id").get(0);
        kill_process(Pid::from_raw(id).expect("an id"), Signal::QUIT).expect("it is stopped");
        connection.await.expect("the connection ends");
        drop(self.client().await);
    }
}

impl Drop for PrivateServer {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.runner.wait();
    }
}
