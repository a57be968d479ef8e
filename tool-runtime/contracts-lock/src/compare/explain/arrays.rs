//! Changes of array keywords.

use super::super::shape::{ArrayConstraints, JsonType, Shape, TypeConstraints};
use super::super::subschema::Subschema;
use super::{AcceptanceChange, Explainer, PART_CHANGED, SchemaPair};

impl<'s> Explainer<'s> {
    pub(super) fn compare_arrays(&mut self, pair: SchemaPair<'s>) -> Vec<SchemaPair<'s>> {
        let (Some(before), Some(after)) = (read(pair.before), read(pair.after)) else {
            self.record_unproven(pair.part("items"), "items", PART_CHANGED);
            return Vec::new();
        };
        let mut children = Vec::new();
        for at in 0..before.prefix.len().max(after.prefix.len()) {
            let is_listed = (before.prefix.get(at).is_some(), after.prefix.get(at).is_some());
            let rule = if is_listed.0 { "prefix-item-removed" } else { "prefix-item-added" };
            let (old, new) = (before.at(at), after.at(at));
            if let ((true, true), &[old], &[new]) = (is_listed, old.as_slice(), new.as_slice()) {
                children.push(SchemaPair::new(old, new));
            } else {
                let effect = self.effect(&old, &new);
                if effect != AcceptanceChange::Same {
                    let prefix_item = after.prefix.get(at).or_else(|| before.prefix.get(at));
                    let place = prefix_item.and_then(|all_of| all_of.first());
                    let message = format!("the schema of item {at} has changed");
                    self.record(*place.unwrap_or(&pair.after), rule, effect, message);
                }
            }
        }
        match (before.rest.as_slice(), after.rest.as_slice()) {
            (&[old], &[new]) => children.push(SchemaPair::new(old, new)),
            (old, new) => {
                let effect = self.effect(&old.to_vec(), &new.to_vec());
                let place = *new.first().or_else(|| old.first()).unwrap_or(&pair.after);
                match effect {
                    AcceptanceChange::Same => {}
                    AcceptanceChange::Widened => {
                        self.record(place, "items-removed", effect, "any item is accepted now");
                    }
                    AcceptanceChange::Narrowed | AcceptanceChange::Unclear => {
                        self.record(place, "items-added", effect, "items must match a schema now");
                    }
                }
            }
        }
        self.compare_contains(pair);
        children
    }

    fn compare_contains(&mut self, pair: SchemaPair<'s>) {
        let Some(inner) = pair.child("contains") else {
            let rules = ["contains-added", "contains-removed", "contains-changed"];
            return self.compare_keyword(pair, "contains", rules, AcceptanceChange::Unclear);
        };
        let bounded = [pair.before, pair.after]
            .iter()
            .any(|subschema| subschema.get("maxContains").is_some());
        match self.effect(&inner.before.all_of(), &inner.after.all_of()) {
            AcceptanceChange::Same => {}
            effect if !bounded => {
                let rule = "contains-changed";
                self.record(inner.after, rule, effect, "`contains` has changed");
            }
            AcceptanceChange::Widened | AcceptanceChange::Narrowed | AcceptanceChange::Unclear => {
                self.record_unproven(inner.after, "contains", "contains-changed");
            }
        }
    }
}

fn read(subschema: Subschema<'_>) -> Option<ArrayConstraints<'_>> {
    match Shape::read(subschema, JsonType::Array, None).ok()?.constraints {
        TypeConstraints::Array(arrays) => Some(arrays),
        TypeConstraints::Null
        | TypeConstraints::Boolean
        | TypeConstraints::Number(_)
        | TypeConstraints::Text(_)
        | TypeConstraints::Object(_) => None,
    }
}
