//! Restores the properties that a model omits under a strict declaration, where it writes `null`.
//!
//! A strict declaration requires every property, so `null` stands for an omitted one. The
//! declaration marks each such property; the marks are taken out before it is sent, and kept as a
//! [`StrictSchema`]. A declaration whose choices leave the meaning of a `null` open is not strict.

mod ambiguity;
mod compile;
mod fill;
mod restore;
mod schema;

pub(super) use self::compile::OMITTED_AS_NULL;
pub(super) use self::schema::StrictSchema;

#[cfg(test)]
mod tests;
