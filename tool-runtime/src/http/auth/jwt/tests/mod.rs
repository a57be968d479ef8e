mod forged;
mod issuer;
mod keeping;
mod reading;

pub(super) use self::issuer::Script;
