//! What may delay, refuse or repeat a call.

mod excerpt;
mod limits;
mod retry;
mod ticket;

use std::sync::Arc;

pub use self::limits::{BreakerConfig, LimitError, RateLimit};
pub use self::retry::{RetryConfig, RetryConfigError};
use crate::dispatch::BuildProblem;
use crate::dispatch::govern::{Govern, Prepare};
use crate::registry::Registered;
use crate::timer::Timer;

pub use self::ticket::{KeyRing, KeyRingError, Ticket, TicketFault};

/// What may delay, refuse or repeat a call.
#[derive(Debug, Default)]
pub struct Policy {}

impl Prepare for Policy {
    fn prepare(
        self: Box<Self>,
        _: &mut [Registered],
        _: Arc<dyn Timer>,
    ) -> Result<Arc<dyn Govern>, Vec<BuildProblem>> {
        Err(Vec::new())
    }
}
