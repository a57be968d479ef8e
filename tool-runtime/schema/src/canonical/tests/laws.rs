//! Properties of all texts, checked against independent implementations.

use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use crate::canonical::order::utf16_order;
use crate::canonical::{
    CanonicalForm, Defaults, canonicalize, canonicalize_any, canonicalize_exactly, fast_path,
};

/// A simple and slow implementation of canonical JSON, by way of values.
fn simply(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map(ecmascript).unwrap_or_default(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(simply).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| name.encode_utf16().collect::<Vec<_>>());
            let member = |(name, value): (&String, _)| {
                format!("{}:{}", Value::from(name.as_str()), simply(value))
            };
            format!("{{{}}}", sorted.into_iter().map(member).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// `Number::toString` of ECMA-262: the fewest digits that the standard library needs, then the
/// nearest such digits to the exact value, and the even one of two equally near ones (the RFC
/// requires this rule of its note 2).
fn ecmascript(float: f64) -> String {
    if float == 0.0 {
        return "0".to_owned();
    }
    let shortest = format!("{:e}", float.abs());
    let enough = shortest.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit);
    let text = format!("{:.*e}", enough.count() - 1, float.abs());
    let (digits, power) = text.split_once('e').expect("an exponent");
    let digits = digits.replace('.', "");
    let point = power.parse::<i32>().expect("a power") + 1;
    let length = i32::try_from(digits.len()).expect("few digits");
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let sign = if float < 0.0 { "-" } else { "" };
    let defaults_id = usize::try_from(point).unwrap_or(0);
    let body = match point {
        _ if length <= point && point <= 21 => format!("{digits}{}", zeros(point - length)),
        1..=21 => format!("{}.{}", &digits[..defaults_id], &digits[defaults_id..]),
        -5..=0 => format!("0.{}{digits}", zeros(-point)),
        _ => {
            let fraction = if length > 1 { format!(".{}", &digits[1..]) } else { String::new() };
            format!("{}{fraction}e{:+}", &digits[..1], point - 1)
        }
    };
    format!("{sign}{body}")
}

fn floats() -> impl Strategy<Value = f64> {
    any::<u64>()
        .prop_map(f64::from_bits)
        .prop_filter("JSON has no others", |float| float.is_finite())
}

/// Returns whether no whole number is beyond 2^53 - 1.
fn has_no_large_whole(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.as_f64().is_some_and(|float| float.abs() < 2_f64.powi(53) || float.abs() > 1e39)
        }
        Value::Array(items) => items.iter().all(has_no_large_whole),
        Value::Object(members) => members.values().all(has_no_large_whole),
        _ => true,
    }
}

