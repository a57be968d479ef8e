//! Tickets of deferred calls: signed, used once, and valid in another process.
//!
//! A ticket identifies its call by hashes; the call itself is stored sealed (encrypted). A
//! [`KeyRing`](crate::key_ring::KeyRing) holds the keys of both.

mod json;
mod rejection;
mod seal;
mod signed;

#[cfg(test)]
mod tests;

pub use self::rejection::{RejectionClass, TicketRejection};
pub use self::seal::{SealError, open_with, seal_with};
pub(crate) use self::seal::{binding, open, seal};
pub use self::signed::Ticket;
pub(crate) use self::signed::{TicketClaims, sign};
