//! API keys: whose they are, until when, and how they are changed while requests run.

mod key;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use self::key::KeyId;
pub use self::key::{ApiKey, ApiKeyError, ApiKeyHash};
use super::{Principal, Way};

/// The API keys that a server admits; every clone is the same set.
///
/// # Examples
/// A key is replaced while the server runs: both are admitted until the caller has the new one.
/// ```
/// use std::time::{Duration, SystemTime};
/// use tool_runtime::http::{ApiKey, ApiKeySet, ApiKeys, Auth, Principal};
///
/// # let former = ApiKey::generate()?;
/// let orchestrator = Principal::trusted("orchestrator");
/// let set = ApiKeySet::new().with(former.hash(), orchestrator.clone())?;
/// let keys = ApiKeys::new(set);
/// let auth = Auth::new().api_keys(&keys);
///
/// let key = ApiKey::generate()?;
/// let tomorrow = SystemTime::now() + Duration::from_secs(24 * 60 * 60);
/// let both = ApiKeySet::new()
///     .with(key.hash(), orchestrator.clone())?
///     .with_until(former.hash(), orchestrator, tomorrow)?;
/// keys.replace(both);
/// # let _ = auth;
/// # Ok::<(), tool_runtime::http::ApiKeyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ApiKeys(Arc<RwLock<Arc<ApiKeySet>>>);

/// Whose key is whose, by the keys' hashes.
#[derive(Debug, Clone, Default)]
pub struct ApiKeySet {
    known: HashMap<KeyId, Known>,
}

#[derive(Debug, Clone)]
struct Known {
    hash: ApiKeyHash,
    principal: Principal,
    not_after: Option<SystemTime>,
}

impl ApiKeys {
    /// Starts with this set.
    #[must_use]
    pub fn new(set: ApiKeySet) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(set))))
    }

    /// Puts another set in the place of this one, for every request that comes from now on.
    pub fn replace(&self, set: ApiKeySet) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
    }

    /// Finds whose key it is.
    pub(super) fn principal(&self, key: &[u8]) -> Option<Principal> {
        self.set().principal(key, SystemTime::now())
    }

    /// Gives the principal of each good key whose principal has this name.
    pub(super) fn named(&self, name: &str) -> Vec<Principal> {
        self.set().named(name, SystemTime::now())
    }

    fn set(&self) -> Arc<ApiKeySet> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ApiKeySet {
    /// Starts without any key.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key of this principal, who may have several.
    ///
    /// # Errors
    /// When a key of the set has the same id.
    pub fn with(self, hash: ApiKeyHash, principal: Principal) -> Result<Self, ApiKeyError> {
        self.adding(Known { hash, principal, not_after: None })
    }

    /// Adds a key that is refused after this moment.
    ///
    /// # Errors
    /// When a key of the set has the same id.
    pub fn with_until(
        self,
        hash: ApiKeyHash,
        principal: Principal,
        not_after: SystemTime,
    ) -> Result<Self, ApiKeyError> {
        self.adding(Known { hash, principal, not_after: Some(not_after) })
    }

    fn adding(mut self, known: Known) -> Result<Self, ApiKeyError> {
        let known = Known { principal: known.principal.proven_by(Way::Key), ..known };
        match self.known.entry(known.hash.id()) {
            Entry::Occupied(_) => Err(ApiKeyError::Repeated),
            Entry::Vacant(place) => {
                place.insert(known);
                Ok(self)
            }
        }
    }

    /// Finds whose key it is, by one comparison whether there is one of this id or not.
    fn principal(&self, key: &[u8], now: SystemTime) -> Option<Principal> {
        let presented = ApiKeyHash::of(key);
        let known = self.known.get(&presented.id());
        let is_it = bool::from(presented.is(known.map(|known| &known.hash)));
        let known = known.filter(|known| is_it && known.is_good(now))?;
        Some(known.principal.clone())
    }

    fn named(&self, name: &str, now: SystemTime) -> Vec<Principal> {
        let good = self.known.values().filter(|known| known.is_good(now));
        good.map(|known| &known.principal).filter(|it| it.name() == name).cloned().collect()
    }
}

impl Known {
    fn is_good(&self, now: SystemTime) -> bool {
        self.not_after.is_none_or(|not_after| now <= not_after)
    }
}
