//! Who has to be asked before a call runs, and what may come of it.

mod batch;
mod desk;
