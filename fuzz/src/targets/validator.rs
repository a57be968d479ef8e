//! The checker and `serde_json` agree; the first line is a schema, the rest a text.

use serde_json::Value;
use tool_runtime::Limits;
use tool_runtime::schema::{Coerce, Validator};

pub(super) fn run(data: &[u8]) {
    let Ok(data) = std::str::from_utf8(data) else { return };
    let (schema, text) = data.split_once('\n').unwrap_or(("true", data));
    let schema = serde_json::from_str(schema).unwrap_or(Value::Bool(true));
    let Ok(validator) = Validator::compile(&schema) else { return };
    let limits = Limits::new().with_max_depth(Limits::DEEPEST);
    let strict = validator.check(text, &limits, Coerce::Off);
    let lossless = validator.check(text, &limits, Coerce::Lossless);

    let read = serde_json::from_str::<Value>(text);
    if read.is_ok() {
        assert_eq!(strict.malformed, None, "serde reads what is called malformed");
    }
    if strict.is_admitted() {
        assert!(read.is_ok(), "serde refuses what is admitted");
        assert!(lossless.is_admitted(), "coercion refuses what passes without");
    }
    for coerced in strict.coerced.iter().chain(&lossless.coerced) {
        let again = validator.check(coerced, &limits, Coerce::Off);
        assert!(again.is_admitted() && again.coerced.is_none(), "coerced to what is refused");
    }
    for masked in strict.masked.iter().chain(&lossless.masked) {
        assert!(serde_json::from_str::<Value>(masked).is_ok(), "masked to what is no JSON");
    }
    let _ = validator.violation_at(text, text.len() / 2, &limits);
}
