//! The program: it opens the guide, says what can be done with it, and serves it.

use std::error::Error;
use std::io;

use crate::Options;
use crate::files::Files;
use crate::guide::Guide;
use crate::host::Host;

/// Serves the guide until it is told to end.
///
/// # Errors
/// The data folder, the database or the address cannot be used, or the options make no sense.
pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    let files = Files::open(&options.data_dir)?;
    let database = options.database.clone().unwrap_or_else(|| files.guide());
    let guide = Guide::open(&database).await?;
    let host = Host::start(guide, &files, options.calls_per_minute, io::stdout())?;
    host.close().await
}
