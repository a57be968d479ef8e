//! A server that is a process of the host.

use std::process::Command;
use std::time::Duration;
use std::{env, thread};

use rmcp::ServiceExt as _;
use rmcp::transport::stdio;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tool_runtime::mcp::{Remote, RemoteBuilder, RemoteErrorKind, RemoteEvent, RemoteToolState};
use tool_runtime::prelude::Uuid;

use super::server::{TestServer, tool};
use super::{Events, LockFile, answer, names, runtime, state};

/// Selects what this test program does as a child.
const ROLE: &str = "MCP_REMOTE_ROLE";

/// The server of the other tests: they start this program with this test only.
#[test]
fn serves_as_a_child() {
    let Ok(role) = env::var(ROLE) else { return };
    let reactor = tokio::runtime::Runtime::new().unwrap();
    reactor.block_on(async {
        let mut tools = vec![tool("echo"), tool("env"), tool("exit")];
        if role == "changed" {
            tools[0]["description"] = "Other.".into();
        }
        if role == "broken" {
            eprintln!("cannot read the configuration");
            return;
        }
        let running = Child(TestServer::new(tools)).serve(stdio()).await.unwrap();
        let _ = running.waiting().await;
    });
}

/// The server of a child, whose tools show its environment and end it.
struct Child(TestServer);

impl rmcp::ServerHandler for Child {
    fn get_info(&self) -> rmcp::model::ServerConfig {
        self.0.get_info()
    }

    async fn list_tools(
        &self,
        request: Option<rmcp::model::PaginatedRequestParams>,
        cx: rmcp::service::RequestContext<rmcp::RoleServer>,
    ) -> Result<rmcp::model::ListToolsResult, rmcp::ErrorData> {
        self.0.list_tools(request, cx).await
    }

    async fn call_tool(
        &self,
        request: rmcp::model::CallToolRequestParams,
        cx: rmcp::service::RequestContext<rmcp::RoleServer>,
    ) -> Result<rmcp::model::CallToolResponse, rmcp::ErrorData> {
        match &*request.name {
            "exit" => std::process::exit(3),
            "env" => {
                let variables: Vec<_> =
                    env::vars().map(|(name, value)| format!("{name}={value}")).collect();
                let folder = env::current_dir().unwrap();
                let text = format!("{}\nfolder={}", variables.join("\n"), folder.display());
                let content = vec![rmcp::model::ContentBlock::text(text)];
                Ok(rmcp::model::CallToolResult::success(content).into())
            }
            _ => self.0.call_tool(request, cx).await,
        }
    }
}

fn child(role: &str) -> RemoteBuilder {
    let test = "mcp_remote::process::serves_as_a_child";
    let program = env::current_exe().unwrap();
    Remote::command(program, ["--exact", test, "--nocapture"]).env(ROLE, role).prefix("far")
}

