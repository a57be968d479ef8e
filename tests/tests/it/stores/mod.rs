//! Stores: the one in memory.

mod memory;
