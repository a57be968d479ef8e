//! A toolkit that both programs have.

use tools::prelude::*;

pub(crate) struct Door {
    pub(crate) answers: bool,
}

/// Opens.
#[ai_toolkit]
impl Door {
    /// Knocks.
    #[ai_tool(effect = "read")]
    fn knock(&self) -> bool {
        self.answers
    }
}