#[tokio::test]
async fn a_program_is_started_and_ended_with_the_connection() {
    let runtime = runtime();
    let remote = child("plain").connect(&runtime).await.unwrap();
    assert_eq!(answer(&runtime, "far.echo", r#"{"message":"tea"}"#).await["data"], "tea");
    remote.close().await;
    assert_eq!(names(&runtime), Vec::<String>::new());
}

#[tokio::test]
async fn a_program_gets_its_own_variables_and_its_folder_and_none_of_the_hosts_credentials() {
    let (runtime, folder) = (runtime(), env::temp_dir().canonicalize().unwrap());
    let builder = child("plain").env("TEA", "green").current_dir(&folder);
    let _remote = builder.connect(&runtime).await.unwrap();
    let seen = answer(&runtime, "far.env", "{}").await["data"].as_str().unwrap().to_owned();
    assert!(seen.contains("TEA=green") && seen.contains("PATH="), "{seen}");
    assert!(seen.contains(&format!("folder={}", folder.display())), "{seen}");
    let seen: Vec<_> = seen.lines().filter_map(|line| line.split_once('=')).collect();
    let passed_on =
        ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
    for (name, _) in env::vars() {
        let is_seen = seen.iter().any(|(known, _)| *known == name);
        assert!(!is_seen || passed_on.contains(&&*name) || cfg!(windows), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn processes_that_a_program_has_started_end_with_the_connection() {
    let folder = env::temp_dir().join(format!("tool-runtime-group-{}", Uuid::now_v7()));
    std::fs::create_dir(&folder).unwrap();
    // The pipe ends with the last process that writes to it.
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (over, is_over) = oneshot::channel();
    thread::spawn(move || over.send(std::fs::read_to_string(pipe)));
    let script = r#"{ echo started; exec sleep 600; } >"$FOLDER/pipe" &
        trap 'echo ended >"$FOLDER/ended"; exit 0' TERM
        "$0" "$@"
        wait"#;
    let program = env::current_exe().unwrap().into_os_string();
    let test = "mcp_remote::process::serves_as_a_child";
    let arguments = ["-c", script].map(Into::into).into_iter().chain([program]);
    let arguments = arguments.chain(["--exact", test, "--nocapture"].map(Into::into));
    let builder = Remote::command("sh", arguments).env(ROLE, "plain").env("FOLDER", &folder);
    let runtime = runtime();
    let remote = builder.prefix("far").connect(&runtime).await.unwrap();
    assert_eq!(answer(&runtime, "far.echo", r#"{"message":"tea"}"#).await["data"], "tea");
    remote.close().await;
    let ended = std::fs::read_to_string(folder.join("ended")).unwrap_or_default();
    assert_eq!(ended, "ended\n", "the program was asked to end");
    let wrote = timeout(Duration::from_secs(60), is_over).await;
    let wrote = wrote.expect("the process that the program has started has ended").unwrap();
    assert_eq!(wrote.unwrap(), "started\n");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test]
async fn a_program_that_ends_is_started_again() {
    let (events, runtime) = (Events::default(), runtime());
    let short = Duration::from_millis(1);
    let builder = events.of(child("plain")).reconnect_delays(short, short);
    let _remote = builder.connect(&runtime).await.unwrap();
    events.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
    let lost = answer(&runtime, "far.exit", "{}").await["error"].clone();
    assert_eq!(lost["code"], "UPSTREAM_ERROR", "{lost}");
    events.wait(|event| matches!(event, RemoteEvent::Disconnected { .. })).await;
    events.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
    assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "nothing");
}

#[tokio::test]
async fn a_program_that_fails_is_an_error_with_what_it_wrote_last() {
    let error = child("broken").connect(&runtime()).await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Connection);
    assert!(error.to_string().contains("cannot read the configuration"), "{error}");
    let none = Remote::command("/no/such/program", [""; 0]).prefix("far");
    let error = none.connect(&runtime()).await.unwrap_err();
    assert!(error.to_string().contains("`/no/such/program` cannot be started"), "{error}");
}

/// Selects what this test program does as a host.
const HOST: &str = "MCP_REMOTE_HOST_LOCK";

/// The host of the test below, with the environment that it is started with.
#[tokio::test]
async fn connects_as_a_host() {
    let Some(lock) = env::var_os(HOST) else { return };
    let runtime = runtime();
    let remote = child("changed").lock(lock).connect(&runtime).await;
    match remote {
        Ok(remote) => println!("state={:?}", state(&remote, "echo")),
        Err(error) => println!("error={error}"),
    }
}

fn host(lock: &LockFile, variable: Option<&str>) -> String {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "mcp_remote::process::connects_as_a_host", "--nocapture"]);
    command.env(HOST, &lock.0).env_remove("MCP_LOCK");
    if let Some(value) = variable {
        command.env("MCP_LOCK", value);
    }
    String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
}

#[tokio::test]
async fn the_variable_accepts_changes_or_freezes_the_lock() {
    let (lock, runtime) = (LockFile::new(), runtime());
    assert!(host(&lock, Some("frozen")).contains("state=New"), "nothing is accepted");
    assert!(!lock.0.exists());

    child("plain").lock(&lock.0).connect(&runtime).await.unwrap().close().await;
    let pinned = lock.text();
    assert!(host(&lock, None).contains("state=Changed"));
    assert!(host(&lock, Some("frozen")).contains("state=Changed"));
    assert_eq!(lock.text(), pinned);
    assert!(host(&lock, Some("no")).contains("error=`far`: invalid value of `MCP_LOCK`"));

    assert!(host(&lock, Some("accept")).contains("state=Available"));
    assert!(lock.text().contains("Other."));
    let remote = child("plain").lock(&lock.0).connect(&runtime).await.unwrap();
    assert_eq!(state(&remote, "echo"), RemoteToolState::Changed);
}
