//! The committed contracts are those of the tools.

use std::path::Path;

use tool_runtime::Registry;
use tool_runtime::schema::{Export, ExportError};

use crate::checkout::Checkout;
use crate::compliance::Compliance;
use crate::knowledge::Knowledge;
use crate::pricing::Pricing;
use crate::shipping::Shipping;
use crate::tax::Taxes;

/// `UPDATE_SCHEMAS=1` writes changed files, and `TOOLS_LOCK=accept` the lock.
#[test]
fn the_committed_contracts_are_those_of_the_shop() -> Result<(), ExportError> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("storefront");
    let tools = Registry::new().toolkit::<Pricing>().toolkit::<Shipping>().toolkit::<Taxes>();
    let tools = tools.toolkit::<Compliance>().toolkit::<Checkout>().toolkit::<Knowledge>();
    let mut export = Export::new(tools).shared_envelopes();
    if std::env::var_os("UPDATE_SCHEMAS").is_none() {
        export = export.frozen();
    }
    export.check(folder.join("tools.lock.json"))?;
    export.write_to(folder.join("schemas"))?;
    Ok(())
}
