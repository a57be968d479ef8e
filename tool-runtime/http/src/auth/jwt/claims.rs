//! The claims of a token: subject, scopes and tenants.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};
use tool_contracts::Allowance;
use tool_contracts::server::Tenant;
use uuid::Uuid;

use crate::auth::Scopes;

/// The claims that determine the principal. Times and audience are checked by `jsonwebtoken`.
#[derive(Debug, Deserialize)]
pub(super) struct TokenClaims {
    pub(super) sub: Box<str>,
    #[expect(dead_code, reason = "deserializing it checks that it is one string")]
    iss: Box<str>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl TokenClaims {
    /// Reads `scope` (RFC 8693), or else `scp`: words in a string, or an array of strings.
    pub(super) fn scopes(&self) -> Scopes {
        let claim = self.others.get("scope").or_else(|| self.others.get("scp"));
        let mut scopes = Scopes::none();
        for word in words(claim).flat_map(str::split_ascii_whitespace) {
            // Unknown words are meant for other services.
            let _ = scopes.add(word);
        }
        scopes
    }

    /// Reads the tenants of this claim; if `None`, of `tenants`, or else `tenant_id`.
    ///
    /// A value that is not a tenant is skipped.
    pub(super) fn tenants(&self, claim: Option<&str>) -> BTreeSet<Uuid> {
        let claim = match claim {
            Some(claim) => self.others.get(claim),
            None => self.others.get("tenants").or_else(|| self.others.get("tenant_id")),
        };
        words(claim).filter_map(|name| Some(Tenant::parse(name).ok()?.id())).collect()
    }

    /// Reads the limits on what the principal's calls spend: the claim `allowances`.
    ///
    /// # Errors
    /// Returns an error if one cannot be read: without it, the principal would spend more.
    pub(super) fn allowances(&self) -> serde_json::Result<Vec<Allowance>> {
        match self.others.get("allowances") {
            Some(claim) => Vec::deserialize(claim),
            None => Ok(Vec::new()),
        }
    }
}

/// Returns the strings of a claim, which is one string or an array.
fn words(claim: Option<&Value>) -> impl Iterator<Item = &str> {
    let items = match claim {
        Some(Value::Array(items)) => &**items,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    items.iter().filter_map(Value::as_str)
}
