//! Stores: the one in memory, and the suites for all.

mod broken;
mod conformance;
mod memory;
