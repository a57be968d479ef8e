//! Workers around real programs: limits, deadlines, crashes, and whose answer is whose.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::{Value, json};
use worker_process::{Worker, WorkerBuilder, WorkerError};

/// Waits for a child, and leaves its status to its owner.
const UNTIL_IT_EXITS: WaitIdOptions = WaitIdOptions::EXITED.union(WaitIdOptions::NOWAIT);

/// Time for an answer that comes.
const ENOUGH: Duration = Duration::from_secs(60);

/// Answers by the functions that a request names.
const SCRIPT: &str = r#"
import json, os, socket, subprocess, sys, time

def echo(value): return value
def pid(_): return os.getpid()
def exit(code): os._exit(code)
def garbage(text): sys.stdout.write(text + "\n"); sys.stdout.flush(); time.sleep(3600)
def half(_): sys.stdout.write('{"id":'); sys.stdout.flush(); os._exit(0)
def close(_): os.close(1); time.sleep(3600)
def close_then_exit(code): os.close(1); time.sleep(0.2); os._exit(code)
def twice(value): write(value); return value
def stray(value): answer(number + 1, value); return value
def spin(path):
    open(path, "w").write("begun")
    while True: pass
def hang(path):
    # The child holds the pipe until it ends.
    subprocess.Popen(["sh", "-c", "echo begun; sleep 3600; true"], stdout=open(path, "w"))
    time.sleep(3600)
def child_then_exit(path): subprocess.Popen(["sleep", "3600"], stdout=open(path, "w")); os._exit(9)
def log(text): sys.stderr.write(text); sys.stderr.flush(); os._exit(3)
def burn(_):
    while True: pass
def memory(bytes):
    try: return len(bytearray(bytes))
    except MemoryError: return "refused"
def interfaces(_): return [name for _, name in socket.if_nameindex()]
def connect(port):
    try: return bool(socket.create_connection(("127.0.0.1", port), 5))
    except OSError as error: return error.errno
def environment(_): return sorted(os.environ)
def fill(count): return "x" * count

def answer(number, value):
    sys.stdout.write(json.dumps({"id": number, "answer": value}) + "\n"); sys.stdout.flush()
def write(value): answer(number, value)

sys.stdout.write('{"ready":true}\n'); sys.stdout.flush()
for line in sys.stdin:
    request = json.loads(line); number = request["id"]
    [(name, value)] = request["request"].items()
    write(globals()[name](value))
"#;

fn python(script: &str) -> WorkerBuilder {
    Worker::builder("python3").args(["-u", "-c", script])
}

/// Returns whether the test can run; a machine with Rust alone has no Python.
fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        println!("left out: there is no python3");
    }
    found
}

/// Runs a test with a worker, where there is Python.
#[track_caller]
fn check(builder: WorkerBuilder, test: impl AsyncFnOnce(Worker)) {
    if has_python() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let runtime = Ending(Some(runtime));
        runtime.0.as_ref().unwrap().block_on(test(builder.build()));
    }
}

/// Ends a runtime without waiting for its blocking threads, so that a failed test ends too.
struct Ending(Option<tokio::runtime::Runtime>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.take().unwrap().shutdown_background();
    }
}

async fn ask(worker: &Worker, name: &str, value: impl Into<Value>) -> Result<Value, WorkerError> {
    worker.request(&json!({name: value.into()}), ENOUGH).await
}

/// A named pipe, whose reader learns when each process that holds it has ended.
struct Pipe(PathBuf);

impl Pipe {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("worker-process-{}-{name}", std::process::id()));
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Waits until each writer has closed the pipe, which none does that lives.
    async fn ended(&self) -> String {
        let path = self.0.clone();
        let read = tokio::task::spawn_blocking(move || fs::read_to_string(path).unwrap());
        tokio::time::timeout(ENOUGH, read).await.expect("a process of the group lives on").unwrap()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        fs::remove_file(&self.0).unwrap();
    }
}

#[test]
fn one_process_answers_request_after_request() {
    check(python(SCRIPT), async |worker| {
        let pid = ask(&worker, "pid", 0).await.unwrap();
        for value in [json!(null), json!("line\nbreak \u{2028} é"), json!({"a": [1, 2.5]})] {
            assert_eq!(ask(&worker, "echo", value.clone()).await.unwrap(), value);
        }
        assert_eq!(ask(&worker, "pid", 0).await.unwrap(), pid);
    });
}

