//! A write under a key runs once: who holds the key, what a repeat gets, what nobody knows.

mod claiming;
mod counting;
mod hold;
mod key;
mod lease;
mod reconciling;
mod refusals;
mod repeats;
mod replay;
mod resolving;

pub(super) use self::counting::OutcomeCounts;
pub use self::counting::OutcomeFigures;
pub(super) use self::hold::KeyHold;
use self::lease::KeyLease;
pub(super) use self::refusals::SHARE_WAIT_MS;
pub(super) use self::repeats::Known;
pub use self::resolving::{Resolution, ResolveError};
