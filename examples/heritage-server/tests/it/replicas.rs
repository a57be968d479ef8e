//! Three servers with one store: what one was asked for, another decides, and each answers a repeat.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use std::{fs, thread};

use serde_json::{Value, json};
use tokio_postgres::NoTls;

use crate::server::{Server, made_database, new_folder, program};

/// Servers with one database, one store and one secret.
struct Replicas {
    servers: Vec<Server>,
    options: Vec<String>,
    database: String,
    folder: PathBuf,
}

impl Replicas {
    /// Starts three servers; `None` if there is no PostgreSQL here.
    fn start(more: &[&str]) -> Option<Self> {
        let database = made_database()?;
        let folder = new_folder();
        fs::create_dir(&folder).expect("a folder");
        let secret = folder.join("secret.key").display().to_string();
        let options = ["--database", &database, "--store", &database, "--secret", &secret];
        let options: Vec<_> = options.iter().chain(more).map(ToString::to_string).collect();
        let mut replicas = Self { servers: Vec::new(), options, database, folder };
        for _ in 0..3 {
            let server = Server::start_in(new_folder(), &replicas.options());
            replicas.servers.push(server);
        }
        Some(replicas)
    }

    fn options(&self) -> Vec<&str> {
        self.options.iter().map(String::as_str).collect()
    }

    fn addresses(&self) -> Vec<String> {
        self.servers.iter().map(|server| server.address.clone()).collect()
    }

    #[tokio::main(flavor = "current_thread")]
    async fn titles_of_drafts(&self) -> Vec<String> {
        let (client, connection) =
            tokio_postgres::connect(&self.database, NoTls).await.expect("a connection");
        tokio::spawn(connection);
        let titles = "SELECT title FROM contents WHERE status = 'draft' ORDER BY title";
        let rows = client.query(titles, &[]).await.expect("rows");
        rows.iter().map(|row| row.get("title")).collect()
    }
}

impl Drop for Replicas {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A request to a server, and its answer: the status and the body.
fn request(
    address: &str,
    line: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> io::Result<(u16, Value)> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let mut text = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nX-Tenant-ID: yantian\r\nX-Site-ID: yantian-main\r\nX-Trace-ID: trace-1\r\n",
        body.len()
    );
    for (name, value) in headers {
        write!(text, "{name}: {value}\r\n").expect("text");
    }
    let mut connection = TcpStream::connect(address)?;
    connection.write_all(format!("{text}\r\n{body}").as_bytes())?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    let cut = || io::Error::other("the answer was cut off");
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(cut)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
    Ok((status, serde_json::from_str(body).map_err(|_| cut())?))
}

fn draft(address: &str, key: &str, title: &str) -> io::Result<(u16, Value)> {
    let headers = [("Idempotency-Key", key), ("X-User-ID", "visitor-1")];
    let input = json!({"content_type": "story", "title": title, "body": "水口有樟。"});
    let body = json!({"tool_name": "create_draft_content", "input": input});
    request(address, "POST /api/tools/call", &headers, &body)
}

#[test]
fn a_draft_is_asked_for_listed_approved_and_repeated_on_different_servers() {
    let Some(replicas) = Replicas::start(&["--ask-first"]) else { return };
    let addresses = replicas.addresses();
    let [a, b, c] = &addresses[..] else { panic!("three servers") };
    let (status, waits) = draft(a, "order-1", "廊桥").expect("an answer");
    assert_eq!((status, &waits["error_type"]), (409, &"NEEDS_USER_CONFIRMATION".into()));

    let editor = [("X-User-ID", "editor-1")];
    let inbox = request(b, "GET /api/approvals", &editor, &Value::Null).expect("an inbox").1;
    let ticket = inbox["approvals"][0]["ticket"].as_str().expect("a ticket").to_owned();
    let decide = format!("POST /api/approvals/{ticket}");
    let approve = json!({"decision": "approve"});
    let (status, approved) = request(c, &decide, &editor, &approve).expect("an answer");
    assert_eq!((status, &approved["success"]), (200, &true.into()), "{approved}");

    // The ticket is used on every server, and the key has its answer on every server.
    for address in &addresses {
        let (status, used) = request(address, &decide, &editor, &approve).expect("an answer");
        assert_eq!(status, 409, "{used}");
        let (status, again) = draft(address, "order-1", "廊桥").expect("an answer");
        assert_eq!((status, &again["output"]), (200, &approved["output"]), "{again}");
    }
    assert_eq!(replicas.titles_of_drafts(), ["廊桥"]);
    for server in &replicas.servers {
        assert!(server.greeting.contains("as --store says"), "{}", server.greeting);
        let ready = request(&server.address, "GET /api/readyz", &[], &Value::Null);
        assert_eq!(ready.expect("an answer").0, 200);
    }
}

