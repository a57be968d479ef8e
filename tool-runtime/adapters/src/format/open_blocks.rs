//! The blocks of a streamed message by their index, which servers may use again.

use std::collections::HashMap;

/// The blocks of a streamed message.
///
/// Some servers send one index for several blocks. A block ends with its own event, or where another
/// one starts under its index, and later pieces of the index belong to the next block.
#[derive(Debug)]
pub(crate) struct OpenBlocks<B> {
    /// The blocks with their indices, in the order of their start.
    blocks: Vec<(u64, B)>,
    /// The positions of the blocks that have not ended, by index.
    open: HashMap<u64, usize>,
}

impl<B> Default for OpenBlocks<B> {
    fn default() -> Self {
        Self { blocks: Vec::new(), open: HashMap::new() }
    }
}

impl<B: Default> OpenBlocks<B> {
    /// Starts a block, which ends the one before it under the index.
    pub(crate) fn start(&mut self, index: u64, block: B) -> &mut B {
        self.open.insert(index, self.blocks.len());
        self.blocks.push((index, block));
        let last = self.blocks.len() - 1;
        &mut self.blocks[last].1
    }

    /// Returns the open block of the index; one without a start begins with its first piece.
    pub(crate) fn open(&mut self, index: u64) -> &mut B {
        match self.open.get(&index) {
            Some(position) => &mut self.blocks[*position].1,
            None => self.start(index, B::default()),
        }
    }

    /// Ends a block.
    pub(crate) fn close(&mut self, index: u64) {
        self.open.remove(&index);
    }

    /// Returns the blocks in the order of their indices, and those of one index in that of their
    /// start.
    pub(crate) fn into_list(mut self) -> Vec<B> {
        self.blocks.sort_by_key(|(index, _)| *index);
        self.blocks.into_iter().map(|(_, block)| block).collect()
    }
}
