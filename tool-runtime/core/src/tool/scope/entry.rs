//! The methods that generated code calls: reading arguments, the gate, host values, the end.

use std::any::type_name;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use serde::Serialize;
use tool_contracts::{ErrorCode, Violation};

use super::CallScope;
use crate::failure::{Failure, LoggedFailure};
use crate::tool::blocking;
use crate::tool::field_reader::{self, Fields, ReadFields};
use crate::tool::output::ToolOutput;
use crate::tool::reconciled::Reconciled;
use crate::tool::tool_future::{Finished, ReconcileOutcome, ToolEnd};

/// Methods for generated code.
#[doc(hidden)]
impl CallScope {
    /// Reads the arguments into a tuple; a slip is coerced or explained by the schema.
    ///
    /// # Errors
    /// The call is refused; the scope knows why.
    pub fn read<'s, A>(&'s self, fields: Fields, defaults: A::Defaults) -> Result<A, Finished>
    where
        A: ReadFields<'s, Defaults: Copy>,
    {
        match field_reader::read(self.arguments(), fields, defaults) {
            Ok(arguments) => {
                self.0.read_whole.store(true, Ordering::Relaxed);
                Ok(arguments)
            }
            Err(error) => {
                let reread = |text: &'s str| field_reader::read::<A>(text, fields, defaults).err();
                let coerced = self.coerced_arguments(&error, &reread)?;
                let read = field_reader::read(coerced, fields, defaults);
                read.map_err(|error| self.reject_undecodable(&error, &reread))
            }
        }
    }

    /// Checks the arguments by the schema; returns them with lossless slips coerced, if that is all.
    fn coerced_arguments<'s>(
        &'s self,
        error: &serde_json::Error,
        reread: Reread<'_, 's>,
    ) -> Result<&'s str, Finished> {
        if self.schema_report().is_some() {
            return Err(self.reject_undecodable(error, reread));
        }
        let report = self.check_by_schema();
        if report.malformed.is_some() || !report.violations.is_empty() {
            return Err(Finished(ToolEnd::Refused));
        }
        match &report.coerced {
            Some(coerced) => Ok(coerced),
            None => Err(self.reject_undecodable(error, reread)),
        }
    }

    /// Refuses arguments that the schema admits and the type does not, with the place of the error.
    fn reject_undecodable<'s>(
        &'s self,
        error: &serde_json::Error,
        reread: Reread<'_, 's>,
    ) -> Finished {
        let text = self.arguments();
        let offset = byte_offset(text, error.line(), error.column());
        let limits = self.0.environment.limits();
        let input = &self.0.tool.input;
        let violation = if is_rejected_whole(text, offset, reread) {
            input.violation_of_container(text, offset, limits)
        } else {
            input.violation_at(text, offset, limits)
        };
        self.refuse(vec![violation], error.to_string())
    }

    /// Refuses arguments that a typed check found out of bounds.
    #[must_use]
    pub fn out_of_bounds(&self) -> Finished {
        let limits = self.0.environment.limits();
        let report = self.0.tool.check_arguments(self.arguments(), limits);
        let mut violations = report.violations;
        if violations.is_empty() {
            violations.push(Violation::new("", "bounds", "arguments within the tool's bounds", ""));
        }
        self.refuse(violations, String::new())
    }

    fn refuse(&self, violations: Vec<Violation>, log: String) -> Finished {
        drop(self.0.optional_or_new().refusal.set((violations, log)));
        Finished(ToolEnd::Refused)
    }

    /// Waits until the call is executed; a pending call is suspended here.
    pub fn gate(&self) -> impl Future<Output = ()> + Send + '_ {
        Gate(self)
    }

    /// Ends a call whose host value cannot be made: the tool has not begun.
    pub(crate) fn failed_before_start(&self, failure: Failure) -> Finished {
        self.stage().undo_begin();
        self.failed(LoggedFailure::plain(failure))
    }

    /// Finds a host value in the slot that `build()` filled.
    ///
    /// # Errors
    /// A fault of the runtime where the slot is empty.
    pub fn slot<T: ?Sized + 'static>(&self, slot: usize) -> Result<&Arc<T>, Finished> {
        let slot_value = self.0.tool.slots.get(slot).and_then(Option::as_ref);
        slot_value.and_then(|value| value.downcast_ref()).ok_or_else(|| {
            let log = format!("no `{}` in slot {slot}", type_name::<T>());
            self.failed(LoggedFailure::new(Failure::from_code(ErrorCode::Internal), None, log))
        })
    }

    /// Finds the toolkit that a method stands on.
    ///
    /// # Errors
    /// As [`slot`](Self::slot).
    pub fn toolkit<T: Send + Sync + 'static>(&self, slot: usize) -> Result<&Arc<T>, Finished> {
        self.slot(slot)
    }

    /// Writes an answer into the envelope.
    pub fn succeeded<T: Serialize + ?Sized>(&self, value: &T) -> Finished {
        let mut answer = ToolOutput::begin(self);
        match answer.write(value) {
            Ok(()) => Finished(ToolEnd::Answered(answer)),
            Err(error) => self.failed(LoggedFailure::new(
                Failure::from_code(ErrorCode::InvalidOutput),
                None,
                format!("the answer cannot be written as JSON: {error}"),
            )),
        }
    }

    /// Returns whether the `reconcile` function is called instead of the tool.
    #[must_use]
    pub fn reconciles(&self) -> bool {
        self.0.purpose.is_reconciliation()
    }

    /// Ends a call of the `reconcile` function.
    pub fn reconciled<T: Serialize>(&self, found: &Reconciled<T>) -> Finished {
        let answer = match found {
            Reconciled::Happened(answer) => answer,
            Reconciled::DidNotHappen => {
                return Finished(ToolEnd::Reconciled(ReconcileOutcome::DidNotHappen));
            }
            Reconciled::Unknown => return Finished(ToolEnd::Reconciled(ReconcileOutcome::Unknown)),
        };
        match self.succeeded(answer) {
            Finished(ToolEnd::Answered(answer)) => {
                Finished(ToolEnd::Reconciled(ReconcileOutcome::Happened(answer)))
            }
            failed => failed,
        }
    }

    /// Ends the call with the tool's error.
    #[must_use]
    pub fn failed(&self, fault: LoggedFailure) -> Finished {
        Finished(ToolEnd::Failed(fault))
    }

    /// Runs a blocking tool off the async threads.
    pub async fn run_blocking(
        self,
        work: impl FnOnce(&Self) -> Finished + Send + 'static,
    ) -> Finished {
        blocking::run(&self, work).await
    }
}

/// Reads a part of the arguments again; returns the error, if there is one.
type Reread<'r, 's> = &'r dyn Fn(&'s str) -> Option<serde_json::Error>;

/// Returns whether an object or array that ends at the offset was rejected, and none of its members.
///
/// Its members alone then end the reader at the end of the text, and not at an error.
fn is_rejected_whole<'s>(text: &'s str, offset: usize, reread: Reread<'_, 's>) -> bool {
    matches!(text.as_bytes().get(offset), Some(b'}' | b']'))
        && reread(&text[..offset]).is_some_and(|error| error.is_eof())
}

struct Gate<'c>(&'c CallScope);

impl Future for Gate<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        // No waker: `execute` polls again once it has opened the gate.
        if self.0.0.stage.pass() { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Turns the line and column of a serde error (both from 1, the column in bytes) into an offset.
fn byte_offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}
