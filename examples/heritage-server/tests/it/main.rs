//! The program as a stranger meets it: started, called by the README's own lines, and ended.

mod readme;
mod running;
mod server;
