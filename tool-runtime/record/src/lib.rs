//! The records of calls of `tool-runtime`: a ledger that shows when it was changed, and evidence of what tools
//! answered.
//!
//! Depend on `tool-runtime`, which re-exports what is public here. What is hidden is for its other parts, and has
//! no stable interface.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod evidence;
pub mod ledger;
