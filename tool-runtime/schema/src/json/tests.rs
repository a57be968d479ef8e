use super::text::unescape;
use super::tree::{JsonTree, JsonView};
use super::{Decimal, JsonKind, Malformed, equals_value, read};
use crate::limits::Limits;

const ALL: &str =
    r#"{"a": [1, -2.5e+3, 0, true, false, null, "x\n\u00e9\ud83d\ude00"], "": {}, "b": []}"#;

fn tree(text: &str) -> JsonTree {
    read(text, &Limits::new()).unwrap()
}

#[track_caller]
fn refused(text: &str, expected: Malformed) {
    assert_eq!(read(text, &Limits::new()).unwrap_err(), expected, "{text:?}");
}

#[track_caller]
fn wrong_at(text: &str, position: usize) {
    match read(text, &Limits::new()) {
        Err(Malformed::Syntax { position: found, .. }) => assert_eq!(found, position, "{text:?}"),
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn nodes_know_their_place_and_their_name() {
    let text = r#" {"a" : [1, "x"], "b": {"c": null}} "#;
    let tree = tree(text);
    let view = tree.view(text);
    let found: Vec<_> = view
        .nodes
        .iter()
        .map(|node| (node.kind, view.raw(node), view.raw_key(node), node.count()))
        .collect();
    let expected = [
        (JsonKind::Object, r#"{"a" : [1, "x"], "b": {"c": null}}"#, "", 2),
        (JsonKind::Array, r#"[1, "x"]"#, "a", 2),
        (JsonKind::Number, "1", "", 0),
        (JsonKind::String, r#""x""#, "", 0),
        (JsonKind::Object, r#"{"c": null}"#, "b", 1),
        (JsonKind::Null, "null", "c", 0),
    ];
    assert_eq!(found, expected);
    assert_eq!(view.children(0).map(|(id, _)| id).collect::<Vec<_>>(), [1, 4]);
}

#[test]
fn every_cut_is_truncated_at_its_length() {
    for end in (0..ALL.len()).filter(|end| ALL.is_char_boundary(*end)) {
        refused(&ALL[..end], Malformed::Truncated { position: end });
    }
    assert!(read(ALL, &Limits::new()).is_ok());
}

#[test]
fn the_grammar_is_exactly_that_of_the_rfc() {
    for text in
        ["0", "-0", "1.0", "1e5", "1E-5", "1e+05", "\"\"", "[]", "{}", " [ ] ", "\tnull\r\n"]
    {
        assert!(read(text, &Limits::new()).is_ok(), "{text:?}");
    }
    let rows = [
        ("[1,]", 3),
        ("[,1]", 1),
        ("[1 2]", 3),
        ("[1}", 2),
        (r#"{"a":1,}"#, 7),
        (r#"{"a" 1}"#, 5),
        (r#"{"a":}"#, 5),
        ("{a:1}", 1),
        ("{'a':1}", 1),
        ("{1:1}", 1),
        ("01", 1),
        ("-a", 1),
        ("-01", 2),
        ("1.a", 2),
        (".5", 0),
        ("+1", 0),
        ("1.5.5", 3),
        ("1e", 0),
        ("1ex", 2),
        ("NaN", 0),
        ("Infinity", 0),
        ("-Infinity", 1),
        ("nulL", 3),
        ("tru ", 3),
        ("True", 0),
        ("[] []", 3),
        ("{}}", 2),
        ("\u{feff}{}", 0),
        ("/* */1", 0),
        ("[1\u{a0}]", 2),
        ("\"a\tb\"", 2),
        ("\"\u{0}\"", 1),
        ("\"\u{1f}\"", 1),
        (r#""\x""#, 2),
        (r#""\U0041""#, 2),
        (r#""\u00g1""#, 5),
        (r#""\u 041""#, 3),
    ];
    for (text, position) in rows.into_iter().filter(|(text, _)| *text != "1e") {
        wrong_at(text, position);
    }
    refused("1e", Malformed::Truncated { position: 2 });
    refused("", Malformed::Truncated { position: 0 });
    refused("  ", Malformed::Truncated { position: 2 });
}

#[test]
fn lone_surrogates_are_refused_where_they_begin() {
    wrong_at(r#""ab\ud83d""#, 3);
    wrong_at(r#""ab\ud83dx""#, 3);
    wrong_at(r#""ab\ud83d\n""#, 3);
    wrong_at(r#""ab\ud83d\u0041""#, 3);
    wrong_at(r#""ab\ude00""#, 3);
    wrong_at(r#"{"\ude00": 1}"#, 2);
    refused(r#""\ud83d\u"#, Malformed::Truncated { position: 9 });
}

#[test]
fn escapes_say_what_they_mean() {
    assert_eq!(unescape(r#"\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00."#), "\"\\/\u{8}\u{c}\n\r\téé😀.");
}

#[test]
fn strings_of_every_length_end_where_they_end() {
    for length in 0..40 {
        for (last, ok) in [("\"", true), ("\u{1}", false), ("é\"", true), ("\\\\\"", true)] {
            let text = format!("\"{}{last}", "x".repeat(length));
            assert_eq!(read(&text, &Limits::new()).is_ok(), ok, "{text:?}");
        }
    }
}

#[test]
fn repeated_names_are_found_at_every_depth_and_in_every_spelling() {
    #[track_caller]
    fn check(text: &str, expected: u32) {
        let repeats: u32 = tree(text).duplicates().iter().map(|repeat| repeat.times - 1).sum();
        assert_eq!(repeats, expected, "{text}");
    }
    check(r#"{"a": 1, "b": 2, "": 3}"#, 0);
    check(r#"{"a": 1, "a": 1}"#, 1);
    check(r#"{"a": 1, "\u0061": 1}"#, 1);
    check(r#"{"\u0061": 1, "\u0062": 1}"#, 0);
    check(r#"[{"x": [{"": 1, "": 2, "": 3}]}, {"x": 1}]"#, 2);
    check(r#"{"é": 1, "\u00E9": 2, "e\u0301": 3}"#, 1);
    let many = |last: usize| {
        let names: Vec<_> = (0..1000).chain([last]).map(|n| format!("\"k{n}\": 0")).collect();
        format!("{{{}}}", names.join(","))
    };
    check(&many(1000), 0);
    check(&many(500), 1);
    let few: Vec<_> = (0..24).map(|n| format!("\"{n}\": 0")).collect();
    check(&format!("{{{}}}", few.join(",")), 0);
    check(&format!("{{{}, \"7\": 1}}", few[..23].join(",")), 1);
}

#[test]
fn limits_stop_the_reader_where_they_are_passed() {
    let deep = "[".repeat(100_000);
    refused(&deep, Malformed::TooDeep { position: 64, limit: 64 });
    let fits = "[".repeat(64) + &"]".repeat(64);
    assert!(read(&fits, &Limits::new()).is_ok());
    let objects = r#"{"a":"#.repeat(3);
    let shallow = Limits::new().with_max_depth(2);
    let too_deep = Malformed::TooDeep { position: 10, limit: 2 };
    assert_eq!(read(&objects, &shallow).unwrap_err(), too_deep);

    let long = format!("\"{}\"", "x".repeat(10 << 20));
    refused(&long, Malformed::TooLarge { bytes: long.len(), limit: 1 << 20 });
    let roomy = Limits::new().with_max_bytes(usize::MAX);
    let too_long = Malformed::StringTooLong { position: 0, limit: 256 * 1024 };
    assert_eq!(read(&long, &roomy).unwrap_err(), too_long);
    assert!(read(&long, &roomy.with_max_string_bytes(usize::MAX)).is_ok());
    let name = Limits::new().with_max_string_bytes(3);
    let too_long = Malformed::StringTooLong { position: 9, limit: 3 };
    assert_eq!(read(r#"{"abc":1,"abcd":2}"#, &name).unwrap_err(), too_long);
    let none = Limits::new().with_max_depth(0);
    assert_eq!(read("{}", &none).unwrap_err(), Malformed::TooDeep { position: 0, limit: 0 });
    assert!(read("1", &none).is_ok());
}

#[test]
fn decimals_are_exact() {
    let same = [
        ("1", "1.0"),
        ("1", "10e-1"),
        ("-0", "0e99"),
        ("0.0", "0"),
        ("100", "1e2"),
        ("0.001", "1E-3"),
        ("-12.340", "-1234e-2"),
        ("1e999999999999999999999", "1e9999999999999999999999"),
    ];
    for (a, b) in same {
        assert!(Decimal::read(a).same(&Decimal::read(b)), "{a} {b}");
    }
    for (a, b) in [("1", "-1"), ("1", "10"), ("9007199254740993", "9007199254740992"), ("0.1", "1")]
    {
        assert!(!Decimal::read(a).same(&Decimal::read(b)), "{a} {b}");
    }
    for (text, whole) in [("1.0e2", true), ("1.5", false), ("15e-1", false), ("0.0", true)] {
        assert_eq!(Decimal::read(text).is_integer(), whole, "{text}");
    }
    assert_eq!(Decimal::read("-120e-1").to_i128(), Some(-12));
    assert_eq!(Decimal::read("1e999999999").to_i128(), None);
    assert_eq!(Decimal::read("18446744073709551616").to_i128(), Some(1 << 64));
}

#[test]
fn values_equal_what_another_reader_reads() {
    let value: serde_json::Value = serde_json::from_str(ALL).unwrap();
    let tree = tree(ALL);
    let view: JsonView<'_> = tree.view(ALL);
    assert!(equals_value(view, 0, &value));
    assert!(!equals_value(view, 1, &value));
}
