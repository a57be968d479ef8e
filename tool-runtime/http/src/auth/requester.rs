//! The caller that requested a waiting call: sealed with the call, and authorized again before it
//! runs.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tool_contracts::ToolSpec;
use uuid::Uuid;

use super::{Auth, CredentialKind, Principal, Scopes};

/// The caller that requested a call which waits for approval.
///
/// It is sealed with the call in the ticket store, so a caller can neither choose nor change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requester {
    name: Box<str>,
    #[serde(rename = "proofs")]
    credentials: Vec<Credential>,
}

/// A credential of the request that opened the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Credential {
    /// An API key of the principal.
    Key,
    /// A token, with the scopes that it granted.
    Token { scopes: String },
    /// No credential: the principal of requests without one, from the server's configuration.
    Configuration,
}

/// Looks up the current rights of a requester; `None` if it no longer has any.
pub(crate) type RequesterLookup = Arc<
    dyn Fn(Requester) -> BoxFuture<'static, Result<Option<Principal>, LookupError>> + Send + Sync,
>;

/// The error of a lookup.
pub(crate) type LookupError = Box<dyn Error + Send + Sync>;

/// A [`RequesterLookup`] with a `Debug` implementation.
#[derive(Clone)]
pub(crate) struct Lookup(pub(crate) RequesterLookup);

impl Requester {
    pub(crate) fn from_principal(principal: &Principal) -> Self {
        let credential = |(kind, scopes): (Option<CredentialKind>, &Scopes)| match kind {
            Some(CredentialKind::Key) => Credential::Key,
            Some(CredentialKind::Token) => Credential::Token { scopes: scopes.to_string() },
            None => Credential::Configuration,
        };
        Self {
            name: principal.name().into(),
            credentials: principal.credentials().map(credential).collect(),
        }
    }

    /// Serializes the requester for sealing.
    pub(crate) fn to_json(&self) -> Box<str> {
        serde_json::to_string(self).expect("names and words are written as JSON").into()
    }

    /// Returns the principal's name: the configured one for an API key, `sub` for a token.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the request had a token, alone or together with an API key.
    #[must_use]
    pub fn has_token(&self) -> bool {
        self.credentials.iter().any(|credential| matches!(credential, Credential::Token { .. }))
    }

    /// Checks whether the requester may still call a tool for a tenant, by each of its credentials.
    ///
    /// An API key counts if a principal of the same name has a valid key now. A token is not
    /// stored, so without a lookup of the host the scopes that it granted still count.
    pub(crate) async fn may_still_call(
        &self,
        auth: &Auth,
        lookup: Option<&Lookup>,
        tool: &ToolSpec,
        tenant: Uuid,
    ) -> Result<bool, LookupError> {
        let allows = |it: &Principal| it.may_call(tool) && it.may_act_for(tenant);
        if let Some(Lookup(lookup)) = lookup {
            return Ok(lookup(self.clone()).await?.as_ref().is_some_and(allows));
        }
        let holds = |credential: &Credential| match credential {
            Credential::Key => auth.principals_with_keys(&self.name).iter().any(allows),
            Credential::Token { scopes } => {
                auth.takes_tokens() && scopes.parse::<Scopes>().is_ok_and(|it| it.may_call(tool))
            }
            Credential::Configuration => {
                auth.default_principal().is_some_and(|it| *it.name() == *self.name && allows(it))
            }
        };
        Ok(!self.credentials.is_empty() && self.credentials.iter().all(holds))
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lookup")
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tool_contracts::Effect;

    use super::*;
    use crate::HttpConfig;
    use crate::auth::ApiKey;
    use crate::auth::ApiKeySet;
    use crate::auth::ApiKeys;

    const YANTIAN: Uuid = Uuid::from_u128(1);

    fn named(name: &str, scopes: &str) -> Principal {
        let scopes = scopes.parse::<Scopes>().expect("these are scopes");
        Principal::new(name).for_tenants([YANTIAN]).with_scopes(scopes)
    }

    fn keys_of(principal: Principal) -> Auth {
        let key = ApiKey::generate().expect("a key");
        let set = ApiKeySet::new().with(key.hash(), principal).expect("one key");
        Auth::new().api_keys(&ApiKeys::new(set))
    }

    async fn may_call(requester: &Requester, config: &HttpConfig) -> bool {
        let tool = ToolSpec::builder("pay", Effect::Write).description("Pays.").build();
        let tool = tool.expect("it is a tool");
        let read =
            serde_json::from_str::<Requester>(&requester.to_json()).expect("it is read again");
        let checked = read.may_still_call(&config.auth, config.requesters.as_ref(), &tool, YANTIAN);
        checked.await.expect("it is looked up")
    }

    #[tokio::test]
    async fn a_key_counts_while_its_principal_has_one_that_covers_the_tool() {
        let requester = Requester::from_principal(
            &named("agent", "tools").authenticated_by(CredentialKind::Key),
        );
        for (auth, expected) in [
            (keys_of(named("agent", "tools:pay")), true),
            (keys_of(named("agent", "tools:other")), false),
            (keys_of(named("agent", "tools").for_tenants([]).with_scopes(Scopes::none())), false),
            (keys_of(named("other", "tools")), false),
            (keys_of(Principal::new("agent").with_scopes(Scopes::all())), false),
            (Auth::unauthenticated_as(Principal::trusted("agent")), false),
        ] {
            assert_eq!(may_call(&requester, &HttpConfig::new(auth)).await, expected);
        }
    }

    #[tokio::test]
    async fn a_caller_without_a_credential_counts_while_the_configuration_names_it() {
        let requester = Requester::from_principal(&Principal::trusted("laptop"));
        for (name, expected) in [("laptop", true), ("gateway", false)] {
            let auth = Auth::unauthenticated_as(Principal::trusted(name));
            assert_eq!(may_call(&requester, &HttpConfig::new(auth)).await, expected);
        }
    }

    #[cfg(feature = "jwt")]
    #[tokio::test]
    async fn a_token_counts_for_what_it_granted_unless_the_host_looks_it_up() {
        use crate::auth::Jwks;
        use crate::auth::JwtVerifier;

        // The public key of RFC 8037, appendix A.
        let key = r#"{"keys":[{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","use":"sig",
            "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}"#;
        let jwks = Jwks::from_json(key).expect("a key set");
        let verifier = JwtVerifier::new(jwks, "https://issuer.example", "tools").expect("named");
        let config = || HttpConfig::new(Auth::new().jwt(verifier.clone()));
        for (scopes, expected) in [("tools", true), ("tools:other", false)] {
            let requester = Requester::from_principal(
                &named("jane", scopes).authenticated_by(CredentialKind::Token),
            );
            assert!(requester.has_token());
            assert_eq!(may_call(&requester, &config()).await, expected);
            let no_tokens = HttpConfig::new(keys_of(named("jane", "tools")));
            assert!(!may_call(&requester, &no_tokens).await, "the server no longer takes tokens");
            let found = |principal: Option<Principal>| {
                config().look_up_requesters(move |requester| {
                    let found = principal.clone().filter(|it| it.name() == requester.name());
                    async move { Ok::<_, Infallible>(found) }
                })
            };
            assert!(!may_call(&requester, &found(None)).await);
            assert!(may_call(&requester, &found(Some(named("jane", "tools:pay")))).await);
            assert!(!may_call(&requester, &found(Some(named("jane", "tools:other")))).await);
        }
    }
}
