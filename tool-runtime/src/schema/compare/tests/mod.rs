//! What a change is called, row by row, and what holds for all of them.

mod edits;
mod instances;
mod laws;
mod schemas;
mod table;
mod types;

/// Choices that are made in advance, so that what they lead to shrinks with them.
pub(super) struct Tape<'t> {
    choices: &'t [u32],
    at: usize,
}

impl<'t> Tape<'t> {
    fn new(choices: &'t [u32]) -> Self {
        Self { choices, at: 0 }
    }

    /// The next choice, of so many; the first once the tape is at its end.
    fn pick(&mut self, of: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        choice as usize % of
    }

    fn one<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.pick(list.len())].clone()
    }

    /// Happens once in so many times.
    fn chance(&mut self, of: usize) -> bool {
        self.pick(of) == of - 1
    }
}
