//! Converts a tool's schema to the keywords of a dialect.
//!
//! Unsupported keywords are omitted, so that the declaration accepts at least what the tool
//! accepts; each omission is an [`UnsupportedKeyword`]. A keyword that can be expressed as a sentence is
//! added to the description.

mod choice;
mod combine;
mod conjunction;
mod copy_budget;
mod definitions;
mod full_schema;
mod merge;
mod node;
mod normalize;
mod profile;
mod python_pattern;
mod reference_facts;
mod root;
mod sentences;
mod size;
mod subset;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value, json};

use self::copy_budget::CopyBudget;
use self::reference_facts::ReferenceFacts;
use super::strict_nulls::StrictSchema;

pub(super) use self::definitions::Definitions;
pub(super) use self::profile::{
    ALL_KEYWORDS, DialectProfile, EnumValues, PLAIN_OBJECT, PatternSupport, ReferenceSupport,
};

/// The keywords of a schema.
type Keywords = Map<String, Value>;

/// A tool's arguments, converted to a dialect.
#[derive(Debug)]
pub(super) struct LoweredSchema {
    /// An object schema.
    pub(super) schema: Map<String, Value>,
    pub(super) losses: Vec<UnsupportedKeyword>,
    /// The schema with its marks, if `null` stands for an omitted property anywhere.
    pub(super) omitted: Option<StrictSchema>,
    /// True if any property has another name than in the tool's schema.
    pub(super) renamed: bool,
}

impl LoweredSchema {
    /// An object without any rules, for the given reason.
    pub(super) fn nothing(lost: UnsupportedKeyword) -> Self {
        let schema = Map::from_iter([("type".to_owned(), "object".into())]);
        Self { schema, losses: vec![lost], omitted: None, renamed: false }
    }
}

/// A part of the schema that a declaration does not express.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct UnsupportedKeyword {
    /// The location in the tool's schema.
    pub(super) pointer: String,
    pub(super) keyword: String,
    pub(super) consequence: String,
}

/// Converts a tool's schema to a dialect, with the titles of types if enabled.
///
/// # Errors
/// Returns the first keyword that a strict profile cannot express without rejecting valid calls.
pub(super) fn lower(
    schema: &Value,
    profile: &'static DialectProfile,
    titles: bool,
) -> Result<LoweredSchema, UnsupportedKeyword> {
    let limit = MAX_INLINED_BYTES.max(size_of(schema).saturating_mul(MAX_INLINED_GROWTH));
    for levels in (1..=MAX_INLINED_LEVELS).rev() {
        let lowered = lower_with(schema, profile, titles, levels)?;
        let is_bounded =
            !lowered.inlines || (!lowered.is_cut && size_of(&lowered.schema.schema) <= limit);
        if is_bounded {
            return Ok(lowered.schema);
        }
    }
    lower_with(schema, profile, titles, 0).map(|lowered| lowered.schema)
}

/// The levels of a recursive type that are inlined.
const MAX_INLINED_LEVELS: usize = 2;
/// Bytes that a declaration with inlined references may have, whatever the size of the schema.
const MAX_INLINED_BYTES: usize = 32 * 1024;
/// The largest size of a declaration with inlined references, in multiples of the schema's.
const MAX_INLINED_GROWTH: usize = 8;

/// The length of a schema as JSON.
fn size_of(schema: &impl serde::Serialize) -> usize {
    serde_json::to_string(schema).map_or(usize::MAX, |text| text.len())
}

struct LoweredWithLevels {
    schema: LoweredSchema,
    /// True if any reference was replaced by its target.
    inlines: bool,
    /// True if any reference was not, because all targets together are too large.
    is_cut: bool,
}

/// Converts a schema, with this many levels of each recursive type.
///
/// With 0, a reference within the target of another one becomes any value of its type.
fn lower_with(
    schema: &Value,
    profile: &'static DialectProfile,
    titles: bool,
    levels: usize,
) -> Result<LoweredWithLevels, UnsupportedKeyword> {
    let mut lowering = SchemaConverter {
        profile,
        titles,
        definitions: Definitions::new(schema),
        facts: OnceCell::new(),
        budget: CopyBudget::for_schema(schema),
        reads: CopyBudget::for_schema(schema),
        cut_parts: 0,
        is_cut: false,
        names: BTreeMap::new(),
        taken_names: HashSet::new(),
        name_counts: HashMap::new(),
        pending: Vec::new(),
        inlined: Vec::new(),
        inlined_levels: levels,
        inlines: false,
        nodes: 0,
        depth: 0,
        losses: Vec::new(),
        recorded: HashSet::new(),
        widened: 0,
        obstacle: None,
        has_renamed_names: profile.restricts_property_names && normalize::has_odd_names(schema),
        renamed: false,
    };
    let mut lowered = lowering.root(schema);
    let omitted = profile.requires_all.then(|| lowering.take_marks(schema, &mut lowered)).flatten();
    let SchemaConverter { losses, obstacle, renamed, inlines, is_cut, .. } = lowering;
    if let Some(obstacle) = obstacle {
        return Err(obstacle);
    }
    let schema = LoweredSchema { schema: lowered, losses, omitted, renamed };
    Ok(LoweredWithLevels { schema, inlines, is_cut })
}

