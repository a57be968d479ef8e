//! Tests of the key cache: keys that change, age or cannot be read.

use std::sync::Arc;
use std::time::Duration;

use jsonwebtoken::Algorithm;
use tokio::task::yield_now;
use tokio::time::advance;

use super::super::{Jwks, JwksError, JwtVerifier, TokenError};
use super::issuer::{Answer, Script, Signer, claims, set, verifier};

const MINUTE: Duration = Duration::from_secs(60);

pub(super) fn signers() -> [Signer; 2] {
    ["one", "two"].map(|id| Signer::new(id, Algorithm::EdDSA))
}

fn scripted(script: &Arc<Script>) -> Jwks {
    let script = Arc::clone(script);
    Jwks::fetch_with(move || Arc::clone(&script).read()).read_at_most_every(MINUTE)
}

pub(super) async fn answer(verifier: &JwtVerifier, signer: &Signer) -> Result<(), TokenError> {
    verifier.principal(signer.sign(&claims()).as_bytes()).await.map(|_| ())
}

/// Lets background reads finish.
async fn settle() {
    for _ in 0..10 {
        yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_key_is_found_by_the_token_that_names_it_and_an_old_one_ends_with_its_set() {
    let [one, two] = signers();
    let script = Script::new(Answer::Keys(set(&[&one])));
    let verifier = verifier(scripted(&script));
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    script.says(Answer::Keys(set(&[&two])));
    assert_eq!(answer(&verifier, &two).await, Err(TokenError::Invalid), "it was read just now");
    advance(MINUTE).await;
    assert_eq!(answer(&verifier, &two).await, Ok(()));
    assert_eq!(answer(&verifier, &one).await, Err(TokenError::Invalid));
    assert_eq!(script.reads(), 2);
}

#[tokio::test(start_paused = true)]
async fn many_requests_with_unknown_keys_read_the_source_once() {
    let [one, two] = signers();
    let script = Script::new(Answer::Keys(set(&[&one])));
    let verifier = verifier(scripted(&script));
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    advance(MINUTE).await;
    let asking = (0..50).map(|_| answer(&verifier, &two));
    assert_eq!(futures::future::join_all(asking).await, vec![Err(TokenError::Invalid); 50]);
    assert_eq!(script.reads(), 2);
    assert_eq!(answer(&verifier, &two).await, Err(TokenError::Invalid));
    assert_eq!(script.reads(), 2);
}

#[tokio::test(start_paused = true)]
async fn old_keys_are_read_again_while_requests_go_on() {
    let [one, _] = signers();
    let script = Script::new(Answer::Keys(set(&[&one])));
    let verifier = verifier(scripted(&script));
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    advance(5 * MINUTE + Duration::from_millis(1)).await;
    script.says(Answer::Hangs);
    // No request waits: a source that hangs would delay it up to the timeout.
    let asked = tokio::time::Instant::now();
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    assert_eq!(asked.elapsed(), Duration::ZERO);
    settle().await;
    assert_eq!(script.reads(), 2);
}

#[tokio::test(start_paused = true)]
async fn keys_stay_good_while_the_source_is_down_but_not_for_ever() {
    let [one, two] = signers();
    let script = Script::new(Answer::Keys(set(&[&one])));
    let verifier = verifier(scripted(&script).keep_stale(10 * MINUTE));
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    script.says(Answer::Down);
    for _ in 0..15 {
        advance(MINUTE).await;
        assert_eq!(answer(&verifier, &one).await, Ok(()));
        settle().await;
    }
    assert_eq!(verifier.key_failure(), Some(JwksError::Unreadable("down".into())));
    advance(MINUTE).await;
    assert_eq!(answer(&verifier, &one).await, Err(TokenError::NoKeys));
    script.says(Answer::Keys(set(&[&two])));
    advance(MINUTE).await;
    assert_eq!(answer(&verifier, &two).await, Ok(()));
    assert_eq!(verifier.key_failure(), None);
}

#[tokio::test(start_paused = true)]
async fn a_set_that_is_broken_takes_nothing_away() {
    let [one, _] = signers();
    let script = Script::new(Answer::Keys(set(&[&one])));
    let verifier = verifier(scripted(&script));
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    for broken in ["", "{}", r#"{"keys":[]}"#] {
        script.says(Answer::Keys(broken.to_owned()));
        advance(6 * MINUTE).await;
        assert_eq!(answer(&verifier, &one).await, Ok(()));
        settle().await;
        assert!(verifier.key_failure().is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_never_answers_is_waited_for_no_longer_than_its_time() {
    let [one, _] = signers();
    let script = Script::new(Answer::Hangs);
    let verifier = verifier(scripted(&script));
    let asked = tokio::time::Instant::now();
    assert_eq!(answer(&verifier, &one).await, Err(TokenError::NoKeys));
    assert_eq!(asked.elapsed(), Duration::from_secs(3));
    script.says(Answer::Keys(set(&[&one])));
    advance(MINUTE).await;
    settle().await;
    assert_eq!(answer(&verifier, &one).await, Ok(()), "the one before was given up");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_hung_up_does_not_end_a_reading() {
    let [one, _] = signers();
    let script = Script::new(Answer::Keys(set(&[&one])));
    let verifier = verifier(scripted(&script));
    {
        let asking = answer(&verifier, &one);
        futures::pin_mut!(asking);
        assert!(futures::poll!(asking.as_mut()).is_pending());
    }
    settle().await;
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    assert_eq!(script.reads(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fetch_that_panics_or_returns_too_much_takes_nothing_away() {
    let [one, two] = signers();
    let script = Script::new(Answer::Keys(set(&[&one])));
    let verifier = verifier(scripted(&script));
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    let panicked = JwksError::Unreadable("the function panicked".into());
    let long = set(&[&two]) + &" ".repeat(1 << 20);
    for (fault, error) in [(Answer::Panics, panicked), (Answer::Keys(long), JwksError::TooLarge)] {
        script.says(fault);
        advance(6 * MINUTE).await;
        assert_eq!(answer(&verifier, &two).await, Err(TokenError::Invalid));
        assert_eq!(verifier.key_failure(), Some(error));
        assert_eq!(answer(&verifier, &one).await, Ok(()));
    }
    script.says(Answer::Keys(set(&[&two])));
    advance(6 * MINUTE).await;
    assert_eq!(answer(&verifier, &two).await, Ok(()));
    assert_eq!(verifier.key_failure(), None);
}

#[tokio::test]
async fn a_file_is_read_again_when_a_token_names_a_key_that_is_not_in_it() {
    let [one, two] = signers();
    let name = format!("keys-{:?}.json", std::thread::current().id());
    let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
    std::fs::write(&path, set(&[&one])).expect("it is written");
    let verifier = verifier(Jwks::file(&path).read_at_most_every(Duration::ZERO));
    assert_eq!(answer(&verifier, &one).await, Ok(()));
    std::fs::write(&path, set(&[&two])).expect("it is written");
    assert_eq!(answer(&verifier, &two).await, Ok(()));
    std::fs::remove_file(&path).expect("it is there");
    assert_eq!(answer(&verifier, &one).await, Err(TokenError::Invalid));
    assert!(matches!(verifier.key_failure(), Some(JwksError::Unreadable(_))));
    assert_eq!(answer(&verifier, &two).await, Ok(()));
}
