use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Request};
use futures::executor::block_on;
use uuid::Uuid;

use super::{RateLimiters, RateLimits};
use crate::http::problem::Problem;
use crate::http::{ApiKey, ApiKeySet, ApiKeys, Auth, Principal, Scopes};
use crate::policy::RateLimit;
use crate::{Job, Sleep, Timer};

const MINUTE: Duration = Duration::from_secs(60);
const GATEWAY: &str = "192.0.2.1:4000";

/// A clock that moves when it is told to.
#[derive(Debug)]
struct Hand(Mutex<Instant>);

impl Timer for Hand {
    fn now(&self) -> Instant {
        *self.0.lock().expect("nobody panics with it")
    }

    fn sleep(&self, _: Duration) -> Sleep {
        Box::pin(std::future::pending())
    }

    fn spawn_blocking(&self, job: Job) {
        job();
    }
}

/// A server that knows two keys.
struct Door {
    rates: RateLimiters,
    auth: Auth,
    keys: [ApiKey; 2],
    hand: Arc<Hand>,
}

impl Door {
    fn new(limits: RateLimits) -> Self {
        let hand = Arc::new(Hand(Mutex::new(Instant::now())));
        let timer = Arc::clone(&hand) as Arc<dyn Timer>;
        let tools = ["read", "write"].map(Into::into).into_iter();
        let keys = [(); 2].map(|()| ApiKey::generate().expect("there is randomness"));
        let set = ApiKeySet::new().with(keys[0].hash(), Principal::trusted("one"));
        let set = set.and_then(|set| set.with(keys[1].hash(), Principal::trusted("two")));
        let auth = Auth::new().api_keys(&ApiKeys::new(set.expect("they are different")));
        Self { rates: RateLimiters::of_tools(limits, tools, &timer), auth, keys, hand }
    }

    fn advance(&self, time: Duration) {
        *self.hand.0.lock().expect("nobody panics with it") += time;
    }

    fn knock(&self, address: &str, key: &str) -> Result<Principal, Problem> {
        block_on(prove(&self.rates, &self.auth, &request(address, "x-internal-api-key", key)))
    }

    /// Knocks, and says the status.
    fn status(&self, address: &str, key: &str) -> u16 {
        status(&self.knock(address, key))
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
    let door = Door::new(RateLimits::new());
    let admitted = |key: usize| {
        (0..10_000).filter(|_| door.status(GATEWAY, door.keys[key].expose()) == 200).count()
    };
    assert_eq!(admitted(0), 2_000);
    assert_eq!(admitted(1), 2_000, "another caller has its own allowance");
    door.advance(Duration::from_secs(1));
    assert_eq!(admitted(0), 1_000);
    let door = Door::new(RateLimits::none());
    assert!((0..10_000).all(|_| door.status(GATEWAY, door.keys[0].expose()) == 200));
}

#[test]
fn whoever_sends_bad_keys_is_told_to_wait() {
    let door = Door::new(RateLimits::new().failed_authentications(limit(6)));
    let credentials = [(); 8].map(|()| door.status(GATEWAY, "guess"));
    assert_eq!(credentials, [401, 401, 401, 401, 401, 401, 429, 429]);
    let problem = door.knock(GATEWAY, "guess").expect_err("it is above the limit");
    assert_eq!(problem.retry_after, Some(MINUTE / 6));
    door.advance(MINUTE / 6);
    assert_eq!([(); 2].map(|()| door.status(GATEWAY, "guess")), [401, 429]);
}

#[test]
fn a_good_key_passes_whatever_its_neighbours_send() {
    let door = Door::new(RateLimits::new().failed_authentications(limit(2)));
    assert_eq!(door.status(GATEWAY, door.keys[0].expose()), 200);
    for _ in 0..1_000 {
        door.status(GATEWAY, "guess");
    }
    assert_eq!(door.status(GATEWAY, "guess"), 429);
    assert_eq!(door.status(GATEWAY, door.keys[0].expose()), 200);
    assert_eq!(door.status(GATEWAY, door.keys[1].expose()), 200, "it was never seen before");
}

#[test]
fn addresses_are_counted_apart_and_half_of_an_ipv6_address_is_one() {
    let door = Door::new(RateLimits::new().failed_authentications(limit(1)));
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
        assert_eq!(door.status(address, "guess"), status, "{address}");
    }
}

