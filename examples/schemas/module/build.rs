//! Writes the contracts of this package's own tools, which it includes as a module.

use tool_runtime::Registry;
use tool_runtime::schema::{Export, ExportError};

// Cargo compiles and runs this script again when the module changes, since it is part of it.
#[path = "src/tools.rs"]
mod tools;

fn main() -> Result<(), ExportError> {
    let export = Export::new(Registry::new().discover()).inputs_only();
    export.check("tools.lock.json")?;
    export.write_to("schemas")?;
    Ok(())
}
