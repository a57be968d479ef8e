//! The program from outside: started, called by the README's commands, and stopped.

mod protocol;
mod readme;
mod replicas;
mod running;
mod server;
