//! Bounds the copies of a schema's parts, so that no schema takes more than its size in proportion.

use serde_json::Value;
use tool_runtime_schema::schema::subschemas::SchemaKeyword;

use super::Keywords;

/// The weight of the copies that any schema may take: about 1 MiB of text.
const LEAST_WEIGHT: usize = 50_000;
/// The weight of the copies that a schema may take, in multiples of its own.
const WEIGHT_GROWTH: usize = 16;
/// The characters that weigh as much as one value.
const CHARACTERS_PER_VALUE: usize = 32;

/// The weight of copies that is left: one for each value, and one for each 32 bytes of its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct CopyBudget {
    left: usize,
}

impl CopyBudget {
    /// Returns the budget of a schema.
    pub(super) fn for_schema(schema: &Value) -> Self {
        let mut meter = WeightMeter { weight: 0, limit: usize::MAX };
        meter.add(schema);
        Self { left: LEAST_WEIGHT.max(meter.weight.saturating_mul(WEIGHT_GROWTH)) }
    }

    /// Spends the weight of so many copies of a schema, without its definitions; false if less is
    /// left. What it takes to find that out is spent then, and no more.
    pub(super) fn spend(&mut self, keywords: &Keywords, copies: usize) -> bool {
        let limit = self.left / copies.max(1);
        let mut meter = WeightMeter { weight: 0, limit };
        let mut members =
            keywords.iter().filter(|(keyword, _)| !SchemaKeyword::holds_definitions(keyword));
        if !members.all(|(keyword, value)| meter.add_member(keyword, value)) {
            self.left = self.left.saturating_sub(meter.weight);
            tool_runtime_schema::test_cost::count(meter.weight);
            return false;
        }
        self.left -= meter.weight * copies;
        true
    }

    pub(super) const fn is_spent(self) -> bool {
        self.left == 0
    }

    /// Spends one step for each of so many values that are read; false if none is left.
    pub(super) fn spend_steps(&mut self, steps: usize) -> bool {
        tool_runtime_schema::test_cost::count(steps.min(self.left));
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }
}

/// Weighs values, up to a limit.
struct WeightMeter {
    weight: usize,
    limit: usize,
}

impl WeightMeter {
    /// Adds a value; false once the limit is exceeded.
    fn add(&mut self, value: &Value) -> bool {
        self.weight += 1;
        match value {
            Value::String(text) => self.weight += text.len() / CHARACTERS_PER_VALUE,
            Value::Array(items) => {
                items.iter().all(|item| self.add(item));
            }
            Value::Object(members) => {
                members.iter().all(|(name, value)| self.add_member(name, value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        self.weight <= self.limit
    }

    fn add_member(&mut self, name: &str, value: &Value) -> bool {
        self.weight += name.len() / CHARACTERS_PER_VALUE;
        self.add(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn copies_are_refused_once_their_weight_is_spent() {
        let keywords =
            json!({"enum": ["a", "b"], "description": "x".repeat(64), "$defs": {"a": {}}});
        let keywords = keywords.as_object().expect("an object");
        let mut budget = CopyBudget { left: 20 };
        assert!(budget.spend(keywords, 3));
        assert_eq!(budget.left, 2);
        assert!(!budget.spend(keywords, 1));
        assert!(budget.spend(&Keywords::new(), 1_000));
    }
}
