/// Keeps notes.
#[ai_toolkit(name = "desk.notes")]
impl Notes {
    const MOST: usize = 3;

    /// Lists the notes.
    #[ai_tool(effect = "read", title = "List notes")]
    async fn list(
        &self,
        /// Most notes to list.
        #[arg(default = Self::MOST, range(1..=Self::MOST))]
        limit: usize,
    ) -> Vec<Self> {
        self.take(limit)
    }

    /// Adds a note.
    #[cfg(unix)]
    #[ai_tool(effect = "write", preview = would_add, reconcile = find)]
    fn add(
        &self,
        /// The note.
        note: Self,
    ) -> <Self as Store>::Key {
        self.insert(note)
    }

    /// Counts the notes there can be.
    #[ai_tool(effect = "read")]
    fn most() -> usize {
        Self::MOST
    }

    fn would_add(&self, note: Self) -> bool {
        self.fits(note)
    }

    fn find(&self, note: Self) -> Reconciled<<Self as Store>::Key> {
        self.key_of(note)
    }
}
