//! Changes of object keywords.

use std::collections::BTreeSet;

use super::super::shape::{JsonType, ObjectConstraints, Shape, TypeConstraints};
use super::super::subschema::{Subschema, merge_all_of};
use super::{AcceptanceChange, Explainer, PART_CHANGED, SchemaPair};

/// The rules for keywords that apply to all other properties.
const OTHERS: [(&str, [&str; 2]); 2] = [
    ("additionalProperties", ["additional-properties-widened", "additional-properties-narrowed"]),
    (
        "unevaluatedProperties",
        ["unevaluated-properties-widened", "unevaluated-properties-narrowed"],
    ),
];

impl<'s> Explainer<'s> {
    pub(super) fn compare_objects(&mut self, pair: SchemaPair<'s>) -> Vec<SchemaPair<'s>> {
        let unevaluated_schemas = (rest(pair.before, pair.rest.0), rest(pair.after, pair.rest.1));
        let sides =
            (read(pair.before, unevaluated_schemas.0), read(pair.after, unevaluated_schemas.1));
        let (Some(before), Some(after)) = sides else {
            self.record_unproven(pair.part("properties"), "properties", PART_CHANGED);
            return Vec::new();
        };
        let mut children = self.compare_properties(pair, &before, &after);
        children.extend(self.compare_patterns(pair, &before, &after));
        self.compare_required(&before, &after, pair);
        for (word, rules) in OTHERS {
            children.extend(self.compare_other_properties(pair, word, rules));
        }
        self.compare_property_names(pair);
        self.compare_dependents(pair);
        children
    }

    fn compare_properties(
        &mut self,
        pair: SchemaPair<'s>,
        before: &ObjectConstraints<'s>,
        after: &ObjectConstraints<'s>,
    ) -> Vec<SchemaPair<'s>> {
        let mut children = Vec::new();
        let properties_of = |subschema: Subschema<'s>| subschema.subschema_map("properties");
        let (old, new) = (properties_of(pair.before), properties_of(pair.after));
        for (name, schema) in &new {
            match old.iter().find(|(other, _)| other == name) {
                Some((_, before)) => children.push(SchemaPair::new(*before, *schema)),
                None => self.compare_property((name, *schema), "property-added", before, after),
            }
        }
        let is_gone = |name: &str| !new.iter().any(|(other, _)| *other == name);
        for (name, schema) in old.iter().filter(|(name, _)| is_gone(name)) {
            self.compare_property((name, *schema), "property-removed", before, after);
        }
        children
    }