#[test]
fn what_one_server_recorded_is_shown_and_replayed_by_another() {
    let Some(replicas) = Replicas::start(&["--ask-first"]) else { return };
    let addresses = replicas.addresses();
    let [a, b, c] = &addresses[..] else { panic!("three servers") };
    // Asked for on A, approved and executed on B, and a read on C: one trace.
    draft(a, "order-1", "廊桥").expect("an answer");
    let editor = [("X-User-ID", "editor-1")];
    let inbox = request(b, "GET /api/approvals", &editor, &Value::Null).expect("an inbox").1;
    let ticket = inbox["approvals"][0]["ticket"].as_str().expect("a ticket").to_owned();
    let approve = json!({"decision": "approve"});
    let decide = format!("POST /api/approvals/{ticket}");
    assert_eq!(request(b, &decide, &editor, &approve).expect("an answer").0, 200);
    let search = json!({"tool_name": "search_content", "input": {"query": "严氏家训", "limit": 1}});
    let (status, found) = request(c, "POST /api/tools/call", &[], &search).expect("an answer");
    assert_eq!(status, 200, "{found}");
    let snapshots = request(a, "GET /api/evidence?trace_id=trace-1", &[], &Value::Null);
    let snapshots = snapshots.expect("evidence").1;
    let proof = snapshots["evidence"][0]["snapshot_id"].as_str();
    let proof = proof.unwrap_or_else(|| panic!("no evidence: {snapshots}, of {found}"));

    // A record may take some milliseconds to be written by its server.
    let reads = "POST /api/traces/trace-1/replay";
    let reason = json!({"reason": "complaint 4711"});
    for server in [a, b] {
        let records = loop {
            let trace = request(server, "GET /api/traces/trace-1", &[], &Value::Null);
            let trace = trace.expect("a trace").1;
            let records = trace["records"].as_array().expect("records").clone();
            let has = |tool: &str, kind: &str| {
                records.iter().any(|it| it["call"]["tool"] == tool && it["kind"] == kind)
            };
            if has("search_content", "run") && has("create_draft_content", "run") {
                break records;
            }
        };
        let chains: HashSet<_> = records.iter().map(|it| it["chain"].to_string()).collect();
        assert_eq!(chains.len(), 3, "{records:?}");
        let kinds: Vec<_> = records.iter().map(|it| it["kind"].as_str().expect("a kind")).collect();
        assert!(kinds.contains(&"waiting"), "{kinds:?}");
        let report = request(server, reads, &[], &reason).expect("a report").1;
        let verdicts: Vec<_> = report["calls"].as_array().expect("calls").iter().collect();
        let of_search = verdicts.iter().find(|it| it["tool"] == "search_content");
        assert_eq!(of_search.expect("the read")["verdict"]["verdict"], "same", "{report}");
        let path = format!("GET /api/evidence/{proof}");
        let (status, snapshot) = request(server, &path, &[], &Value::Null).expect("a proof");
        assert_eq!(status, 200, "{snapshot}");
    }
}

