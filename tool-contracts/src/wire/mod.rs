//! Deserialization that is strict, streams, and never quotes rejected values.
//!
//! serde's derived implementations quote rejected values, accept an array for a struct and report
//! only "invalid type", without the field's name. The crate therefore deserializes all its types
//! by the macros and functions here.

mod const_bool;
mod fields;
mod leaf;
mod text;
mod time;
mod words;

pub(crate) use self::leaf::{
    ContextTokens, Counts, DelayMilliseconds, FilledText, Finite, Flag, Id, Labels, MaxAttempts,
    Object, Objects, OptimizationLevel, Share, Text, Texts, TimeoutSeconds, TotalTokens, Whole,
};
pub(crate) use self::{
    const_bool::ConstBool,
    fields::{
        Buffered, duplicate, missing, need, nested, null, or_empty_object, payload, raw, reads,
        refuse_numbers, refuse_scalars, unknown,
    },
    leaf::{Instant, leaf, take},
    text::expected,
    time::{WITH_OFFSET, write_time},
    words::{one_of, read_word, words},
};

/// The expected value of a duration.
pub(crate) const NOT_A_DURATION: &str = "expected a number of milliseconds from 0";

/// The accepted deviation of a ratio from its counts, for writers that round it to two places.
const ROUNDING: f64 = 0.006;

/// Returns whether a ratio is the computed one, up to rounding.
pub(crate) fn is_rounded(ratio: f64, computed: f64) -> bool {
    (ratio - computed).abs() <= ROUNDING
}

/// Returns the error of a value whose fields a builder refused.
#[cold]
#[allow(clippy::needless_pass_by_value, reason = "`map_err` passes it")]
pub(crate) fn refused<E: serde::de::Error>(error: crate::ContractError) -> E {
    E::custom(error.listed())
}

/// Returns the error of a field that contradicts another one.
#[cold]
pub(crate) fn contradicted<E: serde::de::Error>(field: &str, expected: &str) -> E {
    E::custom(format_args!("`{field}`: expected {expected}"))
}

/// Omits `false` from the output; serde requires this signature.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(crate) fn is_false(const_bool: &bool) -> bool {
    !const_bool
}

/// Sets a value that is present, by the builder's setter.
pub(crate) fn set<B, T>(builder: B, value: Option<T>, setter: impl FnOnce(B, T) -> B) -> B {
    match value {
        Some(value) => setter(builder, value),
        None => builder,
    }
}
