//! A store in one file that survives a crash.
