//! An agent with tools of all five types, which a model asks over real HTTP, offline.
//!
//! `cargo run -p proxy-agent` runs the demonstration; the folder's README describes it. `tools/` are
//! the tools, `servers/` the two servers on the loopback interface, `script.rs` what the scripted models
//! say, `demo/` the parts of the demonstration, and `host.rs` runs the tools under one policy.

mod data_folder;
pub mod demo;
mod host;
mod models;
mod options;
mod program;
pub mod script;
pub mod servers;
mod tools;
mod transcript;

pub use self::data_folder::DataFolder;
pub use self::host::{Host, context, new_trace};
pub use self::models::Models;
pub use self::options::Options;
pub use self::program::run;
pub use self::tools::PythonFunctions;
