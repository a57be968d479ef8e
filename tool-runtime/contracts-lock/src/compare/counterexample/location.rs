//! The instances that a location in a schema describes.

use tool_runtime_schema::schema::subschemas::{SchemaForm, SchemaKeyword, SchemaRole};

/// A location in instances, as far as it follows from the location in the schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InstanceLocation {
    /// False if a definition is used at a location that does not follow from its own.
    from_root: bool,
    steps: Vec<InstanceStep>,
}

#[derive(Debug, PartialEq, Eq)]
enum InstanceStep {
    /// A property or an item, as an escaped segment of a JSON Pointer.
    Named(String),
    /// Any property or item.
    Any,
}

/// The distance of a rejection from a change: levels below it, and whether another rule rejects.
pub(super) type Distance = (usize, bool);

impl InstanceLocation {
    /// Reads a location in a schema, as a JSON Pointer.
    pub(super) fn from_pointer(pointer: &str) -> Self {
        let mut location = Self { from_root: true, steps: Vec::new() };
        let mut segments = pointer.split('/').skip(1).peekable();
        // Other keywords describe the instance at this location itself.
        while let Some(keyword) = segments.next().and_then(SchemaKeyword::named) {
            match (keyword.role, keyword.name) {
                (_, "properties" | "prefixItems") => {
                    let name = segments.next().map(|name| InstanceStep::Named(name.to_owned()));
                    location.steps.extend(name);
                }
                (_, "patternProperties") => {
                    location.steps.extend(segments.next().map(|_| InstanceStep::Any));
                }
                (_, "items") => {
                    // Up to draft 2019-09, `items` may list one schema for each of the first items.
                    let index = segments.next_if(|segment| is_index(segment));
                    let step = index.map(|index| InstanceStep::Named(index.to_owned()));
                    location.steps.push(step.unwrap_or(InstanceStep::Any));
                }
                (SchemaRole::Property | SchemaRole::Item | SchemaRole::SomeItems, _) => {
                    location.steps.push(InstanceStep::Any);
                }
                (SchemaRole::Definition, _) => {
                    location = Self { from_root: false, steps: Vec::new() };
                    segments.next();
                }
                (SchemaRole::InPlace | SchemaRole::Negated, _) => {
                    if keyword.form != SchemaForm::One {
                        segments.next();
                    }
                }
                // Neither the name of a property nor an encoded value has a location of its own.
                (SchemaRole::PropertyName | SchemaRole::Content, _) => break,
            }
        }
        location
    }

    /// The distance of a rejection at this location in the instance, or below it; `None` if it is
    /// elsewhere.
    pub(super) fn distance(&self, pointer: &str, keyword: &str, rule: &str) -> Option<Distance> {
        let segments: Vec<_> = pointer.split('/').skip(1).collect();
        let starts = if self.from_root { 0..=0 } else { 0..=segments.len() };
        let below = starts.filter_map(|start| self.levels_below(&segments[start..])).min()?;
        Some((below, !rule.starts_with(&rule_prefix(keyword))))
    }

    fn levels_below(&self, segments: &[&str]) -> Option<usize> {
        let below = segments.len().checked_sub(self.steps.len())?;
        let fits = |(step, segment): (&InstanceStep, &&str)| match step {
            InstanceStep::Named(name) => name == segment,
            InstanceStep::Any => true,
        };
        self.steps.iter().zip(segments).all(fits).then_some(below)
    }
}

/// Returns whether a segment of a JSON Pointer is the index of an item.
fn is_index(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit())
}

/// The beginning of the rules about a keyword: `min-length` for `minLength`.
fn rule_prefix(keyword: &str) -> String {
    let mut prefix = String::new();
    for letter in keyword.chars() {
        if letter.is_ascii_uppercase() {
            prefix.push('-');
        }
        prefix.push(letter.to_ascii_lowercase());
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::InstanceLocation;

    #[track_caller]
    fn check(
        schema: &str,
        instance: &str,
        keyword: &str,
        rule: &str,
        below: Option<(usize, bool)>,
    ) {
        assert_eq!(InstanceLocation::from_pointer(schema).distance(instance, keyword, rule), below);
    }

    #[test]
    fn a_rejection_is_close_to_the_change_of_its_location_and_rule() {
        check("/properties/a/minimum", "/a", "minimum", "minimum-raised", Some((0, false)));
        check("/properties/a/minimum", "/a", "maximum", "minimum-raised", Some((0, true)));
        check("/properties/a/minimum", "/b", "minimum", "minimum-raised", None);
        check("/properties/items/type", "/items", "type", "type-narrowed", Some((0, false)));
        check("/minLength", "", "minLength", "min-length-raised", Some((0, false)));
        check("/required", "/a", "required", "required-added", Some((1, false)));
        check("/oneOf/1/properties/a~1b/type", "/a~1b", "type", "type-changed", Some((0, false)));
        check("/items/prefixItems/2/type", "/5/2", "type", "type-changed", Some((0, false)));
        check("/properties/a/minimum", "", "type", "minimum-raised", None);
    }

    #[test]
    fn a_schema_in_a_list_of_items_describes_the_item_at_its_index() {
        let change = "/items/0/properties/a/type";
        check(change, "/0/a", "type", "type-changed", Some((0, false)));
        check(change, "/1/a", "type", "type-changed", None);
        check(change, "/0/b", "type", "type-changed", None);
        check("/items/properties/a/type", "/1/a", "type", "type-changed", Some((0, false)));
        check("/additionalItems/type", "/1", "type", "type-changed", Some((0, false)));
    }

    #[test]
    fn a_definition_describes_instances_at_every_level() {
        let change = "/$defs/Node/properties/value/type";
        check(change, "/next/value", "type", "type-narrowed", Some((0, false)));
        check(change, "/value", "type", "type-narrowed", Some((0, false)));
        check(change, "/next", "type", "type-narrowed", None);
    }
}
