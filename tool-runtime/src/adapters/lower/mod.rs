//! A tool's schema in the words of a dialect.

mod definitions;

pub(super) use self::definitions::{Definitions, admits_null};