fn texts() -> impl Strategy<Value = String> {
    let corner =
        prop::sample::select(vec!['\u{ffff}', '\u{e000}', '\u{10000}', '"', '\\', '\u{1f}']);
    prop::collection::vec(prop_oneof![any::<char>(), corner], 0..6)
        .prop_map(|characters| characters.into_iter().collect())
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        floats().prop_map(|float| Number::from_f64(float).map_or(Value::Null, Value::Number)),
        (-99_999_i32..=99_999, 0..8_i32).prop_map(|(digits, objects)| {
            Value::from(f64::from(digits) / 10_f64.powi(objects))
        }),
        texts().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 8, |inner| {
        let members = prop::collection::vec((texts(), inner.clone()), 0..8);
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(Value::from),
            members.prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Values without escapes, long numbers and deep nesting.
fn plain() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i16>().prop_map(Value::from),
        (1..999_u32, 1..4_i32).prop_map(|(digits, objects)| {
            Value::from(f64::from(digits) / 10_f64.powi(objects))
        }),
        "[a-zé]{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let members = prop::collection::vec(("[a-d\u{e000}\u{10000}]{1,2}", inner.clone()), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            members.prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_is_written_as_the_simple_writer_writes_it(value in values()) {
        let simple = simply(&value);
        prop_assert_eq!(canonicalize(&value.to_string()), Ok(simple.clone()));
        let pretty = serde_json::to_string_pretty(&value).expect("text");
        prop_assert_eq!(canonicalize(&pretty), Ok(simple));
    }

    #[test]
    fn every_float_is_written_as_ecmascript_does_and_read_back(float in floats()) {
        let canonical = canonicalize(&format!("{float:e}")).expect("a number");
        prop_assert_eq!(&canonical, &ecmascript(float));
        // Adding zero removes the sign of negative zero.
        prop_assert_eq!(canonical.parse().map(f64::to_bits), Ok((float + 0.0).to_bits()));
    }

    #[test]
    fn every_decimal_is_written_as_ecmascript_does(
        text in r"-?(0|0|[1-9][0-9]{0,15})\.(0{0,8}[0-9]{1,9}|[0-9]{1,17})"
    ) {
        let float = text.parse().expect("a number");
        prop_assert_eq!(canonicalize(&text), Ok(ecmascript(float)));
    }

    #[test]
    fn the_fast_path_writes_only_valid_json_and_as_the_general_writer_does(
        value in values(), plain in plain(), cuts in prop::collection::vec((any::<u16>(), 0..9_u8), 0..3)
    ) {
        for value in [value, plain] {
            let mut text: Vec<char> = value.to_string().chars().collect();
            for (at, what) in &cuts {
                let at = usize::from(*at) % text.len();
                match what {
                    0 if text.len() > 1 => drop(text.remove(at)),
                    0 | 1 => text.insert(at, text[at]),
                    what => text.insert(at, char::from(b" ,0-.}\"e"[usize::from(*what) - 2])),
                }
            }
            let text: String = text.into_iter().collect();
            let (mut any, mut direct) = (Vec::new(), b"before".to_vec());
            let is_valid = canonicalize_any(&text, CanonicalForm::RFC_8785, &mut any).is_ok();
            if fast_path::write(&text, &mut direct) {
                prop_assert!(is_valid, "{}", text);
                prop_assert_eq!(&direct[6..], &any[..]);
            } else {
                prop_assert_eq!(direct, b"before");
            }
        }
    }

    #[test]
    fn arguments_are_told_apart_by_every_digit_of_whole_numbers_and_by_nothing_else(
        left in any::<i128>(), near in -2..=2_i128, spelling in 0..4_u8, noise in values()
    ) {
        let right = left.saturating_add(near);
        let spelled = match spelling {
            0 => right.to_string(),
            1 => format!("{right}.0"),
            2 => format!("{right}0e-1"),
            _ => format!("{}.{}E+1", right / 10, right.unsigned_abs() % 10),
        };
        // Without digits before the point, there is none to carry the sign.
        prop_assume!(spelling < 3 || right.unsigned_abs() >= 10);
        let [one, other] = [left.to_string(), spelled].map(|number| {
            let mut out = Vec::new();
            let text = format!(r#"{{"b": {number}, "a": {noise}}}"#);
            canonicalize_exactly(&text, Defaults::none(), &mut out).map(|()| out)
        });
        prop_assert_eq!(one? == other?, left == right);
    }

    #[test]
    fn arguments_that_every_reader_keeps_have_the_form_of_the_rfc(value in values()) {
        let mut out = Vec::new();
        if has_no_large_whole(&value) {
            canonicalize_exactly(&value.to_string(), Defaults::none(), &mut out)?;
            prop_assert_eq!(String::from_utf8(out).ok(), canonicalize(&value.to_string()).ok());
        }
    }

    #[test]
    fn names_compare_as_their_utf16_forms(left in texts(), right in texts()) {
        let expected = left.encode_utf16().cmp(right.encode_utf16());
        prop_assert_eq!(utf16_order(&left, &right), expected);
    }

    #[test]
    fn any_text_is_written_or_refused_within_it(text in ".{0,40}") {
        match canonicalize(&text) {
            Ok(canonical) => prop_assert!(canonical.len() <= text.len() * 4 + 24),
            Err(error) => prop_assert!(error.position() <= text.len()),
        }
    }
}
