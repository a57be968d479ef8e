//! Serves the tools of a runtime.
