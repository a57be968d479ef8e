//! A write under a key runs once: who holds the key, what a repeat gets, what nobody knows.

mod claiming;
mod hold;
mod key;
mod reconciling;
mod refusals;
mod repeats;
mod replay;
mod resolving;

pub(super) use self::hold::KeyHold;
pub(super) use self::repeats::Known;
pub use self::resolving::{Resolution, ResolveError};
