use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Request};
use futures::executor::block_on;
use tool_runtime_core::Timer;
use tool_runtime_core::policy::RateLimit;
use tool_runtime_core::timer::ManualTimer;
use uuid::Uuid;

use super::{RateLimiters, RateLimits};
use crate::problem::Problem;
use crate::{ApiKey, ApiKeySet, ApiKeys, Auth, Principal, Scopes};

const MINUTE: Duration = Duration::from_secs(60);
const GATEWAY: &str = "192.0.2.1:4000";

/// A server with two API keys.
struct TestServer {
    rates: RateLimiters,
    auth: Auth,
    keys: [ApiKey; 2],
    timer: Arc<ManualTimer>,
}

impl TestServer {
    fn new(limits: RateLimits) -> Self {
        let manual = ManualTimer::new();
        let timer = Arc::clone(&manual) as Arc<dyn Timer>;
        let keys = [(); 2].map(|()| ApiKey::generate().expect("there is randomness"));
        let set = ApiKeySet::new().with(keys[0].hash(), Principal::trusted("one"));
        let set = set.and_then(|set| set.with(keys[1].hash(), Principal::trusted("two")));
        let auth = Auth::new().api_keys(&ApiKeys::new(set.expect("they are different")));
        Self { rates: RateLimiters::new(limits, &timer), auth, keys, timer: manual }
    }

    fn advance(&self, time: Duration) {
        self.timer.advance(time);
    }

    fn authenticate(&self, address: &str, key: &str) -> Result<Principal, Problem> {
        block_on(prove(&self.rates, &self.auth, &request(address, "x-internal-api-key", key)))
    }

    /// Knocks, and says the status.
    fn status(&self, address: &str, key: &str) -> u16 {
        status(&self.authenticate(address, key))
    }
}

/// Lets a request in as the server does.
async fn prove(rates: &RateLimiters, auth: &Auth, parts: &Parts) -> Result<Principal, Problem> {
    let principal = rates.authenticate(auth, parts).await?;
    rates.request(parts, &principal)?;
    Ok(principal)
}

fn status(proven: &Result<Principal, Problem>) -> u16 {
    proven.as_ref().map_or_else(|problem| problem.status.as_u16(), |_| 200)
}

fn request(address: &str, header: &'static str, credential: &str) -> Parts {
    let mut request = Request::post("/tools/call");
    if !credential.is_empty() {
        request = request.header(header, credential);
    }
    let (mut parts, ()) = request.body(()).expect("it is a request").into_parts();
    if let Ok(address) = address.parse::<SocketAddr>() {
        parts.extensions.insert(ConnectInfo(address));
    }
    parts
}

fn limit(a_minute: u32) -> RateLimit {
    RateLimit::per_minute(a_minute).expect("it is in range")
}

#[test]
fn a_server_without_limits_of_its_own_bounds_the_requests_of_each_caller() {
    let server = TestServer::new(RateLimits::new());
    let admitted = |key: usize| {
        (0..10_000).filter(|_| server.status(GATEWAY, server.keys[key].expose()) == 200).count()
    };
    assert_eq!(admitted(0), 2_000);
    assert_eq!(admitted(1), 2_000, "another caller has its own allowance");
    server.advance(Duration::from_secs(1));
    assert_eq!(admitted(0), 1_000);
    let server = TestServer::new(RateLimits::none());
    assert!((0..10_000).all(|_| server.status(GATEWAY, server.keys[0].expose()) == 200));
}

#[test]
fn a_caller_with_bad_keys_is_told_to_wait() {
    let server = TestServer::new(RateLimits::new().failed_authentications(limit(6)));
    let credentials = [(); 8].map(|()| server.status(GATEWAY, "guess"));
    assert_eq!(credentials, [401, 401, 401, 401, 401, 401, 429, 429]);
    let problem = server.authenticate(GATEWAY, "guess").expect_err("it is above the limit");
    assert_eq!(problem.retry_after, Some(MINUTE / 6));
    server.advance(MINUTE / 6);
    assert_eq!([(); 2].map(|()| server.status(GATEWAY, "guess")), [401, 429]);
}

#[test]
fn a_good_key_passes_whatever_its_neighbours_send() {
    let server = TestServer::new(RateLimits::new().failed_authentications(limit(2)));
    assert_eq!(server.status(GATEWAY, server.keys[0].expose()), 200);
    for _ in 0..1_000 {
        server.status(GATEWAY, "guess");
    }
    assert_eq!(server.status(GATEWAY, "guess"), 429);
    assert_eq!(server.status(GATEWAY, server.keys[0].expose()), 200);
    assert_eq!(server.status(GATEWAY, server.keys[1].expose()), 200, "it was never seen before");
}

