use std::fs;
use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::server::{Server, new_folder, program};

/// A search command with results.
const SEARCH: &str = r#"curl -X POST http://localhost:8000/api/tools/call \
  -H 'Content-Type: application/json' -H 'X-Tenant-ID: yantian' \
  -H 'X-Site-ID: yantian-main' -H 'X-Trace-ID: trace-of-a-search' \
  -d '{"tool_name": "search_content", "input": {"query": "家训"}}'"#;

#[test]
fn a_greeting_says_what_to_do_next_and_its_line_works() {
    let server = Server::start();
    for part in ["guide.db", "ledger.db", "all on this machine", "README.md", "Ctrl-C"] {
        assert!(server.greeting.contains(part), "{part}: {}", server.greeting);
    }
    let line = server.greeting.split_once("curl").expect("a line to try").1;
    let line = line.split_once("\n\n").expect("its end").0;
    let answer = server.answer(&format!("curl{line}"));
    assert_eq!(answer["output"]["items"][0]["id"], "zhuzi-jiaxun", "{answer}");
}

#[test]
fn a_call_leaves_a_line_in_the_log_and_one_in_the_ledger() {
    let server = Server::start();
    assert_eq!(server.answer(SEARCH)["success"], true);
    let ledger = server.folder().join("ledger.db");
    let kept = server.folder().with_extension("ledger");
    let log = server.end_keeping(&ledger, &kept);
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [line] = &lines[..] else { panic!("{log}") };
    assert_eq!(line["event"], "tool_call_success", "{line}");
    assert_eq!(line["trace_id"], "trace-of-a-search");
    assert_eq!(
        (&line["tool_name"], &line["site_id"]),
        (&"search_content".into(), &"yantian-main".into())
    );

    let ledger = rusqlite::Connection::open(&kept).expect("a ledger");
    let sql = "SELECT count(*) FROM trace_ledger
               WHERE trace_id = 'trace-of-a-search' AND tool = 'search_content' AND status = 'success'";
    let recorded: i64 = ledger.query_row(sql, [], |row| row.get(0)).expect("a count");
    assert_eq!(recorded, 1);
    fs::remove_file(kept).expect("the copy goes");
}

#[test]
fn a_network_is_not_listened_on_without_keys() {
    let folder = std::env::temp_dir().join("heritage-never-made");
    let refused = program(&folder)
        .args(["--listen", "0.0.0.0:0"])
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("--api-keys") && said.contains("127.0.0.1"), "{said}");
    assert!(!folder.exists(), "nothing was made");
}

#[test]
fn a_written_draft_is_found_after_a_restart() {
    let server = Server::start();
    let write = SEARCH.replace(
        r#"{"tool_name": "search_content", "input": {"query": "家训"}}"#,
        r#"{"tool_name": "create_draft_content",
            "input": {"content_type": "story", "title": "樟树", "body": "水口有樟。"}}"#,
    );
    assert_eq!(server.answer(&write)["success"], true);
    let server = server.restarted();
    let read = SEARCH.replace(r#""家训""#, r#""樟树", "status": "draft""#);
    assert_eq!(server.answer(&read)["output"]["total"], 1);
}

#[test]
fn with_keys_a_caller_proves_who_it_is_and_acts_for_its_own_tenants() {
    let folder = new_folder();
    let made = program(&folder).args(["--new-key", "orchestrator"]).output().expect("it runs");
    let made = String::from_utf8(made.stdout).expect("text");
    let lines: Vec<_> = made.lines().collect();
    let [_, key, _, _, line] = lines[..] else { panic!("{made}") };
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join("keys.txt");
    fs::write(&file, format!("# who may call\n{line}\n")).expect("a file");
    let server = Server::start_in(folder, &["--api-keys", file.to_str().expect("a path")]);

    let proven = format!("-H 'X-Internal-API-Key: {key}' -d");
    assert_eq!(server.answer(SEARCH)["error_type"], "UNAUTHORIZED");
    let wrong = proven.replace(key, &key.chars().rev().collect::<String>());
    assert_eq!(server.answer(&SEARCH.replace("-d", &wrong))["error_type"], "UNAUTHORIZED");
    let right = SEARCH.replace("-d", &proven);
    assert_eq!(server.answer(&right)["success"], true);
    let other = right.replace("yantian", "tianshui");
    assert_eq!(server.answer(&other)["error_type"], "FORBIDDEN");
}

/// The example key of RFC 8037, appendix A, in PKCS #8, and its public half.
const SIGNING: &[u8] = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20\
    \x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4\
    \x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60";
const PUBLIC: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

#[test]
fn with_tokens_a_person_proves_who_it_is() {
    let folder = new_folder();
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join("keys.json");
    let set = json!({"keys": [
        {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": "k", "x": PUBLIC},
    ]});
    fs::write(&file, set.to_string()).expect("a file");
    let options = ["--jwks", file.to_str().expect("a path"), "--issuer", "https://issuer.example"];
    let options = [&options[..], &["--audience", "guide"]].concat();
    let server = Server::start_in(folder, &options);

    let token = |audience: &str| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        let claims = json!({
            "iss": "https://issuer.example", "aud": audience, "sub": "jane", "scope": "tools",
            "tenants": ["yantian"], "exp": since.as_secs() + 60,
        });
        let header = Header { kid: Some("k".to_owned()), ..Header::new(Algorithm::EdDSA) };
        encode(&header, &claims, &EncodingKey::from_ed_der(SIGNING)).expect("a token")
    };
    let asked =
        |token: &str| SEARCH.replace("-d", &format!("-H 'Authorization: Bearer {token}' -d"));
    assert_eq!(server.answer(SEARCH)["error_type"], "UNAUTHORIZED");
    assert_eq!(server.answer(&asked(&token("shop")))["error_type"], "UNAUTHORIZED");
    let right = asked(&token("guide"));
    assert_eq!(server.answer(&right)["success"], true);
    let other = right.replace("yantian", "tianshui");
    assert_eq!(server.answer(&other)["error_type"], "FORBIDDEN");
}
