//! A dependency on the runtime that has another name in the manifest.
#![allow(missing_docs, clippy::missing_errors_doc)]

mod door;

use tools::prelude::*;
use tools::testing::assert_tool;

use self::door::Door;

/// A greeting.
#[ai_type]
#[derive(Debug)]
pub struct Greeting {
    /// Its words.
    #[arg(default = "hello", length(..=20))]
    words: String,
}

#[derive(Debug, ToolFailure)]
pub enum Trouble {
    #[failure(NOT_FOUND, message = "there is no {name}")]
    Absent { name: String },
}

/// Greets.
#[ai_tool(effect = "read")]
pub fn greet(
    /// The name of the person.
    name: &str,
    /// The words to begin with.
    greeting: Greeting,
) -> Result<String, Trouble> {
    if name.is_empty() {
        return Err(Trouble::Absent { name: name.to_owned() });
    }
    Ok(format!("{} {name}", greeting.words))
}

#[test]
fn every_macro_follows_a_renamed_dependency() {
    let runtime =
        Runtime::builder().discover().toolkit(Door { answers: true }).build().expect("two tools");
    assert!(runtime.spec("greet").is_some() && runtime.spec("door.knock").is_some());
}

#[test]
fn a_trial_follows_a_renamed_dependency() {
    assert_tool!(greet, cases = 4);
}
