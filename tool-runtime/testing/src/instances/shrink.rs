//! Simpler values, for shrinking a failing value.

use serde_json::{Map, Value};

/// Returns all values that are one step simpler, the greatest steps first.
pub(super) fn steps(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(flag) => {
            if *flag {
                vec![Value::Bool(false)]
            } else {
                Vec::new()
            }
        }
        Value::Number(number) => numbers(number),
        Value::String(text) => texts(text).into_iter().map(Value::String).collect(),
        Value::Array(items) => arrays(items),
        Value::Object(properties) => objects(properties),
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
    let toward = whole - whole.signum();
    let mut steps = vec![0, 1, -whole, whole / 1000, whole / 10, whole / 2, toward];
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
        steps.push(without.map(|(_, found)| *found).collect());
    }
    steps.push(chars.iter().map(|_| 'a').collect());
    for index in 0..chars.len().min(MAX_POSITIONS) {
        let plain = |(at, found): (usize, &char)| if at == index { 'a' } else { *found };
        steps.push(chars.iter().enumerate().map(plain).collect());
    }
    steps.retain(|step| weight(step) < weight(text));
    steps
}

/// The most positions of one text or array that are changed.
const MAX_POSITIONS: usize = 24;

/// Orders short texts before long ones, and plain ones before odd ones.
fn weight(text: &str) -> (usize, usize) {
    (text.chars().count(), text.chars().filter(|found| *found != 'a').count())
}

fn arrays(items: &[Value]) -> Vec<Value> {
    let mut smaller = Vec::new();
    if items.len() > 1 {
        smaller.push(Vec::new());
        smaller.push(items[..items.len() / 2].to_vec());
        smaller.push(items[items.len() / 2..].to_vec());
    }
    for index in 0..items.len().min(MAX_POSITIONS) {
        let mut fewer = items.to_vec();
        fewer.remove(index);
        smaller.push(fewer);
    }
    for (index, item) in items.iter().enumerate().take(MAX_POSITIONS) {
        smaller.extend(steps(item).into_iter().map(|simpler| {
            let mut changed = items.to_vec();
            changed[index] = simpler;
            changed
        }));
    }
    smaller.into_iter().map(Value::Array).collect()
}

fn objects(properties: &Map<String, Value>) -> Vec<Value> {
    let without = properties.keys().map(|name| {
        let mut fewer = properties.clone();
        fewer.remove(name);
        Value::Object(fewer)
    });
    let changed = properties.iter().flat_map(|(name, value)| {
        steps(value).into_iter().map(move |simpler| {
            let mut changed = properties.clone();
            changed.insert(name.clone(), simpler);
            Value::Object(changed)
        })
    });
    without.chain(changed).collect()
}
