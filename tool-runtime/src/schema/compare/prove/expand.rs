//! From a schema to its shapes.

use std::rc::Rc;

use serde_json::Value;

use super::super::part::{Node, Part};
use super::super::shape::{Atom, Body, Gap, Kind, Objects, Shape, is_numeric};
use super::super::words;
use super::unevaluated::unevaluated;
use super::{Prover, key};

/// The most alternatives that one schema is taken apart into.
const MOST: usize = 128;
/// The most references, and other schemas of the same value, within each other.
const DEEPEST: usize = 48;

/// The alternatives of a node.
#[derive(Debug, Clone, Default)]
pub(super) struct Expansion<'s> {
    pub(super) shapes: Vec<Shape<'s>>,
    /// There are more alternatives than are listed.
    pub(super) overflow: Option<Gap<'s>>,
}

impl<'s> Prover<'s> {
    pub(super) fn expansion(&mut self, node: &Node<'s>) -> Rc<Expansion<'s>> {
        let key = key(node);
        if let Some(known) = self.expansions.get(&key) {
            return known.clone();
        }
        let level = self.open.len();
        let cut = std::mem::take(&mut self.cut);
        let mut found = Expansion { shapes: anything(), overflow: None };
        for part in node {
            let own = self.part(*part);
            self.meet(&mut found, &own, *part);
        }
        let found = Rc::new(found);
        // What has met an open part again is only true within that part; and what was not looked
        // at to the end may be known better elsewhere.
        if self.met >= level {
            self.met = usize::MAX;
            if self.steps > 0 && (self.looking == 0 || !self.cut) {
                self.expansions.insert(key, found.clone());
            }
        }
        self.cut |= cut;
        found
    }

    fn part(&mut self, part: Part<'s>) -> Expansion<'s> {
        let shapes = match part.schema {
            Value::Bool(true) => anything(),
            Value::Bool(false) => Vec::new(),
            Value::Object(_) => return self.entered(part),
            _ => unclear(part, "schema"),
        };
        Expansion { shapes, overflow: None }
    }

    fn entered(&mut self, part: Part<'s>) -> Expansion<'s> {
        let id = part.id();
        if let Some(level) = self.open.iter().position(|open| *open == id) {
            self.met = self.met.min(level);
            return Expansion { shapes: unclear(part, "$ref"), overflow: None };
        }
        if self.open.len() == DEEPEST || self.steps == 0 {
            return Expansion { shapes: unclear(part, "$ref"), overflow: None };
        }
        self.steps -= 1;
        self.open.push(id);
        let found = self.keywords(part);
        self.open.pop();
        found
    }

    fn keywords(&mut self, part: Part<'s>) -> Expansion<'s> {
        if part.get("$ref").is_some() && words::may_ignore(part) {
            return Expansion { shapes: unclear(part, "$ref"), overflow: None };
        }
        let shapes = own(part).unwrap_or_else(|keyword| unclear(part, keyword));
        let mut found = Expansion { shapes, overflow: None };
        if part.get("$ref").is_some() {
            match part.target() {
                Some(target) => self.meet_part(&mut found, target),
                None => ask(&mut found, &Atom::Opaque("$ref", part)),
            }
        }
        for branch in part.list("allOf") {
            self.meet_part(&mut found, branch);
        }
        if part.get("anyOf").is_some() {
            found = self.any(part, &found);
        }
        if part.get("oneOf").is_some() {
            found = self.one(part, &found);
        }
        if let Some(not) = part.child("not") {
            self.not(&mut found, not);
        }
        if let Some(test) = part.child("if") {
            found = self.condition(part, test, &found);
        }
        if let Some(rest) = part.child("unevaluatedProperties") {
            unevaluated(part, rest, &mut found);
        }
        found
    }

    fn meet_part(&mut self, found: &mut Expansion<'s>, part: Part<'s>) {
        let own = self.part(part);
        self.meet(found, &own, part);
    }

    fn meet(&mut self, found: &mut Expansion<'s>, other: &Expansion<'s>, part: Part<'s>) {
        let pairs = found.shapes.iter().flat_map(|a| other.shapes.iter().map(move |b| (a, b)));
        let met: Vec<_> = pairs.filter_map(|(a, b)| a.meet(b)).collect();
        found.shapes = met.into_iter().filter(|shape| !self.is_empty(shape)).collect();
        found.overflow = found.overflow.take().or_else(|| other.overflow.clone());
        found.bound(part);
    }

    fn any(&mut self, part: Part<'s>, base: &Expansion<'s>) -> Expansion<'s> {
        let branches = self.branches(part, "anyOf", base);
        let several = (1..branches.len()).any(|at| {
            let (before, this) = (&branches[..at], &branches[at]);
            before.iter().any(|other| differs(other, this) && !self.disjoint(other, this))
        });
        let mut union = Expansion { shapes: Vec::new(), overflow: base.overflow.clone() };
        for branch in branches {
            union.join(branch);
        }
        union.shapes.iter_mut().filter(|_| several).for_each(Shape::blur);
        union.bound(part);
        union
    }

    fn one(&mut self, part: Part<'s>, base: &Expansion<'s>) -> Expansion<'s> {
        let branches = self.branches(part, "oneOf", base);
        let apart = (1..branches.len())
            .all(|at| branches[..at].iter().all(|other| self.disjoint(other, &branches[at])));
        let mut union = Expansion { shapes: Vec::new(), overflow: base.overflow.clone() };
        for branch in branches {
            union.join(branch);
        }
        if !apart {
            ask(&mut union, &Atom::One(part, part.list("oneOf")));
        }
        union.bound(part);
        union
    }

    fn branches(
        &mut self,
        part: Part<'s>,
        word: &'static str,
        base: &Expansion<'s>,
    ) -> Vec<Expansion<'s>> {
        if part.get(word).is_some_and(|list| !list.is_array()) {
            return vec![Expansion { shapes: unclear(part, word), overflow: None }];
        }
        let branches = part.list(word);
        let base = Expansion { shapes: base.shapes.clone(), overflow: None };
        let met = branches.into_iter().map(|branch| {
            let mut found = base.clone();
            self.meet_part(&mut found, branch);
            found
        });
        met.collect()
    }

    /// Is there nothing that passes both, as far as can be proven?
    fn disjoint(&mut self, a: &Expansion<'s>, b: &Expansion<'s>) -> bool {
        let pairs = a.shapes.iter().flat_map(|a| b.shapes.iter().map(move |b| (a, b)));
        let met: Vec<_> = pairs.filter_map(|(a, b)| a.meet(b)).collect();
        a.overflow.is_none() && b.overflow.is_none() && met.iter().all(|shape| self.is_empty(shape))
    }

    fn not(&mut self, found: &mut Expansion<'s>, not: Part<'s>) {
        let refused = self.part(not);
        // A type of which everything is refused, or nothing.
        found.shapes.retain(|shape| {
            !refused.shapes.iter().any(|other| other.is_open() && shape.meet(other).is_some())
        });
        for shape in &mut found.shapes {
            let touched = refused.overflow.is_some()
                || refused.shapes.iter().any(|other| shape.meet(other).is_some());
            if touched {
                shape.atoms.push(Atom::Not(not));
            }
        }
    }

    fn condition(&mut self, part: Part<'s>, test: Part<'s>, base: &Expansion<'s>) -> Expansion<'s> {
        let (mut pass, mut fail) = (base.clone(), base.clone());
        self.meet_part(&mut pass, test);
        if let Some(then) = part.child("then") {
            self.meet_part(&mut pass, then);
        }
        self.not(&mut fail, test);
        if let Some(other) = part.child("else") {
            self.meet_part(&mut fail, other);
        }
        pass.join(fail);
        pass.bound(part);
        pass
    }
}

impl<'s> Expansion<'s> {
    fn join(&mut self, other: Self) {
        self.shapes.extend(other.shapes);
        self.overflow = self.overflow.take().or(other.overflow);
    }

    fn bound(&mut self, part: Part<'s>) {
        if self.shapes.len() > MOST {
            self.shapes.truncate(MOST);
            self.overflow.get_or_insert(Gap { keyword: "anyOf", part: Some(part) });
        }
    }
}

/// What the keywords say that look at no other schema of the same value.
fn own(part: Part<'_>) -> Result<Vec<Shape<'_>>, &'static str> {
    let kinds = Kind::read(part)?;
    let format = part.get("format").map_or(Ok(None), |f| f.as_str().map(Some).ok_or("format"))?;
    let typed = kinds.len() < Kind::ALL.len();
    let numeric = format.filter(|format| typed && is_numeric(format));
    let mut shapes = Vec::new();
    for kind in kinds {
        shapes.push(Shape::read(part, kind, numeric)?);
    }
    if let Some(list) = part.get("enum") {
        let list = list.as_array().ok_or("enum")?;
        for shape in &mut shapes {
            shape.keep(list);
        }
    }
    if let Some(value) = part.get("const") {
        for shape in &mut shapes {
            shape.keep(std::slice::from_ref(value));
        }
    }
    shapes.retain(|shape| shape.values.as_ref().is_none_or(|values| !values.is_empty()));
    for word in part.keywords().into_iter().flat_map(|map| map.keys()) {
        if words::is_foreign(word) {
            for shape in &mut shapes {
                shape.atoms.push(Atom::Foreign(word, part));
            }
        }
    }
    if part.get("unevaluatedItems").is_some() {
        // What it looks at depends on all that stands beside it.
        for shape in shapes.iter_mut().filter(|shape| matches!(shape.body, Body::Array(_))) {
            shape.atoms.push(Atom::Opaque("unevaluatedItems", part));
        }
    }
    if part.get("allOf").is_some_and(|list| !list.is_array()) {
        return Err("allOf");
    }
    Ok(shapes)
}

fn ask<'s>(found: &mut Expansion<'s>, atom: &Atom<'s>) {
    found.shapes.iter_mut().for_each(|shape| shape.atoms.push(atom.clone()));
}

/// Do the branches disagree on what counts as evaluated?
fn differs(a: &Expansion<'_>, b: &Expansion<'_>) -> bool {
    let mut all = a.shapes.iter().chain(&b.shapes).filter_map(Shape::object);
    let first = all.next().map(Objects::evaluated);
    all.any(|objects| Some(objects.evaluated()) != first)
}

/// Everything, by type.
fn anything<'s>() -> Vec<Shape<'s>> {
    let empty = Part { schema: &Value::Bool(true), root: &Value::Bool(true) };
    Kind::ALL.iter().filter_map(|kind| Shape::read(empty, *kind, None).ok()).collect()
}

/// Whatever it is that a schema says.
fn unclear<'s>(part: Part<'s>, keyword: &'static str) -> Vec<Shape<'s>> {
    let mut shapes = anything();
    for shape in &mut shapes {
        shape.atoms.push(Atom::Opaque(keyword, part));
    }
    shapes
}
