//! The errors of building a runtime.

use std::fmt;
use std::time::Duration;

use thiserror::Error;
use tool_contracts::{ContractError, Violation};
use tool_runtime_schema::schema::{Malformed, SchemaError};

use super::registry::SourceLocation;

/// The problems that kept a runtime from being built.
///
/// Both `Display` and `Debug` list them all, so that `unwrap` and a `main` that returns the error
/// show them too.
#[derive(Clone, Error)]
pub struct BuildError {
    pub(crate) problems: Vec<BuildProblem>,
}

impl BuildError {
    /// Lists the problems, in the order in which they were found.
    #[must_use]
    pub fn problems(&self) -> &[BuildProblem] {
        &self.problems
    }

    pub fn unless_empty(problems: Vec<BuildProblem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self { problems }) }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tools cannot be used as they are registered:")?;
        self.problems.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
    }
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One thing that is wrong with what was registered or configured.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BuildProblem {
    /// A budget does not fit a tool.
    #[error("a budget does not fit `{tool}`: {why}")]
    #[non_exhaustive]
    BudgetMismatch {
        /// The tool.
        tool: String,
        /// The fault, and the cure.
        why: String,
    },
    /// A budget is wrong in itself.
    #[error("{why}")]
    #[non_exhaustive]
    InvalidBudget {
        /// The budget, what is wrong with it, and the cure.
        why: String,
    },
    /// The policy has budgets, and its store of idempotency keys does not store them.
    #[error(
        "the policy has a budget, and the store of its idempotency keys keeps none: use `MemoryStore`, `SqliteStore` or `PostgresStore`"
    )]
    BudgetsNotStored,
    /// A receiver of events is wrong in itself.
    #[error("the receiver of events `{name}` is wrong: {why}")]
    #[non_exhaustive]
    InvalidReceiver {
        /// The receiver's name.
        name: String,
        /// The fault, and the cure.
        why: &'static str,
    },
    /// The policy has receivers of events, and its store of tickets has no outbox.
    #[error(
        "the policy has a receiver of events, and the store of its tickets has no outbox: use `MemoryStore`, `SqliteStore` or `PostgresStore`"
    )]
    EventsNotStored,
    /// Two tools have one name.
    #[error("two tools are named `{tool}`: at {first} and at {second}; rename one")]
    #[non_exhaustive]
    DuplicateName {
        /// The name.
        tool: String,
        /// The place of the first.
        first: SourceLocation,
        /// The place of the second.
        second: SourceLocation,
    },
    /// A tool is added whose name another one has.
    #[error("a tool named `{tool}` is there already: replace it, or rename one")]
    #[non_exhaustive]
    NameTaken {
        /// The name.
        tool: String,
    },
    /// A tool is changed that does not exist.
    #[error("there is no tool named `{tool}` to change")]
    #[non_exhaustive]
    UnknownTool {
        /// The name.
        tool: String,
    },
    /// A tool borrows a value that was not given to the builder.
    #[error("`{tool}` borrows `&{type_name}`, which was not given: {}", cure(type_name))]
    #[non_exhaustive]
    MissingState {
        /// The tool.
        tool: String,
        /// The type that it borrows.
        type_name: &'static str,
    },
    /// A tool borrows a transaction that it cannot have.
    #[error(
        "`{tool}` borrows `&{type_name}`, a transaction of another store, or it reads: a write can borrow that of \
         the store in `Policy::store`"
    )]
    #[non_exhaustive]
    MissingTransaction {
        /// The tool.
        tool: String,
        /// The type that it borrows.
        type_name: &'static str,
    },
    /// Two values of one type were given.
    #[error(
        "two values of `{type_name}` were given: tools borrow by type, so wrap one in a type of its own"
    )]
    #[non_exhaustive]
    StateTwice {
        /// The type.
        type_name: &'static str,
    },
    /// A toolkit was registered twice.
    #[error("the toolkit `{type_name}` is registered twice: register it once, with one value")]
    #[non_exhaustive]
    ToolkitTwice {
        /// The toolkit's type.
        type_name: &'static str,
    },
    /// A schema cannot be checked.
    #[error("the {side} schema of `{tool}` cannot be used: {error}")]
    #[non_exhaustive]
    Schema {
        /// The tool.
        tool: String,
        /// `input` or `output`.
        side: &'static str,
        /// The place in the schema, and the reason.
        error: SchemaError,
    },
    /// A tool's contract is not valid.
    #[error("the contract of `{tool}` is not valid: {error}")]
    #[non_exhaustive]
    Contract {
        /// The tool.
        tool: String,
        /// The invalid parts, with the reasons.
        error: ContractError,
    },
    /// A default or an example of an argument breaks the argument's own schema.
    #[error("the {what} of `{property}` in `{tool}` is not admitted by the schema of `{property}`")]
    #[non_exhaustive]
    ShownValue {
        /// The tool.
        tool: String,
        /// The argument.
        property: String,
        /// `default` or `example`.
        what: &'static str,
    },
    /// An example of a tool's arguments breaks the tool's input schema.
    #[error(
        "example {number} of `{tool}` is not accepted by its input schema: {}",
        listed(malformed.as_ref(), violations)
    )]
    #[non_exhaustive]
    InputExample {
        /// The tool.
        tool: String,
        /// The example's number, from 1.
        number: usize,
        /// The reason for which it cannot be read, if it cannot.
        malformed: Option<Malformed>,
        /// The places at which it breaks the schema.
        violations: Vec<Violation>,
    },
    /// A dynamic tool lacks something, or has what it may not.
    #[error("`{tool}` {rule}")]
    #[non_exhaustive]
    Incomplete {
        /// The tool.
        tool: String,
        /// The rule that is broken.
        rule: &'static str,
    },
    /// A permission is set for a tool or toolkit that does not exist.
    #[error(
        "a permission is set for `{name}`, which is neither a tool nor a toolkit of this runtime"
    )]
    #[non_exhaustive]
    UnknownPermission {
        /// The name.
        name: String,
    },
    /// Rules are set for a tool or toolkit that does not exist.
    #[error("rules are set for `{name}`, which is neither a tool nor a toolkit of this runtime")]
    #[non_exhaustive]
    UnknownRules {
        /// The name.
        name: String,
    },
    /// A tool has to leave evidence, and the runtime has no vault.
    #[error(
        "`{tool}` has to leave evidence, and there is no vault: give one by `.evidence(…)`, with the feature \
         `evidence` of `tool-runtime`"
    )]
    #[non_exhaustive]
    NoEvidence {
        /// The tool.
        tool: String,
    },
    /// Discovery found no tool.
    #[error(
        "no `#[ai_tool]` function is linked in: name the crate that has them once \
         (`use its_name as _;`), or register them by `.tool::<Handle>()`"
    )]
    NothingDiscovered,
    /// The definitions of all tools are too large together.
    #[error(
        "the definitions of all tools together are {bytes} bytes of JSON, more than the limit of \
         {limit}: the largest are {}; shorten their descriptions and schemas, register fewer tools, or \
         raise the limit by `.max_listing_bytes(…)`",
        sizes(largest)
    )]
    #[non_exhaustive]
    ListingTooLarge {
        /// The size of all definitions, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
        /// The largest tools and their sizes in bytes, the largest first.
        largest: Vec<(String, usize)>,
    },
    /// A setting is out of its range.
    #[error("`{setting}` is {min} to {max}, not {found}")]
    #[non_exhaustive]
    OutOfRange {
        /// The builder's method.
        setting: &'static str,
        /// The lowest allowed value.
        min: usize,
        /// The highest allowed value.
        max: usize,
        /// The value that was set.
        found: usize,
    },
    /// A time is out of its range.
    #[error("`{setting}` is {min:?} to {max:?}, not {found:?}")]
    #[non_exhaustive]
    TimeOutOfRange {
        /// The method that sets it.
        setting: &'static str,
        /// The lowest allowed value.
        min: Duration,
        /// The highest allowed value.
        max: Duration,
        /// The value that was set.
        found: Duration,
    },
    /// The program aborts on panic, so that a tool's panic cannot be answered.
    #[error(
        "this program aborts on panic, so a tool's panic would end it: build with \
         `panic = \"unwind\"`, or accept it by `.allow_panic_abort()`"
    )]
    PanicAborts,
    /// The runtime has no timer.
    #[error("there is no timer: turn on the feature `tokio`, or call `.timer(…)`")]
    NoTimer,
}

/// Names the builder's method that gives a value of this type.
fn cure(type_name: &str) -> String {
    if type_name.starts_with("dyn ") {
        format!("call `.shared_state(…)` with an `Arc<{type_name}>`")
    } else {
        "call `.state(…)` with one, or `.shared_state(…)` with an `Arc`".to_owned()
    }
}

/// Lists tools with their sizes.
fn sizes(tools: &[(String, usize)]) -> String {
    let texts = tools.iter().map(|(tool, bytes)| format!("`{tool}` ({bytes} bytes)"));
    texts.collect::<Vec<_>>().join(", ")
}

/// Lists what is wrong with an example, without its values.
fn listed(malformed: Option<&Malformed>, violations: &[Violation]) -> String {
    let reason = malformed.map(ToString::to_string).into_iter();
    reason.chain(violations.iter().map(ToString::to_string)).collect::<Vec<_>>().join("; ")
}
