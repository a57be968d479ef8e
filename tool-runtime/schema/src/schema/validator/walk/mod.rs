//! Applies a compiled schema to the nodes of a text.

mod array;
mod choice;
mod coerce;
mod edit;
mod object;
mod scalar;
mod unevaluated;
mod verdict;

use std::mem;

use tool_contracts::Violation;

use self::edit::TextEdit;
pub(super) use self::object::described_pattern;
pub(super) use self::verdict::Conversions;
use self::verdict::{VerdictCache, VerdictMode};
use super::model::{SchemaId, SchemaNode};
use super::report::ValidationReport;
use super::types::Types;
use crate::json::{
    DuplicateKey, JsonKind, JsonNode, JsonTree, JsonView, OpaqueNodes, pointer, push_name,
};
use crate::limits::Limits;
use crate::test_cost;

/// Most nested schemas: bounds the stack.
const MAX_DEPTH: u32 = 512;
/// Most branches of choices that are checked again to describe a violation.
const MAX_DIAGNOSES: u32 = 64;
/// Most repeated violations that equal a listed one.
const MAX_REPEATED_VIOLATIONS: u32 = 256;

/// A text under validation: the one that was sent, or one inside a string of it.
#[derive(Debug, Clone, Copy)]
struct Document<'d> {
    view: JsonView<'d>,
    /// 0 for the text that was sent.
    id: u32,
    outer: Option<(&'d Document<'d>, u32)>,
    /// The secrets of the text that was sent; those of a text inside of a string are none, since
    /// the string is opaque where its schema has secrets.
    secrets: &'d OpaqueNodes,
}

/// The hint of a violation inside of a secret, whose pointer ends at the secret.
pub(super) const INSIDE_A_SECRET: &str =
    "the error is inside of this value, whose contents are secret";

static NO_SECRETS: OpaqueNodes = OpaqueNodes::NONE;

impl Document<'_> {
    /// The JSON Pointer to a value, or to the secret that contains it.
    fn pointer(&self, id: u32) -> String {
        match self.outer {
            Some((outer, at)) if outer.is_secret(at) => outer.pointer(at),
            Some((outer, at)) => outer.pointer(at) + &pointer(self.view, id),
            None => pointer(self.view, self.secrets.visible(id)),
        }
    }

    /// Returns whether the value is a secret, or inside of one.
    fn is_secret(&self, id: u32) -> bool {
        match self.outer {
            Some((outer, at)) => outer.is_secret(at),
            None => self.secrets.contains(id),
        }
    }

    /// Returns whether the value is inside of a secret, so that no pointer names it.
    fn is_inside_a_secret(&self, id: u32) -> bool {
        match self.outer {
            Some((outer, at)) => outer.is_secret(at),
            None => self.secrets.visible(id) != id,
        }
    }

    /// The violation of a rule by a value.
    fn violation(&self, id: u32, rule: &'static str, expected: String) -> Violation {
        self.violation_of(id, rule, expected, self.received(id))
    }

    fn violation_of(
        &self,
        id: u32,
        rule: &'static str,
        expected: String,
        received: &'static str,
    ) -> Violation {
        let violation = Violation::new(self.pointer(id), rule, expected, received);
        if self.is_inside_a_secret(id) { violation.with_hint(INSIDE_A_SECRET) } else { violation }
    }

    /// The violation of a rule by an object that lacks a property.
    fn violation_of_absent(
        &self,
        object: u32,
        rule: &'static str,
        name: &str,
        expected: &str,
    ) -> Violation {
        let mut pointer = self.pointer(object);
        if self.is_secret(object) {
            let expected = format!("the property `{name}` in it: {expected}");
            return Violation::new(pointer, rule, expected, "absent");
        }
        push_name(&mut pointer, name);
        Violation::new(pointer, rule, expected.to_owned(), "absent")
    }

    /// The type name of a value, as it was sent.
    fn received(&self, id: u32) -> &'static str {
        match self.outer {
            Some((outer, at)) if id == 0 => outer.received(at),
            _ => Types::from_node(self.view, self.view.node(id)).name(),
        }
    }
}

/// One validation, from the root down.
#[allow(clippy::struct_excessive_bools, reason = "each is a state of its own")]
struct Walk<'v> {
    schemas: &'v [SchemaNode],
    limits: Limits,
    coerce: Conversions,
    /// Reject numbers that their type cannot represent exactly.
    check_precision: bool,
    /// Stop at the first violation and record none.
    quiet: bool,
    failed: bool,
    violations: Vec<Violation>,
    /// Violations that equal a listed one.
    repeated_violations: u32,
    /// More violations exist than are listed.
    overflow: bool,
    /// Reason for which validation was aborted.
    aborted: Option<AbortReason>,
    /// Bytes of text that patterns were matched against.
    matched_bytes: usize,
    edits: Vec<TextEdit>,
    /// Numbers of the sent text whose precision a schema has checked.
    precision_checked: Vec<u32>,
    cache: Option<Box<VerdictCache>>,
    docs: u32,
    depth: u32,
    diagnoses_left: u32,
}

