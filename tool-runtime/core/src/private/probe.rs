//! Autoref probes, by which generated code decides on types and not on their spelling.
//!
//! A probe's method is looked up on a reference to it, where the preferred trait is implemented,
//! and then, after a dereference, on the probe itself, where the fallback is. The compiler picks.

use std::convert::Infallible;
use std::error::Error;
use std::fmt::{self, Display, Write as _};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use tool_contracts::{ErrorCode, ToolContext};

use crate::failure::{Failure, FailureCode, LoggedFailure, ToolFailure};
use crate::tool::registry::HostNeed;
use crate::tool::{CallScope, DryRun, Finished, FromCall, Idempotency};

/// Probes the type `T`.
pub struct Probe<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> fmt::Debug for Probe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Probe")
    }
}

impl<T: ?Sized> Probe<T> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

/// The requirements of a borrowed parameter.
#[diagnostic::on_unimplemented(
    message = "`&{Self}` cannot be host state",
    label = "a borrowed parameter is provided by the host, not by the model: it must be \
             `Send + Sync + 'static`",
    note = "use a type that is thread-safe: `Arc` for `Rc`, `Mutex` or an atomic for `RefCell` and \
            `Cell`, a channel for a raw handle; or take an owned value if it is the model that \
            sends it"
)]
pub trait HostValue {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> HostValue for T {}

/// Fails to compile, with an explanation, if `T` cannot be a host's value.
pub const fn assert_host_value<T: ?Sized + HostValue>() {}

/// A value created from the call, stored while the tool runs.
#[derive(Debug)]
pub struct Extracted<T>(T);

impl<T> Deref for Extracted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Preferred: the type implements its creation from a call.
pub trait TakeFromCall<T> {
    /// Returns the required transaction, or that nothing is required.
    fn need(&self) -> HostNeed;
    /// Creates the value.
    ///
    /// # Errors
    /// Returns the error of [`FromCall::from_call`].
    fn take(&self, call: &CallScope, slot: usize) -> Result<Extracted<T>, Finished>;
}

impl<T: FromCall> TakeFromCall<T> for &Probe<T> {
    fn need(&self) -> HostNeed {
        if T::IS_TRANSACTION { HostNeed::transaction::<T>() } else { HostNeed::nothing() }
    }

    fn take(&self, call: &CallScope, _slot: usize) -> Result<Extracted<T>, Finished> {
        T::from_call(call).map(Extracted).map_err(|failure| call.failed_before_start(failure))
    }
}

/// Fallback: the type is state that was passed to the builder.
pub trait TakeState<T: ?Sized> {
    /// Returns the required type.
    fn need(&self) -> HostNeed;
    /// Returns the value of a slot.
    ///
    /// # Errors
    /// Never after `build()`, which fills every slot; otherwise an internal error.
    fn take<'c>(&self, call: &'c CallScope, slot: usize) -> Result<&'c Arc<T>, Finished>;
}

// Without `Send` and `Sync`, so that `assert_host_value` alone reports their absence.
impl<T: ?Sized + 'static> TakeState<T> for Probe<T> {
    fn need(&self) -> HostNeed {
        HostNeed::state::<T>()
    }

    fn take<'c>(&self, call: &'c CallScope, slot: usize) -> Result<&'c Arc<T>, Finished> {
        call.slot::<T>(slot)
    }
}

/// Shown by the compiler if an alias of `str` is borrowed.
#[derive(Debug)]
#[non_exhaustive]
pub struct WriteThisParameterAsPlainStr;

impl Probe<str> {
    /// Rejects `&Alias` for an alias of `str`: only `&str`, as spelled, is the model's text.
    #[must_use]
    pub fn need(&self) -> WriteThisParameterAsPlainStr {
        WriteThisParameterAsPlainStr
    }
}

/// Distinguishes borrowed text, which is meant to be the model's, from other host types.
impl Probe<String> {
    /// True if the type is `String`.
    pub const IS_STRING: bool = true;
}

/// Fallback: any other type.
pub trait NoString {
    /// True if the type is `String`.
    const IS_STRING: bool = false;
}

