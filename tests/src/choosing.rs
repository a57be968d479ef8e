//! The quality of searches by questions among all tools of a set of cases.

use std::collections::{BTreeMap, BTreeSet};

use tool_runtime::contracts::{Effect, ToolSpec};
use tool_runtime::search::{Hit, ToolIndex};

use crate::bfcl::{Case, Tool};

/// The numbers of first hits that are considered.
pub const DEPTHS: [usize; 3] = [1, 5, 10];

/// Counts of the right tools that were found.
///
/// The tools of all cases form one set; tools with the same name, description and input schema
/// count as one. Each pair of a question and a tool of its right calls counts once.
#[derive(Debug, Default)]
pub struct Recall {
    /// Tools to choose from.
    pub tools: usize,
    /// Questions that were searched.
    pub questions: usize,
    /// Pairs of a question and a right tool.
    pub pairs: usize,
    /// Pairs whose tool can be among the first hits, for each of [`DEPTHS`]: several right tools
    /// of one question cannot all be first.
    pub possible: [usize; DEPTHS.len()],
    /// Pairs whose tool is among the first hits, for each of [`DEPTHS`].
    pub found: [usize; DEPTHS.len()],
    /// The same, if any tool with the right name counts.
    pub found_by_name: [usize; DEPTHS.len()],
}

/// One of two halves of a set of cases.
///
/// The parameters of the ranking were chosen by the first alone; the second shows what they are worth
/// for other questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The half by which parameters are chosen.
    Tuned,
    /// The half that is held out.
    HeldOut,
}

impl Half {
    /// Returns the half of a case: by one bit of a hash of its id (FNV-1a), so that it never changes.
    #[must_use]
    pub fn of(case: &Case) -> Self {
        let hash = case.id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        if (hash ^ (hash >> 32)) & 1 == 0 { Self::Tuned } else { Self::HeldOut }
    }
}

impl Recall {
    /// Searches all tools of the cases for each of their questions.
    ///
    /// # Errors
    /// A case's tool has no valid name, or a call names a tool that its case does not have.
    pub fn of(cases: &[Case]) -> Result<Self, String> {
        Self::of_questions(cases, |_| true)
    }

    /// Searches all tools of the cases for each question of one half of them.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn of_half(cases: &[Case], half: Half) -> Result<Self, String> {
        Self::of_questions(cases, |case| Half::of(case) == half)
    }

    fn of_questions(cases: &[Case], is_asked: impl Fn(&Case) -> bool) -> Result<Self, String> {
        let index = ToolIndex::new(distinct(cases)?);
        let mut recall = Self { tools: index.len(), ..Self::default() };
        for case in cases.iter().filter(|case| is_asked(case)) {
            recall.questions += 1;
            let hits = index.search(&case.question, DEPTHS[DEPTHS.len() - 1]);
            let names: BTreeSet<&str> = case.calls.iter().map(|call| &*call.name).collect();
            for (depth, most) in DEPTHS.into_iter().enumerate() {
                recall.possible[depth] += names.len().min(most);
            }
            for name in names {
                let tool = case.tools.iter().find(|tool| tool.name == name);
                recall.count(&hits, tool.ok_or_else(|| format!("{}: no `{name}`", case.id))?);
            }
        }
        Ok(recall)
    }

    fn count(&mut self, hits: &[Hit], tool: &Tool) {
        self.pairs += 1;
        let exact = hits.iter().position(|hit| is_of(hit.spec(), tool));
        let named = hits.iter().position(|hit| hit.name() == tool.name);
        for (depth, most) in DEPTHS.into_iter().enumerate() {
            self.found[depth] += usize::from(exact.is_some_and(|place| place < most));
            self.found_by_name[depth] += usize::from(named.is_some_and(|place| place < most));
        }
    }
}

/// Returns the tools of all cases, of which no two are the same.
///
/// # Errors
/// A tool has no valid name.
pub fn distinct(cases: &[Case]) -> Result<Vec<ToolSpec>, String> {
    let mut tools = BTreeMap::new();
    for tool in cases.iter().flat_map(|case| &case.tools) {
        tools.insert((&tool.name, &tool.description, tool.input_schema.to_string()), tool);
    }
    tools.into_values().map(spec).collect()
}

/// Returns a tool as a read.
///
/// # Errors
/// The tool has no valid name.
pub fn spec(tool: &Tool) -> Result<ToolSpec, String> {
    ToolSpec::builder(&tool.name, Effect::Read)
        .description(&tool.description)
        .input_schema(tool.input_schema.clone())
        .build()
        .map_err(|error| format!("{}: {error}", tool.name))
}

fn is_of(spec: &ToolSpec, tool: &Tool) -> bool {
    spec.name() == tool.name
        && spec.description() == tool.description
        && tool.input_schema.as_object() == Some(spec.input_schema())
}
