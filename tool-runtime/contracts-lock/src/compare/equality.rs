//! Equality of JSON values, and of schemas apart from annotations.

use std::collections::BTreeSet;

use serde_json::Value;
use tool_runtime_schema::json::Decimal;
use tool_runtime_schema::schema::subschemas::SchemaKeyword;

use super::keywords;
use super::subschema::Subschema;

/// Returns whether two values are equal. Numbers are compared by value: 1 equals 1.0.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    tool_runtime_schema::test_cost::count(1);
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            Decimal::read(&a.to_string()).same(&Decimal::read(&b.to_string()))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, value)| b.get(name).is_some_and(|other| equal(value, other));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

/// Returns whether two schemas are equal, apart from annotations and definition names.
pub(super) fn same_assertions<'s>(a: Subschema<'s>, b: Subschema<'s>) -> bool {
    SchemaEquality { seen: BTreeSet::new() }.schemas(a, b)
}

struct SchemaEquality {
    /// Pairs that are compared, now or before: a reference back to them is not a difference.
    seen: BTreeSet<(usize, usize)>,
}

impl SchemaEquality {
    fn schemas<'s>(&mut self, a: Subschema<'s>, b: Subschema<'s>) -> bool {
        let (a, b) = (a.resolved(), b.resolved());
        if a.id() == b.id() || !self.seen.insert((a.id(), b.id())) {
            return true;
        }
        let (Some(left), Some(right)) = (a.keywords(), b.keywords()) else {
            return a.schema == b.schema;
        };
        let words = left.keys().chain(right.keys()).filter(|word| keywords::asserts(word));
        words.collect::<BTreeSet<_>>().into_iter().all(|word| self.keyword(word, a, b))
    }

    fn keyword<'s>(&mut self, word: &str, a: Subschema<'s>, b: Subschema<'s>) -> bool {
        let (Some(left), Some(right)) = (a.get(word), b.get(word)) else { return false };
        match word {
            "$ref" => match (a.target(), b.target()) {
                (Some(a), Some(b)) => self.schemas(a, b),
                (None, None) => left == right && a.is_external() && b.is_external(),
                _ => false,
            },
            word => match (SchemaKeyword::named(word), left, right) {
                (Some(keyword), ..) if keyword.is_map() => {
                    let (left, right) = (a.subschema_map(word), b.subschema_map(word));
                    let mut pairs = left.iter().zip(&right);
                    left.len() == right.len()
                        && pairs.all(|(a, b)| a.0 == b.0 && self.schemas(a.1, b.1))
                }
                (Some(_), Value::Array(_), Value::Array(_)) => {
                    self.lists(a.list(word), b.list(word))
                }
                (Some(_), ..) => self.schemas(a.with_schema(left), b.with_schema(right)),
                (None, ..) => equal(left, right),
            },
        }
    }

    fn lists<'s>(&mut self, a: Vec<Subschema<'s>>, b: Vec<Subschema<'s>>) -> bool {
        a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| self.schemas(a, b))
    }
}
