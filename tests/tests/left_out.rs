//! Says, in the closing lines of a plain `cargo test`, what it did not run and how to run it.

use tool_tests::bfcl;

fn main() {
    let mut left_out = Vec::new();
    if bfcl::files_beside_the_project().is_none() {
        left_out.push("real models' calls: the data is not beside this checkout".to_owned());
    }
    if !tool_messages::pins_compiler_output() {
        left_out.push(format!(
            "the macros' error messages: they are recorded with rustc {}",
            tool_messages::RECORDED_WITH
        ));
    }
    println!();
    if left_out.is_empty() {
        println!("nothing was left out");
    }
    for what in left_out {
        println!("left out: {what}");
    }
    println!("further steps (formatting, lints, docs, each feature alone): bash .ci/run");
}
