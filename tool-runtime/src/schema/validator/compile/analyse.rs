//! What is only known when all schemas are: cycles, reachable types, secrets, tags.

use std::collections::HashMap;

use super::super::error::SchemaError;
use super::super::model::{Additional, Choice, Schema, SchemaId, Sensitive, Tag};
use super::super::types::Types;
use super::keywords::listing;

/// The longest chain of schemas that look at the same value.
const LONGEST: usize = 64;

/// Fills in what looks across schemas.
pub(super) fn complete(
    schemas: &mut [Schema],
    known: &HashMap<String, SchemaId>,
) -> Result<(), SchemaError> {
    let order = inline_order(schemas, known)?;
    for id in order {
        schemas[id].reach = reach(schemas, &schemas[id]);
        schemas[id].bare = schemas[id].types.and(schemas[id].unruled());
    }
    spread_sensitivity(schemas);
    for id in 0..schemas.len() {
        let tags = schemas[id].logic.as_ref().map(|logic| {
            [&logic.any, &logic.one].map(|choice| choice.as_ref().and_then(|c| tag(schemas, c)))
        });
        if let (Some([any, one]), Some(logic)) = (tags, &mut schemas[id].logic) {
            logic.any.iter_mut().for_each(|choice| choice.tag.clone_from(&any));
            logic.one.iter_mut().for_each(|choice| choice.tag.clone_from(&one));
        }
    }
    Ok(())
}

/// All schemas, each after those that look at the same value for it.
fn inline_order(
    schemas: &[Schema],
    known: &HashMap<String, SchemaId>,
) -> Result<Vec<usize>, SchemaError> {
    let mut search = Search { schemas, done: vec![None; schemas.len()], order: Vec::new() };
    for id in 0..schemas.len() {
        if search.visit(id, 0).is_none() {
            let pointers = known.iter().filter(|(_, known)| **known as usize == id);
            let pointer = pointers.map(|(pointer, _)| pointer.clone()).next().unwrap_or_default();
            return Err(SchemaError::new(
                pointer,
                "a schema that contains itself without looking deeper into the value",
                "put a property or an item between the schema and its `$ref`",
            ));
        }
    }
    Ok(search.order)
}

struct Search<'a> {
    schemas: &'a [Schema],
    /// The longest chain below, once known.
    done: Vec<Option<usize>>,
    order: Vec<usize>,
}

impl Search<'_> {
    /// The longest chain from here; none if it is endless, or too long to follow.
    fn visit(&mut self, id: usize, depth: usize) -> Option<usize> {
        if let Some(length) = self.done[id] {
            return (depth + length <= LONGEST).then_some(length);
        }
        if depth > LONGEST {
            return None;
        }
        let mut length = 0;
        let schemas = self.schemas;
        for inline in schemas[id].inline() {
            length = length.max(1 + self.visit(inline as usize, depth + 1)?);
        }
        self.done[id] = Some(length);
        self.order.push(id);
        Some(length)
    }
}

/// The types that can pass; those of the schemas it contains are known.
fn reach(schemas: &[Schema], schema: &Schema) -> Types {
    if schema.never {
        return Types::NONE;
    }
    let of = |id: &SchemaId| schemas[*id as usize].reach;
    let either = |choice: &Choice| choice.branches.iter().map(of).fold(Types::NONE, Types::or);
    let Some(logic) = &schema.logic else { return schema.types };
    let all = logic.reference.iter().chain(&logic.all).map(of);
    let choices = logic.any.iter().chain(&logic.one).map(either);
    all.chain(choices).fold(schema.types, Types::and)
}

/// Marks every schema from which a secret, or personal data, can be reached.
fn spread_sensitivity(schemas: &mut [Schema]) {
    loop {
        let mut changed = false;
        for id in (0..schemas.len()).rev() {
            let schema = &schemas[id];
            let below = children(schema).map(|child| schemas[child as usize].holds);
            let holds = below.fold(schema.marked, Sensitive::or);
            changed |= holds != schema.holds;
            schemas[id].holds = holds;
        }
        if !changed {
            return;
        }
    }
}

/// The schemas that look at the value or at a part of it.
fn children(schema: &Schema) -> impl Iterator<Item = SchemaId> + '_ {
    let arrays = schema.arrays.iter().flat_map(|arrays| {
        let contains = arrays.contains.iter().map(|contains| contains.schema);
        arrays.prefix.iter().chain(&arrays.items).copied().chain(contains)
    });
    let objects = schema.objects.iter().flat_map(|objects| {
        let additional = match objects.additional {
            Additional::Checked(id) => Some(id),
            _ => None,
        };
        let properties = objects.properties.iter().filter_map(|property| property.schema);
        let patterns = objects.patterns.iter().map(|(_, id)| *id);
        properties.chain(patterns).chain(additional).chain(objects.unevaluated)
    });
    schema.inline().chain(arrays).chain(objects)
}

/// The property that tells the object branches of a choice apart, if there is one.
fn tag(schemas: &[Schema], choice: &Choice) -> Option<Tag> {
    let objects: Vec<SchemaId> = choice
        .branches
        .iter()
        .copied()
        .filter(|id| schemas[*id as usize].reach.meets(Types::OBJECT))
        .collect();
    let (first, rest) = objects.split_first()?;
    if rest.is_empty() {
        return None;
    }
    constants(schemas, *first).into_iter().find_map(|(property, value)| {
        let mut values = vec![(value, *first)];
        for id in rest {
            let constants = constants(schemas, *id);
            let (_, value) = constants.into_iter().find(|(name, _)| *name == property)?;
            if values.iter().any(|(other, _)| *other == value) {
                return None;
            }
            values.push((value, *id));
        }
        let listed: Vec<_> = values.iter().map(|(value, _)| (**value).into()).collect();
        Some(Tag { property, values, expected: listing(&listed).into() })
    })
}

/// The required properties of a schema whose value is one certain string.
fn constants(schemas: &[Schema], id: SchemaId) -> Vec<(Box<str>, Box<str>)> {
    let mut schema = &schemas[id as usize];
    while let Some(target) = schema.logic.as_ref().and_then(|logic| logic.reference) {
        schema = &schemas[target as usize];
    }
    let Some(objects) = &schema.objects else { return Vec::new() };
    let constant = |id: SchemaId| {
        let values = schemas[id as usize].values.as_ref()?;
        match (values.strings.as_slice(), values.others.as_slice()) {
            ([only], []) => Some(only.clone()),
            _ => None,
        }
    };
    let required = objects.properties.iter().filter(|property| property.required);
    required
        .filter_map(|property| Some((property.name.clone(), constant(property.schema?)?)))
        .collect()
}
