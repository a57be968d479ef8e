//! Properties of all texts.

use std::borrow::Cow;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::super::default_patterns::{self, FeatureThresholds, TextFeatures};
use super::super::patterns::Pattern;
use super::Patterns;

/// Texts composed of sensitive values, adjacent in all combinations.
fn hostile() -> impl Strategy<Value = String> {
    let parts = [
        "4111111111111111",
        "4111 1111 1111 1111",
        "ada@example.com",
        "+49 30 1234567",
        "555-234-5678",
        "DE89370400440532013000",
        "123-45-6789",
        "Bearer abc123def",
        "sk-abcdefghij0123456789",
        "eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
        "password=",
        "password: \"",
        "://",
        "-----BEGIN A-----",
        "-----END A-----",
        "12 Main Street",
        "Hauptstr. 7",
        "550e8400-e29b-41d4-a716-446655440000",
        "2024-02-30T12:34:56Z",
        "sha256:",
        "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
        "[card]",
        "[email]",
        "[",
        "]",
        "@",
        "%40",
        " ",
        "-",
        ".",
        "\\\"",
        "0",
        "1",
        "ß",
        "号",
        "passport ",
        "<<",
    ];
    prop::collection::vec(prop::sample::select(parts.to_vec()), 0..12).prop_map(|all| all.concat())
}

#[track_caller]
fn is_stable(patterns: &Patterns, text: &str) {
    let once = patterns.redact(text);
    assert!(matches!(patterns.redact(&once), Cow::Borrowed(_)), "{text} → {once}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_second_time_changes_nothing(text in hostile()) {
        is_stable(&Patterns::default(), &text);
    }

    #[test]
    fn any_text_is_redacted(text in ".{0,200}") {
        is_stable(&Patterns::default(), &text);
    }

    #[test]
    fn no_text_is_passed_over_that_a_pattern_may_match(text in prop_oneof![hostile(), "[ -~]{0,12}"]) {
        static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(default_patterns::patterns);
        let features = TextFeatures::new(&text);
        for pattern in &*PATTERNS {
            let least = FeatureThresholds::UNREACHABLE.or(pattern.prefilter);
            prop_assert!(features.reaches_any(&least) || !features.passes(pattern.prefilter, &text));
        }
    }

    #[test]
    fn a_prefilter_changes_no_redacted_text(text in prop_oneof![hostile(), "[ -~]{0,40}"]) {
        static UNFILTERED: LazyLock<Patterns> =
            LazyLock::new(|| Patterns::default().without_prefilters());
        prop_assert_eq!(Patterns::default().redact(&text), UNFILTERED.redact(&text));
    }

    #[test]
    fn patterns_of_ones_own_cannot_run_away(text in "[a-z\\[\\] ]{0,40}") {
        let patterns = Patterns::default().with("word", "[a-z]+").unwrap();
        is_stable(&patterns, &text);
    }
}

#[test]
fn the_shortest_values_pass_their_prefilters() {
    let unfiltered = Patterns::default().without_prefilters();
    for (text, expected) in [
        ("Bearer hunter2", "Bearer [token]"),
        ("token abc123", "token [token]"),
        ("xoxb-1234567890", "[token]"),
        ("KW21CBKUABCDEFGHIJKLMNOPQRSTUV", "[iban]"),
        ("NO9386011117947", "[iban]"),
        ("po box 7", "[address]"),
        ("7 A St", "[address]"),
        ("123-45-6789", "[id]"),
        ("4222222222222", "[card]"),
    ] {
        assert_eq!(Patterns::default().redact(text), expected, "{text}");
        assert_eq!(unfiltered.redact(text), expected, "{text}");
    }
}

#[test]
fn every_expression_compiles() {
    assert_eq!(default_patterns::patterns().len(), default_patterns::size());
}

#[test]
fn a_clean_text_is_not_copied() {
    assert!(matches!(Patterns::default().redact("nothing in here: 42"), Cow::Borrowed(_)));
}

#[test]
fn patterns_are_added_and_taken_out_by_name() {
    let text = "C-204811 ada@example.com";
    let own = Patterns::none().with("customer", r"\bC-(\d+)").unwrap();
    assert_eq!(own.redact(text), "C-[customer] ada@example.com");
    let fewer = Patterns::default().without("email");
    assert_eq!(fewer.redact("ada@example.com 4111111111111111"), "ada@example.com [card]");
    assert!(Patterns::none().with("No Name", "x").is_err());
    assert!(Patterns::none().with("name", "(").is_err());
    let none = Patterns::none().with("nothing", "x*").unwrap();
    assert_eq!(none.redact("axb€"), "a[nothing]b€");
}

#[test]
fn a_placeholder_in_a_text_hides_nothing() {
    let patterns = Patterns::default();
    assert_eq!(patterns.redact("password=hunter[card]2"), "password=[secret][card]2");
    assert_eq!(patterns.redact("[4111111111111111]"), "[[card]]");
}
