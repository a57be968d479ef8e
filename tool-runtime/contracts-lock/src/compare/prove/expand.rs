//! Expands a schema to its shapes.

use std::rc::Rc;

use serde_json::Value;
use tool_runtime_schema::schema::exclusive::are_exclusive;

use super::super::keywords;
use super::super::shape::{
    AtomicRule, JsonType, ObjectConstraints, ProofObstacle, Shape, TypeConstraints, is_numeric,
};
use super::super::subschema::{AllOf, Subschema};
use super::unevaluated::unevaluated;
use super::{Prover, key};

/// The most alternatives of one schema.
const MAX_SHAPES: usize = 128;
/// The deepest nesting of references and other schemas of the same value.
const MAX_DEPTH: usize = 48;

/// The alternatives of an `AllOf`.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Expansion<'s> {
    pub(in super::super) shapes: Vec<Shape<'s>>,
    /// Set if there are more alternatives than are listed.
    pub(super) overflow: Option<ProofObstacle<'s>>,
}

impl<'s> Prover<'s> {
    pub(in super::super) fn expansion(&mut self, all_of: &AllOf<'s>) -> Rc<Expansion<'s>> {
        let key = key(all_of);
        if let Some(known) = self.expansions.get(&key) {
            return known.clone();
        }
        let level = self.expanding.len();
        let cut = std::mem::take(&mut self.contradiction_search_cut);
        let mut intersection = Expansion { shapes: anything(), overflow: None };
        for subschema in all_of {
            let expansion = self.subschema(*subschema);
            self.intersect(&mut intersection, &expansion, *subschema);
        }
        let intersection = Rc::new(intersection);
        // An expansion that reached an enclosing schema again holds only inside that schema, and an
        // expansion that was cut off may be more precise elsewhere.
        if self.outermost_reentry >= level {
            self.outermost_reentry = usize::MAX;
            if self.steps > 0 && (self.contradiction_depth == 0 || !self.contradiction_search_cut) {
                self.expansions.insert(key, intersection.clone());
            }
        }
        self.contradiction_search_cut |= cut;
        intersection
    }

    fn subschema(&mut self, subschema: Subschema<'s>) -> Expansion<'s> {
        let shapes = match subschema.schema {
            Value::Bool(true) => anything(),
            Value::Bool(false) => Vec::new(),
            Value::Object(_) => return self.entered(subschema),
            _ => unclear(subschema, "schema"),
        };
        Expansion { shapes, overflow: None }
    }

    fn entered(&mut self, subschema: Subschema<'s>) -> Expansion<'s> {
        let id = subschema.id();
        if let Some(level) = self.expanding.iter().position(|open| *open == id) {
            self.outermost_reentry = self.outermost_reentry.min(level);
            return Expansion { shapes: unclear(subschema, "$ref"), overflow: None };
        }
        if self.expanding.len() == MAX_DEPTH || self.steps == 0 {
            return Expansion { shapes: unclear(subschema, "$ref"), overflow: None };
        }
        self.steps -= 1;
        self.expanding.push(id);
        let expansion = self.keywords(subschema);
        self.expanding.pop();
        expansion
    }

    fn keywords(&mut self, subschema: Subschema<'s>) -> Expansion<'s> {
        if subschema.get("$ref").is_some() && keywords::may_ignore_siblings(subschema) {
            return Expansion { shapes: unclear(subschema, "$ref"), overflow: None };
        }
        let shapes =
            shapes_of_keywords(subschema).unwrap_or_else(|keyword| unclear(subschema, keyword));
        let mut expansion = Expansion { shapes, overflow: None };
        if subschema.get("$ref").is_some() {
            match subschema.target() {
                Some(target) => self.meet_part(&mut expansion, target),
                None => require_rule(&mut expansion, &AtomicRule::Unreadable("$ref", subschema)),
            }
        }
        for branch in subschema.list("allOf") {
            self.meet_part(&mut expansion, branch);
        }
        if subschema.get("anyOf").is_some() {
            expansion = self.any(subschema, &expansion);
        }
        if subschema.get("oneOf").is_some() {
            expansion = self.one(subschema, &expansion);
        }
        if let Some(not) = subschema.child("not") {
            self.not(&mut expansion, not);
        }
        if let Some(test) = subschema.child("if") {
            expansion = self.condition(subschema, test, &expansion);
        }
        if let Some(rest) = subschema.child("unevaluatedProperties") {
            unevaluated(subschema, rest, &mut expansion);
        }
        expansion
    }

    fn meet_part(&mut self, found: &mut Expansion<'s>, subschema: Subschema<'s>) {
        let expansion = self.subschema(subschema);
        self.intersect(found, &expansion, subschema);
    }

    fn intersect(
        &mut self,
        found: &mut Expansion<'s>,
        other: &Expansion<'s>,
        subschema: Subschema<'s>,
    ) {
        if !self.spend(found.shapes.len() * other.shapes.len()) {
            found.shapes.clear();
            found.overflow = Some(ProofObstacle { keyword: "$ref", subschema: Some(subschema) });
            return;
        }
        let pairs = || found.shapes.iter().flat_map(|a| other.shapes.iter().map(move |b| (a, b)));
        self.spend_reads(pairs().map(|(a, b)| a.values_to_intersect(b)).sum());
        let met: Vec<_> = pairs().filter_map(|(a, b)| a.intersect(b)).collect();
        found.shapes = met.into_iter().filter(|shape| !self.is_empty(shape)).collect();
        found.overflow = found.overflow.take().or_else(|| other.overflow.clone());
        found.bound(subschema);
    }

    fn any(&mut self, subschema: Subschema<'s>, base: &Expansion<'s>) -> Expansion<'s> {
        let branches = self.branches(subschema, "anyOf", base);
        let several = !self.has_exclusive_branches(subschema, "anyOf")
            && (1..branches.len()).any(|at| {
                let (before, this) = (&branches[..at], &branches[at]);
                before.iter().any(|other| {
                    // Without work left, nothing is known of the properties.
                    !self.spend(other.shapes.len() + this.shapes.len())
                        || (evaluate_different_properties(other, this)
                            && !self.disjoint(other, this))
                })
            });
        let mut union = Expansion { shapes: Vec::new(), overflow: base.overflow.clone() };
        for branch in branches {
            union.join(branch);
        }
        union.shapes.iter_mut().filter(|_| several).for_each(Shape::mark_evaluation_unknown);
        union.bound(subschema);
        union
    }

    fn one(&mut self, subschema: Subschema<'s>, base: &Expansion<'s>) -> Expansion<'s> {
        let branches = self.branches(subschema, "oneOf", base);
        let are_disjoint = self.has_exclusive_branches(subschema, "oneOf")
            || (1..branches.len())
                .all(|at| branches[..at].iter().all(|other| self.disjoint(other, &branches[at])));
        let mut union = Expansion { shapes: Vec::new(), overflow: base.overflow.clone() };
        for branch in branches {
            union.join(branch);
        }
        if !are_disjoint {
            require_rule(&mut union, &AtomicRule::One(subschema, subschema.list("oneOf")));
        }
        union.bound(subschema);
        union
    }

    fn branches(
        &mut self,
        subschema: Subschema<'s>,
        word: &'static str,
        base: &Expansion<'s>,
    ) -> Vec<Expansion<'s>> {
        if subschema.get(word).is_some_and(|list| !list.is_array()) {
            return vec![Expansion { shapes: unclear(subschema, word), overflow: None }];
        }
        let branches = subschema.list(word);
        let base = Expansion { shapes: base.shapes.clone(), overflow: None };
        let met = branches.into_iter().map(|branch| {
            let mut branch_expansion = base.clone();
            self.meet_part(&mut branch_expansion, branch);
            branch_expansion
        });
        met.collect()
    }

    /// Returns whether the branches exclude each other by rules that need no comparison of each
    /// pair.
    fn has_exclusive_branches(&mut self, subschema: Subschema<'s>, word: &str) -> bool {
        let branches = subschema.get(word).and_then(Value::as_array);
        branches.is_some_and(|branches| {
            are_exclusive(subschema.root, branches, &mut |values| self.spend_reads(values))
        })
    }

    /// Returns whether the two are proven to have no value in common.
    fn disjoint(&mut self, a: &Expansion<'s>, b: &Expansion<'s>) -> bool {
        if !self.spend(a.shapes.len() * b.shapes.len() + 1) {
            return false;
        }
        let pairs = a.shapes.iter().flat_map(|a| b.shapes.iter().map(move |b| (a, b)));
        let met: Vec<_> = pairs.filter_map(|(a, b)| a.intersect(b)).collect();
        a.overflow.is_none() && b.overflow.is_none() && met.iter().all(|shape| self.is_empty(shape))
    }

    fn not(&mut self, found: &mut Expansion<'s>, not: Subschema<'s>) {
        let refused = self.subschema(not);
        // Removes the types of which `not` rejects every value.
        found.shapes.retain(|shape| {
            !refused.shapes.iter().any(|other| other.is_open() && shape.intersect(other).is_some())
        });
        for shape in &mut found.shapes {
            let touched = refused.overflow.is_some()
                || refused.shapes.iter().any(|other| shape.intersect(other).is_some());
            if touched {
                shape.rules.push(AtomicRule::Not(not));
            }
        }
    }

    fn condition(
        &mut self,
        subschema: Subschema<'s>,
        test: Subschema<'s>,
        base: &Expansion<'s>,
    ) -> Expansion<'s> {
        let (mut pass, mut fail) = (base.clone(), base.clone());
        self.meet_part(&mut pass, test);
        if let Some(then) = subschema.child("then") {
            self.meet_part(&mut pass, then);
        }
        self.not(&mut fail, test);
        if let Some(other) = subschema.child("else") {
            self.meet_part(&mut fail, other);
        }
        pass.join(fail);
        pass.bound(subschema);
        pass
    }
}

