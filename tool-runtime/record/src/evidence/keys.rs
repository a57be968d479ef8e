//! Tenant keys: created, found, wrapped and unwrapped by the key ring.

use tool_runtime_core::key_ring::KeyRing;
use uuid::Uuid;

use super::seal::{AssociatedData, SecretKey};
use super::{EvidenceError, EvidenceErrorKind, EvidenceStore, TenantKey};

/// The domain for which the wrapping key of tenant keys is derived from a ring key.
const WRAPPING_KEY_DOMAIN: &[u8] = b"tool-runtime/evidence/v1/tenant-keys";

/// The most attempts of an operation that a concurrent change of keys makes fail.
pub(super) const MAX_ATTEMPTS: usize = 8;

/// A version of a tenant key, unwrapped.
#[derive(Debug)]
pub(super) struct UnwrappedKey {
    pub(super) version: u32,
    pub(super) secret: SecretKey,
}

/// Returns the tenant's newest key; creates one if the tenant has none.
pub(super) async fn newest(
    store: &dyn EvidenceStore,
    ring: &KeyRing,
    tenant: Uuid,
) -> Result<UnwrappedKey, EvidenceError> {
    for _ in 0..MAX_ATTEMPTS {
        let newest = store.newest_tenant_key(tenant).await?;
        if let Some(key) = newest.as_ref().filter(|key| key.wrapped.is_some()) {
            return Ok(open(ring, key)?);
        }
        if let Some(key) = add(store, ring, tenant, newest.map_or(0, |key| key.version)).await? {
            return Ok(key);
        }
    }
    Err(EvidenceErrorKind::Contended.into())
}

/// Creates the version after this one; `None` if another process has created it.
pub(super) async fn add(
    store: &dyn EvidenceStore,
    ring: &KeyRing,
    tenant: Uuid,
    after: u32,
) -> Result<Option<UnwrappedKey>, EvidenceError> {
    let version = after.checked_add(1).ok_or(EvidenceErrorKind::TooLarge)?;
    let key = UnwrappedKey { version, secret: SecretKey::random()? };
    let added = store.add_tenant_key(wrap(ring, tenant, &key)?).await?;
    Ok(added.then_some(key))
}

/// Wraps a tenant key by the ring's current key.
pub(super) fn wrap(
    ring: &KeyRing,
    tenant: Uuid,
    key: &UnwrappedKey,
) -> Result<TenantKey, EvidenceErrorKind> {
    let by = ring.current();
    let data = AssociatedData::TenantKey { tenant, version: key.version, ring_key: by.id() };
    let wrapped = key.secret.wrap(&SecretKey::new(&by.subkey(WRAPPING_KEY_DOMAIN)), data)?;
    Ok(TenantKey::new(tenant, key.version, by.id(), wrapped))
}

/// Unwraps a tenant key by the key of the ring that wrapped it.
pub(super) fn open(ring: &KeyRing, key: &TenantKey) -> Result<UnwrappedKey, EvidenceErrorKind> {
    let TenantKey { tenant, version, ring_key, wrapped } = key;
    let wrapped = wrapped.as_ref().ok_or(EvidenceErrorKind::Shredded)?;
    let by = ring.key(ring_key).ok_or(EvidenceErrorKind::UnknownKey)?;
    let data = AssociatedData::TenantKey { tenant: *tenant, version: *version, ring_key };
    let secret = SecretKey::new(&by.subkey(WRAPPING_KEY_DOMAIN)).unwrap(wrapped, data)?;
    Ok(UnwrappedKey { version: *version, secret })
}
