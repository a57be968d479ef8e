use std::time::{Duration, SystemTime};

use super::{ApiKey, ApiKeyError, ApiKeyHash, ApiKeySet, ApiKeys};
use crate::Principal;

const OWN: &str = "Zq8-vN3_xT5!mB7.kD9+wR2~hL4=cF6%";

fn key() -> ApiKey {
    ApiKey::generate().expect("there is randomness")
}

fn set(keys: &[(&ApiKey, &str)]) -> ApiKeySet {
    keys.iter().fold(ApiKeySet::new(), |set, (key, name)| {
        set.with(key.hash(), Principal::trusted(*name)).expect("it is another key")
    })
}

fn name(keys: &ApiKeys, text: &str) -> Option<String> {
    keys.principal(text.as_bytes()).map(|principal| principal.name().to_owned())
}

#[test]
fn a_key_is_its_principals_whether_made_here_or_chosen() {
    let (one, two, own) = (key(), key(), ApiKey::new(OWN).expect("it is long"));
    let keys = ApiKeys::new(set(&[(&one, "one"), (&two, "two"), (&own, "own")]));
    assert_eq!(name(&keys, one.expose()).as_deref(), Some("one"));
    assert_eq!(name(&keys, two.expose()).as_deref(), Some("two"));
    assert_eq!(name(&keys, OWN).as_deref(), Some("own"));
}

#[test]
fn a_forged_or_partial_key_names_no_principal() {
    let key = key();
    let keys = ApiKeys::new(set(&[(&key, "one")]));
    let text = key.expose();
    let last = if text.ends_with('0') { '1' } else { '0' };
    let forged = [
        format!("{}{last}", &text[..text.len() - 1]),
        format!("{text}0"),
        format!(" {text}"),
        text[..21].to_owned(),
        text.to_uppercase(),
        key.hash().to_string(),
        String::new(),
    ];
    for forged in forged {
        assert_eq!(name(&keys, &forged), None, "{forged}");
    }
    assert_eq!(name(&ApiKeys::new(ApiKeySet::new()), text), None);
}

#[test]
fn a_key_is_refused_after_its_last_moment() {
    let (key, end) = (key(), SystemTime::UNIX_EPOCH + Duration::from_secs(1_000));
    let principal = Principal::trusted("one");
    let set = ApiKeySet::new().with_until(key.hash(), principal, end).expect("it is the first");
    let at = |time| set.principal(key.expose().as_bytes(), time).is_some();
    assert!(at(SystemTime::UNIX_EPOCH) && at(end));
    assert!(!at(end + Duration::from_nanos(1)));
}

#[test]
fn a_replaced_set_holds_at_once_for_every_clone() {
    let (former, new) = (key(), key());
    let keys = ApiKeys::new(set(&[(&former, "one")]));
    let clone = keys.clone();
    keys.replace(set(&[(&former, "one"), (&new, "one")]));
    assert!(name(&clone, former.expose()).is_some() && name(&clone, new.expose()).is_some());
    keys.replace(set(&[(&new, "one")]));
    assert_eq!(name(&clone, former.expose()), None);
    assert!(name(&clone, new.expose()).is_some());
}

#[test]
fn keys_change_while_requests_run_and_no_request_sees_half_a_set() {
    let (stays, comes) = (key(), key());
    let (with, without) = (set(&[(&stays, "one"), (&comes, "two")]), set(&[(&stays, "one")]));
    let keys = ApiKeys::new(without.clone());
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        assert_eq!(name(&keys, stays.expose()).as_deref(), Some("one"));
                        let other = name(&keys, comes.expose());
                        assert!(other.is_none() || other.as_deref() == Some("two"));
                    }
                })
            })
            .collect();
        while readers.iter().any(|reader| !reader.is_finished()) {
            keys.replace(with.clone());
            keys.replace(without.clone());
        }
    });
}

#[test]
fn short_and_uniform_and_unprintable_keys_are_refused_when_they_are_configured() {
    let refused = |text: &str| ApiKey::new(text).expect_err("it is no key");
    assert_eq!(refused(&OWN[..31]), ApiKeyError::Short { found: 31 });
    assert_eq!(refused(&"ab".repeat(40)), ApiKeyError::Uniform);
    assert_eq!(refused(&format!("{OWN} ")), ApiKeyError::Unprintable);
    assert_eq!(refused(&format!("{OWN}é")), ApiKeyError::Unprintable);
    assert!(ApiKey::new(OWN).is_ok());
}

#[test]
fn one_key_cannot_be_two_principals() {
    let key = key();
    let twice = set(&[(&key, "one")]).with(key.hash(), Principal::trusted("two"));
    assert_eq!(twice.expect_err("it is there"), ApiKeyError::Repeated);
}

#[test]
fn a_hash_is_read_as_it_is_written_and_nothing_else_is() {
    for key in [key(), ApiKey::new(OWN).expect("it is long")] {
        let text = key.hash().to_string();
        assert_eq!(text.parse(), Ok(key.hash()));
        let broken = [&text[1..], &text[..text.len() - 1], &text.to_uppercase(), "", "sha256::"];
        for broken in broken {
            assert_eq!(broken.parse::<ApiKeyHash>(), Err(ApiKeyError::NoHash), "{broken}");
        }
    }
    let text = "sha256:0123456789abcdef:".to_owned() + &"é".repeat(32);
    assert_eq!(text.parse::<ApiKeyHash>(), Err(ApiKeyError::NoHash));
}

#[test]
fn nothing_that_is_shown_holds_a_key_or_its_digest() {
    let (made, own) = (key(), ApiKey::new(OWN).expect("it is long"));
    let set = set(&[(&made, "one"), (&own, "two")]);
    let shown = format!("{made:?} {own:?} {:?} {set:?}", made.hash());
    let digest = made.hash().to_string();
    for secret in [&made.expose()[21..], OWN, &digest[24..]] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(shown.contains(&made.expose()[4..20]), "the id is shown: {shown}");
}
