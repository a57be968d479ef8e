//! Properties.

use std::collections::BTreeSet;

use super::super::part::{Part, all_of};
use super::super::shape::{Body, Kind, Objects, Shape};
use super::{Effect, Explainer, Pair};
use crate::schema::reference::escaped;

/// The rules for what is said of all other properties.
const OTHERS: [(&str, [&str; 3]); 2] = [
    (
        "additionalProperties",
        [
            "additional-properties-widened",
            "additional-properties-narrowed",
            "additional-properties-changed",
        ],
    ),
    (
        "unevaluatedProperties",
        [
            "unevaluated-properties-widened",
            "unevaluated-properties-narrowed",
            "unevaluated-properties-changed",
        ],
    ),
];

impl<'s> Explainer<'s> {
    pub(super) fn objects(&mut self, pair: Pair<'s>) -> Vec<Pair<'s>> {
        let rest = (rest(pair.before, pair.rest.0), rest(pair.after, pair.rest.1));
        let sides = (read(pair.before, rest.0), read(pair.after, rest.1));
        let (Some(before), Some(after)) = sides else {
            self.note_soft("properties", "undecided", Effect::Unclear);
            return Vec::new();
        };
        let mut children = self.properties(pair, &before, &after);
        children.extend(self.patterns(pair, &before, &after));
        self.required(&before, &after, pair);
        for (word, rules) in OTHERS {
            children.extend(self.others(pair, word, rules));
        }
        self.property_names(pair);
        self.dependents(pair);
        children
    }

    fn properties(
        &mut self,
        pair: Pair<'s>,
        before: &Objects<'s>,
        after: &Objects<'s>,
    ) -> Vec<Pair<'s>> {
        let mut children = Vec::new();
        let named = |part: Part<'s>| part.named("properties");
        let (old, new) = (named(pair.before), named(pair.after));
        for (name, schema) in &new {
            match old.iter().find(|(other, _)| other == name) {
                Some((_, before)) => children.push(Pair::of(*before, *schema)),
                None => self.property(name, "property-added", before, after),
            }
        }
        for (name, _) in old.iter().filter(|(name, _)| !new.iter().any(|(other, _)| other == name))
        {
            self.property(name, "property-removed", before, after);
        }
        children
    }

    /// A property that only one side names: what did the other say of it?
    fn property(
        &mut self,
        name: &str,
        rule: &'static str,
        before: &Objects<'s>,
        after: &Objects<'s>,
    ) {
        let effect = match (before.property(name), after.property(name)) {
            (Some(old), Some(new)) => self.effect(&old, &new),
            _ => Effect::Unclear,
        };
        let message = match (rule, effect) {
            ("property-added", Effect::Widened) => format!("`{name}` may be there now"),
            ("property-added", Effect::Narrowed) => {
                format!("`{name}` could be anything before, and is described now")
            }
            ("property-removed", Effect::Narrowed) => format!("`{name}` may not be there any more"),
            ("property-removed", Effect::Widened) => format!("`{name}` may be anything now"),
            _ => format!("what `{name}` may be has changed"),
        };
        self.note(&format!("/properties/{}", escaped(name)), rule, effect, message);
    }

