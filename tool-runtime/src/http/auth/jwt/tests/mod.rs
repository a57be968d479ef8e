mod claims;
mod forged;
pub(in crate::http) mod issuer;
mod key_and_token;
mod key_cache;
#[cfg(feature = "trace")]
mod log;

pub(super) use self::issuer::Script;
