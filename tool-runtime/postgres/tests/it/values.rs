//! Values come back byte for byte, and in the order of the other stores.

use std::time::Duration;

use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, GrantScope, GrantStore, IdempotencyStore, KeyRecord, MemoryStore,
    OutputStore, PostgresStore, ScopedKey, Settlement, StandingGrant, Store, StoredAnswer,
    StoredOutput, UnixMillis,
};

use crate::server;

const NOW: UnixMillis = UnixMillis::new(1_800_000_000_000);
const LEASE: Duration = Duration::from_secs(30);

fn arguments() -> Digest {
    Digest::compute("test", b"{}")
}

async fn answer_under(store: &impl Store, key: ScopedKey, answer: &StoredAnswer) -> ClaimOutcome {
    let request = ClaimRequest::new(key.clone(), arguments(), NOW, LEASE);
    let claim = store.claim(request.clone()).await.expect("a claim");
    let ClaimOutcome::Acquired(fence) = claim else { panic!("{claim:?}") };
    let settlement = Settlement::Answered { answer: answer.clone(), keep_until: NOW.after(LEASE) };
    assert!(store.settle(&key, fence, settlement).await.expect("a settlement"));
    store.claim(request).await.expect("a repeat")
}

#[tokio::test]
async fn an_answer_comes_back_byte_for_byte() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    let long = "x".repeat(1024 * 1024);
    let bodies = [
        r#"{"b":1,"a":2,"b":3}"#,
        "[1e2,-0,9007199254740993,1E400]",
        r#""\u0000 \ud800 \\ é \"""#,
        r"\x41 \\x42",
        "",
        &long,
    ];
    for (number, body) in bodies.into_iter().enumerate() {
        let key = ScopedKey::new(Uuid::nil(), "user:42", "book_seat", format!("key:{number}"));
        let answer = StoredAnswer::succeeded(body.into(), b"{ \"took_ms\" : 1 }".to_vec());
        assert_eq!(answer_under(&store, key, &answer).await, ClaimOutcome::Settled(answer));
    }
}

#[tokio::test]
async fn a_key_may_be_longer_than_an_entry_of_an_index() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    for length in [255_usize, 2_600, 2_800, 10_000] {
        // It does not compress.
        let digits = (0..length.div_ceil(64))
            .map(|part| Digest::compute("test", &part.to_be_bytes()).to_string());
        let mut text: String = digits.collect();
        text.truncate(length);
        let key = ScopedKey::new(Uuid::nil(), text.clone(), text.clone(), text);
        let request = ClaimRequest::new(key.clone(), arguments(), NOW, LEASE);
        let claim = store.claim(request.with_quota("a".repeat(length), 3)).await.expect("a claim");
        let ClaimOutcome::Acquired(fence) = claim else { panic!("{claim:?}") };
        assert!(store.settle(&key, fence, Settlement::Unknown).await.expect("unknown"));
        let unknown = store.find_unknown(Uuid::nil(), fence).await.expect("a record");
        assert_eq!(unknown.map(|record| record.key), Some(key));
    }
}

#[tokio::test]
async fn a_text_that_cannot_be_stored_is_refused_before_its_statement() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    let key = ScopedKey::new(Uuid::nil(), "user:42", "book_seat", "key:\0");
    let error = store.claim(ClaimRequest::new(key, arguments(), NOW, LEASE)).await;
    let error = error.expect_err("a NUL");
    assert!(error.log().contains("U+0000"), "{error}");
}

#[tokio::test]
async fn pages_have_the_order_of_the_other_stores() {
    let Some(url) = server::url() else { return };
    for url in [url.clone(), url_with_icu(&url).await] {
        let (store, memory) = (server::store(&url).await, MemoryStore::new());
        compare_pages(&store, &memory).await;
    }
}

/// Returns the URL of a database whose locale orders texts as dictionaries do.
async fn url_with_icu(url: &str) -> String {
    let name = server::schema();
    let create = format!(
        "CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US' ENCODING 'UTF8'"
    );
    server::execute(url, &create).await;
    let url = url.replace("/postgres", &format!("/{name}"));
    let order = "SELECT 'a' < 'B' AS is_dictionary";
    let row = server::client(&url).await.query_one(order, &[]).await.expect("an order");
    assert!(row.get::<_, bool>("is_dictionary"));
    url
}

async fn compare_pages(store: &PostgresStore, memory: &MemoryStore) {
    let names = ["t_2", "t-10", "T1", "t1", "t:3", "ä", "z", "Z", "", "\u{1F600}", "\u{FFFD}"];
    for name in names {
        let scope = GrantScope::new(Uuid::nil(), "user:42", name, arguments());
        for scope in [scope.clone(), scope.with_arguments(arguments())] {
            let grant = StandingGrant::new(scope, "ada", NOW);
            store.put_grant(grant.clone()).await.expect("stored");
            memory.put_grant(grant).await.expect("stored");
        }
    }
    let mut after = None;
    loop {
        let page = store.grants(Uuid::nil(), after.as_ref(), 3).await.expect("a page");
        let expected = memory.grants(Uuid::nil(), after.as_ref(), 3).await.expect("a page");
        assert_eq!(page, expected);
        let Some(last) = page.last() else { break };
        after = Some(last.scope.clone());
    }
    for name in names {
        let key = ScopedKey::new(Uuid::nil(), name, "book_seat", name);
        make_unknown(store, &key).await;
        make_unknown(memory, &key).await;
    }
    let mut after: Option<ScopedKey> = None;
    loop {
        let page = store.list_unknown(Uuid::nil(), after.as_ref(), 3).await.expect("a page");
        let expected = memory.list_unknown(Uuid::nil(), after.as_ref(), 3).await.expect("a page");
        let keys = |page: &[KeyRecord]| page.iter().map(|it| it.key.clone()).collect::<Vec<_>>();
        assert_eq!(keys(&page), keys(&expected));
        let Some(last) = page.last() else { break };
        after = Some(last.key.clone());
    }
}

async fn make_unknown(store: &impl IdempotencyStore, key: &ScopedKey) {
    let request = ClaimRequest::new(key.clone(), arguments(), NOW, LEASE);
    let outcome = store.claim(request).await.expect("a claim");
    let ClaimOutcome::Acquired(fence) = outcome else { panic!("the key is free: {outcome:?}") };
    assert!(store.settle(key, fence, Settlement::Unknown).await.expect("it is settled"));
}

#[tokio::test]
async fn a_page_of_a_long_output_is_read_from_any_place() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    let (id, text) = (Uuid::now_v7(), "0123456789".repeat(100_000).into_bytes());
    let output = StoredOutput::new(id, Uuid::nil(), "user:42", text.clone(), NOW.after(LEASE));
    store.put_output(output).await.expect("stored");
    let total = u64::try_from(text.len()).expect("a length");
    for (offset, limit) in
        [(0, 7), (999_995, 10), (total, 1), (u64::MAX, usize::MAX), (3, usize::MAX)]
    {
        let slice = store.read_output(id, Uuid::nil(), "user:42", offset, limit, NOW).await;
        let slice = slice.expect("a page").expect("an output");
        let start = usize::try_from(offset).map_or(text.len(), |offset| offset.min(text.len()));
        let end = start.saturating_add(limit).min(text.len());
        assert!(slice.bytes == text[start..end], "{offset} {limit}");
        assert_eq!(slice.total, total);
    }
}
