//! The protocol over streamable HTTP.