    /// Compares a property that only one side names with the other side's rule for unnamed
    /// properties.
    fn compare_property(
        &mut self,
        (name, at): (&str, Subschema<'s>),
        rule: &'static str,
        before: &ObjectConstraints<'s>,
        after: &ObjectConstraints<'s>,
    ) {
        let effect = match (before.property(name), after.property(name)) {
            (Some(old), Some(new)) => self.effect(&old, &new),
            _ => AcceptanceChange::Unclear,
        };
        let message = match (rule, effect) {
            ("property-added", AcceptanceChange::Widened) => format!("`{name}` is accepted now"),
            ("property-added", AcceptanceChange::Narrowed) => {
                format!("`{name}` accepted any value before, and has a schema now")
            }
            ("property-removed", AcceptanceChange::Narrowed) => {
                format!("`{name}` is no longer accepted")
            }
            ("property-removed", AcceptanceChange::Widened) => {
                format!("`{name}` accepts any value now")
            }
            (
                _,
                AcceptanceChange::Same
                | AcceptanceChange::Widened
                | AcceptanceChange::Narrowed
                | AcceptanceChange::Unclear,
            ) => {
                format!("the schema of `{name}` has changed")
            }
        };
        self.record(at, rule, effect, message);
    }

    fn compare_patterns(
        &mut self,
        pair: SchemaPair<'s>,
        before: &ObjectConstraints<'s>,
        after: &ObjectConstraints<'s>,
    ) -> Vec<SchemaPair<'s>> {
        let mut children = Vec::new();
        let patterns_of = |subschema: Subschema<'s>| subschema.subschema_map("patternProperties");
        let (old, new) = (patterns_of(pair.before), patterns_of(pair.after));
        let others = |objects: &ObjectConstraints<'s>| {
            merge_all_of(objects.layers.iter().map(|layer| layer.others.clone()))
        };
        for (text, schema) in &new {
            if let Some((_, before)) = old.iter().find(|(other, _)| other == text) {
                children.push(SchemaPair::new(*before, *schema));
                continue;
            }
            let effect = self.effect(&others(before), &schema.all_of());
            let message = format!("properties that match `{text}` have a schema now");
            self.record(*schema, "pattern-property-added", effect, message);
        }
        for (text, schema) in
            old.iter().filter(|(text, _)| !new.iter().any(|(other, _)| other == text))
        {
            let effect = self.effect(&schema.all_of(), &others(after));
            let message = format!("properties that match `{text}` no longer have a schema");
            self.record(*schema, "pattern-property-removed", effect, message);
        }
        children
    }

    fn compare_required(
        &mut self,
        before: &ObjectConstraints<'s>,
        after: &ObjectConstraints<'s>,
        pair: SchemaPair<'s>,
    ) {
        let place = |name: &str| {
            let properties = pair.after.subschema_map("properties");
            let property = properties.into_iter().find(|(other, _)| *other == name);
            property.map_or_else(|| pair.part("required"), |(_, subschema)| subschema)
        };
        for name in after.required.difference(&before.required) {
            let message = format!("`{name}` is required now");
            self.record(place(name), "required-added", AcceptanceChange::Narrowed, message);
        }
        for name in before.required.difference(&after.required) {
            let message = format!("`{name}` is optional now");
            self.record(place(name), "required-removed", AcceptanceChange::Widened, message);
        }
    }

    fn compare_other_properties(
        &mut self,
        pair: SchemaPair<'s>,
        word: &str,
        rules: [&'static str; 2],
    ) -> Option<SchemaPair<'s>> {
        let child = pair.child(word);
        if let Some(inner) =
            child.filter(|inner| inner.before.schema.is_object() && inner.after.schema.is_object())
        {
            return Some(inner);
        }
        let all_of = |subschema: Subschema<'s>| {
            subschema.child(word).map(Subschema::all_of).unwrap_or_default()
        };
        let effect = self.effect(&all_of(pair.before), &all_of(pair.after));
        let (rule, message) = match effect {
            AcceptanceChange::Same => return None,
            AcceptanceChange::Widened => (rules[0], "more unnamed properties are accepted"),
            AcceptanceChange::Narrowed => (rules[1], "fewer unnamed properties are accepted"),
            AcceptanceChange::Unclear => {
                self.record_unproven(pair.part(word), word, PART_CHANGED);
                return None;
            }
        };
        self.record(pair.part(word), rule, effect, message);
        None
    }

    fn compare_property_names(&mut self, pair: SchemaPair<'s>) {
        let all_of = |subschema: Subschema<'s>| {
            subschema.child("propertyNames").map(Subschema::all_of).unwrap_or_default()
        };
        let effect = self.effect(&all_of(pair.before), &all_of(pair.after));
        if effect == AcceptanceChange::Same {
            return;
        }
        let rule = match pair.values("propertyNames") {
            (None, _) => "property-names-added",
            (Some(_), None) => "property-names-removed",
            (Some(_), Some(_)) => "property-names-changed",
        };
        let message = "the accepted property names have changed";
        self.record(pair.part("propertyNames"), rule, effect, message);
    }

    fn compare_dependents(&mut self, pair: SchemaPair<'s>) {
        for word in ["dependentRequired", "dependentSchemas", "dependencies"] {
            if !pair.differs(word) {
                continue;
            }
            let names: BTreeSet<_> = [pair.before, pair.after]
                .into_iter()
                .flat_map(|subschema| subschema.subschema_map(word))
                .map(|(name, _)| name)
                .collect();
            for name in names {
                self.compare_dependent(pair, word, name);
            }
        }
    }

    fn compare_dependent(&mut self, pair: SchemaPair<'s>, word: &str, name: &str) {
        let dependency_of = |subschema: Subschema<'s>| {
            let inner =
                subschema.subschema_map(word).into_iter().find(|(other, _)| *other == name)?;
            Some(inner.1.schema)
        };
        let list = |value: Option<&'s serde_json::Value>| -> BTreeSet<&'s str> {
            let list = value.and_then(|value| value.as_array());
            list.into_iter().flatten().filter_map(|name| name.as_str()).collect()
        };
        let (before, after) = (dependency_of(pair.before), dependency_of(pair.after));
        let new = after.map(|value| pair.after.with_schema(value));
        let at = new.or(before.map(|value| pair.before.with_schema(value))).unwrap_or(pair.after);
        let schema = [before, after].into_iter().flatten().any(|value| !value.is_array());
        if schema && before != after {
            let (rule, effect) = match (before, after) {
                (None, _) => ("dependent-schema-added", AcceptanceChange::Narrowed),
                (_, None) => ("dependent-schema-removed", AcceptanceChange::Widened),
                _ => return self.record_unproven(at, word, "dependent-schema-changed"),
            };
            let message = format!("the schema that `{name}` requires has changed");
            return self.record(at, rule, effect, message);
        }
        for added in list(after).difference(&list(before)) {
            let message = format!("`{name}` requires `{added}` now");
            self.record(at, "dependent-required-added", AcceptanceChange::Narrowed, message);
        }
        for removed in list(before).difference(&list(after)) {
            let message = format!("`{name}` no longer requires `{removed}`");
            self.record(at, "dependent-required-removed", AcceptanceChange::Widened, message);
        }
    }
}

/// The schema of properties that nothing evaluates.
fn rest<'s>(subschema: Subschema<'s>, around: Option<Subschema<'s>>) -> Option<Subschema<'s>> {
    subschema.child("unevaluatedProperties").or(around)
}

fn read<'s>(
    subschema: Subschema<'s>,
    rest: Option<Subschema<'s>>,
) -> Option<ObjectConstraints<'s>> {
    match Shape::read(subschema, JsonType::Object, None).ok()?.constraints {
        TypeConstraints::Object(mut objects) => {
            if let Some(rest) = rest {
                objects.constrain_unevaluated(rest);
            }
            Some(*objects)
        }
        TypeConstraints::Null
        | TypeConstraints::Boolean
        | TypeConstraints::Number(_)
        | TypeConstraints::Text(_)
        | TypeConstraints::Array(_) => None,
    }
}
