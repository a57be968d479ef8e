//! A tool's schema in the words of a dialect.
//!
//! Whatever a dialect cannot say is left out, so that its declaration admits more than the tool
//! does, never less; each of those is a [`Lost`]. What can be told in a sentence is added to the
//! description.

mod choice;
mod combine;
mod definitions;
mod merge;
mod node;
mod normal;
mod profile;
mod root;
mod size;
mod subset;
mod whole;
mod words;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(super) use self::definitions::{Definitions, admits_null};
pub(super) use self::profile::{
    ANTHROPIC, BEDROCK, GEMINI, OLLAMA, OPENAI, OPENAI_STRICT, Profile,
};

/// A tool's arguments as a dialect says them.
#[derive(Debug)]
pub(super) struct Lowered {
    /// An object schema.
    pub(super) schema: Map<String, Value>,
    pub(super) losses: Vec<Lost>,
    /// Is `null` how a property is left out?
    pub(super) nulls: bool,
    /// Is any property called otherwise than by the tool?
    pub(super) renamed: bool,
}

impl Lowered {
    /// An object of which nothing can be said, for the reason given.
    pub(super) fn nothing(lost: Lost) -> Self {
        let schema = Map::from_iter([("type".to_owned(), "object".into())]);
        Self { schema, losses: vec![lost], nulls: false, renamed: false }
    }
}

/// What a declaration does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lost {
    /// Where in the tool's schema.
    pub(super) pointer: String,
    pub(super) keyword: String,
    pub(super) what: String,
}

/// Says a tool's schema in a dialect, with the titles of its types where they are asked for.
///
/// # Errors
/// The first thing that a strict profile cannot say without refusing what the tool takes.
pub(super) fn lower(
    schema: &Value,
    profile: &'static Profile,
    titles: bool,
) -> Result<Lowered, Lost> {
    let mut lowering = Lowering {
        profile,
        titles,
        definitions: Definitions::new(schema),
        names: BTreeMap::new(),
        waiting: Vec::new(),
        inlined: Vec::new(),
        nodes: 0,
        depth: 0,
        losses: Vec::new(),
        widened: 0,
        obstacle: None,
        nulls: false,
        odd_names: profile.property_names && normal::has_odd_names(schema),
        renamed: false,
    };
    let lowered = lowering.root(schema);
    let Lowering { losses, obstacle, nulls, renamed, .. } = lowering;
    match obstacle {
        Some(obstacle) => Err(obstacle),
        None => Ok(Lowered { schema: lowered, losses, nulls, renamed }),
    }
}

/// One schema on its way.
#[allow(clippy::struct_excessive_bools, reason = "each is one fact of a schema")]
struct Lowering<'s> {
    profile: &'static Profile,
    titles: bool,
    definitions: Definitions<'s>,
    /// What is called how in `$defs`, by its place in the tool's schema.
    names: BTreeMap<String, String>,
    /// Places that are referred to and not yet said.
    waiting: Vec<String>,
    /// The references that stand around this place, where they are said in place.
    inlined: Vec<String>,
    nodes: usize,
    depth: usize,
    losses: Vec<Lost>,
    /// How often something was lost, what was said in two places both times.
    widened: usize,
    obstacle: Option<Lost>,
    nulls: bool,
    /// Is any property of the tool's called as the dialect does not take it?
    odd_names: bool,
    renamed: bool,
}

impl Lowering<'_> {
    fn lose(&mut self, pointer: &str, keyword: &str, what: &str) {
        self.widened += 1;
        let lost = Lost {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            what: what.to_owned(),
        };
        if !self.losses.contains(&lost) {
            self.losses.push(lost);
        }
    }

    /// Says that a strict declaration would refuse what the tool takes.
    fn block(&mut self, pointer: &str, keyword: &str, what: &str) {
        if self.profile.strict && self.obstacle.is_none() {
            self.obstacle = Some(Lost {
                pointer: pointer.to_owned(),
                keyword: keyword.to_owned(),
                what: what.to_owned(),
            });
        }
    }

    /// The schema of any value.
    fn any(&mut self, at: &str) -> Value {
        self.block(at, "type", "any value");
        json!({})
    }
}

/// A place one step further in.
fn below(at: &str, steps: &[&str]) -> String {
    let mut pointer = at.to_owned();
    for step in steps {
        pointer.push('/');
        pointer.push_str(&crate::schema::reference::escaped(step));
    }
    pointer
}