/// The conversion of one schema.
#[allow(clippy::struct_excessive_bools, reason = "each is one fact of a schema")]
struct SchemaConverter<'s> {
    profile: &'static DialectProfile,
    titles: bool,
    definitions: Definitions<'s>,
    /// The facts about the targets of references, computed when they are first needed.
    facts: OnceCell<ReferenceFacts<'s>>,
    /// The copies of parts that are left: siblings in each branch, targets in place of references.
    budget: CopyBudget,
    /// The steps that are left to read targets again and again.
    reads: CopyBudget,
    /// Parts of conjunctions that were left out.
    cut_parts: usize,
    /// True if any reference was not replaced by its target, for lack of budget.
    is_cut: bool,
    /// Names in `$defs`, by location in the tool's schema.
    names: BTreeMap<String, String>,
    taken_names: HashSet<String>,
    /// The last number after each wanted name in `$defs`.
    name_counts: HashMap<String, usize>,
    /// Referenced locations that are not converted yet.
    pending: Vec<String>,
    /// The enclosing references, for references that are inlined.
    inlined: Vec<String>,
    /// The levels of a recursive type that are inlined.
    inlined_levels: usize,
    /// True if any reference was inlined.
    inlines: bool,
    nodes: usize,
    depth: usize,
    losses: Vec<UnsupportedKeyword>,
    /// The losses so far, of which each is listed once.
    recorded: HashSet<UnsupportedKeyword>,
    /// The number of losses, including repeated conversions of the same location.
    widened: usize,
    obstacle: Option<UnsupportedKeyword>,
    /// True if any property has a name that the dialect does not accept.
    has_renamed_names: bool,
    renamed: bool,
}

impl SchemaConverter<'_> {
    fn facts(&self) -> &ReferenceFacts<'_> {
        self.facts.get_or_init(|| ReferenceFacts::new(self.definitions))
    }

    fn record_loss(&mut self, pointer: &str, keyword: &str, consequence: &str) {
        self.widened += 1;
        let lost = UnsupportedKeyword {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            consequence: consequence.to_owned(),
        };
        if self.recorded.insert(lost.clone()) {
            self.losses.push(lost);
        }
    }

    /// Records that a strict declaration would reject calls that the tool accepts.
    fn block_strict(&mut self, pointer: &str, keyword: &str, consequence: &str) {
        if self.profile.strict && self.obstacle.is_none() {
            self.obstacle = Some(UnsupportedKeyword {
                pointer: pointer.to_owned(),
                keyword: keyword.to_owned(),
                consequence: consequence.to_owned(),
            });
        }
    }

    /// Takes the marks of omitted properties out of a strict declaration, which must leave the
    /// meaning of no `null` open.
    fn take_marks(
        &mut self,
        schema: &Value,
        lowered: &mut Map<String, Value>,
    ) -> Option<StrictSchema> {
        let strict = StrictSchema::take(lowered);
        if let Some(ambiguity) = strict.ambiguity() {
            let place = deepest_known(schema, &ambiguity.pointer);
            self.block_strict(place, "anyOf", &ambiguity.consequence);
        }
        strict.omits_properties().then_some(strict)
    }

    /// The schema of any value.
    fn any(&mut self, at: &str) -> Value {
        self.block_strict(at, "type", "any value");
        json!({})
    }
}

/// The part of a pointer into a declaration that the tool's own schema has, too.
fn deepest_known<'p>(schema: &Value, pointer: &'p str) -> &'p str {
    let mut ancestor = pointer;
    while schema.pointer(ancestor).is_none() {
        ancestor = ancestor.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    ancestor
}

/// The pointer to a subschema.
fn below(at: &str, steps: &[&str]) -> String {
    let mut pointer = at.to_owned();
    for step in steps {
        pointer.push('/');
        pointer.push_str(&tool_runtime_schema::schema::reference::escaped(step));
    }
    pointer
}
