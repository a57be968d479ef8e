mod forged;
pub(in crate::http) mod issuer;
mod keeping;
mod reading;
mod together;
#[cfg(feature = "trace")]
mod told;

pub(super) use self::issuer::Script;
