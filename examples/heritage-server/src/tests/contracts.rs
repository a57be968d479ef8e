//! The committed contracts are those of the tools.

use std::path::Path;

use tool_runtime::Registry;
use tool_runtime::schema::{Export, ExportError};

/// `UPDATE_SCHEMAS=1` writes changed files, and `TOOLS_LOCK=accept` the lock.
#[test]
fn the_committed_contracts_are_those_of_the_guide() -> Result<(), ExportError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut export = Export::new(Registry::new().discover()).shared_envelopes();
    if std::env::var_os("UPDATE_SCHEMAS").is_none() {
        export = export.frozen();
    }
    export.check(folder.join("tools.lock.json"))?;
    export.write_to(folder.join("schemas"))?;
    Ok(())
}
