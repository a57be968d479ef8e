//! The cursors of lists: the last name of the page before.

use std::fmt;

use rmcp::ErrorData;

/// The mark of a cursor of this server.
const MARK: &str = "after:";

/// The end of a page.
#[derive(Debug)]
pub(super) struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    /// Returns the cursor of the page after the tool of this name.
    pub(super) fn after(name: &'a str) -> Self {
        Self(name)
    }

    /// Reads a cursor of a client.
    pub(super) fn parse(text: &'a str) -> Result<Self, ErrorData> {
        text.strip_prefix(MARK).map(Self).ok_or_else(|| {
            ErrorData::invalid_params(
                "`cursor`: expected the `nextCursor` of the page before, or none for the first page",
                None,
            )
        })
    }

    /// Returns the name of the last tool of the page before.
    pub(super) fn name(&self) -> &'a str {
        self.0
    }
}

impl fmt::Display for Cursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MARK}{}", self.0)
    }
}
