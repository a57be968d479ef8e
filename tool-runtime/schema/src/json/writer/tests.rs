use std::collections::BTreeMap;
use std::fmt;

use proptest::prelude::*;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::write;

/// Checks that the value is written as `serde_json` writes it, or is an error of the same text.
#[track_caller]
fn check(value: &impl Serialize) {
    let mut written = b"before".to_vec();
    let result = write(&mut written, value).map(|_| String::from_utf8(written).expect("UTF-8"));
    let expected = serde_json::to_string(value).map(|json| format!("before{json}"));
    assert_eq!(result.map_err(|it| it.to_string()), expected.map_err(|it| it.to_string()));
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
struct Newtype(u8);

#[derive(Serialize)]
struct Tuple(u8, &'static str);

#[derive(Serialize)]
struct Fields {
    #[serde(rename = "a \"name\"\n")]
    escaped: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    absent: Option<u8>,
    null: Option<u8>,
    nested: Option<Box<Fields>>,
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
enum Variants {
    Unit,
    Newtype(u8),
    Tuple(u8, bool),
    Struct { a: char },
    Empty {},
}

#[derive(Serialize)]
#[serde(tag = "kind")]
enum Tagged {
    First { a: u8 },
}

/// Formats itself in fragments; fails if it is told to.
struct Shown(bool);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a \"{}\"\t", 1)?;
        if self.0 { Ok(()) } else { Err(fmt::Error) }
    }
}

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

struct Bytes;

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&[0, 7, 255])
    }
}

fn keyed<K: Ord>(key: K) -> BTreeMap<K, Vec<u8>> {
    BTreeMap::from([(key, vec![1])])
}

#[test]
fn every_form_of_a_value_is_written_as_serde_json_writes_it() {
    check(&(true, (), Unit, Newtype(1), Tuple(2, "x"), Bytes, Shown(true)));
    check(&(i8::MIN, i16::MIN, i32::MIN, i64::MIN, i128::MIN, u64::MAX, u128::MAX));
    check(&(0.0_f32, -0.0_f64, 1.5_f32, 1e300_f64, f64::NAN, f32::INFINITY, f64::NEG_INFINITY));
    check(&[Variants::Unit, Variants::Newtype(1), Variants::Tuple(1, true)]);
    check(&[Variants::Struct { a: '\u{1}' }, Variants::Empty {}]);
    check(&Tagged::First { a: 1 });
    let inner = Fields { escaped: -1, absent: Some(1), null: None, nested: None };
    check(&Fields { escaped: 1, absent: None, null: Some(0), nested: Some(Box::new(inner)) });
    check(&(Vec::<u8>::new(), BTreeMap::<String, u8>::new(), [[0_u8; 0]; 2], [Some(1), None]));
    check(&json!({ "a": [1, 2.5, null, { "b": "\u{e9}\u{1f600}" }], "": {} }));
}

#[test]
fn the_keys_of_maps_are_texts_or_errors_as_of_serde_json() {
    check(&keyed("a \"key\""));
    check(&keyed('\\'));
    check(&keyed(true));
    check(&(keyed(i8::MIN), keyed(i64::MIN), keyed(u64::MAX), keyed(i128::MIN)));
    check(&(keyed(Newtype(3)), keyed(Variants::Unit), keyed(Some("x"))));
    check(&keyed(None::<u8>));
    check(&keyed(()));
    check(&keyed((1, 2)));
    check(&keyed(Variants::Newtype(1)));
    check(&keyed(Variants::Struct { a: 'a' }));
    check(&keyed(BTreeMap::<u8, u8>::new()));
}

#[test]
fn a_text_that_is_json_already_is_copied() {
    #[derive(Serialize)]
    struct Around<'r> {
        raw: &'r RawValue,
        after: u8,
    }
    let raw = RawValue::from_string(r#" {"a" : [null, "\u0001"]} "#.to_owned()).expect("JSON");
    check(&vec![("x", &*raw), ("y", &*raw)]);
    check(&Around { raw: &raw, after: 1 });
}

#[test]
fn a_text_that_is_json_already_has_no_tag() {
    #[derive(Serialize)]
    #[serde(tag = "type")]
    enum Reply {
        Raw(Box<RawValue>),
    }
    let raw = RawValue::from_string(r#"{"a":1}"#.to_owned()).expect("JSON");
    assert!(write(&mut Vec::new(), &Reply::Raw(raw.clone())).is_err());
    check(&Reply::Raw(raw));
}

#[test]
fn a_value_that_does_not_format_itself_is_an_error() {
    assert!(write(&mut Vec::new(), &Shown(false)).is_err());
}

#[test]
fn every_null_is_noticed_and_nothing_else() {
    #[track_caller]
    fn nulls(value: &impl Serialize, expected: bool) {
        assert_eq!(write(&mut Vec::new(), value).expect("a value"), expected);
    }
    nulls(&json!([1, { "null": "null" }, false, 0]), false);
    nulls(&json!([{ "a": [null] }]), true);
    nulls(&[1.0, f64::NAN], true);
    nulls(&(1, ()), true);
}

#[test]
fn every_character_is_escaped_at_every_place_as_of_serde_json() {
    for character in ('\0'..='\u{100}').chain(['\u{2028}', '\u{ffff}', '\u{1f600}']) {
        for before in 0..18 {
            for after in 0..10 {
                let text = format!("{}{character}{}", "a".repeat(before), "\u{7f}".repeat(after));
                check(&text);
            }
        }
    }
}

fn values() -> impl Strategy<Value = Value> {
    let text = || prop_oneof!["[ -~]{0,40}", any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..8)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_is_written_as_serde_json_writes_it(value in values()) {
        check(&value);
    }
}