#[test]
fn an_allocation_above_the_limit_fails() {
    check(python(SCRIPT).memory_limit(256 << 20), async |worker| {
        assert_eq!(ask(&worker, "memory", 1 << 20).await.unwrap(), 1 << 20);
        assert_eq!(ask(&worker, "memory", 512 << 20).await.unwrap(), "refused");
    });
}

#[test]
fn a_process_that_has_used_up_its_processor_time_is_ended() {
    check(python(SCRIPT).cpu_seconds(1), async |worker| {
        let error = ask(&worker, "burn", 0).await.expect_err("it never answers");
        let WorkerError::Crashed { status: Some(status), .. } = &error else { panic!("{error}") };
        assert!(status.signal().is_some(), "{error}");
        assert_eq!(ask(&worker, "echo", 1).await.unwrap(), 1);
    });
}

#[test]
fn at_the_deadline_the_program_and_its_children_are_killed() {
    check(python(SCRIPT), async |worker| {
        let pipe = Pipe::new("deadline");
        ask(&worker, "echo", 0).await.unwrap();
        let begun = Instant::now();
        let request = json!({"hang": pipe.path()});
        let (answer, written) =
            tokio::join!(worker.request(&request, Duration::from_secs(2)), pipe.ended());
        let error = answer.expect_err("it never answers");
        assert!(matches!(error, WorkerError::Deadline { sent: true, .. }), "{error}");
        assert!(error.to_string().ends_with("the program was killed"), "{error}");
        assert_eq!(written, "begun\n", "the child ran");
        assert!(begun.elapsed() < ENOUGH / 2);
        assert_eq!(ask(&worker, "echo", 1).await.unwrap(), 1);
    });
}

#[test]
fn an_endless_loop_is_killed_when_its_request_is_dropped() {
    check(python(SCRIPT), async |worker| {
        let pipe = Pipe::new("dropped");
        let request = json!({"hang": pipe.path()});
        let mut begun = Box::pin(worker.request(&request, ENOUGH));
        let path = pipe.path().to_owned();
        // Opening the pipe for reading succeeds once the program has opened it for writing.
        let opened = tokio::task::spawn_blocking(move || fs::File::open(path).unwrap());
        let file = tokio::select! {
            file = opened => file.unwrap(),
            answer = &mut begun => panic!("{answer:?}"),
        };
        drop(begun);
        let rest = tokio::task::spawn_blocking(move || std::io::read_to_string(file).unwrap());
        tokio::time::timeout(ENOUGH, rest).await.expect("the program lives on").unwrap();
    });
}

#[test]
fn no_answer_reaches_another_request() {
    check(python(SCRIPT).processes(2), async |worker| {
        for round in 0..20_u64 {
            // Dropped at some point: before the start, while it waits, or after it was sent.
            let dropped = json!({"echo": format!("dropped {round}")});
            let dropped = worker.request(&dropped, ENOUGH);
            let patience = Duration::from_micros(round * 100);
            let _ = tokio::time::timeout(patience, dropped).await;
            let (left, right) =
                tokio::join!(ask(&worker, "echo", round), ask(&worker, "echo", format!("{round}")));
            assert_eq!(left.unwrap(), round);
            assert_eq!(right.unwrap(), round.to_string());
        }
    });
}

#[test]
fn a_surplus_answer_is_not_taken_for_the_next_one() {
    check(python(SCRIPT), async |worker| {
        for name in ["twice", "stray"] {
            let first = ask(&worker, name, "first").await;
            let second = ask(&worker, "echo", "second").await;
            // The surplus line is found by the request that reads it.
            let faults =
                [&first, &second].map(|answer| answer.as_ref().err().map(ToString::to_string));
            let rule = "the program broke the protocol: an answer has the id of another request";
            assert!(faults.contains(&Some(rule.to_owned())), "{name}: {faults:?}");
            assert_eq!(ask(&worker, "echo", "third").await.unwrap(), "third");
        }
    });
}

#[test]
fn a_crash_is_reported_and_the_next_request_starts_the_program_again() {
    check(python(SCRIPT), async |worker| {
        let before = ask(&worker, "pid", 0).await.unwrap();
        let error = ask(&worker, "exit", 7).await.expect_err("it exits");
        let WorkerError::Crashed { status: Some(status), .. } = &error else { panic!("{error}") };
        assert_eq!(status.code(), Some(7));
        assert!(error.to_string().ends_with("with exit status: 7"), "{error}");
        assert!(error.request_was_sent());
        assert_ne!(ask(&worker, "pid", 0).await.unwrap(), before);
        let error = ask(&worker, "close_then_exit", 5).await.expect_err("it exits");
        assert!(error.to_string().ends_with("with exit status: 5"), "{error}");
        let error = ask(&worker, "half", 0).await.expect_err("half a line is no answer");
        assert!(matches!(error, WorkerError::Crashed { .. }), "{error}");
    });
}

