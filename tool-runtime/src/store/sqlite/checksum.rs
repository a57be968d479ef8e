//! The keys of rows' checksums: the host's, or a random one that the file itself keeps.

use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit};
use rusqlite::{Connection, TransactionBehavior, named_params};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::error::{of_sqlite, unavailable};
use super::row;
use crate::policy::KeyRing;
use crate::store::{StoreError, StoreErrorKind};

/// Names the purpose of the keys that are derived from a ring.
const PURPOSE: &[u8] = b"tool-runtime/sqlite-rows/v1";

/// The id that stands in rows sealed by the key that the file keeps.
const OWN: &str = "";

/// The number of the row that says that the host has the keys. The copies of the file's own key
/// have the numbers before it.
const HOSTED: i64 = 2;

/// The keys under which rows are sealed; the first seals, all verify. Clones share them.
#[derive(Clone)]
pub(crate) struct RowKeys(Arc<[RowKey]>);

struct RowKey {
    id: Box<str>,
    key: Zeroizing<[u8; 32]>,
}

impl RowKeys {
    /// Derives the keys of rows from a ring's secrets.
    pub(super) fn of_ring(ring: &KeyRing) -> Self {
        let key =
            |key: &crate::policy::RingKey| RowKey { id: key.id().into(), key: key.subkey(PURPOSE) };
        Self(ring.keys().map(key).collect())
    }

    fn own(key: [u8; 32]) -> Self {
        Self([RowKey { id: OWN.into(), key: Zeroizing::new(key) }].into())
    }

    /// Accepts what the file's own key sealed beside what these keys did.
    fn and_own(&self, own: &[u8; 32]) -> Self {
        let kept = self.0.iter().map(|key| RowKey { id: key.id.clone(), key: key.key.clone() });
        let own = RowKey { id: OWN.into(), key: Zeroizing::new(*own) };
        Self(kept.chain([own]).collect())
    }

    /// Names the key that seals, and starts its checksum.
    pub(super) fn seals(&self) -> Option<(&str, Hmac<Sha256>)> {
        self.0.first().map(|key| (&*key.id, key.mac()))
    }

    /// Starts the checksum of the key of this id.
    pub(super) fn of_id(&self, id: &str) -> Option<Hmac<Sha256>> {
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

/// Finds the keys of the file's rows, and seals rows of a format that had no checksums.
///
/// Several processes may do it at once.
pub(super) fn prepare(
    connection: &mut Connection,
    hosted: Option<&RowKeys>,
    adopts: bool,
) -> Result<RowKeys, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| of_sqlite(&error))?;
    let kept = Kept::read(&transaction).map_err(|error| of_sqlite(&error))?;
    let keys = match (hosted, kept) {
        (None, Kept::Own(own)) => RowKeys::own(own),
        (None, Kept::Nothing) => {
            let own = random()?;
            keep(&transaction, &own).map_err(|error| of_sqlite(&error))?;
            let keys = RowKeys::own(own);
            row::seal_all(&transaction, None, &keys).map_err(|error| of_sqlite(&error))?;
            keys
        }
        (None, Kept::Hosted) => {
            return refused(
                "its rows are sealed under the host's keys: open it with `checksum_keys`",
            );
        }
        (_, Kept::Unreadable) => {
            return refused("the key of its checksums is damaged: restore the file from a backup");
        }
        (Some(keys), Kept::Hosted) => keys.clone(),
        (Some(keys), kept) => {
            let is_new = row::is_empty(&transaction).map_err(|error| of_sqlite(&error))?;
            if !adopts && !is_new {
                return refused(
                    "its rows are not sealed under the keys of `checksum_keys`: open it once with \
                     `adopt_rows`, if the file is trusted as it is",
                );
            }
            let before = match kept {
                Kept::Own(own) => Some(keys.and_own(&own)),
                Kept::Nothing | Kept::Hosted | Kept::Unreadable => None,
            };
            row::seal_all(&transaction, before.as_ref(), keys)
                .and_then(|()| host(&transaction))
                .map_err(|error| of_sqlite(&error))?;
            keys.clone()
        }
    };
    transaction.commit().map_err(|error| of_sqlite(&error))?;
    Ok(keys)
}

/// The keys that a file names.
enum Kept {
    /// It has not been opened since its rows have checksums.
    Nothing,
    Own([u8; 32]),
    Hosted,
    Unreadable,
}

impl Kept {
    /// Reads either copy that is sound.
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut statement =
            connection.prepare("SELECT copy, secret, digest FROM row_keys ORDER BY copy")?;
        let mut rows = statement.query([])?;
        let mut found = Self::Nothing;
        while let Some(row) = rows.next()? {
            if row.get::<_, i64>("copy")? == HOSTED {
                return Ok(Self::Hosted);
            }
            let secret: Option<[u8; 32]> = row.get("secret").ok();
            let digest: Option<[u8; 32]> = row.get("digest").ok();
            match secret {
                Some(secret) if digest == Some(check(&secret)) => return Ok(Self::Own(secret)),
                _ => found = Self::Unreadable,
            }
        }
        Ok(found)
    }
}

fn random() -> Result<[u8; 32], StoreError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)
        .map_err(|_| unavailable("the operating system gives no random bytes"))?;
    Ok(key)
}

/// Tells a damaged copy of the key from a sound one.
fn check(secret: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update("tool-runtime/row-key/v1").chain_update(secret).finalize().into()
}

/// Keeps the file's own key twice, so that one damaged row does not make all rows unreadable.
fn keep(connection: &Connection, secret: &[u8; 32]) -> rusqlite::Result<()> {
    let put = "INSERT INTO row_keys (copy, secret, digest) VALUES (:copy, :secret, :digest)";
    for copy in 0..HOSTED {
        let digest = check(secret);
        connection
            .execute(put, named_params! { ":copy": copy, ":secret": secret, ":digest": digest })?;
    }
    Ok(())
}

/// Gives up the file's own key for the host's.
fn host(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM row_keys", [])?;
    connection.execute("INSERT INTO row_keys (copy) VALUES (?1)", [HOSTED]).map(drop)
}

fn refused<T>(log: &str) -> Result<T, StoreError> {
    Err(StoreError::new(StoreErrorKind::Damaged, log))
}
