//! Objects within objects.

use super::super::part::Part;
use super::super::part::{Node, all_of};
use super::super::shape::{Body, Gap, Layer, Objects, Shape};
use super::expand::Expansion;
use super::{Proof, Prover};
use serde_json::Value;

/// The most combinations of what may be asked of a property that is not named.
const MOST: usize = 64;
/// The most values that a tag may have.
const FEW: usize = 32;

impl<'s> Prover<'s> {
    pub(super) fn objects_within(
        &mut self,
        a: &Objects<'s>,
        b: &Objects<'s>,
        node: &Node<'s>,
    ) -> Proof<'s> {
        let (sizes, asked) = (a.sizes(), (b.min, b.max));
        let broken = [
            (!a.required.is_superset(&b.required), "required"),
            (sizes.0 < asked.0, "minProperties"),
            (sizes.1 > asked.1, "maxProperties"),
        ];
        if let Some((_, keyword)) = broken.into_iter().find(|(broken, _)| *broken) {
            return Err(Gap::at(keyword, node));
        }
        self.names_within(a, b, node)?;
        self.known_within(a, b, node)?;
        self.others_within(a, b, node)?;
        self.dependents_within(a, b, node)
    }

    /// The properties that either side names.
    fn known_within(&mut self, a: &Objects<'s>, b: &Objects<'s>, node: &Node<'s>) -> Proof<'s> {
        for name in a.known().union(&b.known()) {
            let own = a.property(name).unwrap_or_default();
            let Some(asked) = b.property(name) else {
                return Err(Gap::at("patternProperties", node));
            };
            match a.pinned.get(name) {
                Some(value) if self.admits(&asked, value) == Some(true) => {}
                _ if self.is_never(&own) => {}
                _ => self.within(&own, &asked)?,
            }
        }
        Ok(())
    }

    /// Looks at the values of a tag one by one, as each may belong to another alternative.
    pub(super) fn tags_within(
        &mut self,
        shape: &Shape<'s>,
        expansion: &Expansion<'s>,
        node: &Node<'s>,
    ) -> bool {
        let Some(objects) = shape.object().filter(|_| expansion.shapes.len() > 1) else {
            return false;
        };
        let Some((name, values)) = self.tag(objects) else { return false };
        values.into_iter().all(|value| {
            let mut pinned = shape.clone();
            if let Body::Object(objects) = &mut pinned.body {
                objects.pinned.insert(name, value);
            }
            self.shape_within(&pinned, expansion, node).is_ok()
        })
    }

    /// A property that must be there and has one of few values.
    fn tag(&mut self, objects: &Objects<'s>) -> Option<(&'s str, Vec<Value>)> {
        objects.required.iter().filter(|name| !objects.pinned.contains_key(*name)).find_map(
            |name| {
                let expansion = self.expansion(&objects.property(name)?);
                let lists: Option<Vec<_>> = expansion.shapes.iter().map(Shape::listed).collect();
                let values: Vec<_> = lists?.into_iter().flatten().collect();
                let few = expansion.overflow.is_none() && (2..=FEW).contains(&values.len());
                few.then_some((*name, values))
            },
        )
    }

    /// The properties that neither side names.
    fn others_within(&mut self, a: &Objects<'s>, b: &Objects<'s>, node: &Node<'s>) -> Proof<'s> {
        for layer in &b.layers {
            for (pattern, asked) in &layer.patterns {
                for own in regions(a, node, |own| own.matching(pattern))? {
                    self.region_within(&own, asked)?;
                }
            }
            for own in regions(a, node, |own| own.beside(layer))? {
                self.region_within(&own, &layer.others)?;
            }
        }
        Ok(())
    }

    fn region_within(&mut self, own: &Node<'s>, asked: &Node<'s>) -> Proof<'s> {
        if self.is_never(own) { Ok(()) } else { self.within(own, asked) }
    }

    /// What is asked of names.
    fn names_within(&mut self, a: &Objects<'s>, b: &Objects<'s>, node: &Node<'s>) -> Proof<'s> {
        if b.names.is_empty() || self.within(&a.names, &b.names).is_ok() {
            return Ok(());
        }
        let rest = regions(a, node, |own| own.beside(&Layer::default()))?;
        let closed = rest.iter().all(|own| self.is_never(own));
        let known = a.known().into_iter().all(|name| {
            let absent = a.property(name).is_some_and(|own| self.is_never(&own));
            absent || self.admits(&b.names, &Value::from(name)) == Some(true)
        });
        if closed && known { Ok(()) } else { Err(Gap::at("propertyNames", node)) }
    }

    fn dependents_within(
        &mut self,
        a: &Objects<'s>,
        b: &Objects<'s>,
        node: &Node<'s>,
    ) -> Proof<'s> {
        for asked in &b.dependents {
            let absent = a.property(asked.name).is_some_and(|own| self.is_never(&own));
            let own = || a.dependents.iter().filter(|own| own.name == asked.name);
            let names: Vec<_> = own().flat_map(|own| &own.required).collect();
            let listed = |name: &&str| a.required.contains(name) || names.contains(&name);
            if absent || (asked.schema.is_none() && asked.required.iter().all(listed)) {
                continue;
            }
            let told = asked.schema.is_some_and(|asked| {
                let mut parts = own().filter_map(|own| own.schema);
                parts.any(|own| self.part_within(own, asked))
            });
            if !told {
                let words = ["dependentSchemas", "dependentRequired", "dependencies"];
                let owned = |word: &&str| node.iter().any(|part| part.get(word).is_some());
                return Err(Gap::at(words.into_iter().find(owned).unwrap_or(words[0]), node));
            }
        }
        Ok(())
    }

    fn part_within(&mut self, own: Part<'s>, asked: Part<'s>) -> bool {
        self.apart(|prover| prover.within(&own.node(), &asked.node()).is_ok())
    }
}

impl<'s> Layer<'s> {
    /// What this layer may ask of an unnamed property whose name matches the pattern.
    fn matching(&self, pattern: &str) -> Vec<Node<'s>> {
        match self.patterns.iter().find(|(own, _)| *own == pattern) {
            Some((_, node)) => vec![node.clone()],
            None => self.options(|_| true),
        }
    }

    /// What it may ask of one whose name matches no pattern of the other.
    fn beside(&self, other: &Self) -> Vec<Node<'s>> {
        self.options(|pattern| !other.patterns.iter().any(|(known, _)| *known == pattern))
    }

    /// At least one of these is asked of every unnamed property.
    fn options(&self, keeps: impl Fn(&str) -> bool) -> Vec<Node<'s>> {
        let patterns = self.patterns.iter().filter(|(pattern, _)| keeps(pattern));
        patterns.map(|(_, node)| node.clone()).chain([self.others.clone()]).collect()
    }
}

/// All combinations of what the layers may ask.
fn regions<'s>(
    objects: &Objects<'s>,
    node: &Node<'s>,
    options: impl Fn(&Layer<'s>) -> Vec<Node<'s>>,
) -> Result<Vec<Node<'s>>, Gap<'s>> {
    let mut found = vec![Node::new()];
    for layer in &objects.layers {
        let more = options(layer);
        let pairs = found.iter().flat_map(|own| more.iter().map(move |next| (own, next)));
        found = pairs.map(|(own, next)| all_of([own.clone(), next.clone()])).collect();
        if found.len() > MOST {
            return Err(Gap::at("patternProperties", node));
        }
    }
    Ok(found)
}
