// tool_runtime_schema::Limits
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    ..
}
impl Limits {
    pub const DEEPEST: usize = 126;
    pub const MAX_BYTES: usize = (u32::MAX - 1) as usize;
    #[must_use]
    pub const fn max_bytes(&self) -> usize {}
    #[must_use]
    pub const fn max_depth(&self) -> usize {}
    #[must_use]
    pub const fn max_pattern_bytes(&self) -> usize {}
    #[must_use]
    pub const fn max_string_bytes(&self) -> usize {}
    #[must_use]
    pub const fn new() -> Self {}
    #[must_use]
    pub const fn with_max_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_depth(self, levels: usize) -> Self {}
    #[must_use]
    pub const fn with_max_pattern_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub const fn with_max_string_bytes(self, bytes: usize) -> Self {}
}
impl Default for Limits {}

// tool_runtime_schema::canonical::CanonicalError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalError(_);
impl CanonicalError {
    #[must_use]
    pub const fn kind(&self) -> CanonicalErrorKind {}
    #[must_use]
    pub const fn position(&self) -> usize {}
}
impl From<Malformed> for CanonicalError {}
impl fmt::Display for CanonicalError {}
impl std::error::Error for CanonicalError {}

// tool_runtime_schema::canonical::CanonicalErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CanonicalErrorKind {
    Syntax,
    Truncated,
    DuplicateName,
    IntegerTooLarge,
    NumberTooLarge,
    TooDeep,
    TooLarge,
}

// tool_runtime_schema::canonical::Defaults
#[derive(Debug, Default)]
pub struct Defaults {
    ..
}

// tool_runtime_schema::canonical::Digest
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(_);
impl Digest {
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {}
    #[must_use]
    pub fn compute(domain: &str, bytes: &[u8]) -> Self {}
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {}
    pub fn from_json(domain: &str, json: &str) -> Result<Self, CanonicalError> {}
}
impl<'de> Deserialize<'de> for Digest {}
impl FromStr for Digest {
    type Err = ParseDigestError;
}
impl Serialize for Digest {}
impl fmt::Debug for Digest {}
impl fmt::Display for Digest {}

// tool_runtime_schema::canonical::ParseDigestError
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct ParseDigestError;

// tool_runtime_schema::canonical::canonicalize
pub fn canonicalize(json: &str) -> Result<String, CanonicalError> {}

// tool_runtime_schema::canonical::canonicalize_exactly
pub fn canonicalize_exactly(
    json: &str,
    defaults: &Defaults,
    out: &mut Vec<u8>,
) -> Result<(), CanonicalError> {}

// tool_runtime_schema::redact::MAX_LOG_BYTES
pub const MAX_LOG_BYTES: usize = 8 * 1024;

// tool_runtime_schema::redact::MAX_VALUES
pub const MAX_VALUES: usize = 16 * 1024;

// tool_runtime_schema::redact::PatternError
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PatternError(_);

// tool_runtime_schema::redact::Patterns
#[derive(Clone)]
pub struct Patterns {
    ..
}
impl Patterns {
    #[must_use]
    pub const fn none() -> Self {}
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {}
    pub fn with(self, name: &str, pattern: &str) -> Result<Self, PatternError> {}
    #[must_use]
    pub const fn with_max_bytes(self, bytes: usize) -> Self {}
    #[must_use]
    pub fn without(self, name: &str) -> Self {}
}
impl Default for Patterns {}
impl fmt::Debug for Patterns {}

// tool_runtime_schema::redact::Redactor
pub trait Redactor: Send + Sync {
    fn personal(&self, json: &str) -> String;
    fn free_text<'t>(&self, text: &'t str) -> Cow<'t, str> {}
}

// tool_runtime_schema::redact::ValueScrubber
#[derive(Default, Clone)]
pub struct ValueScrubber {
    ..
}
impl ValueScrubber {
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    pub fn new<S: AsRef<str>>(values: impl IntoIterator<Item = S>) -> Self {}
    #[must_use]
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {}
}
impl fmt::Debug for ValueScrubber {}

// tool_runtime_schema::redact::free_text
pub fn free_text(text: &str) -> Cow<'_, str> {}

// tool_runtime_schema::redact::log_text
pub fn log_text(text: &str) -> Cow<'_, str> {}

// tool_runtime_schema::redact::omission_mark
#[must_use]
pub fn omission_mark(bytes: usize) -> String {}

// tool_runtime_schema::schema::Coerce
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Coerce {
    Off,
    Lossless,
}

// tool_runtime_schema::schema::JsonSchema = schemars::JsonSchema

// tool_runtime_schema::schema::Malformed
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Malformed {
    Syntax { position: usize, expected: &'static str },
    Truncated { position: usize },
    TooLarge { bytes: usize, limit: usize },
    TooDeep { position: usize, limit: usize },
    StringTooLong { position: usize, limit: usize },
}
impl Malformed {
    #[must_use]
    pub const fn exceeded_bytes(&self) -> Option<usize> {}
    #[must_use]
    pub const fn position(&self) -> usize {}
}

// tool_runtime_schema::schema::SchemaError
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    ..
}
impl SchemaError {
    #[must_use]
    pub fn found(&self) -> &str {}
    #[must_use]
    pub fn help(&self) -> &str {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
}
impl fmt::Display for SchemaError {}
impl std::error::Error for SchemaError {}

// tool_runtime_schema::schema::SchemaFinding
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFinding {
    ..
}
impl SchemaFinding {
    #[must_use]
    pub fn description(&self) -> &str {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub const fn rule(&self) -> &'static str {}
    #[must_use]
    pub const fn schema_kind(&self) -> SchemaKind {}
}
impl fmt::Display for SchemaFinding {}

// tool_runtime_schema::schema::SchemaKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaKind {
    Input,
    Output,
}
impl SchemaKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {}
}
impl fmt::Display for SchemaKind {}

// tool_runtime_schema::schema::UncheckedRule
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncheckedRule {
    ..
}
impl UncheckedRule {
    #[must_use]
    pub fn construct(&self) -> &str {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub const fn schema_kind(&self) -> SchemaKind {}
}
impl fmt::Display for UncheckedRule {}

// tool_runtime_schema::schema::ValidationReport
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ValidationReport {
    pub malformed: Option<Malformed>,
    pub violations: Vec<Violation>,
    pub coercions: Vec<Coercion>,
    pub coerced: Option<String>,
    pub masked: Option<String>,
}
impl ValidationReport {
    pub const MAX_LISTED: usize = 64;
    #[must_use]
    pub fn is_admitted(&self) -> bool {}
}

// tool_runtime_schema::schema::Validator
pub struct Validator {
    ..
}
impl Validator {
    #[must_use]
    pub fn check(
        &self,
        text: &str,
        limits: &Limits,
        coerce: Coerce,
    ) -> ValidationReport {}
    #[must_use]
    pub fn check_arguments(
        &self,
        text: &str,
        limits: &Limits,
        coerce: Coerce,
    ) -> ValidationReport {}
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {}
    #[must_use]
    pub fn has_personal(&self) -> bool {}
    #[must_use]
    pub fn has_secrets(&self) -> bool {}
    #[must_use]
    pub fn needs_scan(&self, root_bounds_checked: bool) -> bool {}
    #[must_use]
    pub fn redact(
        &self,
        text: &str,
        limits: &Limits,
        redactor: &dyn Redactor,
    ) -> Option<String> {}
    #[must_use]
    pub fn violation_at(
        &self,
        text: &str,
        byte_offset: usize,
        limits: &Limits,
    ) -> Violation {}
}
impl fmt::Debug for Validator {}

