//! The walk of a compiled schema over a text's nodes, and what it finds.

mod array;
mod choice;
mod coerce;
mod edit;
mod object;
mod scalar;
mod unevaluated;

use std::collections::BTreeMap;
use std::rc::Rc;

use tool_contracts::Violation;

use self::coerce::Inner;
use self::edit::Edit;
use super::model::{Schema, SchemaId};
use super::report::{Coerce, Report};
use super::types::Types;
use crate::json::{Kind, Node, Repeat, Tree, View, pointer};
use crate::limits::Limits;
use crate::steps;

/// The most schemas that are entered within each other: a bound for the stack.
const DEEPEST: u32 = 512;
/// How many branches of choices may be looked at again only to word an answer.
const DIAGNOSES: u32 = 64;
/// How many violations may be found that say the same as one in the list.
const MOST_ALIKE: u32 = 256;

/// A text that is looked at: the one that was sent, or one that a string in it holds.
#[derive(Debug, Clone, Copy)]
struct Doc<'d> {
    view: View<'d>,
    /// 0 for the text that was sent.
    id: u32,
    outer: Option<(&'d Doc<'d>, u32)>,
}

impl Doc<'_> {
    fn pointer(&self, id: u32) -> String {
        let inner = pointer(self.view, id);
        match self.outer {
            Some((outer, at)) => outer.pointer(at) + &inner,
            None => inner,
        }
    }

    /// The type name of a value, as it was sent.
    fn received(&self, id: u32) -> &'static str {
        match self.outer {
            Some((outer, at)) if id == 0 => outer.received(at),
            _ => Types::of(self.view, self.view.node(id)).name(),
        }
    }
}

/// One walk, from the root down.
#[allow(clippy::struct_excessive_bools, reason = "each is a state of its own")]
struct Walk<'v> {
    schemas: &'v [Schema],
    limits: Limits,
    coerce: bool,
    /// Does a number fail that its reader would not keep?
    digits: bool,
    /// Only the verdict counts: stop at the first broken rule, write nothing down.
    quiet: bool,
    failed: bool,
    violations: Vec<Violation>,
    /// How many were found again that are listed already.
    alike: u32,
    /// There are more violations than are listed.
    overflow: bool,
    /// Why the walk was given up, if it was.
    given_up: Option<GivenUp>,
    /// How many bytes of text patterns were matched against.
    matched_bytes: usize,
    edits: Vec<Edit>,
    /// Numbers of the sent text whose digits a schema answers for.
    claimed: Vec<u32>,
    memory: Option<Box<Memory>>,
    docs: u32,
    levels: u32,
    diagnoses: u32,
}

/// Why a walk ends before all of the text is checked; the text is refused then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GivenUp {
    /// The schemas lead deeper into each other than the stack should go.
    TooDeep,
    /// Patterns would be matched against more text than the limits allow.
    TooMuchMatching,
}

/// What a verdict is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Question {
    coerce: bool,
    digits: bool,
}

impl Question {
    /// Does the schema itself admit the value? What is stricter here than JSON Schema must not
    /// turn a `not` or an `if` around, and so admit what the schema refuses.
    const SCHEMA: Self = Self { coerce: false, digits: false };
    /// Is the value admitted as it was sent?
    const PLAIN: Self = Self { coerce: false, digits: true };
}

/// What is kept so that no question is answered twice.
#[derive(Debug, Default)]
struct Memory {
    verdicts: BTreeMap<(SchemaId, u32, u32, Question), bool>,
    inner: BTreeMap<(u32, u32), Option<Rc<Inner>>>,
}

/// Checks a text that is JSON, and coerces what may be.
pub(super) fn check(
    schemas: &[Schema],
    text: &str,
    tree: &Tree,
    limits: &Limits,
    coerce: Coerce,
) -> Report {
    let view = tree.view(text);
    let walk = walked(schemas, view, tree, limits, coerce == Coerce::Lossless);
    if !walk.violations.is_empty() || walk.edits.is_empty() {
        return Report { violations: walk.violations, ..Report::default() };
    }
    let lossy = walk.edits.iter().any(|edit| !edit.is_respelled());
    let (coerced, receipts) = edit::applied(view, walk.edits);
    if lossy && !stands(schemas, &coerced, limits) {
        let walk = walked(schemas, view, tree, limits, false);
        return Report { violations: walk.violations, ..Report::default() };
    }
    let coercions = receipts.into_coercions();
    Report { coerced: Some(coerced), coercions, ..Report::default() }
}

