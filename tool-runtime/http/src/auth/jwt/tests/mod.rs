mod claims;
mod forged;
pub(crate) mod issuer;
mod key_and_token;
mod key_cache;
#[cfg(feature = "trace")]
mod log;
#[cfg(feature = "jwks-url")]
mod url;
