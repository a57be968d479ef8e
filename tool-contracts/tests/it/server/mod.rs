//! The bodies of a tool server.

mod context;
mod list;
mod request;
mod response;
mod tenant;
