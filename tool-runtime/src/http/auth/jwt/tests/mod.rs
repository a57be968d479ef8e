mod forged;
pub(in crate::http::auth) mod issuer;
mod keeping;
mod reading;

pub(super) use self::issuer::Script;
