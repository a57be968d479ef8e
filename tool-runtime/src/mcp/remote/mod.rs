//! The tools of another server as tools of a runtime.
