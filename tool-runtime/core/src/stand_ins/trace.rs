//! A stub of the tracing of a runtime without the feature `trace`: it instruments nothing.

use std::sync::Arc;

use crate::dispatch::hooks::CallInstrument;
use crate::tool::JobInstrument;

/// No tracing.
#[derive(Default)]
pub(crate) struct Tracing {}

/// No instruments of calls and jobs.
type Instruments = (Option<Arc<dyn CallInstrument>>, Option<Arc<dyn JobInstrument>>);

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl Tracing {
    pub(crate) fn into_instruments(self) -> Instruments {
        (None, None)
    }
}