#[test]
fn who_sends_no_credential_guesses_nothing() {
    let door = Door::new(RateLimits::new().failed_authentications(limit(1)));
    assert_eq!([(); 3].map(|()| door.status(GATEWAY, "")), [401; 3]);
    assert_eq!(door.status(GATEWAY, door.keys[0].expose()), 200);
}

#[test]
fn a_limit_holds_unless_it_is_said_otherwise() {
    let door = Door::new(RateLimits::default());
    assert_eq!((0..100).filter(|_| door.status(GATEWAY, "guess") == 401).count(), 10);
}

#[test]
fn principals_are_counted_apart_wherever_they_come_from() {
    let door = Door::new(RateLimits::new().requests(limit(2)));
    let [one, two] = [&door.keys[0], &door.keys[1]].map(ApiKey::expose);
    let statuses = [GATEWAY, "192.0.2.2:1", "192.0.2.3:1"].map(|from| door.status(from, one));
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(door.status(GATEWAY, two), 200);
    door.advance(MINUTE / 2);
    assert_eq!(door.status(GATEWAY, one), 200);
}

#[test]
fn those_whom_nobody_knows_are_counted_by_address() {
    let mut door = Door::new(RateLimits::new().requests(limit(1)));
    door.auth = Auth::new().anonymous(Scopes::all());
    let statuses = [GATEWAY, GATEWAY, "192.0.2.2:1"].map(|from| door.status(from, ""));
    assert_eq!(statuses, [200, 429, 200]);
}

#[test]
fn a_tenant_uses_up_its_own_allowance_of_a_tool_and_no_other() {
    let door = Door::new(RateLimits::new().calls(limit(2)));
    let [one, two] = [1, 2].map(Uuid::from_u128);
    let known = Principal::trusted("one");
    let call = |tool, tenant| door.rates.call(tool, tenant, &known).is_ok();
    assert_eq!([(); 3].map(|()| call("read", one)), [true, true, false]);
    assert!(call("read", two) && call("write", one));
    let problem = door.rates.call("read", one, &known).expect_err("it is above the limit");
    assert_eq!((problem.status.as_u16(), problem.retry_after), (429, Some(MINUTE / 2)));
    assert!((0..10).all(|_| call("of which nobody knows", one)));
}

#[test]
fn strangers_use_up_no_tenants_allowance() {
    let door = Door::new(RateLimits::new().calls(limit(2)));
    let tenant = Uuid::from_u128(1);
    let calls = |caller| [(); 3].map(|()| door.rates.call("read", tenant, caller).is_ok());
    let anybody = Auth::new().anonymous(Scopes::all());
    let stranger = block_on(anybody.principal(&HeaderMap::new())).expect("anybody is let in");
    assert_eq!(calls(&stranger), [true, true, false]);
    assert_eq!(calls(&Principal::trusted("one")), [true, true, false]);
}

#[test]
fn strangers_take_no_room_from_those_who_are_known() {
    let door = Door::new(RateLimits::new().calls(limit(1)).requests(limit(1)));
    let anybody = Auth::new().anonymous(Scopes::all());
    let stranger = block_on(anybody.principal(&HeaderMap::new())).expect("anybody is let in");
    for number in 0..11_000_u32 {
        let _ = door.rates.call("read", Uuid::from_u128(number.into()), &stranger);
        let address = SocketAddr::from((number.to_be_bytes(), 1)).to_string();
        let _ = block_on(prove(&door.rates, &anybody, &request(&address, "", "")));
    }
    let known = Principal::trusted("one");
    for tenant in [1 << 70, 1 << 71] {
        assert!(door.rates.call("read", Uuid::from_u128(tenant), &known).is_ok());
    }
    assert_eq!([0, 1].map(|key| door.status(GATEWAY, door.keys[key].expose())), [200, 200]);
}

