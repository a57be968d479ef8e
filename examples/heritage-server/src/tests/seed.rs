use super::{Trial, on_each_database};
use crate::guide::{Guide, village};
use crate::tests::WORDS;

#[test]
fn shipped_texts_name_their_sources_and_doubt_legends() {
    let sites = village().expect("what ships").sites;
    let texts: Vec<_> = sites.iter().flat_map(|site| &site.contents).collect();
    let chinese = |text: &str| text.chars().any(|char| ('\u{4e00}'..='\u{9fff}').contains(&char));
    let in_chinese =
        texts.iter().filter(|text| chinese(&text.body) && chinese(&text.title)).count();
    assert!(in_chinese >= 40, "{in_chinese}");
    assert!(texts.len() - in_chinese >= 10, "{}", texts.len());
    for text in &texts {
        assert!(text.source.is_some(), "{} has no source", text.id);
        let legend = matches!(text.content_type.as_str(), "legend" | "story");
        assert!(!legend || !text.verified && text.credibility_score <= 0.3, "{}", text.id);
    }
}

#[tokio::test]
async fn a_filled_database_is_not_seeded_again() {
    let trial = Trial::start(None).await;
    let before = trial.count("contents").await;
    let url = format!("sqlite:{}", trial.folder.join("guide.db").display());
    Guide::with_words(&url, std::sync::Arc::clone(&WORDS)).await.expect("a guide");
    assert_eq!(trial.count("contents").await, before);
}

#[tokio::test]
async fn an_npc_has_one_version_in_use() {
    on_each_database(async |trial| {
        let sql = "UPDATE npc_profiles SET active = TRUE";
        let all = vec![crate::store::Statement::new(sql, [])];
        assert!(trial.guide.store().write(all).await.is_err());
    })
    .await;
}
