//! Counts the values of a JSON text before a tree of them is built.

/// Returns an upper bound on the number of values and names in a JSON text, by one pass without
/// allocations.
///
/// A tree of `serde_json` takes 32 bytes and more for a value that is two bytes of the text, and an untagged
/// enum of serde several times as much, so the bytes of a text do not bound the memory of its values.
#[must_use]
pub fn value_count(text: &[u8]) -> usize {
    let mut count = 1;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            // Each value and each name but the first one follows one of these.
            b'[' | b'{' | b',' | b':' => count += 1,
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    count
}

/// Skips the bytes of a string after its opening quote.
fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::value_count;

    fn in_tree(value: &Value) -> usize {
        match value {
            Value::Array(items) => 1 + items.iter().map(in_tree).sum::<usize>(),
            Value::Object(members) => 1 + members.values().map(|it| 1 + in_tree(it)).sum::<usize>(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        }
    }

    #[test]
    fn a_tree_has_no_more_values_and_names_than_are_counted_in_its_text() {
        for text in [
            "null",
            "[]",
            "[[],[],{}]",
            r#"{"a":{"b":[1,2,{"c":"x,y:[{\"\\"}]}}"#,
            r#"[",,,,","\"","\\",":",[[[[[0]]]]]]"#,
            r#" { "a" : [ true , false ] , "b" : -1.5e3 } "#,
        ] {
            let tree = in_tree(&serde_json::from_str(text).expect("it is JSON"));
            let counted = value_count(text.as_bytes());
            let empty = text.matches("[]").count() + text.matches("{}").count();
            assert!((tree..=tree + empty).contains(&counted), "{text}: {tree}, {counted}");
        }
    }
}
