//! Edits of one text that share separators.

use serde_json::{Value, json};

use super::{Coerce, report};

#[test]
fn properties_that_are_omitted_share_their_separators() {
    let a = json!({"type": "integer"});
    let schema =
        json!({"type": "object", "properties": {"s": {"type": "string"}, "a": a, "b": a, "c": a}});
    for (text, expected) in [
        (r#"{"s":"s","a":null,"b":null}"#, r#"{"s":"s"}"#),
        (r#"{"a":null,"s":"s","b":null,"c":null}"#, r#"{"s":"s"}"#),
        (r#"{ "a" : null , "b" : null }"#, "{  }"),
        (r#"{"a":null,"b":"2","c":null}"#, r#"{"b":2}"#),
    ] {
        let report = report(&schema, text, Coerce::Lossless);
        assert_eq!(report.coerced.as_deref(), Some(expected), "{text} {:?}", report.violations);
    }
}

/// A fixed sequence of pseudorandom numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// A property's value as it is sent and as it is meant; none if it is left out.
    fn value(&mut self, depth: u32) -> (String, Option<Value>) {
        match self.below(if depth == 0 { 5 } else { 7 }) {
            0 | 1 => ("null".to_owned(), None),
            2 => ("7".to_owned(), Some(json!(7))),
            3 => ("\"7\"".to_owned(), Some(json!(7))),
            4 => ("7.0e0".to_owned(), Some(json!(7))),
            5 => {
                let (text, value) = self.object(depth - 1);
                (text, Some(value))
            }
            _ => {
                let (text, value) = self.object(depth - 1);
                (Value::String(text).to_string(), Some(value))
            }
        }
    }

    fn object(&mut self, depth: u32) -> (String, Value) {
        let mut meant = serde_json::Map::new();
        let mut members = Vec::new();
        for name in ["a", "b", "c", "d", "e"] {
            if self.below(4) > 0 {
                let (text, value) = self.value(depth);
                // Numbers stand at one name, objects at another one.
                let name = if text.starts_with(['{', '\\']) || text.starts_with("\"{") {
                    format!("{name}o")
                } else {
                    name.to_owned()
                };
                members.push(format!(
                    "{}\"{name}\" : {text}",
                    " ".repeat(usize::from(self.below(2) == 1))
                ));
                meant.extend(value.map(|value| (name, value)));
            }
        }
        (format!("{{{}}}", members.join(" , ")), Value::Object(meant))
    }
}

#[test]
fn random_edits_of_one_text_leave_it_as_it_is_meant() {
    let number = json!({"type": "integer"});
    let names = ["a", "b", "c", "d", "e"];
    let mut properties: Vec<_> =
        names.iter().map(|it| ((*it).to_owned(), number.clone())).collect();
    properties.extend(names.iter().map(|it| (format!("{it}o"), json!({"$ref": "#"}))));
    // Each half of the schema omits properties of its own.
    let (one, two): (Vec<_>, Vec<_>) =
        properties.into_iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let part = |half: Vec<(usize, (String, Value))>| {
        let listed: serde_json::Map<_, _> = half.into_iter().map(|(_, it)| it).collect();
        json!({ "properties": listed })
    };
    let schema = json!({"type": "object", "allOf": [part(one), part(two)]});
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for _ in 0..2_000 {
        let (text, meant) = numbers.object(3);
        let report = report(&schema, &text, Coerce::Lossless);
        assert_eq!(report.violations, [], "{text}");
        let coerced = report.coerced.unwrap_or_else(|| text.clone());
        let read: Value = serde_json::from_str(&coerced).expect(&coerced);
        assert_eq!(read, meant, "{text}\n{coerced}");
    }
}
