//! Linear cost for any text.

use super::super::ValueScrubber;
use super::{Patterns, redacts};
use crate::test_cost;

/// Parts of adversarial texts, each a match or nearly a match of a pattern.
const PARTS: [&str; 30] = [
    "4111 1111 1111 1111 ",
    "4111-1111-1111-1111-",
    "4111111111111111 ",
    "4111 1111 1111 1112 ",
    "1111 ",
    "1",
    "1 ",
    "DE89 3704 0044 0532 0130 00 ",
    "DE89370400440532013000-",
    "DE88370400440532013000 ",
    "AB12 ",
    "0049 30 1234567 ",
    "+49 30 1234567",
    "0049301234567 ",
    "00 ",
    "a@b.cc ",
    "a@b.cc.",
    "a%40b.cc",
    "sk-abcdefghij0123456789.",
    "sk-abcdefghij0123456789. ",
    "eyJh.e30.",
    "password=",
    "password=\"x\" ",
    "://a:b@",
    "路1号-",
    "路1号",
    "passport 1234567 ",
    "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY1 ",
    "555-234-5678 ",
    "[card]",
];

const FEW: usize = 4 * 1024;

/// Asserts that four times the text takes at most about four times the steps.
#[track_caller]
fn grows_in_proportion(name: &str, cost: impl Fn(&str) -> u64) {
    let text = |bytes: usize| name.repeat(bytes / name.len());
    let (few, many) = (cost(&text(FEW)), cost(&text(4 * FEW)));
    assert!(many <= few * 42 / 10 + 2_000, "{name}: {few} steps, then {many}");
    assert!(few < 800 * FEW as u64, "{name}: {few} steps");
}

#[test]
fn redaction_of_hostile_text_costs_in_proportion_to_its_length() {
    let patterns = Patterns::default().with_max_bytes(usize::MAX);
    for part in PARTS {
        grows_in_proportion(part, |text| test_cost::measure(|| drop(patterns.redact(text))).1);
    }
}

#[test]
fn neighbours_in_one_run_are_all_found() {
    redacts("4111 1111 1111 1111 4111-1111-1111-1111", "[card] [card]");
    redacts("1111 4111 1111 1111 1111 1111", "1111 [card] 1111");
    let two = "DE89 3704 0044 0532 0130 00 GB82 WEST 1234 5698 7654 32";
    redacts(two, "[iban] [iban]");
    redacts("AB12 DE89 3704 0044 0532 0130 00", "AB12 [iban]");
    redacts("0049 30 12345678901 0049 30 12345678901", "[phone] [phone]");
    redacts("路1号-路2号", "[address]-[address]");
    redacts("路1号-2单元3室", "[address]");
    // The search for an address looks ahead only up to a limit.
    let far = "a".repeat(30);
    redacts(&format!("路1号{far}室"), &format!("[address]{far}室"));
}

#[test]
fn a_long_text_is_cut_before_any_pattern_is_applied() {
    let patterns = Patterns::default().with_max_bytes(2_048);
    let text = "4111 1111 1111 1111 ".repeat(50_000);
    let (shown, steps) = test_cost::measure(|| patterns.redact(&text).into_owned());
    assert!(steps < 400_000, "{steps} steps");
    assert!(shown.starts_with("[card] [card]"), "{shown}");
    assert!(shown.len() <= 2_048 && shown.ends_with(" bytes left out]"), "{shown}");
    assert!(!shown.contains("1111"), "{shown}");
    assert_eq!(patterns.redact(&shown), shown);
}

#[test]
fn nothing_that_the_cut_takes_apart_is_shown() {
    let patterns = Patterns::default().with_max_bytes(1_024);
    for before in 960..1_030 {
        let text = format!("{} 4111 1111 1111 1111 {}", "x ".repeat(before / 2), "y ".repeat(600));
        let shown = patterns.redact(&text);
        assert!(!shown.contains("1111"), "{before}: {shown}");
        assert_eq!(patterns.redact(&shown), shown);
    }
}

#[test]
fn a_text_that_grows_when_it_is_redacted_keeps_the_bound() {
    let patterns = Patterns::default().with_max_bytes(1_024);
    let shown = patterns.redact(&"pwd=x ".repeat(170)).into_owned();
    assert!(shown.len() <= 1_024 && shown.ends_with(" bytes left out]"), "{shown}");
    assert_eq!(patterns.redact(&shown), shown);
}

#[test]
fn a_pattern_of_ones_own_searches_so_much() {
    let patterns = Patterns::none().with("own", "(a).*").unwrap();
    assert_eq!(patterns.redact(&"a".repeat(100)), "[own]".repeat(100));
    let (shown, steps) = test_cost::measure(|| patterns.redact(&"a".repeat(60_000)).into_owned());
    assert_eq!(shown, "[redacted]");
    assert!(steps < 64 * 1024 * 1024, "{steps} steps");
}

#[test]
fn scrubbing_costs_in_proportion_and_withholds_what_is_too_long() {
    let scrub = ValueScrubber::new(["hunter2"]);
    for part in ["hunter2", "\\\\u0068", "%68%75", "aHVudGVyMg", "68756e", "+", "\\"] {
        grows_in_proportion(part, |text| test_cost::measure(|| drop(scrub.scrub(text))).1);
    }
    assert_eq!(scrub.scrub(&"x".repeat(300 * 1024)), "***");
    let many: Vec<String> = (0..20_000).map(|n| format!("value-{n}")).collect();
    assert_eq!(ValueScrubber::new(&many).scrub("nothing of it"), "***");
    assert!(!ValueScrubber::new(&many).is_empty());
}