#[test]
fn the_children_of_a_crashed_program_are_killed() {
    check(python(SCRIPT), async |worker| {
        let pipe = Pipe::new("crashed");
        let (answer, _) = tokio::join!(ask(&worker, "child_then_exit", pipe.path()), pipe.ended());
        let error = answer.expect_err("it exits").to_string();
        assert!(error.ends_with("with exit status: 9"), "{error}");
    });
}

#[test]
fn a_program_that_closes_its_output_is_killed() {
    check(python(SCRIPT), async |worker| {
        let error = ask(&worker, "close", 0).await.expect_err("it cannot answer").to_string();
        assert!(error.ends_with("with signal: 9 (SIGKILL)"), "{error}");
        assert_eq!(ask(&worker, "echo", 1).await.unwrap(), 1);
    });
}

#[test]
fn a_program_that_ended_between_two_requests_is_replaced() {
    check(python(SCRIPT), async |worker| {
        let pid = ask(&worker, "pid", 0).await.unwrap();
        let id = Pid::from_raw(i32::try_from(pid.as_i64().unwrap()).unwrap()).unwrap();
        kill_process(id, Signal::KILL).unwrap();
        waitid(WaitId::Pid(id), UNTIL_IT_EXITS).unwrap();
        assert_ne!(ask(&worker, "pid", 0).await.unwrap(), pid);
    });
}

