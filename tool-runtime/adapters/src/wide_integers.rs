//! Keeps the digits of integers beyond 64 bits, which a `serde_json::Value` rounds to a float, and finds
//! integers that a float would round, for providers that read every number as a float.
//!
//! A response is read into values that hold a placeholder for each such integer. A turn replaces the
//! placeholders in its messages by rounded numbers, and keeps the digits with their places.

use std::fmt;
use std::sync::OnceLock;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tool_runtime_schema::json::{fits_64_bits, from_text};
use uuid::Uuid;

/// An integer of a message as the model or the provider wrote it.
#[derive(Debug, Clone)]
pub(super) struct WideInteger {
    /// The index of the message.
    pub(super) message: usize,
    /// The names and indexes that lead to it.
    pub(super) path: Vec<String>,
    pub(super) digits: Box<RawValue>,
}

/// Returns whether a number is an integer that no 64 bits hold.
pub(super) fn is_wide(number: &str) -> bool {
    is_integer(number) && !fits_64_bits(number)
}

/// Returns whether a number is an integer that a float rounds, or may round.
pub(super) fn is_rounded(number: &str) -> bool {
    const MAX_EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    let size = number.parse::<i64>().map(i64::unsigned_abs).or_else(|_| number.parse());
    is_integer(number) && size.map_or(true, |size| size > MAX_EXACT)
}

/// Returns whether a JSON text may have an integer that no 64 bits hold.
pub(super) fn may_be_in(text: &str) -> bool {
    has_digits(text, 19)
}

/// Returns whether a JSON text may have an integer that a float rounds.
pub(super) fn may_be_rounded_in(text: &str) -> bool {
    has_digits(text, 16)
}

fn is_integer(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a text has as many digits in a row.
fn has_digits(text: &str, least: usize) -> bool {
    let not_a_digit = |byte: &u8| !byte.is_ascii_digit();
    text.len() >= least && text.as_bytes().split(not_a_digit).any(|digits| digits.len() >= least)
}

/// The value that stands for an integer until [`take`].
pub(super) fn placeholder(digits: &str) -> Value {
    json!({ mark(): digits })
}

/// Replaces the placeholders in messages by rounded numbers; returns the integers.
pub(super) fn take(messages: &mut [Value]) -> Vec<WideInteger> {
    let mut integers = Vec::new();
    for (message, value) in messages.iter_mut().enumerate() {
        let mut path = Vec::new();
        visit(value, &mut path, &mut |path, digits| {
            let path = path.iter().map(PathStep::to_string).collect();
            integers.push(WideInteger { message, path, digits });
        });
    }
    integers
}

/// The value with rounded numbers in place of the placeholders.
pub(super) fn rounded(mut value: Value) -> Value {
    visit(&mut value, &mut Vec::new(), &mut |_, _| {});
    value
}

/// A name or an index that leads to a value.
enum PathStep<'v> {
    Name(&'v str),
    Index(usize),
}

impl fmt::Display for PathStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

fn visit<'v>(
    value: &'v mut Value,
    path: &mut Vec<PathStep<'v>>,
    found: &mut dyn FnMut(&[PathStep<'_>], Box<RawValue>),
) {
    if let Some(digits) = value.as_object().and_then(digits_of) {
        *value = from_text(digits.get()).unwrap_or_default();
        return found(path, digits);
    }
    let mut below = |step, inner| {
        path.push(step);
        visit(inner, path, found);
        path.pop();
    };
    match value {
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, inner)| below(PathStep::Name(name), inner));
        }
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(at, inner)| below(PathStep::Index(at), inner));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The integer for which an object stands.
fn digits_of(fields: &Map<String, Value>) -> Option<Box<RawValue>> {
    let digits = fields.get(mark()).filter(|_| fields.len() == 1)?.as_str()?;
    RawValue::from_string(digits.to_owned()).ok()
}

/// The name in a placeholder, which no response can contain.
fn mark() -> &'static str {
    static MARK: OnceLock<String> = OnceLock::new();
    MARK.get_or_init(|| format!("integer {}", Uuid::new_v4()))
}
