//! Tests of the actor.

use serde_json::json;

use super::*;
use crate::Users;

fn kind(request: TestRequest, principal: &Principal) -> ActorType {
    request.context_for(principal).unwrap().actor().unwrap().kind()
}

#[test]
fn is_of_the_type_that_header_or_body_say_as_far_as_the_principal_may() {
    let service = Principal::new("caller").for_every_tenant();
    let saying = |kind: &str| TestRequest::needed().and("x-actor-type", kind);
    assert_eq!(kind(TestRequest::needed(), &service), ActorType::System);
    assert_eq!(kind(saying("agent"), &service), ActorType::Agent);
    let body = json!({"actor_type": "agent"});
    assert_eq!(kind(TestRequest::needed().body(&body), &service), ActorType::Agent);
    assert_eq!(kind(saying("agent").body(&body), &service), ActorType::Agent);
    let problem = saying("user").context_for(&service).unwrap_err();
    assert_eq!(problem.status, StatusCode::FORBIDDEN);
    assert_eq!(problem.details["reason"], "actor_type");

    let person = service.with_users(Users::Only("jane".into()));
    assert_eq!(kind(TestRequest::needed(), &person), ActorType::User);
    assert_eq!(kind(saying("agent"), &person), ActorType::Agent);
    assert_eq!(saying("system").context_for(&person).unwrap_err().status, StatusCode::FORBIDDEN);
}

#[test]
fn has_a_user_if_its_type_is_user() {
    let gateway = Principal::trusted("gateway");
    let request = || TestRequest::needed().and("x-actor-type", "user");
    assert_eq!(kind(request().and("x-user-id", "jane"), &gateway), ActorType::User);
    let problem = request().context_for(&gateway).unwrap_err();
    assert_eq!(
        (problem.status, problem.code),
        (StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument)
    );
}

#[test]
fn has_a_type_that_is_a_word_and_the_same_in_both_places() {
    check_refused(
        TestRequest::needed().and("x-actor-type", "robot"),
        "actor_type",
        &["X-Actor-Type"],
    );
    let request = TestRequest::needed().and("x-actor-type", "agent");
    check_refused(
        request.body(&json!({"actor_type": "system"})),
        "contradiction",
        &["X-Actor-Type", "context.actor_type"],
    );
}

#[tokio::test]
async fn has_no_type_for_an_unknown_caller() {
    let auth = Auth::new().anonymous("tools".parse().unwrap());
    let stranger = auth.principal(&HeaderMap::new()).await.unwrap();
    let problem =
        TestRequest::needed().and("x-actor-type", "agent").context_for(&stranger).unwrap_err();
    assert_eq!(problem.status, StatusCode::UNAUTHORIZED);
}

#[test]
fn has_the_id_of_the_principal_with_the_kind_of_its_credential() {
    use crate::auth::CredentialKind;

    let caller = || Principal::new("jane").for_every_tenant();
    let id = |principal: Principal| {
        let cx = TestRequest::needed().context_for(&principal).unwrap();
        cx.actor().unwrap().id().to_owned()
    };
    assert_eq!(id(caller().authenticated_by(CredentialKind::Key)), "key:jane");
    assert_eq!(id(caller().authenticated_by(CredentialKind::Token)), "token:jane");
    assert_eq!(id(caller().with_network_kind()), "network:jane");
}