#[test]
fn addresses_are_counted_apart_and_half_of_an_ipv6_address_is_one() {
    let server = TestServer::new(RateLimits::new().failed_authentications(limit(1)));
    for (address, status) in [
        ("192.0.2.1:1", 401),
        ("192.0.2.1:2", 429),
        ("[::ffff:192.0.2.1]:3", 429),
        ("192.0.2.2:1", 401),
        ("[2001:db8::1]:1", 401),
        ("[2001:db8::ffff:2]:1", 429),
        ("[2001:db8:0:1::1]:1", 401),
        ("none", 401),
        ("none", 429),
    ] {
        assert_eq!(server.status(address, "guess"), status, "{address}");
    }
}

#[test]
fn a_request_without_a_credential_is_no_guess() {
    let server = TestServer::new(RateLimits::new().failed_authentications(limit(1)));
    assert_eq!([(); 3].map(|()| server.status(GATEWAY, "")), [401; 3]);
    assert_eq!(server.status(GATEWAY, server.keys[0].expose()), 200);
}

#[test]
fn a_limit_holds_unless_it_is_said_otherwise() {
    let server = TestServer::new(RateLimits::default());
    assert_eq!((0..100).filter(|_| server.status(GATEWAY, "guess") == 401).count(), 10);
}

#[test]
fn principals_are_counted_apart_wherever_they_come_from() {
    let server = TestServer::new(RateLimits::new().requests(limit(2)));
    let [one, two] = [&server.keys[0], &server.keys[1]].map(ApiKey::expose);
    let statuses = [GATEWAY, "192.0.2.2:1", "192.0.2.3:1"].map(|from| server.status(from, one));
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(server.status(GATEWAY, two), 200);
    server.advance(MINUTE / 2);
    assert_eq!(server.status(GATEWAY, one), 200);
}

#[test]
fn those_whom_nobody_knows_are_counted_by_address() {
    let mut server = TestServer::new(RateLimits::new().requests(limit(1)));
    server.auth = Auth::new().anonymous(Scopes::all());
    let statuses = [GATEWAY, GATEWAY, "192.0.2.2:1"].map(|from| server.status(from, ""));
    assert_eq!(statuses, [200, 429, 200]);
}

#[test]
fn a_tenant_uses_up_its_own_allowance_of_a_tool_and_no_other() {
    let server = TestServer::new(RateLimits::new().calls(limit(2)));
    let [one, two] = [1, 2].map(Uuid::from_u128);
    let known = Principal::trusted("one");
    let call = |tool, tenant| server.rates.call(tool, tenant, &known).is_ok();
    assert_eq!([(); 3].map(|()| call("read", one)), [true, true, false]);
    assert!(call("read", two) && call("write", one));
    let problem = server.rates.call("read", one, &known).expect_err("it is above the limit");
    assert_eq!((problem.status.as_u16(), problem.retry_after), (429, Some(MINUTE / 2)));
}

#[test]
fn strangers_use_up_no_tenants_allowance() {
    let server = TestServer::new(RateLimits::new().calls(limit(2)));
    let tenant = Uuid::from_u128(1);
    let calls = |caller| [(); 3].map(|()| server.rates.call("read", tenant, caller).is_ok());
    let open = Auth::new().anonymous(Scopes::all());
    let stranger = block_on(open.principal(&HeaderMap::new())).expect("every caller is admitted");
    assert_eq!(calls(&stranger), [true, true, false]);
    assert_eq!(calls(&Principal::trusted("one")), [true, true, false]);
}

#[test]
fn strangers_take_no_room_from_those_who_are_known() {
    let server = TestServer::new(RateLimits::new().calls(limit(1)).requests(limit(1)));
    let open = Auth::new().anonymous(Scopes::all());
    let stranger = block_on(open.principal(&HeaderMap::new())).expect("every caller is admitted");
    for number in 0..11_000_u32 {
        let _ = server.rates.call("read", Uuid::from_u128(number.into()), &stranger);
        let address = SocketAddr::from((number.to_be_bytes(), 1)).to_string();
        let _ = block_on(prove(&server.rates, &open, &request(&address, "", "")));
    }
    let known = Principal::trusted("one");
    for tenant in [1 << 70, 1 << 71] {
        assert!(server.rates.call("read", Uuid::from_u128(tenant), &known).is_ok());
    }
    assert_eq!([0, 1].map(|key| server.status(GATEWAY, server.keys[key].expose())), [200, 200]);
}

