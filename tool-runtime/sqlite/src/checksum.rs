//! The keys of the rows' checksums: the host's, or a random one that the file contains.

use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit};
use rusqlite::{Connection, TransactionBehavior, named_params};
use sha2::{Digest as _, Sha256};
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use zeroize::Zeroizing;

use super::error::{store_error, unavailable};
use super::row;

/// The HKDF label of the keys that are derived from a ring.
const PURPOSE: &[u8] = b"tool-runtime/sqlite-rows/v1";

/// The key id in rows with a checksum of the file's own key.
const OWN_KEY_ID: &str = "";

/// The number of the row that marks a file with the host's keys. The copies of the file's own key
/// have the numbers before it.
const HOST_KEYS_ROW: i64 = 2;

/// The keys of checksums: the first signs new rows, all verify. Clones share them.
#[derive(Clone)]
pub(crate) struct RowKeys(Arc<[RowKey]>);

struct RowKey {
    id: Box<str>,
    key: Zeroizing<[u8; 32]>,
}

impl RowKeys {
    /// Derives the keys from a ring's secrets.
    pub(super) fn from_ring(ring: &KeyRing) -> Self {
        let key = |key: &tool_runtime_core::key_ring::RingKey| RowKey {
            id: key.id().into(),
            key: key.subkey(PURPOSE),
        };
        Self(ring.keys().map(key).collect())
    }

    fn own(key: [u8; 32]) -> Self {
        Self([RowKey { id: OWN_KEY_ID.into(), key: Zeroizing::new(key) }].into())
    }

    /// Adds the file's own key to these keys.
    fn and_own(&self, own: &[u8; 32]) -> Self {
        let row_keys = self.0.iter().map(|key| RowKey { id: key.id.clone(), key: key.key.clone() });
        let own_key = RowKey { id: OWN_KEY_ID.into(), key: Zeroizing::new(*own) };
        Self(row_keys.chain([own_key]).collect())
    }

    /// Returns the id of the key that signs, and starts its checksum.
    pub(super) fn signing(&self) -> Option<(&str, Hmac<Sha256>)> {
        self.0.first().map(|key| (&*key.id, key.mac()))
    }

    /// Starts the checksum with the key of this id.
    pub(super) fn mac_for(&self, id: &str) -> Option<Hmac<Sha256>> {
        self.0.iter().find(|key| *key.id == *id).map(RowKey::mac)
    }
}

impl RowKey {
    fn mac(&self) -> Hmac<Sha256> {
        Hmac::<Sha256>::new_from_slice(&*self.key).expect("HMAC takes keys of every length")
    }
}

impl fmt::Debug for RowKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|key| &key.id)).finish()
    }
}

/// Finds the keys of the file's rows, and creates one for a new file.
///
/// Several processes may call it at once.
pub(super) fn prepare(
    connection: &mut Connection,
    host_keys: Option<&RowKeys>,
    adopts: bool,
) -> Result<RowKeys, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| store_error(&error))?;
    let stored = StoredRowKey::read(&transaction).map_err(|error| store_error(&error))?;
    let keys = match (host_keys, stored) {
        (None, StoredRowKey::Own(own)) => RowKeys::own(own),
        (None, StoredRowKey::Nothing) => {
            let own_key = random_key()?;
            store_own_key(&transaction, &own_key).map_err(|error| store_error(&error))?;
            RowKeys::own(own_key)
        }
        (None, StoredRowKey::HostKeys) => {
            return refused(
                "its rows have checksums of the host's keys: open it with `checksum_keys`",
            );
        }
        (_, StoredRowKey::Unreadable) => {
            return refused("the key of its checksums is damaged: restore the file from a backup");
        }
        (Some(keys), StoredRowKey::HostKeys) => keys.clone(),
        (Some(keys), stored) => {
            let is_new = row::is_empty(&transaction).map_err(|error| store_error(&error))?;
            if !adopts && !is_new {
                return refused(
                    "its rows have no checksums of `checksum_keys`: if you trust the file, open it once with \
                     `adopt_rows`",
                );
            }
            let switch = match stored {
                StoredRowKey::Own(own) => row::sign_all(&transaction, &keys.and_own(&own), keys)
                    .and_then(|()| switch_to_host_keys(&transaction)),
                StoredRowKey::Nothing | StoredRowKey::HostKeys | StoredRowKey::Unreadable => {
                    switch_to_host_keys(&transaction)
                }
            };
            switch.map_err(|error| store_error(&error))?;
            keys.clone()
        }
    };
    transaction.commit().map_err(|error| store_error(&error))?;
    Ok(keys)
}

/// The key of checksums that a file contains.
enum StoredRowKey {
    /// None: the file is new.
    Nothing,
    Own([u8; 32]),
    /// The file has the host's keys.
    HostKeys,
    Unreadable,
}

impl StoredRowKey {
    /// Reads the first copy that is intact.
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut statement =
            connection.prepare("SELECT copy, secret, digest FROM row_keys ORDER BY copy")?;
        let mut rows = statement.query([])?;
        let mut stored_key = Self::Nothing;
        while let Some(row) = rows.next()? {
            if row.get::<_, i64>("copy")? == HOST_KEYS_ROW {
                return Ok(Self::HostKeys);
            }
            let secret: Option<[u8; 32]> = row.get("secret").ok();
            let digest: Option<[u8; 32]> = row.get("digest").ok();
            match secret {
                Some(secret) if digest == Some(copy_digest(&secret)) => {
                    return Ok(Self::Own(secret));
                }
                _ => stored_key = Self::Unreadable,
            }
        }
        Ok(stored_key)
    }
}

fn random_key() -> Result<[u8; 32], StoreError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)
        .map_err(|_| unavailable("the operating system has no random bytes"))?;
    Ok(key)
}

/// Hashes a copy of the key, to detect damage.
fn copy_digest(secret: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update("tool-runtime/row-key/v1").chain_update(secret).finalize().into()
}

/// Stores the file's own key twice, so that one damaged copy does not make all rows unreadable.
fn store_own_key(connection: &Connection, secret: &[u8; 32]) -> rusqlite::Result<()> {
    let put = "INSERT INTO row_keys (copy, secret, digest) VALUES (:copy, :secret, :digest)";
    for copy in 0..HOST_KEYS_ROW {
        let digest = copy_digest(secret);
        connection
            .execute(put, named_params! { ":copy": copy, ":secret": secret, ":digest": digest })?;
    }
    Ok(())
}

/// Replaces the file's own key by the host's keys.
fn switch_to_host_keys(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM row_keys", [])?;
    connection.execute("INSERT INTO row_keys (copy) VALUES (?1)", [HOST_KEYS_ROW]).map(drop)
}

fn refused<T>(log: &str) -> Result<T, StoreError> {
    Err(StoreError::new(StoreErrorKind::Damaged, log))
}
