//! Reading: strict, streaming, and silent about rejected values.
//!
//! serde's derived readers quote what they reject, accept an array for a struct and say only
//! "invalid type" where a reader needs the field's name. Everything the crate reads goes through
//! the macros and functions here instead.

mod fields;
mod leaf;
mod switch;
mod text;
mod time;
mod words;

pub(crate) use self::leaf::{Counts, Flag, Id, Labels, Object, Text, Texts, Whole};
pub(crate) use self::{
    fields::{
        Buffered, duplicate, missing, need, nested, null, or_empty_object, payload, raw, reads,
        refuse_numbers, refuse_scalars, unknown,
    },
    leaf::{Instant, leaf, take},
    switch::Switch,
    text::expected,
    time::{WITH_OFFSET, write_time},
    words::{one_of, read_word, words},
};

/// Keeps a switch that is off out of the output; its type is serde's.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(crate) fn is_false(switch: &bool) -> bool {
    !switch
}

/// Sets what is there, through the builder's setter.
pub(crate) fn set<B, T>(builder: B, value: Option<T>, setter: impl FnOnce(B, T) -> B) -> B {
    match value {
        Some(value) => setter(builder, value),
        None => builder,
    }
}
