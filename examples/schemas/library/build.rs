//! Writes the contracts of the tools in the crate beside this one.

use schemas_library_tools as _; // linked in, so that its tools are found
use tool_runtime::Registry;
use tool_runtime::schema::{Export, ExportError};

fn main() -> Result<(), ExportError> {
    let export = Export::new(Registry::new().discover()).shared_envelopes();
    export.check("tools.lock.json")?;
    export.write_to("schemas")?;
    Ok(())
}