/// Reason for which validation stops early; the text is then invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AbortReason {
    /// Schemas nest deeper than the stack allows.
    TooDeep,
    /// Patterns would be matched against more text than the limits allow.
    TooMuchMatching,
}

/// Checks a text that is JSON, and coerces values if enabled. No pointer names what is inside of
/// one of the text's secrets.
pub(super) fn check(
    schemas: &[SchemaNode],
    text: &str,
    tree: &JsonTree,
    limits: &Limits,
    coerce: Conversions,
    secrets: &OpaqueNodes,
) -> ValidationReport {
    let view = tree.view(text);
    let doc = Document { view, id: 0, outer: None, secrets };
    let walk = run(schemas, &doc, tree, limits, coerce);
    if !walk.violations.is_empty() || walk.edits.is_empty() {
        return ValidationReport { violations: walk.violations, ..ValidationReport::default() };
    }
    let lossy = walk.edits.iter().any(|edit| !edit.changes_notation_only());
    let (coerced, coercions) = edit::apply_edits(view, secrets, walk.edits);
    if lossy && !is_valid_as_written(schemas, &coerced, limits) {
        let walk = run(schemas, &doc, tree, limits, Conversions::None);
        return ValidationReport { violations: walk.violations, ..ValidationReport::default() };
    }
    let coercions = coercions.into_coercions();
    ValidationReport { coerced: Some(coerced), coercions, ..ValidationReport::default() }
}

/// Returns whether the coerced text is valid without coercion. Two rules for one value can
/// contradict a coercion that only one of them requires.
fn is_valid_as_written(schemas: &[SchemaNode], text: &str, limits: &Limits) -> bool {
    let roomy = limits.with_max_bytes(usize::MAX).with_max_string_bytes(usize::MAX);
    crate::json::read(text, &roomy).is_ok_and(|tree| {
        let doc = Document { view: tree.view(text), id: 0, outer: None, secrets: &NO_SECRETS };
        let walk = run(schemas, &doc, &tree, limits, Conversions::None);
        walk.violations.is_empty()
    })
}

fn run<'v>(
    schemas: &'v [SchemaNode],
    doc: &Document<'_>,
    tree: &JsonTree,
    limits: &Limits,
    coerce: Conversions,
) -> Walk<'v> {
    let mut walk = Walk {
        schemas,
        limits: *limits,
        coerce,
        check_precision: true,
        quiet: false,
        failed: false,
        violations: Vec::new(),
        repeated_violations: 0,
        overflow: false,
        aborted: None,
        matched_bytes: 0,
        edits: Vec::new(),
        precision_checked: Vec::new(),
        cache: None,
        docs: 0,
        depth: 0,
        diagnoses_left: MAX_DIAGNOSES,
    };
    if tree.duplicates().is_empty() {
        walk.value(0, doc, 0);
        walk.check_untyped_numbers(doc, tree);
    } else {
        // With a duplicate name, no rule can decide which value applies.
        walk.report_duplicates(doc, tree);
    }
    walk.finish();
    walk
}