#[cfg(feature = "jwt")]
mod with_tokens {
    use jsonwebtoken::Algorithm;
    use serde_json::json;

    use super::super::credentials::RESERVE;
    use super::{GATEWAY, MINUTE, RateLimits, TestServer, limit, prove, request, status};
    use crate::auth::issuer::{Signer, claims_but, verifier_of};

    const ELSEWHERE: &str = "192.0.2.2:4000";

    /// A server that accepts two keys and the tokens of an issuer.
    struct TokenServer {
        server: TestServer,
        signer: Signer,
    }

    impl TokenServer {
        fn new(allowance: u32) -> Self {
            let mut server =
                TestServer::new(RateLimits::new().failed_authentications(limit(allowance)));
            let signer = Signer::new("it", Algorithm::EdDSA);
            server.auth = server.auth.jwt(verifier_of(&[&signer]));
            Self { server, signer }
        }

        fn token(&self, user: &str) -> String {
            self.signer.sign(&claims_but(&json!({ "sub": user })))
        }

        /// Makes a token that is like a good one, but for its signature.
        fn forged(&self, user: &str) -> String {
            Signer::new(self.signer.id(), Algorithm::EdDSA)
                .sign(&claims_but(&json!({ "sub": user })))
        }

        fn send(&self, address: &str, value: &str) -> u16 {
            let parts = request(address, "authorization", value);
            status(&futures::executor::block_on(prove(
                &self.server.rates,
                &self.server.auth,
                &parts,
            )))
        }

        fn bring(&self, address: &str, token: &str) -> u16 {
            self.send(address, &format!("Bearer {token}"))
        }
    }

    #[test]
    fn bad_keys_and_bad_tokens_are_counted_apart() {
        let server = TokenServer::new(2);
        let keys = [(); 4].map(|()| server.server.status(GATEWAY, "guess"));
        assert_eq!(keys, [401, 401, 429, 429]);
        let forged = server.forged("somebody");
        assert_eq!([(); 3].map(|()| server.bring(GATEWAY, &forged)), [401, 401, 429]);
        assert_eq!(server.bring(ELSEWHERE, &forged), 401);
    }

    #[test]
    fn a_new_token_passes_while_its_neighbours_send_bad_ones() {
        let server = TokenServer::new(1);
        let forged = server.forged("somebody");
        for user in 0..50 {
            server.bring(GATEWAY, &forged);
            server.server.status(GATEWAY, "guess");
            assert_eq!(server.bring(GATEWAY, &server.token(&user.to_string())), 200, "user {user}");
        }
    }

    #[test]
    fn a_flood_of_forged_tokens_is_not_looked_at_and_shuts_out_none_that_was_good_before() {
        let server = TokenServer::new(1);
        let (known, forged) = (server.token("known"), server.forged("somebody"));
        assert_eq!(server.bring(GATEWAY, &known), 200);
        for _ in 0..=RESERVE {
            server.bring(GATEWAY, &forged);
        }
        assert_eq!(server.bring(GATEWAY, &server.token("new")), 429, "it is not looked at");
        assert_eq!(
            server.bring(ELSEWHERE, &server.token("new")),
            200,
            "another address is another's"
        );
        for scheme in ["Bearer ", "bEARER ", "BEARER   "] {
            assert_eq!(server.send(GATEWAY, &format!("{scheme}{known}")), 200, "{scheme}");
        }
        assert_eq!(server.server.status(GATEWAY, server.server.keys[0].expose()), 200);
        server.server.advance(MINUTE / 60 / RESERVE);
        assert_eq!(server.bring(GATEWAY, &server.token("new")), 200);
    }

    #[test]
    fn a_token_that_was_refused_is_remembered_no_more() {
        let mut server = TokenServer::new(1);
        let token = server.token("known");
        assert_eq!(server.bring(GATEWAY, &token), 200);
        let others = verifier_of(&[&Signer::new("other", Algorithm::EdDSA)]);
        let taken_back = server.server.auth.clone().jwt(others);
        let takes = std::mem::replace(&mut server.server.auth, taken_back);
        let answers: Vec<_> = (0..=RESERVE).map(|_| server.bring(GATEWAY, &token)).collect();
        assert_eq!(answers.iter().filter(|status| **status == 401).count(), 1, "{answers:?}");
        server.server.auth = takes;
        assert_eq!(server.bring(GATEWAY, &token), 429, "it is one of many that are not verified");
        server.server.advance(MINUTE);
        assert_eq!(server.bring(GATEWAY, &token), 200);
    }
}
