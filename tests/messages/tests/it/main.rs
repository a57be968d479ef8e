//! The macros' messages: each underlines the user's token, and states the rule and the fix.
//!
//! `TRYBUILD=overwrite cargo test -p tool-messages` records them again.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_mistake_has_its_message() {
    if !tool_messages::pins_compiler_output() {
        println!("left out: the messages are recorded with rustc {}", tool_messages::RECORDED_WITH);
        return;
    }
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}

/// rustc quotes the standard library only if the component `rust-src` is installed.
#[test]
fn no_recorded_message_quotes_the_standard_library() {
    let messages = recorded(Path::new("ui"));
    assert!(messages.len() > 150, "only {} messages were found", messages.len());
    for path in messages {
        let text = fs::read_to_string(&path).expect("the message is text");
        for source in ["$RUST", "/rustc/", "/rustlib/"] {
            let path = path.display();
            assert!(
                !text.contains(source),
                "{path} quotes {source}: use a type of its own instead"
            );
        }
    }
}

fn recorded(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let here = files.into_iter().filter(|path| path.extension().is_some_and(|it| it == "stderr"));
    here.chain(folders.iter().flat_map(|folder| recorded(folder))).collect()
}