/// Is the coerced text valid as it stands? Rules that look at one value from two sides can
/// contradict a coercion that one of them alone asks for.
fn stands(schemas: &[Schema], text: &str, limits: &Limits) -> bool {
    let roomy = limits.with_max_bytes(usize::MAX).with_max_string_bytes(usize::MAX);
    crate::json::read(text, &roomy).is_ok_and(|tree| {
        let walk = walked(schemas, tree.view(text), &tree, limits, false);
        walk.violations.is_empty()
    })
}

fn walked<'v>(
    schemas: &'v [Schema],
    view: View<'_>,
    tree: &Tree,
    limits: &Limits,
    coerce: bool,
) -> Walk<'v> {
    let mut walk = Walk {
        schemas,
        limits: *limits,
        coerce,
        digits: true,
        quiet: false,
        failed: false,
        violations: Vec::new(),
        alike: 0,
        overflow: false,
        given_up: None,
        matched_bytes: 0,
        edits: Vec::new(),
        claimed: Vec::new(),
        memory: None,
        docs: 0,
        levels: 0,
        diagnoses: DIAGNOSES,
    };
    let doc = Doc { view, id: 0, outer: None };
    if tree.duplicates().is_empty() {
        walk.value(0, &doc, 0);
        walk.unclaimed(&doc, tree);
    } else {
        // Two values under one name: no rule can say which of them counts.
        walk.repeated(&doc, tree);
    }
    walk.finish();
    walk
}

