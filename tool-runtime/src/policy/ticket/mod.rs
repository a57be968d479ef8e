//! A deferred call that can leave the process: signed, sealed, used once.
//!
//! The ticket travels and says which call it stands for, by hashes; the call itself waits sealed in
//! the store. A [`KeyRing`] holds the keys of both.

mod fault;
mod frame;
mod keys;
mod seal;
mod signed;
mod wire;

#[cfg(test)]
mod tests;

pub use self::fault::TicketFault;
#[cfg(feature = "sqlite")]
pub(crate) use self::keys::Key as RingKey;
pub use self::keys::{KeyRing, KeyRingError};

#[cfg(feature = "evidence")]
pub(crate) use self::{frame::frame, keys::cipher};

pub(crate) use self::seal::{bound_to, open, seal};
pub use self::signed::Ticket;
pub(crate) use self::signed::{Claims, sign};
