// tool_runtime_contracts_lock::ComparedVersion
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ComparedVersion {
    Before,
    After,
}

// tool_runtime_contracts_lock::Compatibility
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Compatibility {
    None,
    Compatible,
    Breaking,
}

// tool_runtime_contracts_lock::ContractChange
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractChange {
    ..
}
impl ContractChange {
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {}
    #[must_use]
    pub fn counterexample(&self) -> Option<&Value> {}
    #[must_use]
    pub fn located_in(&self) -> ComparedVersion {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn part(&self) -> ContractPart {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn rule(&self) -> &'static str {}
    #[must_use]
    pub fn tool(&self) -> &str {}
}
impl fmt::Display for ContractChange {}

// tool_runtime_contracts_lock::ContractChanges
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContractChanges(_);
impl ContractChanges {
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {}
    #[must_use]
    pub fn is_empty(&self) -> bool {}
    pub fn iter(&self) -> std::slice::Iter<'_, ContractChange> {}
    #[must_use]
    pub fn len(&self) -> usize {}
}
impl<'c> IntoIterator for &'c ContractChanges {
    type Item = &'c ContractChange;
    type IntoIter = std::slice::Iter<'c, ContractChange>;
}
impl fmt::Display for ContractChanges {}

// tool_runtime_contracts_lock::ContractPart
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ContractPart {
    Contract,
    Input,
    Output,
}
impl fmt::Display for ContractPart {}

// tool_runtime_contracts_lock::Export
#[derive(Debug)]
pub struct Export {
    ..
}
impl Export {
    #[must_use]
    pub fn accepting(self) -> Self {}
    #[must_use]
    pub fn base(self, lock: impl Into<PathBuf>) -> Self {}
    pub fn check(&self, lock: impl AsRef<Path>) -> Result<ContractChanges, ExportError> {}
    #[must_use]
    pub fn frozen(self) -> Self {}
    #[must_use]
    pub fn inputs_only(self) -> Self {}
    #[must_use]
    pub fn new(registry: Registry) -> Self {}
    #[must_use]
    pub fn shared_envelopes(self) -> Self {}
    pub fn write_to(
        &self,
        folder: impl AsRef<Path>,
    ) -> Result<WrittenFiles, ExportError> {}
}

// tool_runtime_contracts_lock::ExportError
#[derive(Clone)]
pub struct ExportError {
    ..
}
impl ExportError {
    #[must_use]
    pub fn kind(&self) -> ExportErrorKind {}
}
impl From<BuildError> for ExportError {}
impl error::Error for ExportError {}
impl fmt::Debug for ExportError {}
impl fmt::Display for ExportError {}

// tool_runtime_contracts_lock::ExportErrorKind
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportErrorKind {
    Registry,
    Io,
    Setting,
    Base,
    NoLock,
    UnreadableLock,
    Conflict,
    Version,
    Breaking,
    Stale,
}

// tool_runtime_contracts_lock::SchemaChange
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange {
    ..
}
impl SchemaChange {
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {}
    #[must_use]
    pub fn counterexample(&self) -> Option<&Value> {}
    #[must_use]
    pub fn located_in(&self) -> ComparedVersion {}
    #[must_use]
    pub fn message(&self) -> &str {}
    #[must_use]
    pub fn pointer(&self) -> &str {}
    #[must_use]
    pub fn rule(&self) -> &'static str {}
}

// tool_runtime_contracts_lock::SchemaReader
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaReader {
    Callee,
    Caller,
}

// tool_runtime_contracts_lock::WrittenFiles
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenFiles {
    ..
}
impl WrittenFiles {
    #[must_use]
    pub fn changed(&self) -> &[PathBuf] {}
    #[must_use]
    pub fn removed(&self) -> &[PathBuf] {}
    #[must_use]
    pub fn unchanged(&self) -> &[PathBuf] {}
}

// tool_runtime_contracts_lock::compare
#[must_use]
pub fn compare(
    before: &Value,
    after: &Value,
    reader: SchemaReader,
) -> Vec<SchemaChange> {}

