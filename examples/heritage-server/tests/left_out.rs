//! Says, in the closing lines of a plain `cargo test`, what it did not run and how to run it.

use std::env;

fn main() {
    println!();
    if env::var_os("HERITAGE_POSTGRES").is_some() {
        println!("nothing was left out");
    } else {
        println!("left out: the guide on PostgreSQL, since HERITAGE_POSTGRES names no server");
        println!("with one: examples/heritage-server/tests/postgres cargo test -p heritage-server");
    }
}
