//! Canonical JSON, and hashes over it.

mod digest;

pub use self::digest::Digest;
