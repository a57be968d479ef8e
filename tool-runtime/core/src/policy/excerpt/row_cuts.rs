//! Chooses the rows that are removed from an answer.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tool_runtime_schema::json::{JsonKind, JsonView};

/// The rows that one text keeps within one budget.
#[derive(Debug)]
pub(super) struct RowCuts<'d> {
    view: JsonView<'d>,
    /// In document order, without empty arrays.
    arrays: Vec<ArrayRows>,
    /// The length of the text without the removed rows.
    bytes: usize,
}

/// The rows of one array. Positions are byte offsets in the text.
#[derive(Debug)]
struct ArrayRows {
    id: u32,
    /// The innermost array around this one.
    outer: Option<usize>,
    shown: usize,
    /// The start of the first row.
    start: usize,
    /// The end of the last row that is shown.
    until: usize,
    /// The end of the last row.
    end: usize,
    /// The bytes that are shown, without the rows removed inside of them.
    weight: usize,
}

/// Orders the cuts: arrays with two rows or more first, then larger ones, then outer ones.
type CutPriority = (bool, usize, Reverse<usize>);

impl<'d> RowCuts<'d> {
    /// Removes as few rows as needed; none if no cut is enough. The arrays in `whole` are not cut.
    pub(super) fn fit(view: JsonView<'d>, max_bytes: usize, whole: &[usize]) -> Option<Self> {
        let mut plan = Self { view, arrays: arrays(view), bytes: view.text.len() };
        let may_be_cut = (0..plan.arrays.len()).filter(|at| !whole.contains(at));
        let mut turns: BinaryHeap<CutPriority> = may_be_cut.map(|at| plan.priority(at)).collect();
        while plan.bytes > max_bytes {
            let turn = turns.pop()?;
            let Reverse(mut at) = turn.2;
            if !plan.is_shown(at) {
                continue;
            }
            if plan.priority(at) == turn {
                let excess = plan.bytes - max_bytes;
                // Removing one such array is enough, so one scan finds the smallest that suffices.
                if !turn.0 && turn.1 >= excess {
                    at = plan.lightest(excess, whole).unwrap_or(at);
                }
                plan.halve(at);
            }
            if plan.arrays[at].shown > 0 {
                turns.push(plan.priority(at));
            }
        }
        let cut: Vec<_> = plan.cut().map(|(at, _)| at).collect();
        for at in cut {
            plan.refill(at, max_bytes);
        }
        Some(plan)
    }

    pub(super) fn view(&self) -> JsonView<'d> {
        self.view
    }

    /// Returns the text without the removed rows.
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

    /// Iterates over the arrays that were cut: node, rows shown, and all rows.
    pub(super) fn cuts(&self) -> impl Iterator<Item = (u32, (usize, usize))> {
        self.cut().map(|(_, rows)| (rows.id, (rows.shown, self.total(rows))))
    }

    /// Returns the array that was cut to the fewest rows: a schema's minimum of rows is mostly
    /// small.
    pub(super) fn shortest(&self) -> Option<usize> {
        let length = |(_, rows): &(usize, &ArrayRows)| (rows.shown, self.total(rows));
        self.cut().min_by_key(length).map(|(at, _)| at)
    }

    fn cut(&self) -> impl Iterator<Item = (usize, &ArrayRows)> {
        let cut = |(at, rows): &(usize, &ArrayRows)| rows.until < rows.end && self.is_shown(*at);
        self.arrays.iter().enumerate().filter(cut)
    }

    fn total(&self, rows: &ArrayRows) -> usize {
        self.view.node(rows.id).count()
    }

    fn priority(&self, at: usize) -> CutPriority {
        let rows = &self.arrays[at];
        (rows.shown > 1, rows.weight, Reverse(at))
    }

    /// Returns whether the array is inside of rows that are shown.
    fn is_shown(&self, at: usize) -> bool {
        let start = self.arrays[at].start;
        self.around(at).all(|outer| start < self.arrays[outer].until)
    }

    fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.arrays[at].outer, |outer| self.arrays[*outer].outer)
    }

    /// Returns the smallest array with one row whose removal is enough.
    fn lightest(&self, excess: usize, whole: &[usize]) -> Option<usize> {
        let enough = |rows: &ArrayRows| rows.shown == 1 && rows.weight >= excess;
        let may_be_cut = |at: &usize| !whole.contains(at) && self.is_shown(*at);
        let candidates =
            (0..self.arrays.len()).filter(|at| enough(&self.arrays[*at])).filter(may_be_cut);
        candidates.min_by_key(|at| self.arrays[*at].weight)
    }

    /// Removes the second half of the rows, or the only one.
    fn halve(&mut self, at: usize) {
        let rows = &self.arrays[at];
        let row_count = rows.shown / 2;
        let row = row_count.checked_sub(1).and_then(|index| self.view.children(rows.id).nth(index));
        // Arrays inside are cut only when this one has one row left, whose size is then its weight.
        let (until, lost) = match row {
            Some((_, row)) => (row.end(), rows.until - row.end()),
            None => (rows.start, rows.weight),
        };
        self.show(at, row_count, until);
        self.weigh(at, |weight| weight - lost);
    }

    /// Adds as many rows as fit. Only the first row may have cuts inside; it counts as whole.
    fn refill(&mut self, at: usize, max_bytes: usize) {
        let rows = &self.arrays[at];
        let limit = rows.until + (max_bytes - self.bytes);
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

    /// Changes the weight of an array, of the arrays around it, and of the text.
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

/// Returns all arrays of a text that have rows.
fn arrays(view: JsonView<'_>) -> Vec<ArrayRows> {
    let mut arrays: Vec<ArrayRows> = Vec::new();
    let mut open: Vec<(usize, u32)> = Vec::new();
    for (node, id) in view.nodes.iter().zip(0..) {
        let Some((_, last)) = Some(id)
            .filter(|_| node.kind == JsonKind::Array)
            .and_then(|id| view.children(id).last())
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
        arrays.push(ArrayRows { id, outer, shown, start, until: end, end, weight });
    }
    arrays
}
