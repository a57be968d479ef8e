//! Tests of the whole router, and the app that the other modules' tests use.

mod fairness;
pub(super) mod fixture;
