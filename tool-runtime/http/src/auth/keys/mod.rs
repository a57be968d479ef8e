//! API keys: their principals, their expiry, and their replacement while requests run.

mod key;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use self::key::KeyId;
pub use self::key::{ApiKey, ApiKeyError, ApiKeyHash};
use super::{CredentialKind, Principal};

/// The API keys of a server. A handle: every clone is the same set.
///
/// # Examples
/// A key is rotated while the server runs: both are valid until the caller has the new one.
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

/// A set of API keys, each with its principal, by the keys' hashes.
#[derive(Debug, Clone, Default)]
pub struct ApiKeySet {
    entries: HashMap<KeyId, KeyEntry>,
}

#[derive(Debug, Clone)]
struct KeyEntry {
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

    /// Replaces the set, for every request from now on.
    pub fn replace(&self, set: ApiKeySet) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(set);
    }

    /// Returns the principal of a valid key.
    pub(super) fn principal(&self, key: &[u8]) -> Option<Principal> {
        self.set().principal(key, SystemTime::now())
    }

    /// Returns the principals of the valid keys whose principal has this name.
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

    /// Adds a key of this principal, which may have several.
    ///
    /// # Errors
    /// When a key of the set has the same id.
    pub fn with(self, hash: ApiKeyHash, principal: Principal) -> Result<Self, ApiKeyError> {
        self.adding(KeyEntry { hash, principal, not_after: None })
    }

    /// Adds a key that expires at this time.
    ///
    /// # Errors
    /// When a key of the set has the same id.
    pub fn with_until(
        self,
        hash: ApiKeyHash,
        principal: Principal,
        not_after: SystemTime,
    ) -> Result<Self, ApiKeyError> {
        self.adding(KeyEntry { hash, principal, not_after: Some(not_after) })
    }

    fn adding(mut self, entry: KeyEntry) -> Result<Self, ApiKeyError> {
        let entry =
            KeyEntry { principal: entry.principal.authenticated_by(CredentialKind::Key), ..entry };
        match self.entries.entry(entry.hash.id()) {
            Entry::Occupied(_) => Err(ApiKeyError::Repeated),
            Entry::Vacant(vacant) => {
                vacant.insert(entry);
                Ok(self)
            }
        }
    }

    /// Returns the principal of a valid key, with one constant-time comparison even if the id is
    /// unknown.
    fn principal(&self, key: &[u8], now: SystemTime) -> Option<Principal> {
        let presented = ApiKeyHash::from_key(key);
        let entry = self.entries.get(&presented.id());
        let is_it = bool::from(presented.is(entry.map(|entry| &entry.hash)));
        let entry = entry.filter(|entry| is_it && entry.is_valid(now))?;
        Some(entry.principal.clone())
    }

    fn named(&self, name: &str, now: SystemTime) -> Vec<Principal> {
        let good = self.entries.values().filter(|entry| entry.is_valid(now));
        good.map(|entry| &entry.principal).filter(|it| it.name() == name).cloned().collect()
    }
}

impl KeyEntry {
    fn is_valid(&self, now: SystemTime) -> bool {
        self.not_after.is_none_or(|not_after| now <= not_after)
    }
}
