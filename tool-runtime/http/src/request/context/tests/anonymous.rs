//! Tests of anonymous callers.

use super::*;

async fn anonymous() -> Principal {
    let auth = Auth::new().anonymous("tools".parse().unwrap());
    auth.principal(&HeaderMap::new()).await.unwrap()
}

#[tokio::test]
async fn has_no_actor_so_that_strangers_share_no_key() {
    let cx = TestRequest::needed().context_for(&anonymous().await).unwrap();
    assert!(cx.actor().is_none());
}

#[tokio::test]
async fn acts_for_no_user() {
    let problem =
        TestRequest::needed().and("x-user-id", "u-1").context_for(&anonymous().await).unwrap_err();
    let expected = (StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized);
    assert_eq!((problem.status, problem.code), expected);
}
