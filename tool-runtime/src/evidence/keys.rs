//! The tenants' keys: made, found, opened with the ring.

use uuid::Uuid;

use super::seal::{Place, Secret};
use super::{EvidenceError, EvidenceErrorKind, EvidenceStore, TenantKey};
use crate::policy::KeyRing;

/// What the ring's key for wrapping tenants' keys is derived for.
const TENANT_KEYS: &[u8] = b"tool-runtime/evidence/v1/tenant-keys";

/// How often something is tried again that others have overtaken.
pub(super) const ATTEMPTS: usize = 8;

/// A version of a tenant's key, opened.
#[derive(Debug)]
pub(super) struct OpenKey {
    pub(super) version: u32,
    pub(super) secret: Secret,
}

/// Gives the tenant's newest key, and makes one if it has none.
pub(super) async fn newest(
    store: &dyn EvidenceStore,
    ring: &KeyRing,
    tenant: Uuid,
) -> Result<OpenKey, EvidenceError> {
    for _ in 0..ATTEMPTS {
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

/// Makes the version after this one; none if somebody else has made it.
pub(super) async fn add(
    store: &dyn EvidenceStore,
    ring: &KeyRing,
    tenant: Uuid,
    after: u32,
) -> Result<Option<OpenKey>, EvidenceError> {
    let version = after.checked_add(1).ok_or(EvidenceErrorKind::TooLarge)?;
    let key = OpenKey { version, secret: Secret::random()? };
    let added = store.add_tenant_key(wrap(ring, tenant, &key)?).await?;
    Ok(added.then_some(key))
}

/// Wraps a tenant's key by the ring's current one.
pub(super) fn wrap(
    ring: &KeyRing,
    tenant: Uuid,
    key: &OpenKey,
) -> Result<TenantKey, EvidenceErrorKind> {
    let by = ring.current();
    let place = Place::TenantKey { tenant, version: key.version, ring_key: by.id() };
    let wrapped = key.secret.wrap(&Secret::new(&by.subkey(TENANT_KEYS)), place)?;
    Ok(TenantKey::new(tenant, key.version, by.id(), wrapped))
}

/// Opens a tenant's key with whichever key of the ring wraps it.
pub(super) fn open(ring: &KeyRing, key: &TenantKey) -> Result<OpenKey, EvidenceErrorKind> {
    let TenantKey { tenant, version, ring_key, wrapped } = key;
    let wrapped = wrapped.as_ref().ok_or(EvidenceErrorKind::Shredded)?;
    let by = ring.key(ring_key).ok_or(EvidenceErrorKind::UnknownKey)?;
    let place = Place::TenantKey { tenant: *tenant, version: *version, ring_key };
    let secret = Secret::new(&by.subkey(TENANT_KEYS)).unwrap(wrapped, place)?;
    Ok(OpenKey { version: *version, secret })
}