#[test]
fn a_server_that_moves_to_a_shared_store_answers_repeats_and_decides_what_waited() {
    let Some(store) = made_database() else { return };
    let folder = new_folder();
    let server = Server::start_in(folder.clone(), &["--ask-first"]);
    let (status, waits) = draft(&server.address, "order-1", "廊桥").expect("an answer");
    assert_eq!(status, 409, "{waits}");
    let server = server.restarted_with(&[]);
    let (status, written) = draft(&server.address, "order-2", "水口").expect("an answer");
    assert_eq!(status, 200, "{written}");

    let file = folder.join("runtime.db").display().to_string();
    let import = || {
        let arguments = ["--store", &store, "--import", &file];
        program(&folder).args(arguments).output().expect("the program runs")
    };
    let server = server.restarted_after(
        || {
            let output = import();
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(printed.contains("1 keys, 1 tickets"), "{printed}");
        },
        &["--store", &store, "--secret", &folder.join("secret.key").display().to_string()],
    );
    let (status, again) = draft(&server.address, "order-2", "水口").expect("an answer");
    assert_eq!((status, &again["output"]), (200, &written["output"]), "{again}");
    let editor = [("X-User-ID", "editor-1")];
    let inbox = request(&server.address, "GET /api/approvals", &editor, &Value::Null);
    let inbox = inbox.expect("an inbox").1;
    let ticket = inbox["approvals"][0]["ticket"].as_str().expect("a ticket").to_owned();
    let decide = format!("POST /api/approvals/{ticket}");
    let approve = json!({"decision": "approve"});
    let (status, approved) =
        request(&server.address, &decide, &editor, &approve).expect("an answer");
    assert_eq!((status, &approved["success"]), (200, &true.into()), "{approved}");

    let repeated = import();
    let error = String::from_utf8_lossy(&repeated.stderr);
    assert!(!repeated.status.success() && error.contains("has rows already"), "{error}");
}

#[test]
fn a_rate_holds_for_all_servers_together() {
    const CALLS: usize = 30;
    let Some(replicas) = Replicas::start(&["--calls-per-minute", "30"]) else { return };
    let addresses = replicas.addresses();
    let search = json!({"tool_name": "search_content", "input": {"query": "严氏家训", "limit": 1}});
    let started = Instant::now();
    let mut admitted = 0;
    for number in 0..5 * CALLS {
        let address = &addresses[number % 3];
        let answer = request(address, "POST /api/tools/call", &[], &search).expect("an answer");
        match answer.0 {
            200 => admitted += 1,
            status => assert_eq!(status, 429, "{}", answer.1),
        }
    }
    // One more every two seconds.
    let refilled = usize::try_from(started.elapsed().as_secs() / 2).expect("it is short");
    assert!((CALLS..=CALLS + refilled + 1).contains(&admitted), "{admitted} of {CALLS}");
}

#[test]
fn a_rolling_restart_under_load_loses_no_draft_and_writes_none_twice() {
    let Some(mut replicas) = Replicas::start(&[]) else { return };
    let addresses = Arc::new(Mutex::new(replicas.addresses()));
    let (ended, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let clients: Vec<_> = (0..4)
        .map(|client| {
            let addresses = Arc::clone(&addresses);
            let (ended, written) = (Arc::clone(&ended), Arc::clone(&written));
            thread::spawn(move || {
                let mut titles = Vec::new();
                for number in 0.. {
                    if ended.load(Ordering::SeqCst) {
                        break;
                    }
                    let title = format!("draft {client} {number}");
                    write_once(&addresses, &title, client + number);
                    written.fetch_add(1, Ordering::SeqCst);
                    titles.push(title);
                }
                titles
            })
        })
        .collect();
    // One after the other, while the others serve.
    for replica in 0..3 {
        let before = written.load(Ordering::SeqCst);
        while written.load(Ordering::SeqCst) < before + 20 {
            thread::yield_now();
        }
        let server = replicas.servers.remove(replica);
        let restarted = server.restarted_with(&replicas.options());
        addresses.lock().expect("a lock")[replica].clone_from(&restarted.address);
        replicas.servers.insert(replica, restarted);
    }
    ended.store(true, Ordering::SeqCst);
    let mut expected: Vec<_> =
        clients.into_iter().flat_map(|client| client.join().expect("a client")).collect();
    expected.sort_unstable();
    assert!(expected.len() >= 60, "{}", expected.len());
    assert_eq!(replicas.titles_of_drafts(), expected);
}

/// Sends a draft until a server answers it: under one key, to one server after the other.
fn write_once(addresses: &Mutex<Vec<String>>, title: &str, first: usize) {
    for attempt in 0..5_000 {
        let address = addresses.lock().expect("a lock")[(first + attempt) % 3].clone();
        let key = title.replace(' ', "-");
        match draft(&address, &key, title) {
            Ok((200, answer)) => return assert_eq!(answer["success"], true, "{answer}"),
            // It is being stopped, or another server is still writing this draft.
            Ok((503 | 409, _)) | Err(_) => {}
            Ok((status, answer)) => panic!("{status}: {answer}"),
        }
    }
    panic!("no server has written {title}");
}
