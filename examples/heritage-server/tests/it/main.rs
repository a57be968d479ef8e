//! The program from outside: started, called by the README's commands, and stopped.

mod readme;
mod running;
mod server;
