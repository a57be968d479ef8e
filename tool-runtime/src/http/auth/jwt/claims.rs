//! What a token says of who sends it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};
use tool_contracts::server::Tenant;
use uuid::Uuid;

use crate::http::Scopes;

/// The claims that are read here; the times and the audience are checked before.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    pub(super) sub: Box<str>,
    #[expect(dead_code, reason = "that it is one text is checked by reading it")]
    iss: Box<str>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Claims {
    /// Reads `scope` (RFC 8693) or else `scp`: words in a text, or an array of them.
    pub(super) fn scopes(&self) -> Scopes {
        let claim = self.others.get("scope").or_else(|| self.others.get("scp"));
        Scopes::known(words(claim).flat_map(str::split_ascii_whitespace))
    }

    /// Reads the tenants of this claim; without one, of `tenants` or else `tenant_id`.
    ///
    /// What names no tenant grants none.
    pub(super) fn tenants(&self, claim: Option<&str>) -> BTreeSet<Uuid> {
        let claim = match claim {
            Some(claim) => self.others.get(claim),
            None => self.others.get("tenants").or_else(|| self.others.get("tenant_id")),
        };
        words(claim).filter_map(|name| Some(Tenant::parse(name).ok()?.id())).collect()
    }
}

/// A text, or the texts of an array.
fn words(claim: Option<&Value>) -> impl Iterator<Item = &str> {
    let items = match claim {
        Some(Value::Array(items)) => &**items,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    items.iter().filter_map(Value::as_str)
}
