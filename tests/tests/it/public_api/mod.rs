//! Holds the public surface of the crates to golden files, so that a change of it is seen in review.
//!
//! The lists are made from the sources: every public path, its declaration, its methods and the
//! traits that it implements, with all features. `UPDATE_GOLDEN=1 cargo test -p tool-tests --test it
//! public_api` writes them again.

mod render;
mod surface;

use std::path::Path;
use std::{env, fs};

use self::surface::Surface;
use crate::source::Source;

fn holds(package: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace's folder");
    let source = Source::read(&root.join(package));
    let name = package.replace('/', "-");
    let text = Surface::of(&name.replace('-', "_"), &source).to_text();
    let golden = root.join("tests/golden/api").join(format!("{name}.rs"));
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(golden.parent().expect("a folder")).expect("a folder is made");
        fs::write(&golden, &text).expect("the golden file is written");
    }
    let recorded = fs::read_to_string(&golden).unwrap_or_default();
    if recorded == text {
        return;
    }
    let line = text.lines().zip(recorded.lines()).take_while(|(now, then)| now == then).count();
    panic!(
        "the public surface of {package} is not the recorded one from line {} on:\n  recorded: {}\n  \
         now:      {}\naccept it with UPDATE_GOLDEN=1 cargo test -p tool-tests --test it public_api",
        line + 1,
        recorded.lines().nth(line).unwrap_or("the end"),
        text.lines().nth(line).unwrap_or("the end"),
    );
}

macro_rules! packages {
    ($($test:ident: $package:literal;)+) => {$(
        #[test]
        fn $test() {
            holds($package);
        }
    )+};
}

packages! {
    the_public_surface_of_the_contracts_is_the_recorded_one: "tool-contracts";
    the_public_surface_of_the_facade_is_the_recorded_one: "tool-runtime";
    the_public_surface_of_the_adapters_is_the_recorded_one: "tool-runtime/adapters";
    the_public_surface_of_ag_ui_is_the_recorded_one: "tool-runtime/ag-ui";
    the_public_surface_of_the_agent_is_the_recorded_one: "tool-runtime/agent";
    the_public_surface_of_the_budgets_is_the_recorded_one: "tool-runtime/budgets";
    the_public_surface_of_the_console_is_the_recorded_one: "tool-runtime/console";
    the_public_surface_of_the_lock_is_the_recorded_one: "tool-runtime/contracts-lock";
    the_public_surface_of_the_core_is_the_recorded_one: "tool-runtime/core";
    the_public_surface_of_the_server_is_the_recorded_one: "tool-runtime/http";
    the_public_surface_of_the_mcp_client_is_the_recorded_one: "tool-runtime/mcp-client";
    the_public_surface_of_the_records_is_the_recorded_one: "tool-runtime/record";
    the_public_surface_of_the_schemas_is_the_recorded_one: "tool-runtime/schema";
    the_public_surface_of_the_postgres_store_is_the_recorded_one: "tool-runtime/postgres";
    the_public_surface_of_the_sqlite_store_is_the_recorded_one: "tool-runtime/sqlite";
    the_public_surface_of_the_test_kit_is_the_recorded_one: "tool-runtime/testing";
    the_public_surface_of_the_webhooks_is_the_recorded_one: "tool-runtime/webhooks";
}
