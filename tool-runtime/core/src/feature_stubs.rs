//! Stubs of the public methods whose feature is off: a call of one is a compile error that names
//! the feature, where the compiler would only say that there is no such method.
#![allow(
    clippy::unused_self,
    clippy::needless_pass_by_value,
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "no call of a stub compiles"
)]

use std::marker::PhantomData;

use crate::tool::registry::Registry;
use crate::{Runtime, RuntimeBuilder, ToolCall};

/// Has none of the traits below. Its lifetime lets a bound that is never met stand in a signature.
#[derive(Debug)]
pub struct TheFeatureIsOff<'m>(PhantomData<&'m ()>);

macro_rules! stubs {
    ($feature:tt $marker:ident $message:tt $note:tt {
        $($owner:ident: $($method:ident($($argument:ident),*))+;)+
    }) => {
        /// Met by no type, because the feature is off.
        #[cfg(not(feature = $feature))]
        #[diagnostic::on_unimplemented(message = $message, label = "this method needs a feature", note = $note)]
        pub trait $marker {}

        $(
            #[cfg(not(feature = $feature))]
            impl $owner {$(
                #[doc(hidden)]
                pub fn $method<'m>(self, $($argument: impl Sized),*) -> Self
                where
                    TheFeatureIsOff<'m>: $marker,
                {
                    $(let _ = $argument;)*
                    self
                }
            )+}
        )+
    };
}

stubs!("discovery" Discovery
    "the feature `discovery` of `tool-runtime` is off"
    "turn it on in `Cargo.toml`: `features = [\"discovery\"]`, or leave the default features on"
{
    RuntimeBuilder: discover();
    Registry: discover();
});

stubs!("policy" Policy
    "the feature `policy` of `tool-runtime` is off"
    "turn it on in `Cargo.toml`: `features = [\"policy\"]`"
{
    RuntimeBuilder: policy(_policy) store(_store);
    Runtime: tickets() grants() outcomes() outputs() sweep() wall_clock_steps();
    ToolCall: ticket() for_model();
});

stubs!("trace" Trace
    "the feature `trace` of `tool-runtime` is off"
    "turn it on in `Cargo.toml`: `features = [\"trace\"]`"
{
    RuntimeBuilder: span_ids(_ids) without_tracing();
});

stubs!("otel" Otel
    "the feature `otel` of `tool-runtime` is off"
    "turn it on in `Cargo.toml`: `features = [\"otel\"]`"
{
    RuntimeBuilder: metrics(_metrics);
});

stubs!("search" Search
    "the feature `search` of `tool-runtime` is off"
    "turn it on in `Cargo.toml`: `features = [\"search\"]`"
{
    Runtime: tool_index();
    Registry: search(_query, _most);
});

/// A type of the prelude whose feature is off: its use is a compile error that names the feature.
#[cfg(not(feature = "attachments"))]
#[diagnostic::on_unimplemented(
    message = "the feature `attachments` of `tool-runtime` is off",
    label = "this type needs a feature",
    note = "turn it on in `Cargo.toml`: `features = [\"attachments\"]`"
)]
pub trait AttachmentsFeature {
    /// The type that the feature has.
    type Attachments;
}

/// Files, images and links beside a tool's answer: needs the feature `attachments`.
#[cfg(not(feature = "attachments"))]
#[doc(hidden)]
pub type Attachments<F = TheFeatureIsOff<'static>> = <F as AttachmentsFeature>::Attachments;
