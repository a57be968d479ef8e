mod forged;
pub(in crate::http) mod issuer;
mod keeping;
mod reading;

pub(super) use self::issuer::Script;
