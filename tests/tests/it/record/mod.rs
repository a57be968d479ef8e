//! The records of calls, and what they never contain.

mod canary;
