//! The drawn figures are those that are recorded.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../benches/src/plots.rs"]
#[allow(unreachable_pub, reason = "it is public in the package that has the command")]
mod drawn;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn the_drawings_under_version_control_show_the_recorded_figures() {
    let recorded = fs::read_to_string(root().join("benches/README.md")).unwrap();
    let drawings = drawn::draw(&recorded).unwrap();
    assert_eq!(drawings.len(), 3, "each drawing has a recorded line");
    for (name, drawing) in drawings {
        let file = root().join("docs/images").join(name);
        let kept = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(kept, drawing, "`cargo figures plots` draws docs/images/{name}");
    }
}

#[test]
fn a_line_without_a_value_is_an_error_that_names_it() {
    let error = drawn::draw("compile: ours_clean=1s rmcp_clean=2s ours_touch=3s").unwrap_err();
    assert_eq!(error, "`compile:` has no number `rmcp_touch`");
    assert_eq!(drawn::draw("a text without figures"), Ok(Vec::new()));
}
