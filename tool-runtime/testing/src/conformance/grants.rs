//! The conformance suite of grant stores.

use tool_runtime_core::store::{GrantScope, GrantStore, StandingGrant};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::samples::{END, START, alike, at, done};

/// Checks every promise of a [`GrantStore`].
///
/// # Panics
/// Panics at the first broken promise.
pub async fn grants(store: &dyn GrantStore) {
    a_grant_is_found_as_it_was_put(&GrantChecks::new(store)).await;
    a_grant_is_for_exactly_its_scope(&GrantChecks::new(store)).await;
    scopes_are_told_apart(&GrantChecks::new(store)).await;
    a_grant_takes_the_place_of_one_of_the_same_scope(&GrantChecks::new(store)).await;
    a_grant_that_is_taken_back_is_gone(&GrantChecks::new(store)).await;
    grants_are_listed_page_by_page(&GrantChecks::new(store)).await;
    a_page_may_start_after_what_was_taken_back(&GrantChecks::new(store)).await;
}

/// The grants of a tenant that one check owns.
struct GrantChecks<'a> {
    store: &'a dyn GrantStore,
    tenant: Uuid,
}

impl<'a> GrantChecks<'a> {
    fn new(store: &'a dyn GrantStore) -> Self {
        Self { store, tenant: Uuid::now_v7() }
    }

    fn scope(&self) -> GrantScope {
        GrantScope::new(self.tenant, "user:42", "book_seat", hash("schema"))
    }

    async fn put(&self, grant: &StandingGrant) {
        done("put_grant", self.store.put_grant(grant.clone()).await);
    }

    /// Puts a grant without an end.
    async fn give(&self, scope: &GrantScope) -> StandingGrant {
        let grant = StandingGrant::new(scope.clone(), "user:1", START);
        self.put(&grant).await;
        grant
    }

    async fn find(&self, scope: &GrantScope) -> Option<StandingGrant> {
        done("find_grant", self.store.find_grant(scope).await)
    }

    async fn revoke(&self, scope: &GrantScope) -> bool {
        done("revoke_grant", self.store.revoke_grant(scope).await)
    }

    async fn list(&self, after: Option<&GrantScope>, limit: usize) -> Vec<StandingGrant> {
        let page = done("grants", self.store.grants(self.tenant, after, limit).await);
        assert!(page.len() <= limit, "a page holds at most {limit}; found {}", page.len());
        page
    }

    /// Lists page by page, and stops if that does not end.
    async fn pages(&self, limit: usize) -> Vec<StandingGrant> {
        let mut grants: Vec<StandingGrant> = Vec::new();
        for _ in 0..100 {
            let page = self.list(grants.last().map(|grant| &grant.scope), limit).await;
            if page.is_empty() {
                break;
            }
            grants.extend(page);
        }
        grants
    }

    /// Gives grants whose order differs by each part of their scope.
    async fn give_many(&self) -> Vec<StandingGrant> {
        let parts = [("b", "x", "2"), ("a", "y", "3"), ("a", "x", "9"), ("a", "x", "1")];
        let mut given = Vec::new();
        for (principal, tool, schema) in parts {
            let tool_scope = GrantScope::new(self.tenant, principal, tool, hash(schema));
            let narrow = ["1", "2"].map(|text| tool_scope.clone().with_arguments(hash(text)));
            for scope in [vec![tool_scope], narrow.to_vec()].concat() {
                given.push(self.give(&scope).await);
            }
        }
        given
    }
}

async fn a_grant_is_found_as_it_was_put(grants: &GrantChecks<'_>) {
    let scope = grants.scope();
    assert_eq!(grants.find(&scope).await, None, "a grant that was not put is not found");
    let narrow = scope.clone().with_arguments(hash("arguments"));
    for scope in [scope, narrow] {
        let lasting = StandingGrant::new(scope.clone(), "user:1", at(10));
        for grant in [lasting.clone(), lasting.clone().until(at(20)), lasting.until(END)] {
            grants.put(&grant).await;
            let stored_grant = grants.find(&scope).await;
            assert_eq!(stored_grant, Some(grant), "a grant is found as it was put");
        }
    }
    let over = StandingGrant::new(grants.scope(), "user:1", at(10)).until(at(5));
    grants.put(&over).await;
    let stored_grant = grants.find(&over.scope).await;
    assert_eq!(stored_grant, Some(over), "a grant is found also when it has expired");
}

