//! The findings of a trial.

use std::fmt;

/// A check of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TrialCheck {
    /// A runtime can be built with the tool.
    Registration,
    /// The contract equals the committed one.
    Snapshot,
    /// The schemas are valid under draft 2020-12.
    Metaschema,
    /// Inputs can be made from the schema, and the tool accepts them.
    Inputs,
    /// The tool does not panic.
    Panics,
    /// Answers match the output schema.
    Output,
    /// The tool ends within its deadline.
    Deadline,
    /// Inputs that the schema rejects do not reach the tool.
    Refusal,
    /// A dry run has no effect.
    DryRun,
    /// Two calls under one key, or of an idempotent tool, have one effect.
    Idempotency,
    /// Secret and personal values are in no text where they must not be.
    Secrets,
}

impl TrialCheck {
    fn as_str(self) -> &'static str {
        match self {
            Self::Registration => "registration",
            Self::Snapshot => "snapshot",
            Self::Metaschema => "metaschema",
            Self::Inputs => "inputs",
            Self::Panics => "panics",
            Self::Output => "output",
            Self::Deadline => "deadline",
            Self::Refusal => "refusal",
            Self::DryRun => "dry run",
            Self::Idempotency => "idempotency",
            Self::Secrets => "secrets",
        }
    }
}

impl fmt::Display for TrialCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A problem of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialFinding {
    check: TrialCheck,
    text: String,
}

impl TrialFinding {
    /// Returns the check that found it.
    #[must_use]
    pub fn check(&self) -> TrialCheck {
        self.check
    }

    /// Returns the description with the input, in several lines.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for TrialFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.text.replace('\n', "\n    "))
    }
}

/// The result of a trial: findings and notes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an unread report fails no test"]
pub struct TrialReport {
    tool: String,
    seed: u64,
    cases: u32,
    findings: Vec<TrialFinding>,
    notes: Vec<String>,
}

impl TrialReport {
    pub(super) fn new(tool: String, seed: u64) -> Self {
        Self { tool, seed, cases: 0, findings: Vec::new(), notes: Vec::new() }
    }

    /// Lists the findings.
    #[must_use]
    pub fn findings(&self) -> &[TrialFinding] {
        &self.findings
    }

    /// Lists the checks that were skipped, and other notes.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the number of valid inputs; as many broken ones were tried.
    #[must_use]
    pub fn cases(&self) -> u32 {
        self.cases
    }

    /// Returns whether there are no findings.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty()
    }

    /// Panics with the whole report if there are findings; else writes the notes to stderr.
    ///
    /// # Panics
    /// There are findings.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.is_ok(), "{self}");
        for note in &self.notes {
            eprintln!("{}: {note}", self.tool);
        }
    }

    pub(super) fn find(&mut self, check: TrialCheck, text: impl Into<String>) {
        self.findings.push(TrialFinding { check, text: text.into() });
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn count(&mut self, cases: u32) {
        self.cases += cases;
    }
}

impl fmt::Display for TrialReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, seed, cases, findings, notes } = self;
        let count = findings.len();
        let word = if count == 1 { "finding" } else { "findings" };
        writeln!(f, "the tool `{tool}`: {count} {word} ({cases} inputs from seed {seed})")?;
        for finding in findings {
            writeln!(f, "\n  {finding}")?;
        }
        for note in notes {
            writeln!(f, "\n  note: {}", note.replace('\n', "\n    "))?;
        }
        Ok(())
    }
}
