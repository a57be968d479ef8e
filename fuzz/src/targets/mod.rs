//! The targets by name. Each takes any bytes and panics where a promise is broken.

mod adapter_stream;
mod canonical;
mod json_reader;
mod redaction;
mod ticket;
mod toon;
mod trace_headers;
mod validator;

/// The name of a target, which is the name of its corpus folder, and its function.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// Every target.
pub(crate) const TARGETS: [Target; 8] = [
    ("adapter_stream", adapter_stream::run),
    ("canonical", canonical::run),
    ("json_reader", json_reader::run),
    ("redaction", redaction::run),
    ("ticket", ticket::run),
    ("toon", toon::run),
    ("trace_headers", trace_headers::run),
    ("validator", validator::run),
];

/// Runs the target of this name.
pub(crate) fn run(name: &str, data: &[u8]) {
    for (known, target) in TARGETS {
        if known == name {
            target(data);
        }
    }
}
