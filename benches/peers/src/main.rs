//! Compares the project with its peers: the cost of a dispatched call, and of compiling.
//!
//! Prints a table, and then a machine-readable last line: `NAME: key=value key=value`.

mod compile;
mod dispatch;
mod styles;

use std::process::ExitCode;

const USAGE: &str = "\
peers dispatch                   instructions of a call by name, beside rmcp, rig and llm-tool
peers compile [TOOLS] [FOLDER]   time to compile that many tools (200), beside rmcp's macros;
                                 the generated crates stay when a folder is given";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["dispatch"] => dispatch::figure(),
        ["measure", style, items, further] => dispatch::measure(style, items, further),
        ["compile", rest @ ..] => compile::figure(rest),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
