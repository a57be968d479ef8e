//! Containment of objects.

use super::super::shape::{
    ListedValues, ObjectConstraints, ProofObstacle, PropertyLayer, Shape, TypeConstraints,
};
use super::super::subschema::Subschema;
use super::super::subschema::{AllOf, merge_all_of};
use super::expand::Expansion;
use super::{Proof, Prover};
use serde_json::Value;

/// The most combinations of schemas for unnamed properties.
const MAX_CHOICES: usize = 64;
/// The most values of a discriminator.
const MAX_TAGS: usize = 32;

impl<'s> Prover<'s> {
    pub(super) fn objects_within(
        &mut self,
        a: &ObjectConstraints<'s>,
        b: &ObjectConstraints<'s>,
        all_of: &AllOf<'s>,
    ) -> Proof<'s> {
        let (sizes, wide) = (a.sizes(), (b.min, b.max));
        let broken = [
            (!a.required.is_superset(&b.required), "required"),
            (sizes.0 < wide.0, "minProperties"),
            (sizes.1 > wide.1, "maxProperties"),
        ];
        if let Some((_, keyword)) = broken.into_iter().find(|(broken, _)| *broken) {
            return Err(ProofObstacle::at(keyword, all_of));
        }
        self.names_within(a, b, all_of)?;
        self.known_within(a, b, all_of)?;
        self.others_within(a, b, all_of)?;
        self.dependents_within(a, b, all_of)
    }

    /// Compares the properties that either side names.
    fn known_within(
        &mut self,
        a: &ObjectConstraints<'s>,
        b: &ObjectConstraints<'s>,
        all_of: &AllOf<'s>,
    ) -> Proof<'s> {
        for name in a.known().union(&b.known()) {
            let narrow = a.property(name).unwrap_or_default();
            let Some(wide) = b.property(name) else {
                return Err(ProofObstacle::at("patternProperties", all_of));
            };
            match a.fixed.get(name) {
                Some(value) if self.admits(&wide, value) == Some(true) => {}
                _ if self.is_never(&narrow) => {}
                _ => self.prove(&narrow, &wide)?,
            }
        }
        Ok(())
    }

    /// Compares each value of a discriminator separately, as each may belong to another
    /// alternative.
    pub(super) fn tags_within(
        &mut self,
        shape: &Shape<'s>,
        expansion: &Expansion<'s>,
        all_of: &AllOf<'s>,
    ) -> bool {
        let Some(objects) = shape.object().filter(|_| expansion.shapes.len() > 1) else {
            return false;
        };
        let Some((name, values)) = self.tag(objects) else { return false };
        values.into_iter().all(|value| {
            let mut fixed = shape.clone();
            if let TypeConstraints::Object(objects) = &mut fixed.constraints {
                objects.fixed.insert(name, value);
            }
            self.shape_within(&fixed, expansion, all_of).is_ok()
        })
    }

    /// A required property with few possible values.
    fn tag(&mut self, objects: &ObjectConstraints<'s>) -> Option<(&'s str, Vec<Value>)> {
        objects.required.iter().filter(|name| !objects.fixed.contains_key(*name)).find_map(|name| {
            let expansion = self.expansion(&objects.property(name)?);
            let lists: Option<Vec<_>> = expansion.shapes.iter().map(Shape::listed).collect();
            let lists = lists?;
            let count: usize = lists.iter().map(ListedValues::len).sum();
            let few = expansion.overflow.is_none() && (2..=MAX_TAGS).contains(&count);
            few.then(|| (*name, lists.iter().flat_map(ListedValues::iter).cloned().collect()))
        })
    }

    /// Compares the properties that neither side names.
    fn others_within(
        &mut self,
        a: &ObjectConstraints<'s>,
        b: &ObjectConstraints<'s>,
        all_of: &AllOf<'s>,
    ) -> Proof<'s> {
        for layer in &b.layers {
            for (pattern, wide) in &layer.patterns {
                for narrow in regions(a, all_of, |narrow| narrow.matching(pattern))? {
                    self.region_within(&narrow, wide)?;
                }
            }
            for narrow in regions(a, all_of, |narrow| narrow.beside(layer))? {
                self.region_within(&narrow, &layer.others)?;
            }
        }
        Ok(())
    }

    fn region_within(&mut self, narrow: &AllOf<'s>, wide: &AllOf<'s>) -> Proof<'s> {
        if self.is_never(narrow) { Ok(()) } else { self.prove(narrow, wide) }
    }

    /// Compares `propertyNames`.
    fn names_within(
        &mut self,
        a: &ObjectConstraints<'s>,
        b: &ObjectConstraints<'s>,
        all_of: &AllOf<'s>,
    ) -> Proof<'s> {
        if b.names.is_empty() || self.prove(&a.names, &b.names).is_ok() {
            return Ok(());
        }
        let unnamed_regions =
            regions(a, all_of, |narrow| narrow.beside(&PropertyLayer::default()))?;
        let closed = unnamed_regions.iter().all(|narrow| self.is_never(narrow));
        let has_admitted_names = a.known().into_iter().all(|name| {
            let absent = a.property(name).is_some_and(|narrow| self.is_never(&narrow));
            absent || self.admits(&b.names, &Value::from(name)) == Some(true)
        });
        if closed && has_admitted_names {
            Ok(())
        } else {
            Err(ProofObstacle::at("propertyNames", all_of))
        }
    }

    fn dependents_within(
        &mut self,
        a: &ObjectConstraints<'s>,
        b: &ObjectConstraints<'s>,
        all_of: &AllOf<'s>,
    ) -> Proof<'s> {
        for wide in &b.dependents {
            let absent = a.property(wide.name).is_some_and(|narrow| self.is_never(&narrow));
            let narrow = || a.dependents.iter().filter(|narrow| narrow.name == wide.name);
            let names: Vec<_> = narrow().flat_map(|narrow| &narrow.required).collect();
            let is_required = |name: &&str| a.required.contains(name) || names.contains(&name);
            if absent || (wide.schema.is_none() && wide.required.iter().all(is_required)) {
                continue;
            }
            let is_covered = wide.schema.is_some_and(|wide| {
                let mut parts = narrow().filter_map(|narrow| narrow.schema);
                parts.any(|narrow| self.part_within(narrow, wide))
            });
            if !is_covered {
                let words = ["dependentSchemas", "dependentRequired", "dependencies"];
                let owned =
                    |word: &&str| all_of.iter().any(|subschema| subschema.get(word).is_some());
                return Err(ProofObstacle::at(
                    words.into_iter().find(owned).unwrap_or(words[0]),
                    all_of,
                ));
            }
        }
        Ok(())
    }

    fn part_within(&mut self, narrow: Subschema<'s>, wide: Subschema<'s>) -> bool {
        self.prove_same_value(|prover| prover.prove(&narrow.all_of(), &wide.all_of()).is_ok())
    }
}