async fn a_grant_is_for_exactly_its_scope(grants: &GrantChecks<'_>) {
    let scope = grants.scope();
    let narrow = scope.clone().with_arguments(hash("arguments"));
    grants.give(&narrow).await;
    let others = [
        scope.clone(),
        scope.clone().with_arguments(hash("others")),
        GrantScope { tenant: Uuid::now_v7(), ..narrow.clone() },
        GrantScope { principal: "user:43".into(), ..narrow.clone() },
        GrantScope { tool: "free_seat".into(), ..narrow.clone() },
        GrantScope { schema: hash("a later schema"), ..narrow.clone() },
    ];
    for other in &others {
        let stored_grant = grants.find(other).await;
        assert_eq!(stored_grant, None, "a grant is for exactly its scope, not for {other:?}");
        assert!(!grants.revoke(other).await, "a grant is revoked only by exactly its scope");
    }
    let promise = "a grant for some arguments is another one than that for all";
    let tool_grant = grants.give(&scope).await;
    assert!(grants.revoke(&narrow).await, "a grant that was given is taken back");
    assert_eq!(grants.find(&narrow).await, None, "{promise}");
    assert_eq!(grants.find(&scope).await, Some(tool_grant), "{promise}");
}

async fn scopes_are_told_apart(grants: &GrantChecks<'_>) {
    let scopes = alike().into_iter().map(|[principal, tool, schema]| {
        GrantScope::new(grants.tenant, principal, tool, hash(&schema))
    });
    for scope in scopes.clone() {
        let promise = "scopes are told apart byte by byte";
        assert_eq!(grants.find(&scope).await, None, "{promise}");
        grants.put(&StandingGrant::new(scope.clone(), format!("{scope:?}"), START)).await;
    }
    for scope in scopes {
        let granter = grants.find(&scope).await.map(|grant| grant.granted_by);
        assert_eq!(granter, Some(format!("{scope:?}").into()), "each scope has its own grant");
    }
}

async fn a_grant_takes_the_place_of_one_of_the_same_scope(grants: &GrantChecks<'_>) {
    let scope = grants.scope();
    grants.put(&StandingGrant::new(scope.clone(), "user:1", at(1)).until(at(2))).await;
    let later = StandingGrant::new(scope, "user:2", at(3));
    grants.put(&later).await;
    grants.put(&later).await;
    let stored_grants = grants.list(None, 10).await;
    assert_eq!(stored_grants, [later], "a grant takes the place of one of the same scope");
}

async fn a_grant_that_is_taken_back_is_gone(grants: &GrantChecks<'_>) {
    let scope = grants.scope();
    let promise = "a grant that is taken back is gone";
    assert!(!grants.revoke(&scope).await, "what was not given is not taken back");
    grants.give(&scope).await;
    assert!(grants.revoke(&scope).await, "{promise}, and revoking it returns true");
    assert_eq!(grants.find(&scope).await, None, "{promise}");
    assert!(!grants.revoke(&scope).await, "{promise}, and is taken back once");
    let again = grants.give(&scope).await;
    assert_eq!(grants.find(&scope).await, Some(again), "a grant may be given again");
}

async fn grants_are_listed_page_by_page(grants: &GrantChecks<'_>) {
    let mut given = grants.give_many().await;
    let over = StandingGrant::new(grants.scope(), "user:1", at(10)).until(at(5));
    grants.put(&over).await;
    given.push(over);
    let elsewhere = GrantChecks::new(grants.store);
    elsewhere.give_many().await;
    let full_page = grants.list(None, 100).await;
    let mut sorted_page = full_page.clone();
    sorted_page.sort_by(|one, other| one.scope.cmp(&other.scope));
    given.sort_by(|one, other| one.scope.cmp(&other.scope));
    assert_eq!(sorted_page, given, "a tenant's grants are listed, and nothing else");
    assert_eq!(grants.list(None, 0).await, [], "a page of none is empty");
    for limit in 1..=full_page.len() + 1 {
        let pages = grants.pages(limit).await;
        assert_eq!(
            pages, full_page,
            "pages of {limit} hold what one page holds, in the same order"
        );
    }
}

async fn a_page_may_start_after_what_was_taken_back(grants: &GrantChecks<'_>) {
    grants.give_many().await;
    let full_page = grants.list(None, 100).await;
    let page = grants.list(None, 5).await;
    for grant in &page {
        assert!(grants.revoke(&grant.scope).await, "a grant that was given is taken back");
    }
    let next_page = grants.list(page.last().map(|grant| &grant.scope), 100).await;
    assert_eq!(next_page, full_page[page.len()..], "a page may start after what was taken back");
}

fn hash(text: &str) -> Digest {
    Digest::compute("conformance", text.as_bytes())
}
