//! Without the feature `tokio` a runtime has no timer unless the host gives one.

use std::sync::Arc;

use super::Timer;

/// Returns the timer of a runtime whose host gives none.
pub fn default_timer() -> Option<Arc<dyn Timer>> {
    None
}
