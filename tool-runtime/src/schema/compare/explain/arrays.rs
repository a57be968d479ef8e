//! Items.

use super::super::part::Part;
use super::super::shape::{Arrays, Body, Kind, Shape};
use super::{Effect, Explainer, Pair};

impl<'s> Explainer<'s> {
    pub(super) fn arrays(&mut self, pair: Pair<'s>) -> Vec<Pair<'s>> {
        let (Some(before), Some(after)) = (read(pair.before), read(pair.after)) else {
            self.note_soft("items", "undecided", Effect::Unclear);
            return Vec::new();
        };
        let mut children = Vec::new();
        for at in 0..before.prefix.len().max(after.prefix.len()) {
            let own = (before.prefix.get(at).is_some(), after.prefix.get(at).is_some());
            let rule = match own {
                (false, _) => "prefix-item-added",
                (_, false) => "prefix-item-removed",
                _ => "prefix-item-changed",
            };
            let (old, new) = (before.at(at), after.at(at));
            if let ((true, true), &[old], &[new]) = (own, old.as_slice(), new.as_slice()) {
                children.push(Pair::of(old, new));
            } else {
                let effect = self.effect(&old, &new);
                if effect != Effect::Same {
                    let message = format!("item {at} is described in another way");
                    self.note(&format!("/prefixItems/{at}"), rule, effect, message);
                }
            }
        }
        match (before.rest.as_slice(), after.rest.as_slice()) {
            (&[old], &[new]) => children.push(Pair::of(old, new)),
            (old, new) => {
                let effect = self.effect(&old.to_vec(), &new.to_vec());
                match effect {
                    Effect::Same => {}
                    Effect::Widened => {
                        self.note("/items", "items-removed", effect, "any item passes now");
                    }
                    _ => self.note("/items", "items-added", effect, "items must be of a kind now"),
                }
            }
        }
        self.contains(pair);
        children
    }

    fn contains(&mut self, pair: Pair<'s>) {
        let Some(inner) = pair.child("contains") else {
            let rules = ["contains-added", "contains-removed", "contains-changed"];
            return self.keyword(pair, "contains", rules, Effect::Unclear);
        };
        let bounded =
            [pair.before, pair.after].iter().any(|part| part.get("maxContains").is_some());
        match self.effect(&inner.before.node(), &inner.after.node()) {
            Effect::Same => {}
            effect if !bounded => {
                let rule = "contains-changed";
                self.note("/contains", rule, effect, "what must be contained has changed");
            }
            _ => self.note_soft("contains", "contains-changed", Effect::Unclear),
        }
    }
}

fn read(part: Part<'_>) -> Option<Arrays<'_>> {
    match Shape::read(part, Kind::Array, None).ok()?.body {
        Body::Array(arrays) => Some(arrays),
        _ => None,
    }
}
