//! Known values in all encodings.

use std::borrow::Cow;

use proptest::prelude::*;

use super::super::ValueScrubber;

#[track_caller]
fn scrubs(values: &[&str], text: &str, expected: &str) {
    assert_eq!(ValueScrubber::new(values).scrub(text), expected, "{text}");
}

/// A value with characters that every encoding changes.
const VALUE: &str = "pa\"ss\\wörd/+ 1\n€";

#[test]
fn a_value_is_found_as_it_is() {
    scrubs(&["hunter2"], "login hunter2, hunter2!", "login ***, ***!");
    scrubs(&["hunter2"], "xhunter2x", "x***x");
    scrubs(&["hunter2", "hunter2000"], "hunter2000 hunter2", "*** ***");
    scrubs(&["abcd", "cdef"], "xabcdefx", "x***x");
    scrubs(&[" hunter2\n"], "'hunter2'", "'***'");
    scrubs(&["123456"], "pin 123456.", "pin ***.");
}

#[test]
fn a_value_is_found_in_its_escapes() {
    let json = serde_json::to_string(VALUE).unwrap();
    scrubs(&[VALUE], &format!("sent {json}"), "sent \"***\"");
    scrubs(&[VALUE], &format!("{VALUE:?}"), "\"***\"");
    scrubs(&[VALUE], &serde_json::to_string(&json).unwrap(), r#""\"***\"""#);
    scrubs(&[VALUE], &format!("{json:?}"), r#""\"***\"""#);
    scrubs(&["é😀ab"], r"\u00e9\ud83d\ude00ab and \u{e9}\u{1F600}ab", "*** and ***");
    scrubs(&["a/b/c"], r"a\/b\/c", "***");
}

#[test]
fn a_value_is_found_in_a_url() {
    scrubs(&["hunter 2&"], "?p=hunter%202%26&x", "?p=***&x");
    scrubs(&["hunter 2&"], "?p=hunter+2%26&x", "?p=***&x");
    scrubs(&["a/ö:b"], "%61%2f%c3%b6%3a%62 a/%C3%B6:b", "*** ***");
    scrubs(&["a+b c"], "a%2Bb+c", "***");
}

#[test]
fn a_value_is_found_in_base64_at_every_place() {
    scrubs(&["hunter2"], "aHVudGVyMg==", "***==");
    scrubs(&["hunter2"], "Basic YWRhOmh1bnRlcjI=", "Basic YWRhO***=");
    // As the first, second and third byte of a base64 group.
    scrubs(&["hunter2"], "eHh4aHVudGVyMnh4eA", "eHh4***h4eA");
    scrubs(&["hunter2"], "eGh1bnRlcjJ4", "e***4");
    scrubs(&["hunter2"], "eHhodW50ZXIyeA", "eH***eA");
    scrubs(&["hunter2"], "eHhodW50\r\nZXIyeA", "eH***eA");
    // After an unrelated word.
    for word in ["/", "p/", "ab/", "q/b/"] {
        scrubs(&["hunter2"], &format!("{word}aHVudGVyMg=="), &format!("{word}***=="));
    }
}

#[test]
fn a_value_is_found_in_hexadecimal_digits() {
    scrubs(&["hunter2"], "0x68756e74657232 68756E74657232", "0x*** ***");
    scrubs(&["hunter2"], "a68756e74657232b", "a***b");
}

#[test]
fn a_short_value_counts_as_a_word_alone() {
    scrubs(&["  7  "], "1720 of 7", "1720 of ***");
    scrubs(&["7"], "7 of 17, v7, (7)", "*** of 17, v7, (***)");
    scrubs(&["abc"], "YWJj 616263 abc abcd", "YWJj 616263 *** abcd");
    scrubs(&["", " ", "\n"], "a b", "a b");
}

#[test]
fn a_text_without_a_value_is_not_copied() {
    let scrub = ValueScrubber::new(["hunter2"]);
    assert!(matches!(scrub.scrub("aGVsbG8gd29ybGQ= \\n %20 +"), Cow::Borrowed(_)));
    assert!(ValueScrubber::new([""; 3]).is_empty());
}

#[test]
fn a_text_that_cannot_be_looked_through_is_withheld() {
    let values: Vec<String> = (0..10_000).map(|number| format!("value {number}")).collect();
    let scrub = ValueScrubber::new(&values);
    assert_eq!(scrub.scrub(&"x".repeat(10_000)), "***");
    assert_eq!(scrub.scrub("is value 77"), "is ***");
}

/// Standard base64 without padding, written plainly.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<String> = bytes.iter().map(|byte| format!("{byte:08b}")).collect();
    let bits = bits.concat();
    let digits = bits.as_bytes().chunks(6).map(|digit| {
        let digit = format!("{:0<6}", std::str::from_utf8(digit).unwrap());
        char::from(DIGITS[usize::from_str_radix(&digit, 2).unwrap()])
    });
    digits.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_encoding_of_a_value_is_left(
        value in "[ -~é€\n]{2,12}[a-z0-9]{4}",
        before in "[ -~]{0,8}",
        after in "[ -~]{0,8}",
    ) {
        let value = value.trim();
        let plain = format!("{before}{value}{after}");
        let hexadecimal: Vec<String> = value.bytes().map(|byte| format!("{byte:02X}")).collect();
        let percent: Vec<String> = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let texts = [
            plain.clone(),
            format!("{plain:?}"),
            serde_json::to_string(&plain).unwrap(),
            base64(plain.as_bytes()),
            base64(plain.as_bytes()).replace('+', "-").replace('/', "_"),
            hexadecimal.concat(),
            percent.concat(),
        ];
        let scrub = ValueScrubber::new([value]);
        for text in texts {
            let scrubbed = scrub.scrub(&text);
            prop_assert!(scrubbed.contains("***"), "{}", text);
            // The result contains no further match.
            prop_assert!(matches!(scrub.scrub(&scrubbed), Cow::Borrowed(_)), "{} → {}", text, scrubbed);
        }
    }

    #[test]
    fn any_text_is_scrubbed(text in "(\\\\|%|u|\\{|[0-9a-fA-F+/=é€]){0,60}", value in ".{0,6}") {
        let _ = ValueScrubber::new([value]).scrub(&text);
    }
}
