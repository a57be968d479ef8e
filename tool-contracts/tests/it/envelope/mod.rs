//! The request and response envelope: what it refuses, and that nothing is lost on the way.

mod call;
mod error;
mod request;
mod response;
