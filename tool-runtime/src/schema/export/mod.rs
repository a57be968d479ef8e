//! Schemas as files, for build scripts and tests.
