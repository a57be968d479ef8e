//! The project from its users' view.

#![allow(clippy::unwrap_used, clippy::items_after_statements, reason = "this is all test code")]
#![allow(
    clippy::unused_async,
    clippy::needless_pass_by_value,
    clippy::ptr_arg,
    reason = "tools of every shape are what is tested"
)]

mod agent;
mod articulate;
mod attachments;
mod bad_calls;
mod batches;
mod bfcl;
mod build;
mod canonical;
mod changing_tools;
mod contracts;
mod conversations;
mod dialects;
mod envelope;
mod evidence;
mod executor;
mod features;
mod fuzzing;
mod guard;
mod guide;
mod http;
mod key_rotation;
mod ledger;
mod life;
mod macros;
mod mcp;
mod mcp_remote;
mod outcomes;
mod panics;
mod plots;
mod policy;
#[path = "../../companions/portable.rs"]
mod portable;
mod portable_files;
mod promises;
mod public_api;
mod record;
mod redaction;
mod regressions;
mod retention;
mod search;
mod source;
mod source_files;
mod sqlite;
mod stores;
mod support;
mod tokens;
mod trace;
mod trial;
mod violation_texts;
