//! The macros' messages: each underlines the user's token, states the rule and the cure.
//!
//! `TRYBUILD=overwrite cargo test -p tool-messages` records them anew.

#[test]
fn every_mistake_has_its_message() {
    if !tool_messages::pins_compiler_output() {
        println!("left out: the messages are recorded with rustc {}", tool_messages::RECORDED_WITH);
        return;
    }
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}
