//! Limits on the size and the depth of JSON texts.

/// Limits on the size and the depth of a JSON text, checked while the text is parsed.
///
/// Parsing stops at the first limit that is exceeded, so that a hostile text takes bounded time and
/// memory. Lengths are in bytes of the text as it was sent.
///
/// # Examples
/// ```
/// use tool_runtime::Limits;
///
/// let limits = Limits::new().with_max_bytes(64 * 1024).with_max_depth(16);
/// assert_eq!(limits.max_bytes(), 65_536);
/// assert_eq!(limits.max_depth(), 16);
/// assert_eq!(limits.max_string_bytes(), 256 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    bytes: usize,
    depth: usize,
    string_bytes: usize,
    pattern_bytes: usize,
}

impl Limits {
    /// The limits of answers: the widest, since the tool itself is trusted.
    #[doc(hidden)]
    pub const WIDEST: Self = Self::new()
        .with_max_bytes(Self::MAX_BYTES)
        .with_max_depth(Self::DEEPEST)
        .with_max_string_bytes(Self::MAX_BYTES)
        .with_max_pattern_bytes(usize::MAX);

    /// The largest depth that can be set: deeper values exceed the recursion limit of `serde_json`
    /// once they are inside an envelope.
    pub const DEEPEST: usize = 126;
    /// The largest text that can be set, in bytes: positions are stored as 32-bit offsets.
    pub const MAX_BYTES: usize = (u32::MAX - 1) as usize;

    /// Returns the defaults: 1 MiB of text, 64 levels, 256 KiB for one string, and 512 KiB to match
    /// against patterns.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: 1024 * 1024, depth: 64, string_bytes: 256 * 1024, pattern_bytes: 512 * 1024 }
    }

    /// Sets the longest text, in bytes; capped at [`MAX_BYTES`](Self::MAX_BYTES).
    #[must_use]
    pub const fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.bytes = if bytes < Self::MAX_BYTES { bytes } else { Self::MAX_BYTES };
        self
    }

    /// Sets the deepest nesting, the outermost value being level 1; capped at
    /// [`DEEPEST`](Self::DEEPEST).
    #[must_use]
    pub const fn with_max_depth(mut self, levels: usize) -> Self {
        self.depth = if levels < Self::DEEPEST { levels } else { Self::DEEPEST };
        self
    }

    /// Sets the longest string (values and property names), in bytes between its quotes.
    #[must_use]
    pub const fn with_max_string_bytes(mut self, bytes: usize) -> Self {
        self.string_bytes = bytes;
        self
    }

    /// Sets how many bytes of one text may be matched against a schema's patterns.
    ///
    /// Strings under `pattern` and names under `patternProperties` count, once for each time that
    /// they are matched. A text that needs more is refused with the rule `pattern`. Matching costs
    /// up to a microsecond a byte, a hundred times as much as all other rules.
    #[must_use]
    pub const fn with_max_pattern_bytes(mut self, bytes: usize) -> Self {
        self.pattern_bytes = bytes;
        self
    }

    /// Gives the longest text, in bytes.
    #[must_use]
    pub const fn max_bytes(&self) -> usize {
        self.bytes
    }

    /// Gives the deepest nesting of arrays and objects.
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.depth
    }

    /// Gives the longest string, in bytes between its quotes.
    #[must_use]
    pub const fn max_string_bytes(&self) -> usize {
        self.string_bytes
    }

    /// Gives how many bytes of one text may be matched against a schema's patterns.
    #[must_use]
    pub const fn max_pattern_bytes(&self) -> usize {
        self.pattern_bytes
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}
