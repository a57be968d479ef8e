use tool_runtime::prelude::*;
use tool_runtime::serde_json::json;

use super::{Trial, ids, on_each_database};

/// Contexts that are not the village's own: another tenant, or another site of the same tenant.
fn strangers() -> [ToolContext; 3] {
    [
        Trial::cx("tianshui", "tianshui-main"),
        Trial::cx("tianshui", "yantian-main"),
        Trial::cx("yantian", "tianshui-main"),
    ]
}

#[tokio::test]
async fn nothing_of_a_village_is_read_from_elsewhere() {
    on_each_database(async |trial| {
        for cx in strangers() {
            for (tool, input) in [
                ("get_npc_profile", json!({ "npc_id": "ancestor_yan" })),
                ("get_npc_profile", json!({ "npc_id": "ancestor_yan", "version": 1 })),
                ("get_prompt_active", json!({ "npc_id": "ancestor_yan" })),
            ] {
                let envelope = trial.call_as(&cx, tool, &input).await;
                assert_eq!(envelope["error"]["code"], "NOT_FOUND", "{envelope}");
                assert!(!envelope.to_string().contains("village_teacher"), "{envelope}");
            }
            let input = json!({ "query": "家训", "limit": 50 });
            let found = trial.call_as(&cx, "search_content", &input).await;
            assert!(!ids(&found["data"]).contains(&"zhuzi-jiaxun"), "{found}");
            assert!(found["data"]["total"].as_i64().is_some_and(|total| total <= 1), "{found}");
            let map = trial.call_as(&cx, "get_site_map", &json!({ "include_routes": true })).await;
            assert!(!map.to_string().contains("祠堂"), "{map}");
        }
    })
    .await;
}

#[tokio::test]
async fn each_tenant_reads_its_own() {
    on_each_database(async |trial| {
        let cx = Trial::cx("tianshui", "tianshui-main");
        let found = trial.call_as(&cx, "search_content", &json!({ "query": "家训" })).await;
        assert_eq!(ids(&found["data"]), ["house-rules"]);
        let input = json!({ "npc_id": "librarian" });
        let profile = trial.call_as(&cx, "get_npc_profile", &input).await;
        assert_eq!(profile["data"]["name"], "藏书楼主人");
    })
    .await;
}

#[tokio::test]
async fn a_draft_is_found_by_its_own_tenant_alone() {
    on_each_database(async |trial| {
        let draft =
            json!({ "content_type": "legend", "title": "古井传说", "body": "相传有千年。" });
        trial.answer("create_draft_content", &draft).await;
        let published = trial.answer("search_content", &json!({ "query": "古井传说" })).await;
        let titles = published["items"].to_string();
        assert!(!titles.contains("古井传说"), "{titles}");
        let drafts = json!({ "query": "古井传说", "status": "draft" });
        assert_eq!(trial.answer("search_content", &drafts).await["total"], 1);
        for cx in strangers() {
            let found = trial.call_as(&cx, "search_content", &drafts).await;
            assert_eq!(found["data"]["total"], 0, "{found}");
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_is_written_at_a_site_that_is_not_the_tenants() {
    on_each_database(async |trial| {
        let before = trial.count("contents").await;
        for site in [("tianshui", "yantian-main"), ("yantian", "nowhere")] {
            let cx = Trial::cx(site.0, site.1);
            for (tool, input) in [
                ("create_draft_content", json!({ "content_type": "a", "title": "t", "body": "b" })),
                ("log_user_event", json!({ "event_type": "poi_visited" })),
            ] {
                let envelope = trial.call_as(&cx, tool, &input).await;
                assert_eq!(envelope["error"]["code"], "NOT_FOUND", "{envelope}");
            }
        }
        assert_eq!(trial.count("contents").await, before);
        assert_eq!(trial.count("user_events").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_call_without_a_site_is_refused() {
    on_each_database(async |trial| {
        let tenant = crate::guide::tenant("yantian").expect("a tenant");
        let cx = ToolContext::builder(tenant, "trace-1").run_id("run-1").build();
        let cx = cx.expect("a context");
        let envelope = trial.call_as(&cx, "get_site_map", &json!({})).await;
        assert_eq!(envelope["error"]["code"], "INVALID_ARGUMENT", "{envelope}");
    })
    .await;
}
