//! The program, running for the duration of a test.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{env, fs};

use serde_json::Value;
use tokio_postgres::NoTls;
use tool_runtime::Uuid;

/// A server on a free port, with a data folder of its own.
pub(crate) struct Server {
    child: Child,
    folder: PathBuf,
    /// The address that it reported.
    pub(crate) address: String,
    /// Its output before it could be called.
    pub(crate) greeting: String,
}

/// The last line of the greeting.
const READY: &str = "Ctrl-C ends it";

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_in(new_folder(), &[])
    }

    pub(crate) fn start_in(folder: PathBuf, options: &[&str]) -> Self {
        let mut child = program(&folder)
            .args(["--listen", "127.0.0.1:0"])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut said = BufReader::new(child.stderr.take().expect("its standard error"));
        let mut greeting = String::new();
        while !greeting.contains(READY) {
            let read = said.read_line(&mut greeting).expect("what it says is text");
            assert!(read > 0, "it ended: {greeting}");
        }
        child.stderr = Some(said.into_inner());
        let (_, address) = greeting.split_once("http://").expect("an address");
        let (address, _) = address.split_once("/api").expect("an address");
        Self { child, folder, address: address.to_owned(), greeting: greeting.clone() }
    }

    /// Runs commands as pasted into a shell, and returns their output.
    ///
    /// The commands use `localhost:8000`; curl maps it to the real address by its own file of
    /// options.
    pub(crate) fn paste(&self, lines: &str) -> String {
        let options = format!(
            "silent\nshow-error\nnoproxy = \"*\"\nconnect-to = \"localhost:8000:{}\"\n",
            self.address
        );
        fs::write(self.folder.join(".curlrc"), options).expect("curl's options");
        let shell =
            Command::new("bash").arg("-c").arg(lines).env("CURL_HOME", &self.folder).output();
        printed(&shell.expect("bash runs"))
    }

    /// Runs lines that print one JSON body.
    pub(crate) fn answer(&self, lines: &str) -> Value {
        let printed = self.paste(lines);
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
    }

    /// Stops it, copies a file of its folder, and returns its standard output.
    pub(crate) fn end_keeping(mut self, file: &Path, copy: &Path) -> String {
        let log = self.end();
        fs::copy(file, copy).expect("the file is there");
        log
    }

    /// Stops it, and starts another server in its folder.
    pub(crate) fn restarted(self) -> Self {
        self.restarted_with(&[])
    }

    /// Stops it, and starts another server in its folder, with these options.
    pub(crate) fn restarted_with(self, options: &[&str]) -> Self {
        self.restarted_after(|| (), options)
    }

    /// Stops it, and starts another server in its folder after this step.
    pub(crate) fn restarted_after(mut self, step: impl FnOnce(), options: &[&str]) -> Self {
        self.end();
        step();
        // The next server owns the folder now.
        let folder = std::mem::take(&mut self.folder);
        Self::start_in(folder, options)
    }

    /// Stops it by a signal, and returns its standard output.
    fn end(&mut self) -> String {
        let id = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status().expect("kill runs");
        assert!(asked.success());
        let mut log = String::new();
        self.child.stdout.take().expect("its output").read_to_string(&mut log).expect("text");
        assert!(self.child.wait().expect("it ends").success());
        log
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended, and the folder may be removed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the path of a folder that does not exist.
pub(crate) fn new_folder() -> PathBuf {
    env::temp_dir().join(format!("heritage-it-{}", Uuid::now_v7()))
}

/// Creates an empty database if there is a PostgreSQL server, and returns its URL.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn made_database() -> Option<String> {
    let server = env::var("HERITAGE_POSTGRES").ok()?;
    let (client, connection) = tokio_postgres::connect(&server, NoTls).await.expect("a server");
    tokio::spawn(connection);
    let name = format!("heritage_{}", Uuid::now_v7().simple());
    client.batch_execute(&format!("CREATE DATABASE {name}")).await.expect("a database");
    let (address, _) = server.rsplit_once('/')?;
    Some(format!("{address}/{name}"))
}

/// The program, without variables from the environment of the tests.
pub(crate) fn program(folder: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_heritage-server"));
    let told = env::vars_os().map(|(name, _)| name);
    for name in told.filter(|name| name.to_string_lossy().starts_with("HERITAGE_")) {
        program.env_remove(name);
    }
    program.arg("--data-dir").arg(folder);
    program
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}