    fn patterns(
        &mut self,
        pair: Pair<'s>,
        before: &Objects<'s>,
        after: &Objects<'s>,
    ) -> Vec<Pair<'s>> {
        let mut children = Vec::new();
        let named = |part: Part<'s>| part.named("patternProperties");
        let (old, new) = (named(pair.before), named(pair.after));
        let others =
            |objects: &Objects<'s>| all_of(objects.layers.iter().map(|layer| layer.others.clone()));
        for (text, schema) in &new {
            let path = format!("/patternProperties/{}", escaped(text));
            if let Some((_, before)) = old.iter().find(|(other, _)| other == text) {
                children.push(Pair::of(*before, *schema));
                continue;
            }
            let effect = self.effect(&others(before), &schema.node());
            let message = format!("properties like `{text}` are described now");
            self.note(&path, "pattern-property-added", effect, message);
        }
        for (text, schema) in
            old.iter().filter(|(text, _)| !new.iter().any(|(other, _)| other == text))
        {
            let path = format!("/patternProperties/{}", escaped(text));
            let effect = self.effect(&schema.node(), &others(after));
            let message = format!("properties like `{text}` are described no more");
            self.note(&path, "pattern-property-removed", effect, message);
        }
        children
    }

    fn required(&mut self, before: &Objects<'s>, after: &Objects<'s>, pair: Pair<'s>) {
        let path = |part: Part<'s>, name: &str| {
            let named = part.named("properties").iter().any(|(other, _)| *other == name);
            if named { format!("/properties/{}", escaped(name)) } else { "/required".to_owned() }
        };
        for name in after.required.difference(&before.required) {
            let message = format!("`{name}` must be there now");
            self.note(&path(pair.after, name), "required-added", Effect::Narrowed, message);
        }
        for name in before.required.difference(&after.required) {
            let message = format!("`{name}` may be left out now");
            self.note(&path(pair.after, name), "required-removed", Effect::Widened, message);
        }
    }

    fn others(&mut self, pair: Pair<'s>, word: &str, rules: [&'static str; 3]) -> Option<Pair<'s>> {
        let child = pair.child(word);
        if let Some(inner) =
            child.filter(|inner| inner.before.schema.is_object() && inner.after.schema.is_object())
        {
            return Some(inner);
        }
        let node = |part: Part<'s>| part.child(word).map(Part::node).unwrap_or_default();
        let effect = self.effect(&node(pair.before), &node(pair.after));
        let (rule, message) = match effect {
            Effect::Same => return None,
            Effect::Widened => (rules[0], "more properties may be there that are not named"),
            Effect::Narrowed => (rules[1], "fewer properties may be there that are not named"),
            Effect::Unclear => (rules[2], "what is not named may be something else"),
        };
        self.note(&format!("/{word}"), rule, effect, message);
        None
    }

    fn property_names(&mut self, pair: Pair<'s>) {
        let node = |part: Part<'s>| part.child("propertyNames").map(Part::node).unwrap_or_default();
        let effect = self.effect(&node(pair.before), &node(pair.after));
        let rule = match (effect, pair.values("propertyNames")) {
            (Effect::Same, _) => return,
            (_, (None, _)) => "property-names-added",
            (_, (_, None)) => "property-names-removed",
            _ => "property-names-changed",
        };
        self.note("/propertyNames", rule, effect, "other names of properties pass now");
    }

    fn dependents(&mut self, pair: Pair<'s>) {
        for word in ["dependentRequired", "dependentSchemas", "dependencies"] {
            if !pair.differs(word) {
                continue;
            }
            let names: BTreeSet<_> = [pair.before, pair.after]
                .into_iter()
                .flat_map(|part| part.named(word))
                .map(|(name, _)| name)
                .collect();
            for name in names {
                self.dependent(pair, word, name);
            }
        }
    }

    fn dependent(&mut self, pair: Pair<'s>, word: &str, name: &str) {
        let asked = |part: Part<'s>| {
            let inner = part.named(word).into_iter().find(|(other, _)| *other == name)?;
            Some(inner.1.schema)
        };
        let list = |value: Option<&'s serde_json::Value>| -> BTreeSet<&'s str> {
            let list = value.and_then(|value| value.as_array());
            list.into_iter().flatten().filter_map(|name| name.as_str()).collect()
        };
        let (before, after) = (asked(pair.before), asked(pair.after));
        let path = format!("/{word}/{}", escaped(name));
        let schema = [before, after].into_iter().flatten().any(|value| !value.is_array());
        if schema && before != after {
            let (rule, effect) = match (before, after) {
                (None, _) => ("dependent-schema-added", Effect::Narrowed),
                (_, None) => ("dependent-schema-removed", Effect::Widened),
                _ => {
                    return self.note_soft(&path[1..], "dependent-schema-changed", Effect::Unclear);
                }
            };
            return self.note(&path, rule, effect, format!("what `{name}` asks for has changed"));
        }
        for added in list(after).difference(&list(before)) {
            let message = format!("`{name}` asks for `{added}` now");
            self.note(&path, "dependent-required-added", Effect::Narrowed, message);
        }
        for removed in list(before).difference(&list(after)) {
            let message = format!("`{name}` no longer asks for `{removed}`");
            self.note(&path, "dependent-required-removed", Effect::Widened, message);
        }
    }
}

/// What is asked of the properties that nothing looks at.
fn rest<'s>(part: Part<'s>, around: Option<Part<'s>>) -> Option<Part<'s>> {
    part.child("unevaluatedProperties").or(around)
}

fn read<'s>(part: Part<'s>, rest: Option<Part<'s>>) -> Option<Objects<'s>> {
    match Shape::read(part, Kind::Object, None).ok()?.body {
        Body::Object(mut objects) => {
            if let Some(rest) = rest {
                objects.ask_the_rest(rest);
            }
            Some(*objects)
        }
        _ => None,
    }
}
