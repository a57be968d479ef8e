use tool_runtime::prelude::*;
use tool_runtime::serde_json::{Value, json};

use super::{Trial, ids, on_each_database};
use crate::store::Statement;

fn draft() -> Value {
    json!({
        "content_type": "knowledge",
        "title": "严田村古井传说",
        "body": "村中心的古井相传有千年历史...",
        "tags": ["传说", "古井"]
    })
}

/// Makes a call's context with a key, which needs a user.
fn keyed(key: &str) -> ToolContext {
    visiting("visitor-1", "session-1").with_idempotency_key(key).expect("a key")
}

/// Makes the context of a call of this user in this session.
fn visiting(user_id: &str, session_id: &str) -> ToolContext {
    let tenant = crate::guide::tenant("yantian").expect("a tenant");
    let cx = ToolContext::builder(tenant, "trace-1").run_id("run-1").site_id("yantian-main");
    cx.user_id(user_id).session_id(session_id).build().expect("a context")
}

#[tokio::test]
async fn a_draft_is_written_and_can_be_found() {
    on_each_database(async |trial| {
        let written = trial.answer("create_draft_content", &draft()).await;
        assert_eq!(written["status"], "draft");
        assert!(written["created_at"].as_str().is_some_and(|at| at.ends_with('Z')));
        let query = json!({ "query": "古井", "status": "draft", "tags": ["传说"] });
        let found = trial.answer("search_content", &query).await;
        assert_eq!(found["items"][0]["id"], written["content_id"]);
        assert_eq!(found["items"][0]["verified"], false);
        assert_eq!(found["items"][0]["credibility_score"], 0.0);
    })
    .await;
}

#[tokio::test]
async fn a_draft_is_written_with_its_summary_domains_and_source() {
    on_each_database(async |trial| {
        let mut whole = draft();
        whole["summary"] = json!("泉眼从不干涸");
        whole["domains"] = json!(["水利", "民俗"]);
        whole["source"] = json!("村志第三卷");
        let written = trial.answer("create_draft_content", &whole).await;
        let id = written["content_id"].as_str().expect("an id");
        let sql = "SELECT summary, domains, source FROM contents WHERE id = $1";
        let row = trial.guide.store().row(Statement::new(sql, [id.into()])).await;
        let row = row.expect("an answer").expect("the draft");
        assert_eq!(row.text(0).expect("a summary"), "泉眼从不干涸");
        assert_eq!(row.json::<Value>(1).expect("domains"), json!(["水利", "民俗"]));
        assert_eq!(row.text(2).expect("a source"), "村志第三卷");
        let query = json!({ "query": "泉眼", "status": "draft" });
        let found = trial.answer("search_content", &query).await;
        assert_eq!(ids(&found), [id], "it is found by its summary");
    })
    .await;
}

#[tokio::test]
async fn a_retry_under_the_same_key_makes_one_draft() {
    on_each_database(async |trial| {
        let before = trial.count("contents").await;
        let cx = keyed("draft-1");
        let first = trial.call_as(&cx, "create_draft_content", &draft()).await;
        let again = trial.call_as(&cx, "create_draft_content", &draft()).await;
        assert_eq!(first["data"], again["data"]);
        assert_eq!(trial.count("contents").await, before + 1);
        let other = keyed("draft-2");
        let other = trial.call_as(&other, "create_draft_content", &draft()).await;
        assert_ne!(first["data"]["content_id"], other["data"]["content_id"]);
    })
    .await;
}

#[tokio::test]
async fn a_retry_finds_the_draft_also_where_its_answer_was_forgotten() {
    on_each_database(async |trial| {
        let before = trial.count("contents").await;
        let cx = keyed("draft-1");
        let first = trial.call_as(&cx, "create_draft_content", &draft()).await;
        // Another process, whose own files do not know the first one's calls.
        let forgetful = trial.forgetful().await;
        let again = forgetful.call_as(&cx, "create_draft_content", &draft()).await;
        assert_eq!(first["data"], again["data"], "{again}");
        assert_eq!(trial.count("contents").await, before + 1);
    })
    .await;
}

#[tokio::test]
async fn a_key_that_stands_for_another_draft_is_refused() {
    on_each_database(async |trial| {
        let cx = keyed("draft-1");
        trial.call_as(&cx, "create_draft_content", &draft()).await;
        let mut other = draft();
        other["title"] = json!("别的题目");
        let refused = trial.call_as(&cx, "create_draft_content", &other).await;
        assert_eq!(refused["error"]["code"], "INVALID_ARGUMENT", "{refused}");
    })
    .await;
}

#[tokio::test]
async fn a_dry_run_says_what_would_be_written_and_writes_nothing() {
    on_each_database(async |trial| {
        let before = trial.count("contents").await;
        let cx = Trial::cx("yantian", "yantian-main").with_dry_run(true);
        let plan = trial.call_as(&cx, "create_draft_content", &draft()).await;
        assert_eq!(plan["data"]["status"], "draft", "{plan}");
        assert_eq!(plan["data"]["same_title"], 0);
        let event = json!({ "event_type": "poi_visited" });
        let plan = trial.call_as(&cx, "log_user_event", &event).await;
        assert_eq!(plan["data"]["site_id"], "yantian-main", "{plan}");
        assert_eq!(trial.count("contents").await, before);
        assert_eq!(trial.count("user_events").await, 0);
    })
    .await;
}