#[test]
fn a_line_that_is_no_answer_is_an_error() {
    check(python(SCRIPT).line_limit(1000), async |worker| {
        let long = "x".repeat(990);
        for (line, rule) in [
            ("Hello", "a line is no answer"),
            (r#"{"id":"1","answer":2}"#, "a line is no answer"),
            (r#"{"id":1}"#, "a line is no answer"),
            (r#"{"id":1,"answer":2,"more":3}"#, "a line is no answer"),
            (r#"{"id":8,"answer":2}"#, "an answer has the id of another request"),
        ] {
            let error = ask(&worker, "garbage", line).await.expect_err("it is no answer");
            assert_eq!(error.to_string(), format!("the program broke the protocol: {rule}"));
        }
        assert_eq!(ask(&worker, "fill", 900).await.unwrap(), "x".repeat(900));
        let error = ask(&worker, "fill", 1000).await.expect_err("the line is too long");
        assert!(error.to_string().ends_with("a line has more than 1000 bytes"), "{error}");
        let error = ask(&worker, "echo", long).await.expect_err("the request is too long");
        assert!(matches!(error, WorkerError::TooLong { limit: 1000, .. }), "{error}");
        assert!(!error.request_was_sent());
    });
}

#[test]
fn standard_error_is_kept_for_the_log_and_is_in_no_message() {
    check(python(SCRIPT), async |worker| {
        let error = ask(&worker, "log", "planted").await.expect_err("it exits");
        assert_eq!(error.stderr(), "planted");
        assert!(!format!("{error} {error:?}").contains("planted"), "{error:?}");
    });
}

#[test]
fn a_program_without_network_reaches_no_port() {
    if !has_python() {
        return;
    }
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    check(python(SCRIPT), async |worker| {
        assert_eq!(ask(&worker, "connect", port).await.unwrap(), true);
    });
    check(python(SCRIPT).without_network().memory_limit(1 << 30), async |worker| {
        match ask(&worker, "connect", port).await {
            Ok(errno) => {
                assert!(errno.is_i64(), "{errno}");
                assert_eq!(ask(&worker, "interfaces", 0).await.unwrap(), json!(["lo"]));
            }
            Err(error) => assert!(error.to_string().contains("no network namespace"), "{error}"),
        }
    });
}

#[test]
fn a_system_without_namespaces_is_named_as_the_cause() {
    let worker = python(SCRIPT).without_network().environment([("PATH", "/nowhere")]);
    check(worker, async |worker| {
        let error = ask(&worker, "echo", 1).await.expect_err("there is no `unshare`");
        assert!(error.to_string().contains("no network namespace; install `unshare`"), "{error}");
    });
}

#[test]
fn the_environment_is_empty_but_for_what_is_given() {
    check(python(SCRIPT).environment([("GIVEN", "planted")]), async |worker| {
        assert!(!format!("{worker:?}").contains("planted"));
        let names = ask(&worker, "environment", 0).await.unwrap();
        let names: Vec<&str> = names.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(names.contains(&"GIVEN") && names.contains(&"PATH"), "{names:?}");
        // Cargo gives its variables to this test, and so to each of its children by default.
        assert!(env::var_os("CARGO_MANIFEST_DIR").is_some());
        assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
    });
}

#[test]
fn a_program_that_cannot_start_says_why() {
    let short = Duration::from_millis(200);
    for (builder, reason) in [
        (Worker::builder("no-such-program"), "`no-such-program`: "),
        (python("import sys; sys.exit(4)"), "it ended before it was ready, with exit status: 4"),
        (python("print('Hello')"), "its first line must be {\"ready\":true}"),
        (python("input()").start_timeout(short), "it was not ready within 200ms"),
    ] {
        check(builder, async |worker| {
            let error = ask(&worker, "echo", 1).await.expect_err("it cannot start");
            assert!(matches!(error, WorkerError::Start { .. }), "{error}");
            assert!(error.to_string().contains(reason), "{error}");
            assert!(!error.request_was_sent());
        });
    }
}

#[test]
fn a_program_that_fails_at_its_start_is_not_started_again_and_again() {
    check(python("raise SystemExit(4)"), async |worker| {
        let mut reasons = Vec::new();
        for _ in 0..3 {
            reasons.push(ask(&worker, "echo", 1).await.expect_err("it fails").to_string());
        }
        assert!(reasons[1].contains("with exit status: 4"), "{reasons:?}");
        assert!(reasons[2].contains("it failed 2 times in a row"), "{reasons:?}");
        assert!(reasons[2].ends_with("with exit status: 4"), "the last error: {reasons:?}");
    });
}

#[test]
fn a_deadline_within_the_start_says_that_nothing_was_sent() {
    check(python("input()"), async |worker| {
        let error = worker.request(&json!({"echo": 1}), Duration::from_millis(20)).await;
        let error = error.expect_err("the program is never ready");
        assert!(matches!(error, WorkerError::Deadline { sent: false, .. }), "{error}");
        assert!(!error.request_was_sent());
    });
}

#[test]
fn a_slow_start_outlives_the_request_that_began_it() {
    if !has_python() {
        return;
    }
    let pipe = Pipe::new("start");
    let path = pipe.path().to_owned();
    let slow = format!("open({path:?}).read()\n{SCRIPT}");
    check(python(&slow), async |worker| {
        // Opening the pipe for writing succeeds once the program reads it, which it does until the
        // pipe is closed.
        let open = move || fs::OpenOptions::new().write(true).open(path).unwrap();
        let opened = tokio::task::spawn_blocking(open);
        let file = tokio::select! {
            file = opened => file.unwrap(),
            answer = ask(&worker, "pid", 0) => panic!("{answer:?}"),
        };
        drop(file);
        // Another process would wait for its pipe in vain.
        ask(&worker, "pid", 0).await.unwrap();
    });
}

#[test]
fn requests_beyond_the_queue_are_refused() {
    check(python(SCRIPT).queue(1), async |worker| {
        let requests = [1, 2, 3].map(|value| {
            let worker = worker.clone();
            async move { ask(&worker, "echo", value).await }
        });
        let [first, second, third] = requests;
        let (first, second, third) = tokio::join!(first, second, third);
        assert_eq!((first.unwrap(), second.unwrap()), (json!(1), json!(2)));
        assert!(matches!(third, Err(WorkerError::Busy)), "{third:?}");
        assert_eq!(ask(&worker, "echo", 4).await.unwrap(), 4);
    });
}

#[test]
fn the_program_ends_with_the_last_worker() {
    check(python(SCRIPT), async |worker| {
        let pid = ask(&worker, "pid", 0).await.unwrap();
        let id = Pid::from_raw(i32::try_from(pid.as_i64().unwrap()).unwrap()).unwrap();
        let clone = worker.clone();
        drop(worker);
        assert_eq!(ask(&clone, "pid", 0).await.unwrap(), pid);
        drop(clone);
        // It is this process's child, so that its end can be waited for.
        let ended = tokio::task::spawn_blocking(move || waitid(WaitId::Pid(id), UNTIL_IT_EXITS));
        // An error means that it was waited for already.
        let _ = tokio::time::timeout(ENOUGH, ended).await.expect("the program lives on").unwrap();
    });
}
