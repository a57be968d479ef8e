//! Tests of the user.

use serde_json::json;

use super::*;
use crate::Users;

fn principal_with(users: Users) -> Principal {
    Principal::new("caller").for_every_tenant().with_users(users)
}

#[track_caller]
fn check_forbidden(request: TestRequest, principal: &Principal) {
    let problem = request.context_for(principal).unwrap_err();
    assert_eq!((problem.status, problem.code), (StatusCode::FORBIDDEN, ErrorCode::Forbidden));
    assert_eq!(problem.details["reason"], "user");
    assert!(problem.message.contains("leave the user out"), "{}", problem.message);
}

#[test]
fn is_refused_where_the_principal_may_not_name_it() {
    let body = json!({"user_id": "boss"});
    for principal in [principal_with(Users::None), principal_with(Users::Only("jane".into()))] {
        check_forbidden(TestRequest::needed().and("x-user-id", "boss"), &principal);
        check_forbidden(TestRequest::needed().body(&body), &principal);
    }
    check_forbidden(TestRequest::needed().and("x-user-id", "jane"), &principal_with(Users::None));
    let cx = TestRequest::needed()
        .and("x-user-id", "boss")
        .context_for(&principal_with(Users::OfItsTenants));
    assert_eq!(cx.unwrap().user_id(), Some("boss"));
}

#[test]
fn is_the_person_whether_it_is_named_or_not() {
    let jane = principal_with(Users::Only("jane".into()));
    let named = TestRequest::needed().and("x-user-id", "jane").context_for(&jane).unwrap();
    let unnamed = TestRequest::needed().context_for(&jane).unwrap();
    assert_eq!((named.user_id(), unnamed.user_id()), (Some("jane"), Some("jane")));
    assert_eq!(
        TestRequest::needed().context_for(&principal_with(Users::None)).unwrap().user_id(),
        None
    );
}

#[test]
fn is_kept_in_one_form() {
    let request = TestRequest::needed()
        .and("x-user-id", "jose\u{301}")
        .and("x-session-id", "e\u{301}")
        .body(&json!({"user_id": "jos\u{e9}"}));
    let cx = request.context();
    assert_eq!((cx.user_id(), cx.session_id()), (Some("jos\u{e9}"), Some("\u{e9}")));
}

#[test]
fn has_no_characters_that_cannot_be_seen() {
    for hidden in ["bo\u{200b}ss", "\u{202e}ssob", "boss\u{feff}", "bo\u{ad}ss", "b\u{2066}oss"] {
        check_refused(TestRequest::needed().and("x-user-id", hidden), "text", &["X-User-ID"]);
    }
}
