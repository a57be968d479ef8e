//! Whether a single value passes, where that can be told.

use serde_json::{Map, Value};

use super::super::part::Node;
use super::super::shape::{Arrays, Atom, Body, Objects, Shape};
use super::{DEEPEST, Prover};
use crate::schema::compare::alike::equal;

impl<'s> Prover<'s> {
    pub(super) fn admits(&mut self, node: &Node<'s>, value: &Value) -> Option<bool> {
        if self.steps == 0 || self.depth == DEEPEST {
            return None;
        }
        self.steps -= 1;
        self.depth += 1;
        let expansion = self.expansion(node);
        let found = self.any_admits(&expansion.shapes, value);
        self.depth -= 1;
        found.filter(|passes| *passes || expansion.overflow.is_none())
    }

    pub(super) fn any_admits(&mut self, shapes: &[Shape<'s>], value: &Value) -> Option<bool> {
        any(shapes, |shape| self.shape_admits(shape, value))
    }

    pub(super) fn shape_admits(&mut self, shape: &Shape<'s>, value: &Value) -> Option<bool> {
        let listed = |values: &Vec<Value>| values.iter().any(|other| equal(other, value));
        if !shape.is_of(value) || !shape.values.as_ref().is_none_or(listed) {
            return Some(false);
        }
        let body = self.body_admits(&shape.body, value);
        both(body, || all(&shape.atoms, |atom| self.atom_admits(atom, value)))
    }

    pub(super) fn body_admits(&mut self, body: &Body<'s>, value: &Value) -> Option<bool> {
        match (body, value) {
            (Body::Null, Value::Null) | (Body::Boolean, Value::Bool(_)) => Some(true),
            (Body::Number(numbers), Value::Number(number)) => numbers.admits(number),
            (Body::Text(texts), Value::String(text)) => texts.admits(text),
            (Body::Array(arrays), Value::Array(items)) => self.array_admits(arrays, items),
            (Body::Object(objects), Value::Object(map)) => self.object_admits(objects, map),
            _ => Some(false),
        }
    }

    fn array_admits(&mut self, arrays: &Arrays<'s>, items: &[Value]) -> Option<bool> {
        let repeated =
            (1..items.len()).any(|at| items[..at].iter().any(|item| equal(item, &items[at])));
        let sized = (arrays.min..=arrays.max).contains(&items.len());
        if !sized || (arrays.unique && repeated) {
            return Some(false);
        }
        let pairs: Vec<_> = items.iter().enumerate().collect();
        let each = all(&pairs, |(at, item)| self.admits(&arrays.at(*at), item));
        if arrays.contains.is_empty() { each } else { each.filter(|passes| !passes) }
    }

    fn object_admits(&mut self, objects: &Objects<'s>, map: &Map<String, Value>) -> Option<bool> {
        let lacks = objects.required.iter().any(|name| !map.contains_key(*name));
        if lacks || !(objects.min..=objects.max).contains(&map.len()) {
            return Some(false);
        }
        let pairs: Vec<_> = map.iter().collect();
        let each = all(&pairs, |(name, value)| {
            let named = self.admits(&objects.names, &Value::from(name.as_str()));
            both(named, || self.admits(&objects.property(name)?, value))
        });
        if objects.dependents.is_empty() { each } else { each.filter(|passes| !passes) }
    }

    fn atom_admits(&mut self, atom: &Atom<'s>, value: &Value) -> Option<bool> {
        match atom {
            Atom::Not(part) => self.admits(&part.node(), value).map(|passes| !passes),
            Atom::One(_, branches) => {
                let mut passed = 0;
                for branch in branches {
                    passed += usize::from(self.admits(&branch.node(), value)?);
                }
                Some(passed == 1)
            }
            Atom::Foreign(..) | Atom::Opaque(..) => None,
        }
    }
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
    let mut found = Some(true);
    for item in list {
        match test(item) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => found = None,
        }
    }
    found
}

fn any<T>(list: &[T], mut test: impl FnMut(&T) -> Option<bool>) -> Option<bool> {
    all(list, |item| test(item).map(|passes| !passes)).map(|none| !none)
}
