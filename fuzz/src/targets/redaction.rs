//! Known secrets and card numbers do not pass; the first line is a secret, the rest a text.

use tool_runtime::redact::{Patterns, ValueScrubber};

/// A card number of the kind that payment providers give for tests.
const CARD: &str = "4242 4242 4242 4242";

/// Shorter secrets are taken out as whole words only.
const MIN_SECRET_CHARS: usize = 8;

pub(super) fn run(data: &[u8]) {
    let Ok(data) = std::str::from_utf8(data) else { return };
    let (secret, text) = data.split_once('\n').unwrap_or(("", data));
    let secret = secret.trim();
    let scrub = ValueScrubber::new([secret]);
    let planted = format!("{text} {secret} {text}");
    let scrubbed = scrub.scrub(&planted);
    let long = secret.chars().count() >= MIN_SECRET_CHARS && !secret.contains("***");
    assert!(!long || !scrubbed.contains(secret), "a secret passes");

    let patterns = Patterns::default();
    let planted = format!("{text}\nthe card is {CARD}, thank you\n{text}");
    assert!(!patterns.redact(&planted).contains(CARD), "a card number passes");
}
