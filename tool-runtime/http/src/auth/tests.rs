use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::{API_KEY, ApiKey, ApiKeySet, ApiKeys, Auth};
use crate::problem::Problem;
use crate::{Principal, Scopes};

fn key() -> ApiKey {
    ApiKey::generate().expect("there is randomness")
}

fn keys(key: &ApiKey) -> ApiKeys {
    ApiKeys::new(ApiKeySet::new().with(key.hash(), orchestrator()).expect("it is the first"))
}

/// A caller that has a key and tokens too.
fn orchestrator() -> Principal {
    let named = Principal::token_subject("orchestrator").for_every_tenant();
    named.with_scopes(Scopes::all())
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let value = HeaderValue::from_str(value).expect("it is a value");
        headers.append(HeaderName::from_static(name), value);
    }
    headers
}

fn principal_for(auth: &Auth, headers: &HeaderMap) -> Result<Principal, Problem> {
    futures::executor::block_on(auth.principal(headers)).map_err(Problem::from)
}

#[test]
fn a_key_proves_its_principal() {
    let key = key();
    let auth = Auth::new().api_keys(&keys(&key));
    let principal =
        principal_for(&auth, &headers(&[(API_KEY, key.expose())])).expect("the key is good");
    assert_eq!(principal, orchestrator());
}

#[test]
fn without_any_way_nobody_is_admitted() {
    let problem = principal_for(&Auth::new(), &HeaderMap::new()).expect_err("there is no kind");
    assert_eq!(problem.status, StatusCode::UNAUTHORIZED);
}

#[test]
fn challenges_name_only_the_configured_ways_to_authenticate() {
    let of_key = "ApiKey header=\"X-Internal-API-Key\"";
    let told = |auth: &Auth, headers: &HeaderMap| -> Vec<HeaderValue> {
        auth.challenges(headers.contains_key(AUTHORIZATION)).collect()
    };
    let with_token = headers(&[("authorization", "Bearer x")]);
    let keyed = Auth::new().api_keys(&keys(&key()));
    assert_eq!(told(&keyed, &HeaderMap::new()), [of_key]);
    assert_eq!(told(&keyed, &with_token), [of_key], "tokens are none of its ways");
    assert!(told(&Auth::new().anonymous(Scopes::all()), &with_token).is_empty());
}

#[test]
fn a_bad_key_is_refused_even_where_no_key_is_needed() {
    let (good, bad) = (key(), key());
    let network = Auth::unauthenticated_as(Principal::trusted("gateway"));
    for auth in [network, Auth::new().anonymous(Scopes::all())] {
        let auth = auth.api_keys(&keys(&good));
        assert!(principal_for(&auth, &HeaderMap::new()).is_ok());
        for value in [bad.expose(), "", "Bearer x"] {
            let problem =
                principal_for(&auth, &headers(&[(API_KEY, value)])).expect_err("it is no key");
            assert_eq!(problem.status, StatusCode::UNAUTHORIZED);
        }
    }
}

#[test]
fn a_key_that_stands_twice_is_refused_even_if_it_is_good() {
    let key = key();
    let auth = Auth::new().api_keys(&keys(&key));
    for other in [key.expose(), "x"] {
        let twice = headers(&[(API_KEY, key.expose()), (API_KEY, other)]);
        assert!(principal_for(&auth, &twice).is_err());
    }
}

#[test]
fn a_wrong_key_an_unknown_one_and_one_whose_time_is_over_are_told_the_same() {
    let (good, unknown, over) = (key(), key(), key());
    let past = std::time::SystemTime::UNIX_EPOCH;
    let set = ApiKeySet::new().with(good.hash(), Principal::trusted("one"));
    let set = set.and_then(|set| set.with_until(over.hash(), Principal::trusted("two"), past));
    let auth = Auth::new().api_keys(&ApiKeys::new(set.expect("they are different")));
    let wrong = format!("{}{}", &good.expose()[..21], &unknown.expose()[21..]);
    let messages = [&*wrong, unknown.expose(), over.expose(), "x"].map(|value| {
        principal_for(&auth, &headers(&[(API_KEY, value)])).expect_err("it is not good").message
    });
    assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
}

#[test]
fn a_refusal_names_the_ways_to_authenticate() {
    let message_for =
        |auth: &Auth| principal_for(auth, &HeaderMap::new()).expect_err("nobody is known").message;
    assert!(message_for(&Auth::new().api_keys(&keys(&key()))).contains("X-Internal-API-Key"));
}

