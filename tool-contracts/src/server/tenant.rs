//! Tenants, which own the data that calls access.

use std::{
    borrow::Cow,
    fmt,
    hash::{Hash, Hasher},
    str::FromStr,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor};
use uuid::Uuid;

use crate::{ContractError, context::syntax, portable::read_any, wire};

const EXPECTED: &str = "a UUID with hyphens, or a slug of 1 to 63 lower-case letters, digits, \
    `_` and `-` that starts with a letter or a digit";

const SLUG: &str = "^[a-z0-9][a-z0-9_-]{0,62}$";

/// A UUID without hyphens, which has the form of a slug but would name another tenant.
const BARE_UUID: &str = "^[0-9a-f]{32}$";

/// The tenant whose data a call accesses: a UUID, or a slug that identifies one.
///
/// A slug is 1 to 63 characters of `a-z`, `0-9`, `_` and `-`, the first a letter or a digit. Other
/// spellings, including upper case, are refused and not normalized, because every service must
/// derive the same UUID. A UUID is written with hyphens, in either case; without them it is
/// refused, since it has the form of a slug.
///
/// A slug's UUID is its version 5 UUID under [`NAMESPACE`](Self::NAMESPACE). Other programs can
/// compute it; in Python, `uuid.uuid5(uuid.UUID("5d748bdd-b649-4c47-aad0-e658ae4a55f7"), slug)`.
///
/// Two names of one tenant are equal.
///
/// ```
/// use tool_contracts::server::Tenant;
///
/// let village = Tenant::parse("yantian")?;
/// assert_eq!(village.slug(), Some("yantian"));
/// assert_eq!(village.id().to_string(), "beb0fa20-bffc-5f84-9342-4d9d82896176");
/// assert_eq!(village, Tenant::from(village.id()));
///
/// assert!(Tenant::parse("Yantian").is_err());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone)]
pub struct Tenant {
    id: Uuid,
    slug: Option<Box<str>>,
}

impl Tenant {
    /// The namespace of all slugs: a fixed, randomly generated UUID.
    pub const NAMESPACE: Uuid = Uuid::from_u128(0x5d74_8bdd_b649_4c47_aad0_e658_ae4a_55f7);

    /// Reads a UUID or a slug.
    ///
    /// # Errors
    /// Returns an error if the text is neither.
    pub fn parse(name: &str) -> Result<Self, ContractError> {
        Self::from_name(name)
            .ok_or_else(|| ContractError::single("Tenant", "", format!("expected {EXPECTED}")))
    }

    /// Returns the tenant's UUID.
    #[must_use]
    pub const fn id(&self) -> Uuid {
        self.id
    }

    /// Returns the slug that the tenant was named by.
    #[must_use]
    pub fn slug(&self) -> Option<&str> {
        self.slug.as_deref()
    }

    pub(super) fn into_slug(self) -> Option<Box<str>> {
        self.slug
    }

    fn from_name(name: &str) -> Option<Self> {
        if name.len() == uuid::fmt::Hyphenated::LENGTH {
            if let Ok(id) = Uuid::try_parse(name) {
                return Some(Self::from(id));
            }
        }
        is_slug(name).then(|| Self {
            id: Uuid::new_v5(&Self::NAMESPACE, name.as_bytes()),
            slug: Some(name.into()),
        })
    }
}

fn is_slug(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_bare_uuid = || name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_admitted = |byte: u8| is_plain(byte) || byte == b'_' || byte == b'-';
    (1..=63).contains(&name.len())
        && name.as_bytes().first().copied().is_some_and(is_plain)
        && name.bytes().all(is_admitted)
        && !is_bare_uuid()
}

impl From<Uuid> for Tenant {
    fn from(id: Uuid) -> Self {
        Self { id, slug: None }
    }
}

impl FromStr for Tenant {
    type Err = ContractError;

    fn from_str(name: &str) -> Result<Self, ContractError> {
        Self::parse(name)
    }
}

impl PartialEq for Tenant {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Tenant {}

impl Hash for Tenant {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.id.hash(to);
    }
}

/// Writes the slug if there is one, else the UUID with hyphens.
impl fmt::Display for Tenant {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.slug {
            Some(slug) => to.pad(slug),
            None => self.id.fmt(to),
        }
    }
}

impl fmt::Debug for Tenant {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Tenant({self})")
    }
}

impl Serialize for Tenant {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Tenant {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Tenant;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str(EXPECTED)
            }
            wire::refuse_numbers!();
            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Tenant, E> {
                Tenant::from_name(name).ok_or_else(|| wire::expected(&self))
            }
        }
        // `deserialize_str` makes serde_json quote a number before the visitor sees it.
        read_any(Name, from)
    }
}

impl JsonSchema for Tenant {
    fn schema_name() -> Cow<'static, str> {
        "Tenant".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::Tenant").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "description": "The tenant whose data a call accesses: a UUID, or a slug that identifies one.",
            "type": "string",
            "anyOf": [
                {"pattern": syntax::UUID},
                {"pattern": SLUG, "not": {"pattern": BARE_UUID}},
            ],
        });
        crate::schemas::documented("tenant")(&mut schema);
        schema
    }
}
