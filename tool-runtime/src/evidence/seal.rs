//! Encrypts keys and contents, so that they open with one key and at one place.

use std::fmt;

use aes_gcm::aead::{Aead as _, Payload};
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
