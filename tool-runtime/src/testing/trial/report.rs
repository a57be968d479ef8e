//! What a trial found, all of it at once.

use std::fmt;

/// What a trial looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Check {
    /// A runtime can be built with the tool.
    Registration,
    /// The contract is the one that was committed.
    Snapshot,
    /// The schemas are JSON Schemas of draft 2020-12.
    Metaschema,
    /// Inputs can be made from the schema, and the tool takes them.
    Inputs,
    /// The tool does not panic.
    Panics,
    /// The answers keep the output schema.
    Output,
    /// The tool ends within its deadline.
    Deadline,
    /// What the schema refuses never reaches the tool.
    Refusal,
    /// A dry run has no effect.
    DryRun,
    /// What is done twice under one key, or by an idempotent tool, is done once.
    Idempotency,
    /// What the schema calls secret or personal is in no text where it may not be.
    Secrets,
}

impl Check {
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

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One thing that is wrong with a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    check: Check,
    text: String,
}

impl Finding {
    /// Says which check found it.
    #[must_use]
    pub fn check(&self) -> Check {
        self.check
    }

    /// Says what is wrong, and with which input; of several lines.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check, self.text.replace('\n', "\n    "))
    }
}

/// What a trial found, and what it could not look at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a report that nobody reads fails nobody"]
pub struct TrialReport {
    tool: String,
    seed: u64,
    cases: u32,
    findings: Vec<Finding>,
    notes: Vec<String>,
}

impl TrialReport {
    pub(super) fn new(tool: String, seed: u64) -> Self {
        Self { tool, seed, cases: 0, findings: Vec::new(), notes: Vec::new() }
    }

    /// Lists what is wrong.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Lists what was not checked, and what a person may want to know.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns how many valid inputs were tried, beside as many broken ones.
    #[must_use]
    pub fn cases(&self) -> u32 {
        self.cases
    }

    /// Tells whether nothing is wrong.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty()
    }

    /// Panics with the whole report, if anything is wrong; else writes the notes to stderr.
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

    pub(super) fn find(&mut self, check: Check, text: impl Into<String>) {
        self.findings.push(Finding { check, text: text.into() });
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
