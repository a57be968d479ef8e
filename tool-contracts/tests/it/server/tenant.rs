//! The names of tenants, and the UUIDs that they stand for.

use std::collections::HashSet;

use proptest::prelude::*;
use serde_json::json;
use tool_contracts::server::Tenant;
use uuid::Uuid;

#[track_caller]
fn check_refused(name: &str) {
    let error = Tenant::parse(name).unwrap_err().to_string();
    assert!(error.starts_with("Tenant: expected a UUID with hyphens, or a slug of"), "{error}");
    let error = serde_json::from_value::<Tenant>(json!(name)).unwrap_err().to_string();
    assert!(error.contains("expected a UUID with hyphens, or a slug of"), "{error}");
}

/// Computed by `uuid.uuid5(uuid.UUID("5d748bdd-b649-4c47-aad0-e658ae4a55f7"), slug)` in Python.
#[test]
fn a_slug_stands_for_the_uuid_that_any_language_computes() {
    let longest = "x".repeat(63);
    for (slug, id) in [
        ("yantian", "beb0fa20-bffc-5f84-9342-4d9d82896176"),
        ("a", "a693673b-345d-5aa6-8560-2f13da1e076c"),
        ("0", "bee03a8b-c176-599b-a1d4-46b66e0bd153"),
        ("acme-1", "af34e0da-2723-5066-80d9-8d231135f7aa"),
        ("tenant_2", "c89c9689-96a2-5ea4-94fc-205d71702025"),
        (&longest, "0b259667-a1de-5c49-9ed5-a2bf0d92f7f2"),
    ] {
        let tenant = Tenant::parse(slug).unwrap();
        assert_eq!(tenant.id().to_string(), id, "{slug}");
        assert_eq!(tenant.slug(), Some(slug));
        assert_eq!(tenant.to_string(), slug);
    }
    assert_eq!(Tenant::NAMESPACE.to_string(), "5d748bdd-b649-4c47-aad0-e658ae4a55f7");
}

#[test]
fn a_uuid_with_hyphens_is_itself_in_either_case() {
    let id = "beb0fa20-bffc-5f84-9342-4d9d82896176";
    for spelling in [id.to_owned(), id.to_uppercase()] {
        let tenant: Tenant = spelling.parse().unwrap();
        assert_eq!((tenant.id().to_string().as_str(), tenant.slug()), (id, None));
        assert_eq!(tenant.to_string(), id);
    }
}

#[test]
fn a_uuid_in_another_form_is_no_tenant() {
    check_refused("beb0fa20bffc5f8493424d9d82896176");
    check_refused("{beb0fa20-bffc-5f84-9342-4d9d82896176}");
    check_refused("urn:uuid:beb0fa20-bffc-5f84-9342-4d9d82896176");
    assert!(Tenant::parse("beb0fa20bffc5f8493424d9d8289617").is_ok(), "31 digits are a slug");
}

#[test]
fn another_spelling_of_a_slug_is_refused_and_not_mended() {
    for name in ["", "Yantian", "_x", "-x", "a b", "a.b", "严", " yantian", "yantian\n"] {
        check_refused(name);
    }
    check_refused(&"x".repeat(64));
}

#[test]
fn two_names_of_one_tenant_are_equal() {
    let slug = Tenant::parse("yantian").unwrap();
    let id = Tenant::from(slug.id());
    assert_eq!(slug, id);
    assert_ne!(slug, Tenant::parse("other").unwrap());
    assert!(HashSet::from([slug]).contains(&id));
}

#[test]
fn nothing_but_text_is_a_tenant() {
    for value in [json!(7), json!(true), json!(1.5), json!([]), json!({})] {
        assert!(serde_json::from_value::<Tenant>(value).is_err());
    }
}

proptest! {
    #[test]
    fn every_name_reads_back(slug in "[a-z0-9][a-z0-9_-]{0,62}", id in any::<u128>()) {
        for name in [slug, Uuid::from_u128(id).to_string()] {
            let Ok(tenant) = Tenant::parse(&name) else { continue };
            prop_assert_eq!(serde_json::to_value(&tenant).unwrap(), json!(name));
            prop_assert_eq!(serde_json::from_value::<Tenant>(json!(name)).unwrap(), tenant);
        }
    }
}
