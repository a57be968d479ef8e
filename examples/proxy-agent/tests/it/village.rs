//! Queries on the database.

use serde_json::json;
use tool_runtime::contracts::act::ToolType::{ApiCall, DatabaseQuery};

use crate::{Place, code, data, executor, request};
use tool_runtime::agent::ToolExecutor as _;

#[tokio::test]
async fn texts_are_found_by_type_tag_and_credibility() {
    let place = Place::new().await;
    let all = data(&place.run(DatabaseQuery, "village.texts", json!({})).await);
    assert_eq!(all.as_array().unwrap().len(), 62);
    let parameters = json!({"content_type": "poem", "tag": "村落", "min_credibility": 0.96});
    let found = data(&place.run(DatabaseQuery, "village.texts", parameters).await);
    let ids: Vec<_> = found.as_array().unwrap().iter().map(|row| row["id"].clone()).collect();
    assert_eq!(ids, ["guorenzhuang", "weichuan"]);
    assert_eq!(found[0]["first_line"], "故人具鸡黍，邀我至田家。");
    let text = data(&place.run(DatabaseQuery, "village.text", json!({"id": "liren-en"})).await);
    assert_eq!(text["title"], "Analects IV, 1: on neighbourhoods");
    let routes = data(&place.run(DatabaseQuery, "village.routes", json!({})).await);
    assert_eq!(routes[1]["places"][1], "covered-bridge");
}

#[tokio::test]
async fn parameters_are_never_sql() {
    let place = Place::new().await;
    for text in ["' OR '1'='1", "x'; DROP TABLE contents; --", "%", "\" OR 1=1 --"] {
        let found = place.run(DatabaseQuery, "village.texts", json!({"tag": text})).await;
        assert_eq!(data(&found), json!([]), "{text}");
        let found = place.run(DatabaseQuery, "village.text", json!({"id": text})).await;
        assert_eq!(code(&found), "NOT_FOUND", "{text}");
    }
    let all = data(&place.run(DatabaseQuery, "village.texts", json!({})).await);
    assert_eq!(all.as_array().unwrap().len(), 62);
}

#[tokio::test]
async fn parameters_out_of_their_range_are_refused_before_the_query() {
    let place = Place::new().await;
    let parameters = json!({"min_credibility": 1.5, "limit": 0, "sql": "SELECT 1"});
    let refused = place.run(DatabaseQuery, "village.texts", parameters).await;
    assert_eq!(code(&refused), "INVALID_ARGUMENT");
    let error = refused.to_text();
    for field in ["/min_credibility", "/limit", "/sql"] {
        assert!(error.contains(field), "{error}");
    }
}

#[tokio::test]
async fn a_request_of_another_type_is_an_error() {
    let place = Place::new().await;
    let request = request(ApiCall, "village.texts", json!({}));
    let error = executor(&place.host).execute_async(&request).await.unwrap_err();
    assert!(error.to_string().contains("database_query"), "{error}");
}