impl<'s> PropertyLayer<'s> {
    /// The schemas that this layer may apply to an unnamed property that matches the pattern.
    fn matching(&self, pattern: &str) -> Vec<AllOf<'s>> {
        match self.patterns.iter().find(|(known, _)| *known == pattern) {
            Some((_, all_of)) => vec![all_of.clone()],
            None => self.options(|_| true),
        }
    }

    /// The schemas that it may apply to a name that matches no pattern of the other layer.
    fn beside(&self, other: &Self) -> Vec<AllOf<'s>> {
        self.options(|pattern| !other.patterns.iter().any(|(known, _)| *known == pattern))
    }

    /// At least one of these applies to every unnamed property.
    fn options(&self, is_included: impl Fn(&str) -> bool) -> Vec<AllOf<'s>> {
        let patterns = self.patterns.iter().filter(|(pattern, _)| is_included(pattern));
        patterns.map(|(_, all_of)| all_of.clone()).chain([self.others.clone()]).collect()
    }
}

/// All combinations of the layers' schemas.
fn regions<'s>(
    objects: &ObjectConstraints<'s>,
    all_of: &AllOf<'s>,
    options: impl Fn(&PropertyLayer<'s>) -> Vec<AllOf<'s>>,
) -> Result<Vec<AllOf<'s>>, ProofObstacle<'s>> {
    let mut combinations = vec![AllOf::new()];
    for layer in &objects.layers {
        let more = options(layer);
        let pairs =
            combinations.iter().flat_map(|left| more.iter().map(move |right| (left, right)));
        combinations =
            pairs.map(|(left, right)| merge_all_of([left.clone(), right.clone()])).collect();
        if combinations.len() > MAX_CHOICES {
            return Err(ProofObstacle::at("patternProperties", all_of));
        }
    }
    Ok(combinations)
}
