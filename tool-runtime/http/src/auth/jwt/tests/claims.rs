//! Tests of the principal of a valid token, and of refused configurations.

use std::time::Duration;

use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use tool_contracts::server::Tenant;

use super::super::{Jwks, JwksError, JwtConfigError, JwtVerifier};
use super::issuer::{Signer, claims_but, set, verifier_of};
use crate::{Principal, Scopes, TokenSubject, Users};

fn tenant(name: &str) -> uuid::Uuid {
    Tenant::parse(name).expect("it is a tenant").id()
}

async fn principal(change: impl FnOnce(JwtVerifier) -> JwtVerifier, claims: &Value) -> Principal {
    let signer = Signer::new("it", Algorithm::EdDSA);
    let token = signer.sign(&claims_but(claims));
    let verifier = change(verifier_of(&[&signer]));
    verifier.principal(token.as_bytes()).await.expect("the token is good")
}

#[tokio::test]
async fn a_token_names_who_sends_it_for_whom_and_what_it_may_do() {
    let found = principal(|verifier| verifier, &json!({})).await;
    let scopes = "tools traces".parse::<Scopes>().expect("these are scopes");
    let expected = person("orchestrator").for_tenants([tenant("yantian")]);
    assert_eq!(found, expected.with_scopes(scopes));
}

fn person(sub: &str) -> Principal {
    Principal::token_subject(sub).with_users(Users::Only(sub.into()))
}

#[tokio::test]
async fn the_subject_of_a_token_is_its_user_unless_the_verifier_says_that_it_is_a_service() {
    let person = principal(|verifier| verifier, &json!({"sub": "jane"})).await;
    assert!(person.may_name_user("jane") && !person.may_name_user("boss"));
    assert_eq!(person.own_user(), Some("jane"));
    let services = |verifier: JwtVerifier| verifier.subjects(TokenSubject::Service);
    let service = principal(services, &json!({"sub": "jane"})).await;
    assert!(!service.may_name_user("jane"));
    let trusted = |verifier: JwtVerifier| verifier.subjects(TokenSubject::TrustedService);
    let trusted = principal(trusted, &json!({"sub": "gateway"})).await;
    assert!(
        trusted.may_name_user("jane")
            && trusted.may_name_user("boss")
            && trusted.own_user().is_none()
    );
}

#[tokio::test]
async fn a_subject_that_cannot_be_seen_whole_is_refused() {
    let signer = Signer::new("it", Algorithm::EdDSA);
    let verifier = verifier_of(&[&signer]);
    for sub in ["bo\u{200b}ss", "\u{202e}ssob", "boss\n", " boss", "boss\u{e0041}"] {
        let token = signer.sign(&claims_but(&json!({"sub": sub})));
        assert!(verifier.principal(token.as_bytes()).await.is_err(), "{}", sub.escape_unicode());
    }
}

#[tokio::test]
async fn scopes_are_words_of_scope_or_of_scp() {
    for (claims, words) in [
        (json!({"scope": null}), ""),
        (json!({"scope": null, "scp": ["tools:a", "replay"]}), "tools:a replay"),
        (json!({"scope": null, "scp": "tools:a replay"}), "tools:a replay"),
        (json!({"scope": "metrics", "scp": ["tools"]}), "metrics"),
        (json!({"scope": "tools: TOOLS tool category"}), ""),
        (json!({"scope": 7}), ""),
        (json!({"scope": ["tools", 7, {}]}), "tools"),
    ] {
        let scopes = words.parse::<Scopes>().expect("these are scopes");
        let expected = person("orchestrator").for_tenants([tenant("yantian")]);
        let found = principal(|verifier| verifier, &claims).await;
        assert_eq!(found, expected.with_scopes(scopes), "{claims}");
    }
}

