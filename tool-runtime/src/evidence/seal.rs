//! Encrypts keys and contents, so that they open with one key and at one place.

use std::fmt;

use aes_gcm::aead::{Aead as _, Payload};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{ContentsPart, EvidenceErrorKind, SnapshotId};
use crate::canonical::Digest;
use crate::policy::{cipher, frame};

const VERSION: u8 = 1;
const SALT: usize = 32;
const HEADER: usize = 1 + SALT;

/// Part of every derived key: changing it loses all that was ever sealed.
const ONE: &[u8] = b"tool-runtime/evidence/v1/seal";

/// A key. Boxed, so that moving it leaves no copies behind.
pub(super) struct Secret(Box<Zeroizing<[u8; 32]>>);

/// Where something sealed belongs. It is authenticated, so that it opens nowhere else.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    TenantKey { tenant: Uuid, version: u32, ring_key: &'a str },
    DataKey { tenant: Uuid, id: SnapshotId, version: u32 },
    Part { tenant: Uuid, id: SnapshotId, part: ContentsPart, facts: Digest },
}

impl Secret {
    pub(super) fn random() -> Result<Self, EvidenceErrorKind> {
        let mut secret = Self(Box::default());
        fill(&mut **secret.0)?;
        Ok(secret)
    }

    pub(super) fn new(key: &Zeroizing<[u8; 32]>) -> Self {
        let mut secret = Self(Box::default());
        secret.0.copy_from_slice(&**key);
        secret
    }

    /// Seals this key under another.
    pub(super) fn wrap(&self, by: &Self, place: Place<'_>) -> Result<Vec<u8>, EvidenceErrorKind> {
        by.seal(&**self.0, place)
    }

    /// Opens a key that was sealed under this one.
    pub(super) fn unwrap(
        &self,
        wrapped: &[u8],
        place: Place<'_>,
    ) -> Result<Self, EvidenceErrorKind> {
        let key = self.open(wrapped, place)?;
        let mut secret = Self(Box::default());
        if key.len() != secret.0.len() {
            return Err(EvidenceErrorKind::Altered);
        }
        secret.0.copy_from_slice(&key);
        Ok(secret)
    }

    pub(super) fn seal(
        &self,
        plain: &[u8],
        place: Place<'_>,
    ) -> Result<Vec<u8>, EvidenceErrorKind> {
        let mut salt = [0; SALT];
        fill(&mut salt)?;
        let mut sealed = [&[VERSION][..], &salt].concat();
        let (cipher, nonce) = cipher(&self.0, &salt, ONE);
        let payload = Payload { msg: plain, aad: &place.bound_to(&sealed) };
        let text = cipher.encrypt(&nonce, payload).map_err(|_| EvidenceErrorKind::TooLarge)?;
        sealed.extend(text);
        Ok(sealed)
    }

    pub(super) fn open(
        &self,
        sealed: &[u8],
        place: Place<'_>,
    ) -> Result<Zeroizing<Vec<u8>>, EvidenceErrorKind> {
        let opened = (|| {
            let (header, text) = sealed.split_at_checked(HEADER)?;
            let salt = header.strip_prefix(&[VERSION])?.try_into().ok()?;
            let (cipher, nonce) = cipher(&self.0, salt, ONE);
            let payload = Payload { msg: text, aad: &place.bound_to(header) };
            cipher.decrypt(&nonce, payload).ok()
        })();
        opened.map(Zeroizing::new).ok_or(EvidenceErrorKind::Altered)
    }

    /// Computes a message's HMAC-SHA-256 under this key.
    pub(super) fn mac(&self, message: &[u8]) -> [u8; 32] {
        self.keyed(message).finalize().into_bytes().into()
    }

    /// Compares a message's HMAC-SHA-256 with this one, in constant time.
    pub(super) fn verifies(&self, message: &[u8], mac: &[u8]) -> bool {
        self.keyed(message).verify_slice(mac).is_ok()
    }

    fn keyed(&self, message: &[u8]) -> Hmac<Sha256> {
        let keyed = Hmac::<Sha256>::new_from_slice(&**self.0);
        keyed.expect("HMAC takes a key of any length").chain_update(message)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl Place<'_> {
    fn bound_to(&self, header: &[u8]) -> Vec<u8> {
        match self {
            Self::TenantKey { tenant, version, ring_key } => frame(&[
                header,
                b"tenant-key",
                tenant.as_bytes(),
                &version.to_be_bytes(),
                ring_key.as_bytes(),
            ]),
            Self::DataKey { tenant, id, version } => frame(&[
                header,
                b"data-key",
                tenant.as_bytes(),
                id.uuid().as_bytes(),
                &version.to_be_bytes(),
            ]),
            Self::Part { tenant, id, part, facts } => frame(&[
                header,
                b"part",
                tenant.as_bytes(),
                id.uuid().as_bytes(),
                part.as_str().as_bytes(),
                facts.as_bytes(),
            ]),
        }
    }
}

fn fill(bytes: &mut [u8]) -> Result<(), EvidenceErrorKind> {
    getrandom::fill(bytes).map_err(|_| EvidenceErrorKind::NoRandomness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_at_one_place_opens_at_no_other() {
        let [one, two] = [1, 2].map(Uuid::from_u128);
        let ids = ["ev_0197f0c49a5b7c3e8a416f2b8f0d1e2a", "ev_0197f0c49a5b7c3e8a416f2b8f0d1e2b"];
        let [id, other_id] = ids.map(|id| id.parse::<SnapshotId>().expect("an id"));
        let [facts, other_facts] = [[1; 32], [2; 32]].map(Digest::from_bytes);
        let (arguments, output) = (ContentsPart::Arguments, ContentsPart::Output);
        let places = [
            Place::TenantKey { tenant: one, version: 1, ring_key: "a" },
            Place::TenantKey { tenant: two, version: 1, ring_key: "a" },
            Place::TenantKey { tenant: one, version: 2, ring_key: "a" },
            Place::TenantKey { tenant: one, version: 1, ring_key: "b" },
            Place::DataKey { tenant: one, id, version: 1 },
            Place::DataKey { tenant: two, id, version: 1 },
            Place::DataKey { tenant: one, id: other_id, version: 1 },
            Place::DataKey { tenant: one, id, version: 2 },
            Place::Part { tenant: one, id, part: arguments, facts },
            Place::Part { tenant: two, id, part: arguments, facts },
            Place::Part { tenant: one, id: other_id, part: arguments, facts },
            Place::Part { tenant: one, id, part: output, facts },
            Place::Part { tenant: one, id, part: arguments, facts: other_facts },
        ];
        let key = Secret::random().expect("random bytes");
        for (at, place) in places.iter().enumerate() {
            let sealed = key.seal(b"text", *place).expect("it is sealed");
            for (other, there) in places.iter().enumerate() {
                let opened = key.open(&sealed, *there).is_ok();
                assert_eq!(opened, at == other, "{place:?} at {there:?}");
            }
        }
    }

    #[test]
    fn another_key_opens_nothing() {
        let place = Place::DataKey {
            tenant: Uuid::nil(),
            id: SnapshotId::at(crate::store::UnixMillis::new(0)),
            version: 1,
        };
        let [one, other] = [(); 2].map(|()| Secret::random().expect("random bytes"));
        let sealed = one.seal(b"text", place).expect("it is sealed");
        assert_eq!(other.open(&sealed, place).map(|_| ()), Err(EvidenceErrorKind::Altered));
        assert_eq!(one.unwrap(&sealed, place).map(|_| ()), Err(EvidenceErrorKind::Altered));
    }
}
