//! Tests that forged and invalid tokens are refused.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use super::super::TokenError;
use super::issuer::{AUDIENCE, ISSUER, Signer, claims, claims_but, encoded, now, set, verifier_of};
use crate::auth::JwtVerifier;

const ALL: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

async fn is_admitted(verifier: &JwtVerifier, token: impl AsRef<[u8]>) -> bool {
    match verifier.principal(token.as_ref()).await {
        Ok(_) => true,
        Err(refusal) => {
            assert_eq!(refusal, TokenError::Invalid);
            false
        }
    }
}

#[tokio::test]
async fn every_algorithm_that_is_named_is_admitted_under_its_own_key_alone() {
    for algorithm in ALL {
        let signer = Signer::new("it", algorithm);
        let token = signer.sign(&claims());
        assert!(is_admitted(&verifier_of(&[&signer]), &token).await, "{algorithm:?}");
        for other in ALL.into_iter().filter(|other| *other != algorithm) {
            let other = Signer::new("it", other);
            assert!(!is_admitted(&verifier_of(&[&other]), &token).await, "{algorithm:?}");
        }
    }
}

#[tokio::test]
async fn a_token_does_not_choose_how_it_is_checked() {
    let signer = Signer::new("it", Algorithm::RS256);
    let verifier = verifier_of(&[&signer]);
    let jwk = signer.jwk();
    let public: Vec<_> = [jwk["n"].as_str(), jwk["e"].as_str()].into_iter().flatten().collect();
    let secrets =
        [public[0].into(), public.concat(), jwk.to_string(), set(&[&signer]), String::new()];
    for secret in secrets {
        let key = EncodingKey::from_secret(secret.as_bytes());
        for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
            let header = Header { kid: Some("it".to_owned()), ..Header::new(algorithm) };
            let token = jsonwebtoken::encode(&header, &claims(), &key).expect("it signs");
            assert!(!is_admitted(&verifier, token).await, "{algorithm:?}");
        }
    }
    for algorithm in ["none", "None", "NONE", "", "HS256", "ES256", "PS256", "EdDSA", "RS1"] {
        let header = json!({ "alg": algorithm, "kid": "it" });
        let message = format!("{}.{}", encoded(header.to_string()), encoded(claims().to_string()));
        assert!(!is_admitted(&verifier, format!("{message}.")).await, "{algorithm}");
        assert!(!is_admitted(&verifier, signer.sign_raw(&header, &claims())).await, "{algorithm}");
    }
    assert!(
        is_admitted(&verifier, signer.sign_raw(&json!({"alg": "RS256", "kid": "it"}), &claims()))
            .await
    );
}

#[tokio::test]
async fn a_key_that_says_another_use_or_kind_checks_nothing() {
    let signer = Signer::new("it", Algorithm::ES256);
    let spare = Signer::new("spare", Algorithm::EdDSA);
    let token = signer.sign(&claims());
    for (member, value) in [
        ("use", json!("enc")),
        ("key_ops", json!(["sign"])),
        ("key_ops", json!([])),
        ("alg", json!("ES384")),
        ("alg", json!("RS256")),
        ("alg", json!("HS256")),
        ("alg", json!("ECDH-ES")),
        ("crv", json!("P-384")),
        ("crv", json!("P-521")),
        ("crv", json!("secp256k1")),
        ("kty", json!("RSA")),
        ("kty", json!("oct")),
        ("kid", json!("another")),
        ("kid", Value::Null),
        ("x", json!("")),
        ("y", Value::Null),
    ] {
        let mut jwk = signer.jwk();
        jwk[member] = value.clone();
        let keys = json!({ "keys": [jwk, spare.jwk()] }).to_string();
        let keys = crate::Jwks::from_json(keys).expect("one key is good");
        let verifier = super::issuer::verifier(keys);
        assert!(!is_admitted(&verifier, &token).await, "{member}: {value}");
        assert!(is_admitted(&verifier, spare.sign(&claims())).await);
    }
}

#[tokio::test]
async fn claims_have_to_hold() {
    let signer = Signer::new("it", Algorithm::EdDSA);
    let verifier = verifier_of(&[&signer]);
    let past = now() - 300;
    for other in [
        json!({"aud": null}),
        json!({"aud": "other"}),
        json!({"aud": []}),
        json!({"aud": ["other", "tool"]}),
        json!({"aud": 1}),
        json!({"aud": {"tools": true}}),
        json!({"iss": null}),
        json!({"iss": "https://issuer.example/"}),
        json!({"iss": "https://issuer.example.org"}),
        json!({"iss": [ISSUER]}),
        json!({"iss": [ISSUER, "https://other.example"]}),
        json!({"exp": null}),
        json!({"exp": past}),
        json!({"exp": -1}),
        json!({"exp": (now() + 300).to_string()}),
        json!({"exp": {}}),
        json!({"exp": 0}),
        json!({"nbf": now() + 300}),
        json!({"nbf": (now() - 1).to_string()}),
        json!({"nbf": -1}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"sub": "  "}),
        json!({"sub": 7}),
        json!({"sub": "s".repeat(257)}),
    ] {
        assert!(!is_admitted(&verifier, signer.sign(&claims_but(&other))).await, "{other}");
    }
    for other in [
        json!({"aud": ["other", AUDIENCE]}),
        json!({"nbf": null}),
        json!({"exp": now() - 10}),
        json!({"nbf": now() + 10}),
        json!({"iat": "whenever"}),
    ] {
        assert!(is_admitted(&verifier, signer.sign(&claims_but(&other))).await, "{other}");
    }
    let strict = verifier.clone().leeway(std::time::Duration::ZERO).expect("it is short");
    assert!(!is_admitted(&strict, signer.sign(&claims_but(&json!({"exp": now() - 10})))).await);
}

