//! Tickets of deferred calls: signed, used once, and valid in another process.
//!
//! A ticket identifies its call by hashes; the call itself is stored sealed (encrypted). A
//! [`KeyRing`] holds the keys of both.

mod frame;
mod json;
mod key_ring;
mod rejection;
mod seal;
mod signed;
#[cfg(any(feature = "ledger", feature = "sqlite-unbundled"))]
mod subkey;

#[cfg(test)]
mod tests;

#[cfg(feature = "sqlite-unbundled")]
pub(crate) use self::key_ring::RingKey;
pub use self::key_ring::{KeyRing, KeyRingError};
pub use self::rejection::TicketRejection;

#[cfg(any(feature = "evidence", all(feature = "agent", feature = "sqlite-unbundled")))]
pub(crate) use self::frame::frame;
#[cfg(feature = "evidence")]
pub(crate) use self::key_ring::cipher;

#[cfg(all(feature = "agent", feature = "sqlite-unbundled"))]
pub(crate) use self::seal::{SealError, SealingKey, open_with, seal_with};
pub(crate) use self::seal::{binding, open, seal};
pub use self::signed::Ticket;
pub(crate) use self::signed::{Claims, sign};