#[cfg(feature = "jwt")]
mod with_tokens {
    use jsonwebtoken::Algorithm;
    use serde_json::json;

    use super::super::credentials::RESERVE;
    use super::{Door, GATEWAY, MINUTE, RateLimits, limit, prove, request, status};
    use crate::http::auth::issuer::{Signer, claims_but, verifier_of};

    const ELSEWHERE: &str = "192.0.2.2:4000";

    /// A door that takes two keys and the tokens of an issuer.
    struct Gate {
        door: Door,
        signer: Signer,
    }

    impl Gate {
        fn new(allowance: u32) -> Self {
            let mut door = Door::new(RateLimits::new().failed_authentications(limit(allowance)));
            let signer = Signer::new("it", Algorithm::EdDSA);
            door.auth = door.auth.jwt(verifier_of(&[&signer]));
            Self { door, signer }
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
            status(&futures::executor::block_on(prove(&self.door.rates, &self.door.auth, &parts)))
        }

        fn bring(&self, address: &str, token: &str) -> u16 {
            self.send(address, &format!("Bearer {token}"))
        }
    }

    #[test]
    fn bad_keys_and_bad_tokens_are_counted_apart() {
        let gate = Gate::new(2);
        let keys = [(); 4].map(|()| gate.door.status(GATEWAY, "guess"));
        assert_eq!(keys, [401, 401, 429, 429]);
        let forged = gate.forged("somebody");
        assert_eq!([(); 3].map(|()| gate.bring(GATEWAY, &forged)), [401, 401, 429]);
        assert_eq!(gate.bring(ELSEWHERE, &forged), 401);
    }

    #[test]
    fn a_new_token_passes_while_its_neighbours_send_bad_ones() {
        let gate = Gate::new(1);
        let forged = gate.forged("somebody");
        for user in 0..50 {
            gate.bring(GATEWAY, &forged);
            gate.door.status(GATEWAY, "guess");
            assert_eq!(gate.bring(GATEWAY, &gate.token(&user.to_string())), 200, "user {user}");
        }
    }

    #[test]
    fn a_flood_of_forged_tokens_is_not_looked_at_and_shuts_out_none_that_was_good_before() {
        let gate = Gate::new(1);
        let (known, forged) = (gate.token("known"), gate.forged("somebody"));
        assert_eq!(gate.bring(GATEWAY, &known), 200);
        for _ in 0..=RESERVE {
            gate.bring(GATEWAY, &forged);
        }
        assert_eq!(gate.bring(GATEWAY, &gate.token("new")), 429, "it is not looked at");
        assert_eq!(gate.bring(ELSEWHERE, &gate.token("new")), 200, "another address is another's");
        for scheme in ["Bearer ", "bEARER ", "BEARER   "] {
            assert_eq!(gate.send(GATEWAY, &format!("{scheme}{known}")), 200, "{scheme}");
        }
        assert_eq!(gate.door.status(GATEWAY, gate.door.keys[0].expose()), 200);
        gate.door.advance(MINUTE / 60 / RESERVE);
        assert_eq!(gate.bring(GATEWAY, &gate.token("new")), 200);
    }

    #[test]
    fn a_token_that_was_refused_is_remembered_no_more() {
        let mut gate = Gate::new(1);
        let token = gate.token("known");
        assert_eq!(gate.bring(GATEWAY, &token), 200);
        let others = verifier_of(&[&Signer::new("other", Algorithm::EdDSA)]);
        let taken_back = gate.door.auth.clone().jwt(others);
        let takes = std::mem::replace(&mut gate.door.auth, taken_back);
        let answers: Vec<_> = (0..=RESERVE).map(|_| gate.bring(GATEWAY, &token)).collect();
        assert_eq!(answers.iter().filter(|status| **status == 401).count(), 1, "{answers:?}");
        gate.door.auth = takes;
        assert_eq!(gate.bring(GATEWAY, &token), 429, "it is one of many that nobody looks at");
        gate.door.advance(MINUTE);
        assert_eq!(gate.bring(GATEWAY, &token), 200);
    }
}