#[tokio::test]
async fn claims_that_are_said_twice_are_refused() {
    let signer = Signer::new("it", Algorithm::EdDSA);
    let verifier = verifier_of(&[&signer]);
    let good = claims().to_string();
    for twice in [r#""sub":"admin","#, r#""exp":9999999999,"#, r#""aud":"tools","#] {
        let body = format!("{{{twice}{}", &good[1..]);
        let header = r#"{"alg":"EdDSA","kid":"it"}"#;
        let message = format!("{}.{}", encoded(header), encoded(body));
        let signature =
            jsonwebtoken::crypto::sign(message.as_bytes(), &signer.key, signer.algorithm);
        let token = format!("{message}.{}", signature.expect("the key signs"));
        assert!(!is_admitted(&verifier, token).await, "{twice}");
    }
}

#[tokio::test]
async fn headers_bring_no_key_and_no_rule_of_their_own() {
    let (signer, thief) =
        (Signer::new("it", Algorithm::EdDSA), Signer::new("it", Algorithm::EdDSA));
    let verifier = verifier_of(&[&signer]);
    let brought = [
        ("jwk", thief.jwk()),
        ("jku", json!("http://127.0.0.1:1/keys")),
        ("x5u", json!("http://127.0.0.1:1/certificate")),
        ("x5c", json!(["AAAA"])),
        ("kid", json!("../../dev/null")),
        ("kid", json!("' or 1=1")),
    ];
    for (name, value) in brought {
        let mut header = json!({"alg": "EdDSA", "kid": "it"});
        header[name] = value;
        assert!(!is_admitted(&verifier, thief.sign_raw(&header, &claims())).await, "{name}");
    }
    for (name, value) in [
        ("crit", json!(["exp"])),
        ("crit", json!(["b64"])),
        ("crit", json!([])),
        ("typ", json!("dpop+jwt")),
        ("typ", json!("logout+jwt")),
        ("typ", json!("JWE")),
        ("kid", json!(7)),
        ("kid", json!("k".repeat(300))),
        ("alg", json!(["EdDSA"])),
    ] {
        let mut header = json!({"alg": "EdDSA", "kid": "it", "typ": "JWT"});
        header[name] = value.clone();
        let token = signer.sign_raw(&header, &claims());
        assert!(!is_admitted(&verifier, token).await, "{name}: {value}");
    }
    for kind in ["JWT", "jwt", "at+jwt", "application/at+jwt"] {
        let header = json!({"alg": "EdDSA", "kid": "it", "typ": kind});
        assert!(is_admitted(&verifier, signer.sign_raw(&header, &claims())).await, "{kind}");
    }
}

#[tokio::test]
async fn a_token_without_a_key_id_is_checked_with_the_only_key_there_is() {
    let [one, two] = ["one", "two"].map(|id| Signer::new(id, Algorithm::EdDSA));
    let token = one.sign_as(&Header::new(Algorithm::EdDSA), &claims());
    assert!(is_admitted(&verifier_of(&[&one]), &token).await);
    assert!(!is_admitted(&verifier_of(&[&two]), &token).await);
    assert!(!is_admitted(&verifier_of(&[&one, &two]), &token).await);
    let named = Header { kid: Some("two".to_owned()), ..Header::new(Algorithm::EdDSA) };
    assert!(!is_admitted(&verifier_of(&[&one, &two]), one.sign_as(&named, &claims())).await);
}

#[tokio::test]
async fn a_cut_changed_or_too_long_token_is_refused() {
    let signer = Signer::new("it", Algorithm::EdDSA);
    let verifier = verifier_of(&[&signer]);
    let token = signer.sign(&claims());
    for end in 0..token.len() {
        assert!(!is_admitted(&verifier, &token[..end]).await, "{end}");
    }
    for other in
        [format!("{token}."), format!(".{token}"), format!("{token}="), format!(" {token}")]
    {
        assert!(!is_admitted(&verifier, &other).await, "{other}");
    }
    let other = Signer::new("it", Algorithm::EdDSA).sign(&claims());
    let (head, _) = token.rsplit_once('.').expect("it has a signature");
    let (_, tail) = other.rsplit_once('.').expect("it has a signature");
    assert!(!is_admitted(&verifier, format!("{head}.{tail}")).await);
    let huge = signer.sign(&claims_but(&json!({"more": "x".repeat(9_000)})));
    assert!(!is_admitted(&verifier, &huge).await);
    assert!(is_admitted(&verifier.clone().max_token_bytes(20_000), &huge).await);
}

#[tokio::test]
async fn no_garbage_is_admitted_and_none_panics() {
    let signer = Signer::new("it", Algorithm::EdDSA);
    let verifier = verifier_of(&[&signer]);
    let token = signer.sign(&claims());
    let mut random = [0; 3];
    for round in 0..6_000 {
        getrandom::fill(&mut random).expect("there is randomness");
        let mut bytes = token.clone().into_bytes();
        let at = (usize::from(random[0]) * 256 + usize::from(random[1])) % bytes.len();
        match round % 3 {
            0 => bytes[at] = random[2],
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, random[2]),
        }
        // The last digit of a signature has bits that mean nothing; a decoder refuses them.
        if bytes != token.as_bytes() {
            assert!(!is_admitted(&verifier, &bytes).await, "{}", String::from_utf8_lossy(&bytes));
        }
    }
}