impl<T: ?Sized> NoString for Probe<T> {}

/// Distinguishes [`DryRun`] from other host types, at compile time.
impl Probe<DryRun> {
    /// True if a tool with this parameter handles a dry run.
    pub const HANDLES_DRY_RUN: bool = true;
}

/// Fallback: any other type.
pub trait DryRunFallback {
    /// True if a tool with this parameter handles a dry run.
    const HANDLES_DRY_RUN: bool = false;
}

impl<T: ?Sized> DryRunFallback for Probe<T> {}

/// Distinguishes `Idempotency` from other types, at compile time.
impl Probe<Idempotency> {
    /// True if a tool with this parameter receives its idempotency key.
    pub const READS_KEY: bool = true;
}

/// Fallback: any other type.
pub trait KeyFallback {
    /// True if a tool with this parameter receives its idempotency key.
    const READS_KEY: bool = false;
}

impl<T: ?Sized> KeyFallback for Probe<T> {}

/// Distinguishes the context, which a model must never provide, from other argument types.
impl Probe<ToolContext> {
    /// True if only the host may provide such a value.
    pub const IS_HOST_ONLY: bool = true;
}

/// Fallback: any other type.
pub trait NotHostOnly {
    /// True if only the host may provide such a value.
    const IS_HOST_ONLY: bool = false;
}

impl<T: ?Sized> NotHostOnly for Probe<T> {}

/// Lists the codes that a return type's error declares.
impl<T, E: ToolFailure> Probe<Result<T, E>> {
    /// Lists the codes.
    #[must_use]
    pub fn codes(&self) -> &'static [FailureCode] {
        E::codes()
    }
}

/// Fallback: no error type, or one without declared codes.
pub trait NoCodes {
    /// Returns an empty list.
    fn codes(&self) -> &'static [FailureCode] {
        &[]
    }
}

impl<T: ?Sized> NoCodes for Probe<T> {}

/// Creates a return type's schema: that of `T` for `Result<T, E>`, else its own.
pub trait OutputSchema {
    /// Creates the schema.
    fn output_schema(&self, generator: &mut SchemaGenerator) -> Schema;
}

impl<T: JsonSchema, E> Probe<Result<T, E>> {
    /// Creates the schema of the success type.
    pub fn output_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        tool_runtime_schema::schema::output::<T>(generator)
    }
}

impl<T: JsonSchema> OutputSchema for Probe<T> {
    fn output_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        tool_runtime_schema::schema::output::<T>(generator)
    }
}

/// Fallback: an answer without a schema, whose error is that of `opaque_answered`.
pub trait NoOutputSchema {
    /// Creates a schema that admits everything.
    fn output_schema(&self, generator: &mut SchemaGenerator) -> Schema;
}

impl<T> NoOutputSchema for &Probe<T> {
    fn output_schema(&self, _: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}

/// A tool's return value, before it is known whether it is a `Result`.
#[derive(Debug)]
pub struct Returned<T>(pub T);

impl<T, E> Returned<Result<T, E>> {
    /// Returns the result unchanged.
    ///
    /// # Errors
    /// Returns the tool's error.
    pub fn split(self) -> Result<T, E> {
        self.0
    }
}

/// Fallback: a value that is not a `Result`.
pub trait SplitPlain {
    /// The value's type.
    type Value;
    /// Returns the value as a success.
    ///
    /// # Errors
    /// Never.
    fn split(self) -> Result<Self::Value, Infallible>;
}

impl<T> SplitPlain for Returned<T> {
    type Value = T;

    fn split(self) -> Result<T, Infallible> {
        Ok(self.0)
    }
}

/// A tool's error, before its capabilities are known.
#[derive(Debug)]
pub struct FaultProbe<'e, E: ?Sized>(pub &'e E);

/// First choice: the error declares its failures and has a chain of sources for the log.
pub trait DeclaredErrorFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E: ToolFailure + Error> DeclaredErrorFault for &&&&&&&FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        declared(self.0, chain(self.0))
    }
}

