//! The program itself, in processes of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proxy_agent::servers::{ModelReply, ModelServer};
use tokio::task::spawn_blocking;

use crate::has_python;

/// A folder for one test, new each time.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn program(folder: &Path, options: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_proxy-agent"));
    program.current_dir(folder).env("TMPDIR", folder).env_remove("OPENAI_API_KEY");
    program.args(options).output().unwrap()
}

/// Runs the program, and returns its transcript.
#[track_caller]
fn run(folder: &Path, options: &[&str]) -> String {
    let ended = program(folder, options);
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8(ended.stdout).unwrap()
}

#[test]
fn one_command_shows_the_whole_demonstration() {
    let folder = folder("demonstration");
    let transcript = run(&folder, &[]);
    let expected = [
        "village.texts        database_query",
        "rates.convert        api_call",
        "ok after 1 retry",
        "handbook.search      rag_retrieval",
        "files.read           file_operation",
        "by semantic_pruning",
        "INVALID_ARGUMENT",
        "(files.write waits for a person; the run is kept in ",
        "(demo approves)",
        "model: The plan is saved in reading-day.md.",
        "the server answered 429, 200",
        "the server answered 500, 500, 500",
        "scripted/standby took over",
        "given up after 2 attempts",
    ];
    for line in expected {
        assert!(transcript.contains(line), "{line}:\n{transcript}");
    }
    assert_eq!(transcript.contains("python.days_between"), has_python());
    assert_eq!(transcript.contains("left out: the Python functions"), !has_python());
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "it leaves nothing behind");
}

#[test]
fn another_process_resumes_the_run_when_a_person_has_approved() {
    let folder = folder("resumed");
    let plan = folder.join("proxy-agent-data/notes/reading-day.md");
    let suspended = run(&folder, &["--suspend", "run.json"]);
    assert!(suspended.contains("--resume run.json --approve NAME"), "{suspended}");
    let unnamed = run(&folder, &["--resume", "run.json"]);
    assert!(unnamed.contains("path: reading-day.md"), "{unnamed}");
    assert!(!plan.exists());

    let approved = run(&folder, &["--resume", "run.json", "--approve", "jane"]);
    assert!(approved.contains("(jane approves)"), "{approved}");
    assert!(approved.contains("model: The plan is saved in reading-day.md."), "{approved}");
    assert!(fs::read_to_string(&plan).unwrap().contains("渭川田家"));

    let again = program(&folder, &["--resume", "run.json", "--approve", "jane"]);
    assert!(!again.status.success());
    let error = String::from_utf8(again.stderr).unwrap();
    assert!(error.contains("the ticket was used before"), "{error}");
}

#[test]
fn a_run_is_not_continued_on_the_files_of_another_folder() {
    let folder = folder("other-secret");
    run(&folder, &["--suspend", "run.json"]);
    let other = ["--data-dir", "other", "--resume", "run.json", "--approve", "mallory"];
    let refused = program(&folder, &other);
    assert!(!refused.status.success());
    assert!(!folder.join("other/notes/reading-day.md").exists());
    let broken = program(&folder, &["--resume", "missing.json"]);
    let error = String::from_utf8(broken.stderr).unwrap();
    assert!(error.starts_with("proxy-agent: missing.json: "), "{error}");
}

#[tokio::test]
async fn a_real_server_is_asked_by_its_base_url_and_model() {
    let server = ModelServer::start(|asked| match asked.model() {
        "some-model" => ModelReply::Text("I am another server.".to_owned()),
        _ => ModelReply::Silence,
    });
    let server = server.await.unwrap();
    let url = server.base_url();
    let folder = folder("real-server");
    let options = move || {
        let prices = ["--input-price", "1", "--output-price", "2"];
        let options = [&["--base-url", &url, "--model", "some-model"], &prices[..]].concat();
        run(&folder, &options)
    };
    let transcript = spawn_blocking(options).await.unwrap();
    assert_eq!(transcript.matches("model: I am another server.").count(), 2, "{transcript}");
    assert!(transcript.contains("a real server does not fail on request"), "{transcript}");
    assert_eq!(server.responses_of("some-model").len(), 2);
}
