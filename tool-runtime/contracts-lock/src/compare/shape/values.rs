//! The values that a schema lists, which are looked up in constant time.

use std::collections::HashSet;
use std::rc::Rc;

use serde_json::Value;
use tool_runtime_schema::json::comparison_key;

/// Values, each once by value: 1 is 1.0. Copies share them.
#[derive(Debug, Clone)]
pub(in super::super) struct ListedValues(Rc<ValueSet>);

#[derive(Debug)]
struct ValueSet {
    values: Vec<Value>,
    keys: HashSet<String>,
}

impl ListedValues {
    pub(in super::super) fn new<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut keys = HashSet::new();
        let new = values.into_iter().filter(|value| keys.insert(comparison_key(value)));
        let values = new.cloned().collect();
        Self(Rc::new(ValueSet { values, keys }))
    }

    pub(in super::super) fn contains(&self, value: &Value) -> bool {
        self.0.keys.contains(&comparison_key(value))
    }

    /// The values of both.
    pub(in super::super) fn common(&self, other: &Self) -> Self {
        if Rc::ptr_eq(&self.0, &other.0) {
            return self.clone();
        }
        Self::new(self.iter().filter(|value| other.contains(value)))
    }

    pub(in super::super) fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.0.values.iter()
    }

    pub(in super::super) fn len(&self) -> usize {
        self.0.values.len()
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.0.values.is_empty()
    }
}