/// Second choice: the error declares its failures and is no standard error, but has `Display`.
pub trait DeclaredPrintedFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E: ToolFailure + Display> DeclaredPrintedFault for &&&&&&FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        declared(self.0, format!("{:#}", self.0))
    }
}

/// Third choice: the error declares its failures, and has only `Debug` for the log.
pub trait DeclaredDebuggedFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E: ToolFailure + fmt::Debug> DeclaredDebuggedFault for &&&&&FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        declared(self.0, format!("{:?}", self.0))
    }
}

/// Fourth choice: the error declares its failures and has no text.
pub trait DeclaredFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E: ToolFailure> DeclaredFault for &&&&FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        declared(self.0, String::new())
    }
}

/// Fourth choice too: a failure that the tool made itself.
pub trait PlainFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl PlainFault for &&&&FaultProbe<'_, Failure> {
    fn fault(&self) -> LoggedFailure {
        LoggedFailure::plain(self.0.clone())
    }
}

/// Fifth choice: a standard error, which is only logged.
pub trait StandardFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E: Error> StandardFault for &&&FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        unmapped::<E>(chain(self.0))
    }
}

/// Fifth choice too: a boxed error, which does not implement `Error` itself.
pub trait BoxedFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

macro_rules! boxed {
    ($($error:ty),*) => {$(
        impl BoxedFault for &&&FaultProbe<'_, Box<$error>> {
            fn fault(&self) -> LoggedFailure {
                unmapped::<Box<$error>>(chain(&**self.0))
            }
        }
    )*};
}
boxed!(dyn Error, dyn Error + Send, dyn Error + Send + Sync);

/// Sixth choice: a type with `Display`, such as a string. The alternate form prints the sources of
/// errors that support it.
pub trait PrintedFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E: Display> PrintedFault for &&FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        unmapped::<E>(format!("{:#}", self.0))
    }
}

/// Seventh choice: a type with `Debug`.
pub trait DebuggedFault {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E: fmt::Debug> DebuggedFault for &FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        unmapped::<E>(format!("{:?}", self.0))
    }
}

/// Last choice: a type without any of these.
pub trait FaultWithoutText {
    /// Describes the error.
    fn fault(&self) -> LoggedFailure;
}

impl<E> FaultWithoutText for FaultProbe<'_, E> {
    fn fault(&self) -> LoggedFailure {
        unmapped::<E>(String::new())
    }
}

/// Adds to what the error declares its text for the log; without one, its type and its code.
fn declared<E: ToolFailure>(error: &E, text: String) -> LoggedFailure {
    let (name, LoggedFailure { failure, log, .. }) =
        (std::any::type_name::<E>(), LoggedFailure::plain(error.failure()));
    let texts = [text, log].into_iter().filter(|text| !text.trim().is_empty());
    let mut text = texts.collect::<Vec<_>>().join(": ");
    if text.is_empty() {
        text = format!("{name}: {}", failure.code().as_str());
    }
    LoggedFailure::new(failure, Some(name), text)
}

fn unmapped<E>(log: String) -> LoggedFailure {
    LoggedFailure::new(
        Failure::from_code(ErrorCode::Internal),
        Some(std::any::type_name::<E>()),
        log,
    )
}

/// Joins an error and its sources for the log.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let _ = write!(text, ": {source}");
        next = source.source();
    }
    text
}

/// An argument's default, before it is known whether it can be serialized.
#[derive(Debug)]
pub struct DefaultProbe<'v, T>(pub &'v T);

/// First choice: the value has a JSON form.
pub trait ShownDefault {
    /// Returns the JSON form.
    fn to_json(&self) -> Option<Value>;
}

impl<T: Serialize> ShownDefault for &DefaultProbe<'_, T> {
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// Fallback: the schema omits the default.
pub trait HiddenDefault {
    /// Returns `None`.
    fn to_json(&self) -> Option<Value>;
}

impl<T> HiddenDefault for DefaultProbe<'_, T> {
    fn to_json(&self) -> Option<Value> {
        None
    }
}
