//! What is kept of calls, and what never is.

mod canary;