#[tokio::test]
async fn an_event_is_the_calls_own_visitors() {
    on_each_database(async |trial| {
        let cx = visiting("visitor-1", "session-1").with_dry_run(true);
        let event = json!({ "event_type": "poi_visited", "event_data": { "poi": "old-well" } });
        let plan = trial.call_as(&cx, "log_user_event", &event).await;
        assert_eq!(plan["data"]["user_id"], "visitor-1", "{plan}");
        assert_eq!(plan["data"]["session_id"], "session-1");
        let logged =
            trial.call_as(&visiting("visitor-1", "session-1"), "log_user_event", &event).await;
        assert!(logged["data"]["event_id"].is_string(), "{logged}");
        assert_eq!(trial.count("user_events").await, 1);
    })
    .await;
}

#[tokio::test]
async fn an_event_says_when_it_was_logged() {
    on_each_database(async |trial| {
        let cx = visiting("visitor-1", "session-1");
        let event = json!({ "event_type": "poi_visited" });
        let logged = trial.call_as(&cx, "log_user_event", &event).await;
        let logged_at = logged["data"]["logged_at"].as_str().expect("a time");
        assert_eq!(logged_at, cx.now_iso().format("%Y-%m-%dT%H:%M:%SZ").to_string());
        let sql = "SELECT logged_at FROM user_events";
        let row = trial.guide.store().row(Statement::new(sql, [])).await;
        let row = row.expect("an answer").expect("the event");
        assert_eq!(row.text(0).expect("a time"), logged_at);
    })
    .await;
}

#[tokio::test]
async fn an_event_in_anothers_name_is_refused() {
    on_each_database(async |trial| {
        let cx = visiting("visitor-1", "session-1");
        for other in [
            json!({ "event_type": "poi_visited", "user_id": "visitor-2" }),
            json!({ "event_type": "poi_visited", "session_id": "session-2" }),
        ] {
            let refused = trial.call_as(&cx, "log_user_event", &other).await;
            assert_eq!(refused["error"]["code"], "FORBIDDEN", "{refused}");
            assert!(!refused["error"].to_string().contains("visitor-1"), "{refused}");
        }
        assert_eq!(trial.count("user_events").await, 0);
        // If the call names no user, the arguments may.
        let named = json!({ "event_type": "poi_visited", "user_id": "visitor-2" });
        trial.answer("log_user_event", &named).await;
        assert_eq!(trial.count("user_events").await, 1);
    })
    .await;
}

#[tokio::test]
async fn an_event_is_logged_once_under_its_key() {
    on_each_database(async |trial| {
        let cx = keyed("event-1");
        let event = json!({ "event_type": "poi_visited" });
        let first = trial.call_as(&cx, "log_user_event", &event).await;
        let again = trial.call_as(&cx, "log_user_event", &event).await;
        assert_eq!(first["data"], again["data"]);
        assert_eq!(trial.count("user_events").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_text_of_one_word_without_end_is_written_and_found() {
    on_each_database(async |trial| {
        let mut long = draft();
        long["body"] = json!("a".repeat(50_000));
        trial.answer("create_draft_content", &long).await;
        let query = json!({ "query": "a".repeat(200), "status": "draft" });
        assert_eq!(trial.answer("search_content", &query).await["total"], 1);
    })
    .await;
}

#[tokio::test]
async fn a_draft_may_be_as_long_as_a_chapter() {
    on_each_database(async |trial| {
        let mut chapter = draft();
        chapter["title"] = json!("井".repeat(500));
        chapter["body"] = json!("村中心的古井".repeat(8_000));
        trial.answer("create_draft_content", &chapter).await;
        let chapters = json!({ "query": "古井", "status": "draft" });
        assert_eq!(trial.answer("search_content", &chapters).await["total"], 1);
    })
    .await;
}

#[tokio::test]
async fn types_of_contents_and_events_are_identifiers() {
    on_each_database(async |trial| {
        let mut unspelled = draft();
        unspelled["content_type"] = json!("Family Rule");
        let event = json!({ "event_type": "POI Visited" });
        for (tool, input) in [("create_draft_content", unspelled), ("log_user_event", event)] {
            let refused = trial.call(tool, &input).await;
            assert_eq!(refused["error"]["code"], "INVALID_ARGUMENT", "{tool}: {refused}");
        }
        trial.answer("log_user_event", &json!({ "event_type": "poi.visited_2" })).await;
    })
    .await;
}

#[tokio::test]
async fn a_character_that_no_database_keeps_is_the_callers_mistake() {
    on_each_database(async |trial| {
        let mut untitled = draft();
        untitled["title"] = json!("a\u{0}b");
        for (tool, input) in [
            ("create_draft_content", untitled),
            ("get_npc_profile", json!({ "npc_id": "a\u{0}b" })),
            ("get_prompt_active", json!({ "npc_id": "a\u{0}b" })),
            ("search_content", json!({ "query": "a", "content_type": "a\u{0}b" })),
            ("search_content", json!({ "query": "a", "tags": ["a\u{0}b"] })),
            ("log_user_event", json!({ "event_type": "seen", "user_id": "a\u{0}b" })),
        ] {
            let refused = trial.call(tool, &input).await;
            assert_eq!(refused["error"]["code"], "INVALID_ARGUMENT", "{tool}: {refused}");
        }
        let kept = json!({ "event_type": "seen", "event_data": { "a": "a\u{0}b" } });
        trial.answer("log_user_event", &kept).await;
    })
    .await;
}
