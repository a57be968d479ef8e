//! Analyses that need all schemas: cycles, reachable types, sensitivity, discriminators.

use std::collections::HashMap;

use super::super::error::SchemaError;
use super::super::model::{
    AdditionalProperties, Choice, Discriminator, SchemaId, SchemaNode, SensitivityFlags,
};
use super::super::types::Types;
use super::keywords::list_values;

/// Longest chain of schemas that apply to the same value.
const MAX_CHAIN: usize = 64;

/// Fills in the properties of each schema that depend on other schemas.
pub(super) fn complete(
    schemas: &mut [SchemaNode],
    ids: &HashMap<String, SchemaId>,
) -> Result<(), SchemaError> {
    let order = inline_order(schemas, ids)?;
    for id in order {
        schemas[id].possible_types = possible_types(schemas, &schemas[id]);
        schemas[id].unconstrained_types = schemas[id].types.and(schemas[id].types_without_rules());
    }
    mark_shared(schemas);
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

/// All schemas, each after the schemas that it applies to the same value.
fn inline_order(
    schemas: &[SchemaNode],
    ids: &HashMap<String, SchemaId>,
) -> Result<Vec<usize>, SchemaError> {
    let mut search = CycleSearch { schemas, done: vec![None; schemas.len()], order: Vec::new() };
    for id in 0..schemas.len() {
        if search.chain_length(id, 0).is_none() {
            let pointers = ids.iter().filter(|(_, known)| **known as usize == id);
            let pointer = pointers.map(|(pointer, _)| pointer.clone()).next().unwrap_or_default();
            return Err(SchemaError::new(
                pointer,
                "a schema that applies itself to the same value again, without end",
                "put a property or an item between the schema and its `$ref`",
            ));
        }
    }
    Ok(search.order)
}

struct CycleSearch<'a> {
    schemas: &'a [SchemaNode],
    /// Length of the longest chain below each schema, once known.
    done: Vec<Option<usize>>,
    order: Vec<usize>,
}

impl CycleSearch<'_> {
    /// The length of the longest chain from this schema; `None` if it is cyclic or too long.
    fn chain_length(&mut self, id: usize, depth: usize) -> Option<usize> {
        if let Some(length) = self.done[id] {
            return (depth + length <= MAX_CHAIN).then_some(length);
        }
        if depth > MAX_CHAIN {
            return None;
        }
        let mut length = 0;
        let schemas = self.schemas;
        for inline in schemas[id].inline() {
            length = length.max(1 + self.chain_length(inline as usize, depth + 1)?);
        }
        self.done[id] = Some(length);
        self.order.push(id);
        Some(length)
    }
}

/// The types that can be valid, given those of the subschemas.
fn possible_types(schemas: &[SchemaNode], schema: &SchemaNode) -> Types {
    if schema.rejects_all {
        return Types::NONE;
    }
    let of = |id: &SchemaId| schemas[*id as usize].possible_types;
    let either = |choice: &Choice| choice.branches.iter().map(of).fold(Types::NONE, Types::or);
    let Some(logic) = &schema.logic else { return schema.types };
    let conjunct_types = logic.reference.iter().chain(&logic.all).map(of);
    let choices = logic.any.iter().chain(&logic.one).map(either);
    conjunct_types.chain(choices).fold(schema.types, Types::and)
}

/// Marks the schemas that one value may reach on several ways, so that each is applied once.
fn mark_shared(schemas: &mut [SchemaNode]) {
    let mut counts = vec![0_u32; schemas.len()];
    for inline in schemas.iter().flat_map(SchemaNode::inline) {
        counts[inline as usize] += 1;
    }
    for (schema, count) in schemas.iter_mut().zip(counts) {
        schema.is_shared = count > 1 && schema.inline().next().is_some();
    }
}

/// Marks every schema from which a secret or personal data can be reached.
fn spread_sensitivity(schemas: &mut [SchemaNode]) {
    loop {
        let mut changed = false;
        for id in (0..schemas.len()).rev() {
            let schema = &schemas[id];
            let below = children(schema).map(|child| schemas[child as usize].deep_sensitivity);
            let holds = below.fold(schema.own_sensitivity, SensitivityFlags::or);
            changed |= holds != schema.deep_sensitivity;
            schemas[id].deep_sensitivity = holds;
        }
        if !changed {
            return;
        }
    }
}

/// The schemas that apply to the value or to a part of it.
fn children(schema: &SchemaNode) -> impl Iterator<Item = SchemaId> + '_ {
    let arrays = schema.arrays.iter().flat_map(|arrays| {
        let contains = arrays.contains.iter().map(|contains| contains.schema);
        arrays.prefix.iter().chain(&arrays.items).copied().chain(contains)
    });
    let objects = schema.objects.iter().flat_map(|objects| {
        let additional = match objects.additional {
            AdditionalProperties::Checked(id) => Some(id),
            AdditionalProperties::Open | AdditionalProperties::Closed => None,
        };
        let properties = objects.properties.iter().filter_map(|property| property.schema);
        let patterns = objects.patterns.iter().map(|(_, id)| *id);
        properties.chain(patterns).chain(additional).chain(objects.unevaluated)
    });
    schema.inline().chain(arrays).chain(objects)
}

/// The property that distinguishes the object branches of a choice, if one exists.
fn tag(schemas: &[SchemaNode], choice: &Choice) -> Option<Discriminator> {
    let objects: Vec<SchemaId> = choice
        .branches
        .iter()
        .copied()
        .filter(|id| schemas[*id as usize].possible_types.intersects(Types::OBJECT))
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
        let tag_values: Vec<_> = values.iter().map(|(value, _)| (**value).into()).collect();
        Some(Discriminator { property, values, expected: list_values(&tag_values).into() })
    })
}

/// The required properties of a schema whose value is a constant string.
fn constants(schemas: &[SchemaNode], id: SchemaId) -> Vec<(Box<str>, Box<str>)> {
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
