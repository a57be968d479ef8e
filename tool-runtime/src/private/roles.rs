//! Requirements of types by their role in a signature, with diagnostics.

use std::fmt::Display;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::tool::Reconciled;

/// The requirements of an owned parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument: a model's JSON cannot be read as it",
    label = "an owned parameter is the model's",
    note = "write `#[ai_type]` over the type, or take `&{Self}` if it is the host that gives it"
)]
pub trait Argument {}

impl<T: JsonSchema + DeserializeOwned> Argument for T {}

/// Fails to compile, with an explanation, if `T` cannot be an argument.
pub const fn assert_argument<T: Argument>() {}

/// The requirements of a tool's output.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an answer: it cannot be written as JSON with a schema",
    label = "a tool's answer goes to the model",
    note = "write `#[ai_type]` over the type, or return another"
)]
pub trait Answer: Serialize + JsonSchema {}

impl<T: Serialize + JsonSchema> Answer for T {}

/// Creates the schema of an output whose type can be named.
pub fn output_schema<T: Answer>(generator: &mut SchemaGenerator) -> Schema {
    crate::schema::output::<T>(generator)
}

/// The return type of a `reconcile` function for a tool with output `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not tell what became of a run that answers `{T}`",
    label = "this function returns something else",
    note = "a `reconcile` function returns `Reconciled<{T}>` or `Result<Reconciled<{T}>, E>`, and \
            is `async` where the tool is"
)]
pub trait Finding<T> {
    /// Returns the outcome.
    fn finding(&self) -> &Reconciled<T>;
}

impl<T> Finding<T> for Reconciled<T> {
    fn finding(&self) -> &Reconciled<T> {
        self
    }
}

/// Fails to compile, with an explanation, if the outcome is of another output type than the tool's.
///
/// The type is passed in `PhantomData`, whose variance lets an output borrow from the call.
pub fn finding<T, F: Finding<T>>(_: PhantomData<T>, found: &F) -> &Reconciled<T> {
    found.finding()
}

/// The requirements of an error with variants that carry no message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no public message",
    label = "a variant without `message` or `hide` says what `Display` says",
    note = "implement `Display`, or add `message = \"…\"` or `hide` to each `#[failure(…)]`"
)]
pub trait PublicMessage {
    /// Writes the message.
    fn public_message(&self) -> String;
}

impl<T: Display + ?Sized> PublicMessage for T {
    fn public_message(&self) -> String {
        self.to_string()
    }
}

/// Writes an error's public message.
pub fn public_message<T: PublicMessage + ?Sized>(error: &T) -> String {
    error.public_message()
}
