//! The texts by which many values are compared at once, where comparing each pair takes too long.

use serde_json::Value;

use super::Decimal;

/// Returns a text that two values share exactly if they are equal.
///
/// Numbers are equal by value, as 1 and 1.0 are, and objects in any order of their names.
#[must_use]
pub fn comparison_key(value: &Value) -> String {
    let mut key = String::new();
    write(value, &mut key);
    crate::test_cost::count(1 + key.len() / 64);
    key
}

fn write(value: &Value, key: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => key.push_str(&value.to_string()),
        Value::Number(number) => write_number(&number.to_string(), key),
        Value::Array(items) => {
            key.push('[');
            for item in items {
                write(item, key);
                key.push(',');
            }
            key.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            key.push('{');
            for (name, value) in members {
                write(&Value::from(name.as_str()), key);
                key.push(':');
                write(value, key);
                key.push(',');
            }
            key.push('}');
        }
    }
}

fn write_number(text: &str, key: &mut String) {
    let number = Decimal::read(text);
    if number.is_negative() && !number.is_zero() {
        key.push('-');
    }
    key.extend(number.digits().map(char::from));
    key.push('e');
    key.push_str(&number.exponent().to_string());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_share_a_key_and_others_do_not() {
        let groups = [
            vec![json!(1), json!(1.0), json!(1e0)],
            vec![json!(0), json!(-0.0), json!(0.0)],
            vec![json!(-1)],
            vec![json!(10), json!(1e1)],
            vec![json!("1")],
            vec![json!("e0"), json!("e0")],
            vec![json!([1, 2]), json!([1.0, 2.0])],
            vec![json!([12])],
            vec![json!({"a": 1, "b": 2}), json!({"b": 2.0, "a": 1})],
            vec![json!(null)],
            vec![json!(true)],
            vec![json!(9_007_199_254_740_993_u64)],
            vec![json!(9_007_199_254_740_992_u64)],
        ];
        let keys: Vec<Vec<_>> =
            groups.iter().map(|group| group.iter().map(comparison_key).collect()).collect();
        for (at, group) in keys.iter().enumerate() {
            assert!(group.iter().all(|key| *key == group[0]), "{group:?}");
            assert!(keys[..at].iter().all(|other| other[0] != group[0]), "{group:?}");
        }
    }
}
