//! Tests of the rights of a principal.

use tool_contracts::{ActorType, Effect, ToolSpec};
use uuid::Uuid;

use super::{CredentialKind, Principal};
use crate::auth::Scope;
use crate::auth::Scopes;
use crate::auth::Users;

const YANTIAN: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);

fn tool(requires_auth: bool) -> ToolSpec {
    let spec = ToolSpec::builder("read", Effect::Read).description("Reads.");
    spec.requires_auth(requires_auth).build().expect("it is a tool")
}

#[test]
fn a_new_principal_may_do_nothing() {
    let principal = Principal::new("orchestrator");
    assert!(!principal.may_act_for(YANTIAN));
    assert!(!principal.may_call(&tool(false)));
    assert!(!principal.may(Scope::Traces));
    assert!(!principal.is_anonymous());
}

#[test]
fn an_anonymous_caller_cannot_call_a_tool_that_requires_auth() {
    let stranger = Principal::anonymous(Scopes::all());
    assert!(stranger.is_anonymous() && stranger.may_act_for(YANTIAN));
    assert!(stranger.may_call(&tool(false)));
    assert!(!stranger.may_call(&tool(true)));
    assert!(!stranger.may(Scope::Approvals));
    assert!(Principal::trusted("laptop").may_call(&tool(true)));
}

#[test]
fn two_credentials_grant_what_both_grant() {
    let orchestrator = || Principal::new("orchestrator");
    let scopes = |text: &str| text.parse::<Scopes>().expect("these are scopes");
    let one = orchestrator().for_tenants([YANTIAN, OTHER]).with_scopes(scopes("tools traces"));
    let two = orchestrator().for_tenants([YANTIAN]).with_scopes(scopes("tools:read replay"));
    let both = one.clone().joined_with(&two).expect("they are the same caller's");
    assert!(both.may_act_for(YANTIAN) && !both.may_act_for(OTHER));
    assert!(both.may_call(&tool(true)));
    assert!(!both.may(Scope::Traces) && !both.may(Scope::Replay));
    assert!(both.scope_words().is_empty(), "they grant different words");
    assert_eq!(one.scope_words(), ["tools".into(), "traces".into()]);
    assert_eq!(one.joined_with(&Principal::trusted("somebody else")), None);
}

#[test]
fn a_principal_without_a_name_gets_one() {
    assert_eq!(Principal::new(" ").name(), "unnamed");
    assert_eq!(Principal::new("\u{200b}").name(), "unnamed");
}

#[test]
fn a_name_is_kept_as_it_is_seen() {
    assert_eq!(Principal::new("de\u{200b}sk ").name(), "desk");
    assert_eq!(Principal::new("jose\u{301}").name(), "jos\u{e9}");
}

#[test]
fn a_key_and_a_token_of_one_name_are_two_principals_unless_the_host_says_otherwise() {
    let (key, token) = (Principal::new("jane").authenticated_by(CredentialKind::Key), || {
        Principal::new("jane").authenticated_by(CredentialKind::Token)
    });
    assert_eq!((&**key.id(), &**token().id()), ("key:jane", "token:jane"));
    assert_eq!(key.joined_with(&token()), None);
    let mapped = Principal::token_subject("jane").authenticated_by(CredentialKind::Key);
    assert_eq!(&**mapped.id(), "token:jane");
    assert!(mapped.joined_with(&token()).is_some());
}

#[test]
fn a_principal_names_the_users_that_it_is_trusted_with() {
    let person = Principal::new("jane").with_users(Users::Only("jose\u{301}".into()));
    assert!(person.may_name_user("jos\u{e9}") && person.may_name_user("jose\u{301}"));
    assert!(!person.may_name_user("boss") && !person.names_any_user());
    assert_eq!(person.own_user(), Some("jos\u{e9}"));
    let service = Principal::trusted("jane");
    assert!(service.may_name_user("boss") && service.names_any_user());
    assert_eq!(service.own_user(), None);
    let both = service.joined_with(&person).expect("they are the same caller's");
    assert!(
        both.may_name_user("jos\u{e9}") && !both.may_name_user("boss") && !both.names_any_user()
    );
    assert_eq!(both.own_user(), Some("jos\u{e9}"));
    let neither = person.joined_with(&Principal::new("jane")).expect("they are the same caller's");
    assert_eq!((neither.may_name_user("jos\u{e9}"), neither.own_user()), (false, None));
}

#[test]
fn the_kind_of_actor_follows_from_the_users_or_from_the_host() {
    use ActorType::{Agent, System, User};
    let usual = |principal: &Principal| {
        let may = [User, Agent, System].map(|kind| principal.may_act_as(kind));
        (principal.default_actor_type(), may)
    };
    assert_eq!(usual(&Principal::new("a")), (System, [false, true, true]));
    assert_eq!(usual(&Principal::trusted("a")), (System, [true, true, true]));
    let person = Principal::new("a").with_users(Users::Only("a".into()));
    assert_eq!(usual(&person), (User, [true, true, false]));
    let chat = Principal::new("a").acting_as([Agent]).acting_as([]);
    assert_eq!(usual(&chat), (Agent, [false, true, false]));
    let both = person.joined_with(&Principal::new("a")).expect("they are the same caller's");
    assert_eq!(usual(&both), (Agent, [false, true, false]));
}
