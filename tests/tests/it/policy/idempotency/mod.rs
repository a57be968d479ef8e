//! A write under a key runs once, in all circumstances.

mod answers;
mod broken;
mod clocks;
mod failures;
mod faulty_store;
mod flight;
mod found;
mod kept;
mod keyed_runtime;
mod keys;
mod locked;
mod people;
mod race;
mod scope;
mod shares;
mod stopped_process;
mod strained;
mod threads;
mod unknown;