impl<'v> Walk<'v> {
    fn schema(&self, id: SchemaId) -> &'v Schema {
        &self.schemas[id as usize]
    }

    /// Checks one value against one schema.
    fn value(&mut self, id: SchemaId, doc: &Doc<'_>, at: u32) {
        let schema = self.schema(id);
        let node = doc.view.node(at);
        // Most values are of a type of which nothing more is said.
        let glance = Types::at_a_glance(node);
        if schema.bare.holds(glance) && !node.is_odd() {
            return;
        }
        if schema.types != Types::ANY || schema.never {
            if schema.never {
                return self.refuse(doc, at, "false", || "no value here".to_owned());
            }
            if !schema.types.admits(doc.view, node) {
                return self.mistyped(schema, doc, at, node);
            }
        }
        if self.levels == DEEPEST {
            return self.give_up(GivenUp::TooDeep);
        }
        self.levels += 1;
        self.apply(schema, doc, at, node);
        self.levels -= 1;
    }

    #[cold]
    fn mistyped(&mut self, schema: &'v Schema, doc: &Doc<'_>, at: u32, node: &Node) {
        if self.coerce && self.coerced(schema, doc, at, node) {
            return;
        }
        self.claim(doc, at, node);
        self.refuse(doc, at, "type", || schema.types.text());
    }

    /// Checks a value of a type that the schema admits.
    fn apply(&mut self, schema: &'v Schema, doc: &Doc<'_>, at: u32, node: &Node) {
        match node.kind {
            Kind::Number => self.number(schema, doc, at, node),
            Kind::String => self.string(schema, doc, at, node),
            Kind::Array => self.array(schema, doc, at, node),
            Kind::Object => self.object(schema, doc, at, node),
            Kind::Null | Kind::Bool => {}
        }
        if let Some(values) = &schema.values {
            self.listed(values, doc, at, node);
        }
        if let Some(logic) = &schema.logic {
            self.logic(logic, doc, at, node);
        }
    }

    /// Notes a broken rule.
    #[cold]
    fn refuse(
        &mut self,
        doc: &Doc<'_>,
        at: u32,
        rule: &'static str,
        expected: impl FnOnce() -> String,
    ) {
        self.failed = true;
        if !self.quiet {
            let violation = Violation::new(doc.pointer(at), rule, expected(), doc.received(at));
            self.note(violation);
        }
    }

    fn note(&mut self, violation: Violation) {
        self.failed = true;
        steps::count(self.violations.len());
        if self.violations.contains(&violation) {
            self.alike += 1;
            self.overflow |= self.alike > MOST_ALIKE;
        } else if self.violations.len() < Report::MOST {
            self.violations.push(violation);
        } else {
            self.overflow = true;
        }
    }

    /// Is there no use in going on?
    const fn is_over(&self) -> bool {
        (self.quiet && self.failed) || self.overflow || self.given_up.is_some()
    }

    /// Ends the walk: the text is refused, whatever a verdict is asked for.
    #[cold]
    fn give_up(&mut self, why: GivenUp) {
        self.failed = true;
        self.given_up.get_or_insert(why);
    }

    /// Notes that a pattern is to be matched against a text; false if that would be too much.
    fn may_match(&mut self, text: &str) -> bool {
        steps::count(text.len());
        self.matched_bytes = self.matched_bytes.saturating_add(text.len());
        let may = self.matched_bytes <= self.limits.max_pattern_bytes();
        if !may {
            self.give_up(GivenUp::TooMuchMatching);
        }
        may
    }

    /// Does the value pass the schema? Nothing is written down.
    fn passes(&mut self, id: SchemaId, doc: &Doc<'_>, at: u32, question: Question) -> bool {
        // Within another such question, a choice may come by here once for each way that leads to
        // it; remembered verdicts keep that from growing exponentially.
        let question = Question { digits: self.digits && question.digits, ..question };
        let key = (id, doc.id, at, question);
        let remember = self.quiet && doc.view.node(at).count() > 0;
        let known = self.memory.as_ref().and_then(|memory| memory.verdicts.get(&key));
        if let Some(verdict) = known.filter(|_| remember) {
            return *verdict;
        }
        let before = (self.quiet, self.failed, self.coerce, self.digits);
        let Question { coerce, digits } = question;
        (self.quiet, self.failed, self.coerce, self.digits) = (true, false, coerce, digits);
        self.value(id, doc, at);
        let verdict = !self.failed;
        (self.quiet, self.failed, self.coerce, self.digits) = before;
        if remember {
            self.memory.get_or_insert_default().verdicts.insert(key, verdict);
        }
        verdict
    }

    /// Notes the names that stand twice, each of them once.
    fn repeated(&mut self, doc: &Doc<'_>, tree: &Tree) {
        let mut repeats = tree.duplicates().to_vec();
        repeats.sort_unstable_by_key(|repeat| repeat.node);
        for Repeat { node, times } in repeats {
            let (pointer, received) = (doc.pointer(node), doc.received(node));
            let violation = Violation::new(pointer, "duplicate", "each property once", received);
            self.note(if times > 2 {
                violation.with_hint(format!("the property stands {times} times"))
            } else {
                violation
            });
        }
    }

    /// Notes the numbers that no schema has answered for and that no reader would keep.
    fn unclaimed(&mut self, doc: &Doc<'_>, tree: &Tree) {
        if !tree.has_wide_numbers() {
            return;
        }
        self.claimed.sort_unstable();
        for (at, node) in (0..).zip(doc.view.nodes) {
            if node.kind != Kind::Number || !node.is_wide() || self.overflow {
                continue;
            }
            if self.claimed.binary_search(&at).is_err() {
                self.precision(super::number::Reader::Any, doc, at, node);
            }
        }
    }

    /// Says in the last violation that there are more.
    fn finish(&mut self) {
        if let Some(why) = self.given_up {
            self.violations = vec![why.violation(&self.limits)];
        } else if self.overflow {
            if let Some(last) = self.violations.pop() {
                let listed = self.violations.len() + 1;
                let hint = format!("there are more: only the first {listed} are listed");
                self.violations.push(last.with_hint(hint));
            }
        }
    }
}

impl GivenUp {
    fn violation(self, limits: &Limits) -> Violation {
        match self {
            Self::TooDeep => Violation::new("", "depth", "a value that is nested less", "object"),
            Self::TooMuchMatching => {
                let most = limits.max_pattern_bytes();
                let expected = format!("at most {most} bytes in all that have to match patterns");
                Violation::new("", "pattern", expected, "")
            }
        }
    }
}
