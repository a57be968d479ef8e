//! Decides whether a single value is valid; `None` if that is unknown.

use std::collections::HashSet;

use serde_json::{Map, Value};
use tool_runtime_schema::json::comparison_key;

use super::super::shape::{
    ArrayConstraints, AtomicRule, ObjectConstraints, Shape, TypeConstraints,
};
use super::super::subschema::AllOf;
use super::{MAX_DEPTH, Prover};

impl<'s> Prover<'s> {
    pub(in super::super) fn admits(&mut self, all_of: &AllOf<'s>, value: &Value) -> Option<bool> {
        if self.steps == 0 || self.depth == MAX_DEPTH {
            return None;
        }
        self.steps -= 1;
        self.depth += 1;
        let expansion = self.expansion(all_of);
        let verdict = self.any_admits(&expansion.shapes, value);
        self.depth -= 1;
        verdict.filter(|passes| *passes || expansion.overflow.is_none())
    }

    pub(super) fn any_admits(&mut self, shapes: &[Shape<'s>], value: &Value) -> Option<bool> {
        any(shapes, |shape| self.shape_admits(shape, value))
    }

    pub(super) fn shape_admits(&mut self, shape: &Shape<'s>, value: &Value) -> Option<bool> {
        if !shape.is_of(value) || !shape.values.as_ref().is_none_or(|it| it.contains(value)) {
            return Some(false);
        }
        let constraints = self.body_admits(&shape.constraints, value);
        both(constraints, || all(&shape.rules, |rule| self.atom_admits(rule, value)))
    }

    pub(super) fn body_admits(
        &mut self,
        constraints: &TypeConstraints<'s>,
        value: &Value,
    ) -> Option<bool> {
        if !self.spend_reads(1) {
            return None;
        }
        match (constraints, value) {
            (TypeConstraints::Null, Value::Null) | (TypeConstraints::Boolean, Value::Bool(_)) => {
                Some(true)
            }
            (TypeConstraints::Number(numbers), Value::Number(number)) => numbers.admits(number),
            (TypeConstraints::Text(texts), Value::String(text)) => texts.admits(text),
            (TypeConstraints::Array(arrays), Value::Array(items)) => {
                self.array_admits(arrays, items)
            }
            (TypeConstraints::Object(objects), Value::Object(map)) => {
                self.object_admits(objects, map)
            }
            (
                TypeConstraints::Null
                | TypeConstraints::Boolean
                | TypeConstraints::Number(_)
                | TypeConstraints::Text(_)
                | TypeConstraints::Array(_)
                | TypeConstraints::Object(_),
                _,
            ) => Some(false),
        }
    }

    fn array_admits(&mut self, arrays: &ArrayConstraints<'s>, items: &[Value]) -> Option<bool> {
        let sized = (arrays.min..=arrays.max).contains(&items.len());
        if !sized || (arrays.unique && repeats(items)) {
            return Some(false);
        }
        let pairs: Vec<_> = items.iter().enumerate().collect();
        let each = all(&pairs, |(at, item)| self.admits(&arrays.at(*at), item));
        if arrays.contains.is_empty() { each } else { each.filter(|passes| !passes) }
    }

    fn object_admits(
        &mut self,
        objects: &ObjectConstraints<'s>,
        map: &Map<String, Value>,
    ) -> Option<bool> {
        let lacks = objects.required.iter().any(|name| !map.contains_key(*name));
        if lacks || !(objects.min..=objects.max).contains(&map.len()) {
            return Some(false);
        }
        let pairs: Vec<_> = map.iter().collect();
        let each = all(&pairs, |(name, value)| {
            let name_verdict = self.admits(&objects.names, &Value::from(name.as_str()));
            both(name_verdict, || self.admits(&objects.property(name)?, value))
        });
        if objects.dependents.is_empty() { each } else { each.filter(|passes| !passes) }
    }

    fn atom_admits(&mut self, rule: &AtomicRule<'s>, value: &Value) -> Option<bool> {
        match rule {
            AtomicRule::Not(subschema) => {
                self.admits(&subschema.all_of(), value).map(|passes| !passes)
            }
            AtomicRule::One(_, branches) => {
                let mut passed = 0;
                for branch in branches {
                    passed += usize::from(self.admits(&branch.all_of(), value)?);
                }
                Some(passed == 1)
            }
            AtomicRule::UnknownKeyword(..) | AtomicRule::Unreadable(..) => None,
        }
    }
}

fn repeats(items: &[Value]) -> bool {
    let mut keys = HashSet::new();
    !items.iter().all(|item| keys.insert(comparison_key(item)))
}

fn both(first: Option<bool>, second: impl FnOnce() -> Option<bool>) -> Option<bool> {
    match first {
        Some(false) => Some(false),
        first => match second() {
            Some(true) => first,
            second => second,
        },
    }
}

fn all<T>(list: &[T], mut test: impl FnMut(&T) -> Option<bool>) -> Option<bool> {
    let mut verdict = Some(true);
    for item in list {
        match test(item) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => verdict = None,
        }
    }
    verdict
}

fn any<T>(list: &[T], mut test: impl FnMut(&T) -> Option<bool>) -> Option<bool> {
    all(list, |item| test(item).map(|passes| !passes)).map(|none| !none)
}
