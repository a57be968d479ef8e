//! Lists the schemas that apply to one value: a schema, its reference and its combinators.

use serde_json::{Map, Value};

use crate::schema::subschemas::{
    SchemaForm, SchemaKey, SchemaKeyword, SchemaRole, SchemaStep, subschemas_with_role,
};

/// Keywords that restrict properties not listed in `properties`.
const UNNAMED_PROPERTY_KEYWORDS: [&str; 3] =
    ["additionalProperties", "unevaluatedProperties", "patternProperties"];

/// The keyword whose value is the text of a reference.
static REFERENCE: SchemaKeyword =
    SchemaKeyword { name: "$ref", form: SchemaForm::One, role: SchemaRole::InPlace };

/// Lists the schemas by which a value may be evaluated, but not those under `not`; for a `$ref`, its
/// text.
pub(in crate::schema) fn in_place(
    keywords: &Map<String, Value>,
) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    let step = SchemaStep { keyword: &REFERENCE, key: SchemaKey::Only };
    let reference = keywords.get(REFERENCE.name).map(|text| (step, text));
    reference.into_iter().chain(subschemas_with_role(keywords, SchemaRole::InPlace))
}

/// Returns whether the keywords themselves describe properties or items.
pub(super) fn is_structural(keywords: &Map<String, Value>) -> bool {
    let properties = SchemaKeyword::with_role(SchemaRole::Property);
    let mut structural = properties.chain(SchemaKeyword::with_role(SchemaRole::Item));
    structural.any(|keyword| match keywords.get(keyword.name) {
        Some(Value::Object(named)) => keyword.name != "properties" || !named.is_empty(),
        Some(_) => true,
        None => false,
    })
}

pub(in crate::schema) fn restricts_unnamed(keywords: &Map<String, Value>) -> bool {
    UNNAMED_PROPERTY_KEYWORDS.iter().any(|word| keywords.contains_key(*word))
}

/// Returns whether a schema accepts properties that it does not list by name.
pub(super) fn admits_unnamed(keywords: &Map<String, Value>) -> bool {
    UNNAMED_PROPERTY_KEYWORDS
        .iter()
        .any(|word| keywords.get(*word).is_some_and(|rule| *rule != Value::Bool(false)))
}
