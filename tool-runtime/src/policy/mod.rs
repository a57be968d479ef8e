//! What may delay, refuse or repeat a call.

mod excerpt;
mod limits;
mod retry;
mod ticket;