impl<'s> Expansion<'s> {
    fn join(&mut self, other: Self) {
        self.shapes.extend(other.shapes);
        self.overflow = self.overflow.take().or(other.overflow);
    }

    fn bound(&mut self, subschema: Subschema<'s>) {
        if self.shapes.len() > MAX_SHAPES {
            self.shapes.truncate(MAX_SHAPES);
            self.overflow
                .get_or_insert(ProofObstacle { keyword: "anyOf", subschema: Some(subschema) });
        }
    }
}

/// The shapes by the keywords that do not apply another schema to the same value.
fn shapes_of_keywords(subschema: Subschema<'_>) -> Result<Vec<Shape<'_>>, &'static str> {
    let kinds = JsonType::read(subschema)?;
    let format =
        subschema.get("format").map_or(Ok(None), |f| f.as_str().map(Some).ok_or("format"))?;
    let typed = kinds.len() < JsonType::ALL.len();
    let numeric = format.filter(|format| typed && is_numeric(format));
    let mut shapes = Vec::new();
    for kind in kinds {
        shapes.push(Shape::read(subschema, kind, numeric)?);
    }
    if let Some(list) = subschema.get("enum") {
        let list = list.as_array().ok_or("enum")?;
        for shape in &mut shapes {
            shape.keep(list);
        }
    }
    if let Some(value) = subschema.get("const") {
        for shape in &mut shapes {
            shape.keep(std::slice::from_ref(value));
        }
    }
    shapes.retain(|shape| shape.values.as_ref().is_none_or(|values| !values.is_empty()));
    for word in subschema.keywords().into_iter().flat_map(|map| map.keys()) {
        if keywords::is_unknown(word) {
            for shape in &mut shapes {
                shape.rules.push(AtomicRule::UnknownKeyword(word, subschema));
            }
        }
    }
    if subschema.get("unevaluatedItems").is_some() {
        // `unevaluatedItems` depends on all sibling keywords.
        for shape in
            shapes.iter_mut().filter(|shape| matches!(shape.constraints, TypeConstraints::Array(_)))
        {
            shape.rules.push(AtomicRule::Unreadable("unevaluatedItems", subschema));
        }
    }
    if subschema.get("allOf").is_some_and(|list| !list.is_array()) {
        return Err("allOf");
    }
    Ok(shapes)
}

fn require_rule<'s>(found: &mut Expansion<'s>, rule: &AtomicRule<'s>) {
    found.shapes.iter_mut().for_each(|shape| shape.rules.push(rule.clone()));
}

/// Returns whether the branches evaluate different properties.
fn evaluate_different_properties(a: &Expansion<'_>, b: &Expansion<'_>) -> bool {
    let mut object_shapes = a.shapes.iter().chain(&b.shapes).filter_map(Shape::object);
    let first = object_shapes.next().map(ObjectConstraints::evaluated);
    object_shapes.any(|objects| Some(objects.evaluated()) != first)
}

/// Shapes of all values, one per type.
fn anything<'s>() -> Vec<Shape<'s>> {
    let empty = Subschema { schema: &Value::Bool(true), root: &Value::Bool(true) };
    JsonType::ALL.iter().filter_map(|kind| Shape::read(empty, *kind, None).ok()).collect()
}

/// Shapes of a schema that cannot be expanded.
fn unclear<'s>(subschema: Subschema<'s>, keyword: &'static str) -> Vec<Shape<'s>> {
    let mut shapes = anything();
    for shape in &mut shapes {
        shape.rules.push(AtomicRule::Unreadable(keyword, subschema));
    }
    shapes
}
