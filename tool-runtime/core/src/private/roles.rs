//! Requirements of types by their role in a signature, with diagnostics.

use std::fmt::Display;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tool_runtime_schema::schema::{InputSchema, Property};

use crate::tool::{CallScope, Finished, Reconciled};

/// The requirements of an owned parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument: a model's JSON cannot be read as it",
    label = "an owned parameter is the model's",
    note = "write `#[ai_type]` over the type, and over each type of yours inside of it; or take \
            `&{Self}` if it is the host that gives it"
)]
pub trait Argument: JsonSchema + DeserializeOwned {}

// Without this the compiler explains only the innermost type, in the words of serde and schemars.
#[diagnostic::do_not_recommend]
impl<T: JsonSchema + DeserializeOwned> Argument for T {}

/// Adds an argument to the input schema.
pub fn property<'s, T: Argument>(
    schema: &'s mut InputSchema<'_>,
    name: &'static str,
    description: &'static str,
) -> Property<'s> {
    schema.property::<T>(name, description)
}

/// The requirements of an owned parameter that is an `Arc<T>` or an `Rc<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is owned, so it would be the model's argument, and no JSON can be read as it",
    label = "an owned parameter is the model's",
    note = "a tool borrows what the host shares: take `&{T}`, and give the `Arc` by \
            `.shared_state(…)`"
)]
pub trait SharedArgument<T: ?Sized>: JsonSchema + DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized, S: JsonSchema + DeserializeOwned> SharedArgument<T> for S {}

/// Adds an argument in an `Arc` or an `Rc` to the input schema.
pub fn shared_property<'s, S: SharedArgument<T>, T: ?Sized>(
    schema: &'s mut InputSchema<'_>,
    name: &'static str,
    description: &'static str,
) -> Property<'s> {
    schema.property::<S>(name, description)
}

/// The requirements of a tool's output.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an answer: it cannot be written as JSON with a schema",
    label = "a tool's answer goes to the model",
    note = "write `#[ai_type]` over the type, and over each type of yours inside of it; or return \
            another"
)]
pub trait Answer: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> Answer for T {}

/// Creates the schema of an output whose type can be named.
pub fn output_schema<T: Answer>(generator: &mut SchemaGenerator) -> Schema {
    tool_runtime_schema::schema::output::<T>(generator)
}

/// Ends a call with its answer.
pub fn answered<T: Answer>(call: &CallScope, value: &T) -> Finished {
    call.succeeded(value)
}

/// The requirements of a tool's output whose type cannot be named.
#[diagnostic::on_unimplemented(
    message = "an answer of this type cannot be written as JSON with a schema",
    label = "the traits of `{Self}` do not say so",
    note = "name the answer's type, such as `String`; or say `impl Serialize + JsonSchema`"
)]
pub trait OpaqueAnswer: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> OpaqueAnswer for T {}

/// Ends a call with an answer whose type cannot be named.
pub fn opaque_answered<T: OpaqueAnswer>(call: &CallScope, value: &T) -> Finished {
    call.succeeded(value)
}

/// Stands for an argument in a call that never runs, from which the compiler infers a type.
///
/// A panic in its place would make the call unreachable, which a lint reports.
#[must_use]
pub fn never_passed<T>() -> T {
    unreachable!("a call that infers a return type does not run")
}

/// The return type of a `reconcile` function for a tool with output `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the result of a `reconcile` function for a tool that returns `{T}`",
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

/// The requirements of what a `preview` or `reconcile` function of an `async` tool returns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no future: this function is not `async`, and its tool is",
    label = "this function is not `async`",
    note = "write `async fn`: a `preview` or `reconcile` function is `async` where its tool is"
)]
pub trait OptionFuture: Future {}

#[diagnostic::do_not_recommend]
impl<F: Future> OptionFuture for F {}

/// Returns the future of a `preview` or `reconcile` function.
pub fn option_future<F: OptionFuture>(future: F) -> F {
    future
}

/// The bound on the answer of a tool's `preview` function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown as a preview: it cannot be written as JSON",
    label = "this function returns something else",
    note = "a `preview` function is `async` where its tool is, and only there; a type of yours has \
            `#[ai_type]`"
)]
pub trait Preview: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> Preview for T {}

/// Ends a dry run with its preview.
pub fn previewed<T: Preview>(call: &CallScope, value: &T) -> Finished {
    call.succeeded(value)
}
