//! Tries again what failed for a while: how often, how long apart, and when not to.
