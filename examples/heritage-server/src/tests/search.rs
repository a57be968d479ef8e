use std::collections::BTreeSet;

use tool_runtime::serde_json::json;

use super::{ids, on_each_database};

/// Questions, and what must be found first.
const QUESTIONS: &[(&str, &str)] = &[
    // the guide's own line: family rules, of any family
    ("严氏家训", "zhuzi-jiaxun"),
    ("家训", "zhuzi-jiaxun"),
    ("朱子治家格言", "zhuzi-jiaxun"),
    ("嚴氏家訓", "zhuzi-jiaxun"),
    ("桃花源", "taohuayuan"),
    ("武陵人捕鱼", "taohuayuan"),
    ("一粥一饭，当思来处不易", "zhuzi-jiaxun"),
    ("三字经怎么说", "sanzijing"),
    ("百家姓里有哪些姓", "baijiaxing"),
    ("爆竹声中一岁除", "yuanri"),
    ("清明时节", "qingming"),
    ("弟子规 入则孝", "dizigui-1"),
    ("诚信", "dizigui-4"),
    ("陋室铭", "loushi"),
    ("古代的宫室", "youxue-houses"),
    ("岁时节令", "youxue-seasons"),
    ("邻里 里仁为美", "lunyu-liren"),
    ("七月流火", "qiyue"),
    ("重阳 茱萸", "chongyang"),
    ("peach blossom", "taohuayuan-en"),
    ("family maxims", "zhuzi-jiaxun-en"),
    ("What is said about offerings to the ancestors?", "zhuzi-jiaxun-en"),
    ("surnames of the Yan clan", "yan-surname-en"),
    ("farming villages", "guorenzhuang-en"),
    ("firecrackers at new year", "yuanri-en"),
    ("neighbourhood", "liren-en"),
];

