//! Tests of the comparison: a table of changes, and properties of all comparisons.

mod budget;
mod counterexamples;
mod edits;
mod growth;
mod instances;
mod laws;
mod schemas;
mod table;
mod types;

/// Predetermined choices, so that generated values shrink with them.
pub(super) struct Tape<'t> {
    choices: &'t [u32],
    at: usize,
}

impl<'t> Tape<'t> {
    fn new(choices: &'t [u32]) -> Self {
        Self { choices, at: 0 }
    }

    /// The next choice below `of`; 0 after the end of the tape.
    fn pick(&mut self, of: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        choice as usize % of
    }

    fn one<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.pick(list.len())].clone()
    }

    /// True once in `of` times.
    fn chance(&mut self, of: usize) -> bool {
        self.pick(of) == of - 1
    }
}
