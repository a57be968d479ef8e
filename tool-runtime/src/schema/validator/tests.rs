use serde_json::json;

use super::{Coerce, Validator};
use crate::limits::Limits;

#[test]
fn smoke() {
    let v = Validator::compile(&json!({"type":"object","properties":{"a":{"type":"integer"},"t":{"type":"array","items":{"type":"string"}},"n":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer"}},"additionalProperties":false},{"type":"null"}]}},"required":["a"],"additionalProperties":false})).unwrap();
    for t in [
        r#"{"a":1}"#,
        r#"{"a":1.0,"t":["x",5]}"#,
        r#"{"a":"5","t":"[\"x\", 7]","n":"{\"x\":\"5\"}"}"#,
        r#"{"b":null,"t":null,"n":{"y":1}}"#,
        r#"{"t":null,"a":1,"t":null}"#,
        r#"{"t":null,"a":1}"#,
        r#"{"a":9007199254740993}"#,
        r#"{"a":1e999999999}"#,
    ] {
        println!(
            "{t}\n  {:?}\n  {:?}",
            v.check(t, &Limits::new(), Coerce::Off),
            v.check(t, &Limits::new(), Coerce::Lossless)
        );
    }
}