impl<'v> Walk<'v> {
    fn schema(&self, id: SchemaId) -> &'v SchemaNode {
        &self.schemas[id as usize]
    }

    /// Checks one value against one schema.
    fn value(&mut self, id: SchemaId, doc: &Document<'_>, at: u32) {
        let schema = self.schema(id);
        let node = doc.view.node(at);
        // Most values have a type without further rules.
        let types = Types::approximate(node);
        if schema.unconstrained_types.contains(types) && !node.needs_exact_check() {
            return;
        }
        if schema.types != Types::ANY || schema.rejects_all {
            if schema.rejects_all {
                return self.reject(doc, at, "false", || "no value here".to_owned());
            }
            if !schema.types.admits(doc.view, node) {
                return self.check_wrong_type(schema, doc, at, node);
            }
        }
        if self.depth == MAX_DEPTH {
            return self.abort(AbortReason::TooDeep);
        }
        self.depth += 1;
        if schema.is_shared {
            self.apply_once(id, doc, at);
        } else {
            self.apply(schema, doc, at, node);
        }
        self.depth -= 1;
    }

    #[cold]
    fn check_wrong_type(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        if self.coerce == Conversions::Lossless && self.coerced(schema, doc, at, node) {
            return;
        }
        self.mark_precision_checked(doc, at, node);
        self.reject(doc, at, "type", || schema.types.text());
    }

    /// Checks a value of a type that the schema accepts.
    fn apply(&mut self, schema: &'v SchemaNode, doc: &Document<'_>, at: u32, node: &JsonNode) {
        test_cost::count(1);
        let unevaluated_rule = schema.objects.as_ref().and_then(|rules| rules.unevaluated);
        let Some(unevaluated_rule) = unevaluated_rule.filter(|_| node.kind == JsonKind::Object)
        else {
            return self.apply_rules(schema, doc, at, node);
        };
        let failed_before = mem::take(&mut self.failed);
        self.apply_rules(schema, doc, at, node);
        self.unevaluated(schema, unevaluated_rule, doc, at);
        self.failed |= failed_before;
    }

    /// Checks a value by all keywords but `unevaluatedProperties`.
    fn apply_rules(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        match node.kind {
            JsonKind::Number => self.number(schema, doc, at, node),
            JsonKind::String => self.string(schema, doc, at, node),
            JsonKind::Array => self.array(schema, doc, at, node),
            JsonKind::Object => self.object(schema, doc, at, node),
            JsonKind::Null | JsonKind::Bool => {}
        }
        if let Some(values) = &schema.values {
            self.check_allowed_values(values, doc, at, node);
        }
        if let Some(logic) = &schema.logic {
            self.logic(logic, doc, at, node);
        }
    }

    /// Records a violation.
    #[cold]
    fn reject(
        &mut self,
        doc: &Document<'_>,
        at: u32,
        rule: &'static str,
        expected: impl FnOnce() -> String,
    ) {
        self.failed = true;
        if !self.quiet {
            self.record(doc.violation(at, rule, expected()));
        }
    }

    fn record(&mut self, violation: Violation) {
        self.failed = true;
        test_cost::count(self.violations.len());
        if self.violations.iter().any(|listed| is_same_problem(listed, &violation)) {
            self.repeated_violations += 1;
            self.overflow |= self.repeated_violations > MAX_REPEATED_VIOLATIONS;
        } else if self.violations.len() < ValidationReport::MAX_LISTED {
            self.violations.push(violation);
        } else {
            self.overflow = true;
        }
    }

    /// Returns whether validation can stop.
    const fn is_finished(&self) -> bool {
        (self.quiet && self.failed) || self.overflow || self.aborted.is_some()
    }

    /// Aborts validation: the text is invalid, also for quiet checks.
    #[cold]
    fn abort(&mut self, why: AbortReason) {
        self.failed = true;
        self.aborted.get_or_insert(why);
    }

    /// Counts text that a pattern is matched against; returns false above the limit.
    fn may_match(&mut self, text: &str) -> bool {
        test_cost::count(text.len());
        self.matched_bytes = self.matched_bytes.saturating_add(text.len());
        let may = self.matched_bytes <= self.limits.max_pattern_bytes();
        if !may {
            self.abort(AbortReason::TooMuchMatching);
        }
        may
    }

    /// Records each duplicate name once.
    fn report_duplicates(&mut self, doc: &Document<'_>, tree: &JsonTree) {
        let mut repeats = tree.duplicates().to_vec();
        repeats.sort_unstable_by_key(|repeat| repeat.node);
        for DuplicateKey { node, times } in repeats {
            let violation = doc.violation(node, "duplicate", "each property once".to_owned());
            self.record(if times > 2 && !doc.is_inside_a_secret(node) {
                violation.with_hint(format!("the property occurs {times} times"))
            } else {
                violation
            });
        }
    }

    /// Records the numbers that no schema has checked and no type can represent exactly.
    fn check_untyped_numbers(&mut self, doc: &Document<'_>, tree: &JsonTree) {
        if !tree.has_wide_numbers() {
            return;
        }
        self.precision_checked.sort_unstable();
        for (at, node) in (0..).zip(doc.view.nodes) {
            if node.kind != JsonKind::Number || !node.is_wide() || self.overflow {
                continue;
            }
            if self.precision_checked.binary_search(&at).is_err() {
                self.precision(super::number::NumberReader::Any, doc, at, node);
            }
        }
    }

    /// States in the last violation that there are more.
    fn finish(&mut self) {
        if let Some(why) = self.aborted {
            self.violations = vec![why.violation(&self.limits)];
        } else if self.overflow {
            if let Some(last) = self.violations.pop() {
                let violation_count = self.violations.len() + 1;
                let hint = format!("there are more: only the first {violation_count} are listed");
                self.violations.push(last.with_hint(hint));
            }
        }
    }
}

/// Returns whether two violations say the same of one value, as two schemas of the value do.
fn is_same_problem(one: &Violation, other: &Violation) -> bool {
    let problem = |violation: &Violation| match violation.rule() {
        "type" => 1,
        "required" | "dependentRequired" => 2,
        "additionalProperties" | "unevaluatedProperties" => 3,
        _ => 0,
    };
    let is_same = problem(one) != 0 && problem(one) == problem(other);
    one == other || (is_same && one.pointer() == other.pointer())
}

impl AbortReason {
    fn violation(self, limits: &Limits) -> Violation {
        match self {
            Self::TooDeep => Violation::new("", "depth", "a value with less nesting", "object"),
            Self::TooMuchMatching => {
                let limit = limits.max_pattern_bytes();
                let expected = format!("at most {limit} bytes of text to match against patterns");
                Violation::new("", "pattern", expected, "")
            }
        }
    }
}
