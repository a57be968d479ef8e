//! One breaker for each tenant, so that one tenant's failures refuse no other tenant's calls.

use std::convert::Infallible;
use std::fmt;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use uuid::Uuid;

use super::{Breaker, BreakerConfig, BreakerPermit};
use crate::policy::limits::SharedBreakers;

/// The most tenants of one tool whose breakers are kept.
///
/// Above it, the breaker of a tenant that has not called for long is evicted, and starts closed
/// again.
const MAX_TENANTS: usize = 1_024;

/// The breakers of one tool, one for each tenant that has called it.
pub(crate) struct TenantBreakers {
    config: BreakerConfig,
    by_tenant: Cache<Uuid, Breaker>,
    shared: Option<SharedBreakers>,
}

impl TenantBreakers {
    pub(crate) fn new(config: BreakerConfig, shared: Option<SharedBreakers>) -> Self {
        Self { config, by_tenant: Cache::new(MAX_TENANTS), shared }
    }

    /// Admits a call of this tenant, or returns how long to wait before the next one.
    pub(crate) fn admit(&self, tenant: Uuid, now: Instant) -> Result<BreakerPermit, Duration> {
        let new = || {
            let shared = self.shared.as_ref().map(|shared| shared.breaker(tenant));
            Ok::<_, Infallible>(Breaker::new(self.config, shared))
        };
        match self.by_tenant.get_or_insert_with(&tenant, new) {
            Ok(breaker) => breaker.admit(now),
            Err(never) => match never {},
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.by_tenant.len()
    }
}

impl fmt::Debug for TenantBreakers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TenantBreakers")
            .field("config", &self.config)
            .field("tenants", &self.by_tenant.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use uuid::Uuid;

    use super::{BreakerConfig, MAX_TENANTS, TenantBreakers};

    #[test]
    fn the_breakers_of_many_tenants_take_bounded_memory() {
        let config = BreakerConfig::failures_in_a_row(1).expect("it is in range");
        let (breakers, now) = (TenantBreakers::new(config, None), Instant::now());
        for tenant in 0..20 * MAX_TENANTS as u128 {
            let tenant = Uuid::from_u128(tenant);
            breakers.admit(tenant, now).expect("it is closed").failed(now);
            assert!(breakers.admit(tenant, now).is_err(), "the newest is kept");
        }
        assert!(breakers.len() <= MAX_TENANTS, "{}", breakers.len());
    }
}