#[tokio::test]
async fn each_question_finds_what_it_is_about_first() {
    on_each_database(async |trial| {
        let mut wrong = Vec::new();
        for (question, first) in QUESTIONS {
            let found = trial.answer("search_content", &json!({ "query": question })).await;
            if ids(&found).first() != Some(first) {
                wrong.push(format!("{question}: {:?}, not {first}", ids(&found)));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    })
    .await;
}

#[tokio::test]
async fn a_family_rule_is_found_by_a_word_that_no_text_has_whole() {
    on_each_database(async |trial| {
        let found = trial.answer("search_content", &json!({ "query": "严氏家训" })).await;
        assert_eq!(found["items"][0]["content_type"], "family_rule");
        assert_eq!(found["query"], "严氏家训");
    })
    .await;
}

#[tokio::test]
async fn total_counts_what_the_limit_leaves_out() {
    on_each_database(async |trial| {
        let few = json!({ "query": "父母", "limit": 2 });
        let many = json!({ "query": "父母", "limit": 50 });
        let (few, many) = (
            trial.answer("search_content", &few).await,
            trial.answer("search_content", &many).await,
        );
        assert_eq!(ids(&few).len(), 2);
        assert!(ids(&many).len() > 5, "{:?}", ids(&many));
        assert_eq!(few["total"], many["total"]);
        assert_eq!(many["total"], ids(&many).len());
        assert_eq!(ids(&few), ids(&many)[..2]);
    })
    .await;
}

#[tokio::test]
async fn ten_items_are_shown_unless_a_limit_is_given() {
    on_each_database(async |trial| {
        let found = trial.answer("search_content", &json!({ "query": "人" })).await;
        assert!(found["total"].as_i64().is_some_and(|total| total > 10), "{}", found["total"]);
        assert_eq!(ids(&found).len(), 10);
    })
    .await;
}

#[tokio::test]
async fn one_character_finds_every_text_that_has_it() {
    on_each_database(async |trial| {
        let found = trial.answer("search_content", &json!({ "query": "蚕", "limit": 50 })).await;
        let texts = found["items"].as_array().expect("items");
        assert!(!texts.is_empty());
        for text in texts {
            let has = text["body"].as_str().is_some_and(|body| body.contains('蚕'));
            assert!(has, "{}", text["id"]);
        }
        let all = crate::guide::village().expect("what ships");
        let all = all.sites.iter().filter(|site| site.site_id == "yantian-main");
        let all = all.flat_map(|site| &site.contents).filter(|text| text.body.contains('蚕'));
        assert_eq!(found["total"], all.count());
    })
    .await;
}

#[tokio::test]
async fn a_question_in_two_scripts_finds_both() {
    on_each_database(async |trial| {
        let found = trial.answer("search_content", &json!({ "query": "桃花源 peach" })).await;
        for id in ["taohuayuan", "taohuayuan-en"] {
            assert!(ids(&found).contains(&id), "{:?}", ids(&found));
        }
    })
    .await;
}

#[tokio::test]
async fn an_operator_in_a_query_is_read_as_a_word_or_ignored() {
    on_each_database(async |trial| {
        for query in [
            "\"",
            "'",
            "家训'",
            "家训\"",
            "家训*",
            "title:家训",
            "家训 AND",
            "NEAR(家 训)",
            "家训) OR (",
            "-家训",
            "^家训",
            "家训:*",
            "家训 & !",
            "<->",
            "{title} : 家训",
            "\\",
            "家\\训",
            "a'b\\'c",
            "%_",
            "$1",
            "?1",
            "' OR 1=1 --",
            "\u{0}",
            "\u{202e}家训",
            "：：：",
            "NOT",
            "*",
        ] {
            let envelope = trial.call("search_content", &json!({ "query": query })).await;
            assert_eq!(envelope["status"], "ok", "{query:?}: {envelope}");
        }
        let nothing = trial.answer("search_content", &json!({ "query": "？！……" })).await;
        assert_eq!(nothing["total"], 0);
        let quoted = trial.answer("search_content", &json!({ "query": "\"家训\" AND (*" })).await;
        assert_eq!(ids(&quoted).first(), Some(&"zhuzi-jiaxun"));
    })
    .await;
}

#[tokio::test]
async fn types_and_tags_narrow_what_is_found() {
    on_each_database(async |trial| {
        let poems = json!({ "query": "春", "content_type": "poem", "limit": 50 });
        let poems = trial.answer("search_content", &poems).await;
        let items = poems["items"].as_array().expect("items");
        assert!(!items.is_empty() && items.iter().all(|item| item["content_type"] == "poem"));
        assert_eq!(poems["total"], items.len());

        let both = json!({ "query": "家训", "tags": ["家训", "孝道"], "limit": 50 });
        assert_eq!(ids(&trial.answer("search_content", &both).await), ["dizigui-1"]);
        let neither = json!({ "query": "家训", "tags": ["家训", "没有的标签"] });
        assert_eq!(trial.answer("search_content", &neither).await["total"], 0);
    })
    .await;
}

#[tokio::test]
async fn a_question_of_the_wrong_size_is_refused() {
    on_each_database(async |trial| {
        for input in [
            json!({ "query": "家训", "limit": 51 }),
            json!({ "query": "家训", "limit": 0 }),
            json!({ "query": "" }),
            json!({ "query": "训".repeat(201) }),
            json!({ "query": "家训", "content_type": "a".repeat(65) }),
            json!({ "query": "家训", "tags": vec!["村"; 11] }),
            json!({ "query": "家训", "status": "deleted" }),
            json!({ "query": "家训", "tenant_id": "tianshui" }),
        ] {
            let envelope = trial.call("search_content", &input).await;
            assert_eq!(envelope["error"]["code"], "INVALID_ARGUMENT", "{envelope}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_item_has_the_guides_fields() {
    on_each_database(async |trial| {
        let found = trial.answer("search_content", &json!({ "query": "桃花源" })).await;
        let item = found["items"][0].as_object().expect("an item");
        let fields: Vec<_> = item.keys().collect::<BTreeSet<_>>().into_iter().collect();
        let expected = ["body", "content_type", "credibility_score", "id", "title", "verified"];
        assert_eq!(fields, expected);
        // A legend is not a fact, even if its text is known.
        assert_eq!(found["items"][0]["verified"], false);
    })
    .await;
}
