//! The bounds on what a server may send.

/// The bounds on what a server may send, so that no server can use up the memory of its host.
///
/// ```
/// use tool_runtime::mcp::RemoteLimits;
///
/// let limits = RemoteLimits::new().with_max_tools(32).with_max_message_bytes(1024 * 1024);
/// assert_eq!(limits.max_tools(), 32);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteLimits {
    tools: usize,
    pages: usize,
    definition_bytes: usize,
    listing_bytes: usize,
    message_bytes: usize,
    message_nodes: usize,
    error_chars: usize,
}

impl RemoteLimits {
    /// Returns the defaults: 256 tools on 64 pages, 64 KiB for the definition of a tool and 1 MiB for all,
    /// 16 MiB and 500,000 JSON values for a message, and 2,000 characters of the text of an error.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            tools: 256,
            pages: 64,
            definition_bytes: 64 * 1024,
            listing_bytes: 1024 * 1024,
            message_bytes: 16 * 1024 * 1024,
            message_nodes: 500_000,
            error_chars: 2_000,
        }
    }

    /// Sets the most tools of a server; further ones are left out and reported.
    #[must_use]
    pub const fn with_max_tools(mut self, tools: usize) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the most pages of a list of tools; a longer list is refused as a whole.
    #[must_use]
    pub const fn with_max_pages(mut self, pages: usize) -> Self {
        self.pages = pages;
        self
    }

    /// Sets the most bytes of the definition of a tool, as JSON; a larger tool is refused.
    #[must_use]
    pub const fn with_max_definition_bytes(mut self, bytes: usize) -> Self {
        self.definition_bytes = bytes;
        self
    }

    /// Sets the most bytes of the definitions of all tools together, as JSON; further tools are left out
    /// and reported. Models may read all of them in each request.
    #[must_use]
    pub const fn with_max_listing_bytes(mut self, bytes: usize) -> Self {
        self.listing_bytes = bytes;
        self
    }

    /// Sets the most bytes of one message of the server, and of all pages of a list. A larger one is not
    /// read, and the call that waits for it fails.
    #[must_use]
    pub const fn with_max_message_bytes(mut self, bytes: usize) -> Self {
        self.message_bytes = bytes;
        self
    }

    /// Sets the most JSON values in one message of the server, at every depth, since small values take
    /// many times the memory of their text. A message with more is not read, and the call that waits for
    /// it fails.
    #[must_use]
    pub const fn with_max_message_nodes(mut self, nodes: usize) -> Self {
        self.message_nodes = nodes;
        self
    }

    /// Sets the most characters of the text of a server's error that a model reads.
    #[must_use]
    pub const fn with_max_error_chars(mut self, chars: usize) -> Self {
        self.error_chars = chars;
        self
    }

    /// Returns the most tools of a server.
    #[must_use]
    pub const fn max_tools(&self) -> usize {
        self.tools
    }

    /// Returns the most pages of a list of tools.
    #[must_use]
    pub const fn max_pages(&self) -> usize {
        self.pages
    }

    /// Returns the most bytes of the definition of a tool.
    #[must_use]
    pub const fn max_definition_bytes(&self) -> usize {
        self.definition_bytes
    }

    /// Returns the most bytes of the definitions of all tools together.
    #[must_use]
    pub const fn max_listing_bytes(&self) -> usize {
        self.listing_bytes
    }

    /// Returns the most bytes of one message of the server.
    #[must_use]
    pub const fn max_message_bytes(&self) -> usize {
        self.message_bytes
    }

    /// Returns the most JSON values in one message of the server.
    #[must_use]
    pub const fn max_message_nodes(&self) -> usize {
        self.message_nodes
    }

    /// Returns the most characters of the text of a server's error.
    #[must_use]
    pub const fn max_error_chars(&self) -> usize {
        self.error_chars
    }
}

impl Default for RemoteLimits {
    fn default() -> Self {
        Self::new()
    }
}
