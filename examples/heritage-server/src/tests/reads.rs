use tool_runtime::serde_json::json;

use super::on_each_database;

#[tokio::test]
async fn a_profile_has_the_guides_fields() {
    on_each_database(async |trial| {
        let profile = trial.answer("get_npc_profile", &json!({ "npc_id": "ancestor_yan" })).await;
        assert_eq!(profile["npc_id"], "ancestor_yan");
        assert_eq!((&profile["version"], &profile["active"]), (&json!(1), &json!(true)));
        assert_eq!(profile["name"], "严氏先祖");
        assert!(profile["persona"].is_object());
        assert_eq!(profile["knowledge_domains"], json!(["严氏家族历史", "祖训家规"]));
        let greeting = profile["greeting_templates"][0].as_str().expect("a greeting");
        assert!(greeting.starts_with("后生来了？"));
        assert_eq!(profile["max_response_length"], 500);
        assert_eq!(profile["must_cite_sources"], true);
        assert_eq!(profile.as_object().expect("an object").len(), 9);
    })
    .await;
}

#[tokio::test]
async fn a_profile_is_read_in_a_version_that_is_not_in_use() {
    on_each_database(async |trial| {
        let input = json!({ "npc_id": "ancestor_yan", "version": 2 });
        let profile = trial.answer("get_npc_profile", &input).await;
        assert_eq!((&profile["version"], &profile["active"]), (&json!(2), &json!(false)));
    })
    .await;
}

#[tokio::test]
async fn an_id_and_a_version_of_the_wrong_size_are_refused() {
    on_each_database(async |trial| {
        for input in [
            json!({ "npc_id": "ancestor_yan", "version": 0 }),
            json!({ "npc_id": "a".repeat(65) }),
            json!({ "npc_id": "a\u{0}" }),
            json!({ "npc_id": "" }),
        ] {
            let envelope = trial.call("get_npc_profile", &input).await;
            assert_eq!(envelope["error"]["code"], "INVALID_ARGUMENT", "{envelope}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_missing_profile_or_prompt_is_not_found_and_known_ids_are_listed() {
    on_each_database(async |trial| {
        let unknown = trial.call("get_npc_profile", &json!({ "npc_id": "unknown_npc" })).await;
        assert_eq!(unknown["error"]["code"], "NOT_FOUND");
        assert_eq!(unknown["error"]["message"], "NPC profile not found");
        let known = &unknown["error"]["details"]["npc_ids"];
        assert_eq!(known, &json!(["ancestor_yan", "village_teacher"]));
        for (tool, input) in [
            ("get_npc_profile", json!({ "npc_id": "ancestor_yan", "version": 9 })),
            ("get_prompt_active", json!({ "npc_id": "nobody" })),
            (
                "get_prompt_active",
                json!({ "npc_id": "village_teacher", "prompt_type": "fallback" }),
            ),
        ] {
            let envelope = trial.call(tool, &input).await;
            assert_eq!(envelope["error"]["code"], "NOT_FOUND", "{envelope}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_prompt_in_use_is_read_by_its_type() {
    on_each_database(async |trial| {
        let system = trial.answer("get_prompt_active", &json!({ "npc_id": "ancestor_yan" })).await;
        assert_eq!(
            (&system["npc_id"], &system["prompt_type"]),
            (&json!("ancestor_yan"), &json!("system"))
        );
        assert!(
            system["prompt_text"].as_str().is_some_and(|text| text.starts_with("你是严氏先祖"))
        );
        let domains = json!(["严氏家族历史", "祖训家规"]);
        let metadata = json!({ "name": "严氏先祖", "knowledge_domains": domains });
        assert_eq!(system["metadata"], metadata);
        let input = json!({ "npc_id": "ancestor_yan", "prompt_type": "greeting" });
        let greeting = trial.answer("get_prompt_active", &input).await;
        assert_eq!(greeting["prompt_type"], "greeting");
        assert_eq!(greeting["prompt_text"], "后生来了？坐下喝口茶，慢慢说。");
        let input = json!({ "npc_id": "ancestor_yan", "prompt_type": "fallback" });
        let fallback = trial.answer("get_prompt_active", &input).await;
        assert_eq!(fallback["version"], 2);
        let wrong = json!({ "npc_id": "ancestor_yan", "prompt_type": "farewell" });
        let wrong = trial.call("get_prompt_active", &wrong).await;
        assert_eq!(wrong["error"]["code"], "INVALID_ARGUMENT");
    })
    .await;
}

#[tokio::test]
async fn a_map_shows_what_it_is_asked_for() {
    on_each_database(async |trial| {
        let map = trial.answer("get_site_map", &json!({})).await;
        assert_eq!(
            (&map["site_id"], &map["site_name"]),
            (&json!("yantian-main"), &json!("严田古村"))
        );
        let hall = json!({ "id": "ancestral-hall", "name": "严氏祠堂", "type": "heritage" });
        assert_eq!(map["pois"][0], hall);
        assert_eq!(map["routes"], json!([]));
        let routes = json!({ "include_pois": false, "include_routes": true });
        let map = trial.answer("get_site_map", &routes).await;
        assert_eq!(map["pois"], json!([]));
        assert_eq!(map["routes"][0]["pois"][0], "ancestral-hall");
    })
    .await;
}

#[tokio::test]
async fn a_map_is_drawn_with_its_legend() {
    on_each_database(async |trial| {
        let envelope = trial.call("draw_site_map", &json!({})).await;
        let legend = &envelope["data"];
        assert_eq!(
            legend["points"][0],
            json!({ "id": "ancestral-hall", "name": "严氏祠堂", "colour": "red" })
        );
        assert_eq!(legend["routes"].as_array().map(Vec::len), Some(2), "{legend}");
        let picture = &envelope["meta"]["attachments"][0];
        assert_eq!(picture["media_type"], "image/png");
        assert!(picture["size"].as_u64().is_some_and(|size| size > 1_000), "{picture}");
    })
    .await;
}