#[cfg(feature = "jwt")]
mod with_tokens {
    use jsonwebtoken::Algorithm;
    use serde_json::{Value, json};

    use super::super::jwt::tests::issuer::{Signer, claims_but, verifier_of};
    use super::{API_KEY, Auth, Principal, Problem, headers, key, keys, principal_for};
    use crate::{ApiKey, Scope};

    /// A server that accepts a key of the orchestrator and tokens.
    struct TestServer {
        auth: Auth,
        key: ApiKey,
        signer: Signer,
    }

    impl TestServer {
        fn new() -> Self {
            let (key, signer) = (key(), Signer::new("it", Algorithm::EdDSA));
            let auth = Auth::unauthenticated_as(Principal::trusted("gateway"));
            let auth = auth.api_keys(&keys(&key)).jwt(verifier_of(&[&signer]));
            Self { auth, key, signer }
        }

        fn token(&self, claims: &Value) -> String {
            format!("Bearer {}", self.signer.sign(&claims_but(claims)))
        }

        fn authenticate(&self, pairs: &[(&'static str, &str)]) -> Result<Principal, Problem> {
            principal_for(&self.auth, &headers(pairs))
        }
    }

    #[test]
    fn a_token_proves_its_principal_in_whichever_case_its_scheme_is() {
        let server = TestServer::new();
        let good = server.token(&json!({}));
        for scheme in ["Bearer", "bearer", "BEARER"] {
            let principal =
                server.authenticate(&[("authorization", &good.replace("Bearer", scheme))]);
            assert_eq!(principal.expect("the token is good").name(), "orchestrator");
        }
        let bare = good.replace("Bearer ", "");
        for value in ["", "Bearer", "Bearer ", "Basic eDp5", &bare, &good.replace(' ', "")] {
            let problem =
                server.authenticate(&[("authorization", value)]).expect_err("it is no token");
            assert_eq!(problem.status.as_u16(), 401, "{value}");
        }
        assert!(
            server.authenticate(&[("authorization", &good), ("authorization", &good)]).is_err()
        );
        assert_eq!(server.authenticate(&[]).expect("nothing was brought").name(), "gateway");
    }

    #[test]
    fn challenges_name_both_ways_and_mark_an_invalid_token() {
        let server = TestServer::new();
        let challenges = |pairs| -> Vec<_> {
            server.auth.challenges(headers(pairs).contains_key("authorization")).collect()
        };
        let of_key = "ApiKey header=\"X-Internal-API-Key\"";
        assert_eq!(challenges(&[]), ["Bearer", of_key]);
        let bad = [("authorization", "Bearer x")];
        assert_eq!(challenges(&bad), ["Bearer error=\"invalid_token\"", of_key]);
    }

    #[test]
    fn a_key_and_a_token_have_to_hold_and_to_be_of_one_caller() {
        let server = TestServer::new();
        let authenticate = |key: &str, claims: &Value| {
            server.authenticate(&[(API_KEY, key), ("authorization", &server.token(claims))])
        };
        let good = server.key.expose();
        let both = authenticate(good, &json!({})).expect("both are good");
        assert!(both.may(Scope::Traces) && !both.may(Scope::Approvals), "as the token has it");
        assert!(authenticate(good, &json!({"sub": "somebody else"})).is_err());
        assert!(authenticate(good, &json!({"aud": "elsewhere"})).is_err());
        assert!(authenticate("guess", &json!({})).is_err());
    }
}

#[test]
fn no_garbage_is_admitted_and_none_panics() {
    let key = key();
    let auth = Auth::new().api_keys(&keys(&key));
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    for _ in 0..20_000 {
        let length = usize::try_from(next() % 120).expect("it is small");
        let mut bytes: Vec<u8> =
            std::iter::repeat_with(|| next().to_le_bytes()[0]).take(length).collect();
        if next() % 2 == 0 {
            // Near misses: a good key with some bytes of it changed.
            bytes = key.expose().into();
            let at = usize::try_from(next()).unwrap_or_default() % bytes.len();
            bytes[at] ^= 1 << (next() % 7);
        }
        let Ok(value) = HeaderValue::from_bytes(&bytes) else { continue };
        let mut headers = HeaderMap::new();
        headers.insert(API_KEY, value);
        assert!(principal_for(&auth, &headers).is_err());
    }
}
