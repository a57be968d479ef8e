//! Simpler values, for shrinking a value that shows a fault.

use std::iter;
use std::ops::Range;

use serde_json::{Map, Value};

/// Returns all values that are one step simpler, the greatest steps first.
#[must_use]
pub fn simpler_values(value: &Value) -> Box<dyn Iterator<Item = Value> + '_> {
    match value {
        Value::Null | Value::Bool(false) => Box::new(iter::empty()),
        Value::Bool(true) => Box::new(iter::once(Value::Bool(false))),
        Value::Number(number) => Box::new(numbers(number).into_iter()),
        Value::String(text) => Box::new(texts(text).into_iter().map(Value::String)),
        Value::Array(items) => Box::new(arrays(items)),
        Value::Object(properties) => Box::new(objects(properties)),
    }
}

fn numbers(number: &serde_json::Number) -> Vec<Value> {
    if let Some(float) = number.as_f64().filter(|_| number.is_f64()) {
        let steps = [0.0, 1.0, float.trunc(), float / 2.0];
        let steps = steps.into_iter().filter(|step| step.abs() < float.abs());
        return steps.filter_map(super::number::plain).collect();
    }
    let Some(whole) = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
    else {
        return Vec::new();
    };
    let mut steps = vec![0, 1, -whole, whole / 1000, whole / 10, whole / 2];
    // Ever smaller steps, so that the least admitted number is reached in few of them.
    steps.extend([4, 16, 256, 65_536].map(|part| whole - whole / part));
    steps.push(whole - whole.signum());
    steps.retain(|step| (step.unsigned_abs(), *step < 0) < (whole.unsigned_abs(), whole < 0));
    steps.dedup();
    steps.into_iter().filter_map(super::number::number).collect()
}

fn texts(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut steps = vec![String::new()];
    steps.push(chars[..chars.len() / 2].iter().collect());
    steps.push(chars[chars.len() / 2..].iter().collect());
    for index in 0..chars.len().min(MAX_POSITIONS) {
        let without = chars.iter().enumerate().filter(|(at, _)| *at != index);
        steps.push(without.map(|(_, letter)| *letter).collect());
    }
    steps.push(chars.iter().map(|_| 'a').collect());
    for index in 0..chars.len().min(MAX_POSITIONS) {
        let plain = |(at, letter): (usize, &char)| if at == index { 'a' } else { *letter };
        steps.push(chars.iter().enumerate().map(plain).collect());
    }
    steps.retain(|step| weight(step) < weight(text));
    steps
}

/// The most positions of one text or array that are changed.
const MAX_POSITIONS: usize = 24;

/// Orders short texts before long ones, and plain ones before odd ones.
fn weight(text: &str) -> (usize, usize) {
    (text.chars().count(), text.chars().filter(|letter| *letter != 'a').count())
}

fn arrays(items: &[Value]) -> impl Iterator<Item = Value> + '_ {
    let (first, second) = items.split_at(items.len() / 2);
    let parts = [&[][..], first, second].into_iter().filter(|_| items.len() > 1);
    let without = (0..items.len().min(MAX_POSITIONS))
        .map(move |index| [&items[..index], &items[index + 1..]].concat());
    let changed = items.iter().enumerate().take(MAX_POSITIONS).flat_map(move |(index, item)| {
        simpler_values(item).map(move |simpler| {
            let mut changed = items.to_vec();
            changed[index] = simpler;
            changed
        })
    });
    parts.map(<[Value]>::to_vec).chain(without).chain(changed).map(Value::Array)
}

fn objects(properties: &Map<String, Value>) -> impl Iterator<Item = Value> + '_ {
    let count = properties.len();
    let without = move |omitted: Range<usize>| -> Value {
        let members = properties.iter().enumerate().filter(|(at, _)| !omitted.contains(at));
        members.map(|(_, (name, value))| (name.clone(), value.clone())).collect()
    };
    let halves = [0..count / 2, count / 2..count].into_iter().filter(move |_| count > 2);
    let single = (0..count).map(|at| at..at + 1);
    let changed = properties.iter().flat_map(move |(name, value)| {
        simpler_values(value).map(move |simpler| {
            let mut changed = properties.clone();
            changed.insert(name.clone(), simpler);
            Value::Object(changed)
        })
    });
    halves.chain(single).map(without).chain(changed)
}
