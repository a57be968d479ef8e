//! Which rows of which arrays are left out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::json::{Kind, View};

/// The rows that stay, for one text and one budget.
#[derive(Debug)]
pub(super) struct Plan<'d> {
    view: View<'d>,
    /// In the order in which they begin; empty ones are not among them.
    arrays: Vec<Rows>,
    /// How long the text is without what is left out.
    bytes: usize,
}

/// The rows of one array; places are byte offsets of the text.
#[derive(Debug)]
struct Rows {
    id: u32,
    /// The innermost array around this one.
    outer: Option<usize>,
    shown: usize,
    /// Where the first row begins.
    start: usize,
    /// Where the last row that is shown ends.
    until: usize,
    /// Where the last row ends.
    end: usize,
    /// How many bytes are shown, without what is left out inside of them.
    weight: usize,
}

/// What is cut first: arrays with two rows or more, then those that weigh most, then the outer.
type Turn = (bool, usize, Reverse<usize>);

impl<'d> Plan<'d> {
    /// Leaves out as little as it takes; none if nothing is enough. The arrays in `whole` are not
    /// cut.
    pub(super) fn fit(view: View<'d>, most: usize, whole: &[usize]) -> Option<Self> {
        let mut plan = Self { view, arrays: arrays(view), bytes: view.text.len() };
        let may_be_cut = (0..plan.arrays.len()).filter(|at| !whole.contains(at));
        let mut turns: BinaryHeap<Turn> = may_be_cut.map(|at| plan.turn(at)).collect();
        while plan.bytes > most {
            let turn = turns.pop()?;
            let Reverse(mut at) = turn.2;
            if !plan.is_shown(at) {
                continue;
            }
            if plan.turn(at) == turn {
                let excess = plan.bytes - most;
                // One look through all of them, as the loss is enough.
                if !turn.0 && turn.1 >= excess {
                    at = plan.lightest(excess, whole).unwrap_or(at);
                }
                plan.halve(at);
            }
            if plan.arrays[at].shown > 0 {
                turns.push(plan.turn(at));
            }
        }
        let cut: Vec<_> = plan.cut().map(|(at, _)| at).collect();
        for at in cut {
            plan.give_back(at, most);
        }
        Some(plan)
    }

    pub(super) fn view(&self) -> View<'d> {
        self.view
    }

    /// The text without what is left out.
    pub(super) fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes);
        let mut gaps: Vec<_> = self.cut().map(|(_, rows)| (rows.until, rows.end)).collect();
        gaps.sort_unstable();
        let mut from = 0;
        for (until, end) in gaps {
            text.push_str(&self.view.text[from..until]);
            from = end;
        }
        text.push_str(&self.view.text[from..]);
        text
    }

    /// The arrays that were cut: node, rows shown, and rows in all.
    pub(super) fn cuts(&self) -> impl Iterator<Item = (u32, (usize, usize))> {
        self.cut().map(|(_, rows)| (rows.id, (rows.shown, self.total(rows))))
    }

    /// The array that was cut to the fewest rows; a schema that asks for a number of rows mostly
    /// asks for a few.
    pub(super) fn scarcest(&self) -> Option<usize> {
        let scarcity = |(_, rows): &(usize, &Rows)| (rows.shown, self.total(rows));
        self.cut().min_by_key(scarcity).map(|(at, _)| at)
    }

    fn cut(&self) -> impl Iterator<Item = (usize, &Rows)> {
        let cut = |(at, rows): &(usize, &Rows)| rows.until < rows.end && self.is_shown(*at);
        self.arrays.iter().enumerate().filter(cut)
    }

    fn total(&self, rows: &Rows) -> usize {
        self.view.node(rows.id).count()
    }

    fn turn(&self, at: usize) -> Turn {
        let rows = &self.arrays[at];
        (rows.shown > 1, rows.weight, Reverse(at))
    }

    /// Is it inside of rows that are shown themselves?
    fn is_shown(&self, at: usize) -> bool {
        let start = self.arrays[at].start;
        self.around(at).all(|outer| start < self.arrays[outer].until)
    }

    fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.arrays[at].outer, |outer| self.arrays[*outer].outer)
    }

    /// The lightest of the last rows whose loss is enough.
    fn lightest(&self, excess: usize, whole: &[usize]) -> Option<usize> {
        let enough = |rows: &Rows| rows.shown == 1 && rows.weight >= excess;
        let may_be_cut = |at: &usize| !whole.contains(at) && self.is_shown(*at);
        let all = (0..self.arrays.len()).filter(|at| enough(&self.arrays[*at])).filter(may_be_cut);
        all.min_by_key(|at| self.arrays[*at].weight)
    }

    /// Leaves out the second half of the rows, or the only one.
    fn halve(&mut self, at: usize) {
        let rows = &self.arrays[at];
        let shown = rows.shown / 2;
        let row = shown.checked_sub(1).and_then(|index| self.view.children(rows.id).nth(index));
        // Nothing inside of an array is cut before it is down to one row, and that row's weight is
        // all that is left of it.
        let (until, lost) = match row {
            Some((_, row)) => (row.end(), rows.until - row.end()),
            None => (rows.start, rows.weight),
        };
        self.show(at, shown, until);
        self.weigh(at, |weight| weight - lost);
    }

    /// Shows as many more rows as fit. Nothing is cut inside of any row but the first, which
    /// counts as if it were whole.
    fn give_back(&mut self, at: usize, most: usize) {
        let rows = &self.arrays[at];
        let limit = rows.until + (most - self.bytes);
        let more = self.view.children(rows.id).map(|(_, row)| row.end()).enumerate();
        let more = more.skip(rows.shown).take_while(|(_, end)| *end <= limit);
        if let Some((index, until)) = more.last() {
            let gained = until - rows.until;
            self.show(at, index + 1, until);
            self.weigh(at, |weight| weight + gained);
        }
    }

    fn show(&mut self, at: usize, shown: usize, until: usize) {
        let rows = &mut self.arrays[at];
        (rows.shown, rows.until) = (shown, until);
    }

    /// Changes the weight of an array, of all around it, and of the text.
    fn weigh(&mut self, at: usize, change: impl Fn(usize) -> usize) {
        self.bytes = change(self.bytes);
        let mut next = Some(at);
        while let Some(at) = next {
            let rows = &mut self.arrays[at];
            rows.weight = change(rows.weight);
            next = rows.outer;
        }
    }
}

/// All arrays of a text that have rows.
fn arrays(view: View<'_>) -> Vec<Rows> {
    let mut arrays: Vec<Rows> = Vec::new();
    let mut open: Vec<(usize, u32)> = Vec::new();
    for (node, id) in view.nodes.iter().zip(0..) {
        let Some((_, last)) =
            Some(id).filter(|_| node.kind == Kind::Array).and_then(|id| view.children(id).last())
        else {
            continue;
        };
        while open.last().is_some_and(|(_, next)| *next <= id) {
            open.pop();
        }
        let (start, end) = (view.node(id + 1).start(), last.end());
        let outer = open.last().map(|(at, _)| *at);
        open.push((arrays.len(), node.next()));
        let (shown, weight) = (node.count(), end - start);
        arrays.push(Rows { id, outer, shown, start, until: end, end, weight });
    }
    arrays
}