#[tokio::test]
async fn tenants_are_those_of_the_claim_and_nothing_else_grants_one() {
    let id = "7d444840-9dc0-11d1-b245-5ffdce74fad2";
    for (claims, names) in [
        (json!({"tenants": null}), vec![]),
        (json!({"tenants": null, "tenant_id": id}), vec![id]),
        (json!({"tenants": "yantian", "tenant_id": id}), vec!["yantian"]),
        (json!({"tenants": ["yantian", id]}), vec!["yantian", id]),
        (json!({"tenants": [], "tenant_id": id}), vec![]),
        (json!({"tenants": ["*", "", "All", 7, null, "Yantian", "a b"]}), vec![]),
        (json!({"tenants": {"yantian": true}}), vec![]),
    ] {
        let found = principal(|verifier| verifier, &claims).await;
        for name in ["yantian", id, "other"] {
            assert_eq!(found.may_act_for(tenant(name)), names.contains(&name), "{claims} {name}");
        }
    }
    let claims = json!({"organizations": "other"});
    let found = principal(|verifier| verifier.tenants_claim("organizations"), &claims).await;
    assert!(found.may_act_for(tenant("other")) && !found.may_act_for(tenant("yantian")));
    let found = principal(JwtVerifier::for_every_tenant, &json!({"tenants": null})).await;
    assert!(found.may_act_for(tenant("other")));
}

#[test]
fn keys_that_check_nothing_are_refused_when_they_are_configured() {
    let signer = Signer::new("it", Algorithm::ES256);
    let mut private = signer.jwk();
    private["d"] = "AAAA".into();
    let many = json!({"keys": vec![signer.jwk(); 101]}).to_string();
    for (text, error) in [
        ("", JwksError::NoKeySet),
        ("[]", JwksError::NoKeySet),
        ("{}", JwksError::NoKeySet),
        (r#"{"keys":[]}"#, JwksError::NoKey),
        (r#"{"keys":[{"kty":"oct","k":"AAAA","kid":"it"}]}"#, JwksError::NoKey),
        (&json!({"keys": [signer.jwk(), private]}).to_string(), JwksError::PrivateKey),
        (&many, JwksError::TooLarge),
    ] {
        assert_eq!(Jwks::from_json(text).expect_err("it is no set of keys"), error, "{text}");
    }
    assert!(Jwks::from_json(set(&[&signer])).is_ok());
}

#[test]
fn a_verifier_that_would_let_anybody_in_is_refused() {
    let keys = || Jwks::from_json(set(&[&Signer::new("it", Algorithm::EdDSA)])).expect("it is one");
    for (issuer, audience) in [("", "tools"), ("https://issuer.example", " ")] {
        let refused = JwtVerifier::new(keys(), issuer, audience);
        assert_eq!(refused.expect_err("one is empty"), JwtConfigError::EmptyIssuerOrAudience);
    }
    let verifier = verifier_of(&[&Signer::new("it", Algorithm::EdDSA)]);
    let refused = verifier.leeway(Duration::from_secs(301));
    assert_eq!(refused.expect_err("it is long"), JwtConfigError::LeewayTooLong);
}

#[tokio::test]
async fn a_token_limits_what_its_principal_spends_and_one_that_cannot_be_read_is_refused() {
    let claim = json!({"allowances": [
        {"name": "jane", "amount": "20.00 EUR", "period": "day"},
        {"name": "trip", "amount": "3 calls"},
    ]});
    let limited = principal(|verifier| verifier, &claim).await;
    let amounts: Vec<_> = limited.allowances().map(tool_contracts::Allowance::amount).collect();
    assert_eq!(amounts, ["20.00 EUR", "3 calls"]);

    let signer = Signer::new("it", Algorithm::EdDSA);
    let verifier = verifier_of(&[&signer]);
    for wrong in [
        json!("20.00 EUR"),
        json!([{"name": "jane", "amount": 20}]),
        json!([{"name": "jane", "amount": "20.00 EUR", "period": "fortnight"}]),
        json!([{"name": "jane", "amount": "20.00 EUR", "per": "day"}]),
    ] {
        let token = signer.sign(&claims_but(&json!({"allowances": wrong})));
        assert!(verifier.principal(token.as_bytes()).await.is_err(), "{wrong}");
    }
}
