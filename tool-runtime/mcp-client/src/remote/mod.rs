//! The tools of another server as tools of a runtime.
//!
//! `supervisor.rs` is the task that keeps one connection: `connect/` opens it and reads its messages,
//! `shallow.rs` finds the parts of a message before values are built, `listing.rs` reads the tools,
//! `lock/` compares them with what was accepted, `directory/` decides about each and registers it, and
//! `call/` sends its calls. `findings/` cleans the texts that models read.

mod builder;
mod call;
mod client;
mod connect;
mod definition;
mod directory;
mod error;
mod findings;
mod handle;
mod limits;
mod listing;
mod lock;
mod names;
mod settings;
mod spending;
mod status;
mod supervisor;

pub use self::builder::RemoteBuilder;
pub use self::connect::RemoteProtocol;
pub use self::error::{RemoteError, RemoteErrorKind};
pub use self::findings::{RemoteFinding, RemoteFindingKind};
pub use self::handle::Remote;
pub use self::limits::RemoteLimits;
pub use self::lock::PinDifference;
pub use self::settings::NewTools;
pub use self::spending::AmountArgument;
pub use self::status::{
    RemoteConnection, RemoteEvent, RemoteServer, RemoteStatus, RemoteTool, RemoteToolState,
};
