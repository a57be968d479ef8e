//! The rules of a tool's context.

use chrono::{DateTime, FixedOffset};
use serde_json::{Value, json};
use tool_contracts::{
    Actor, ActorType, Allowance, AllowancePeriod, Client, ClientApp, ToolContext, Trace,
};
use uuid::Uuid;

fn valid() -> Value {
    json!({
        "tenant_id": "5aa31da6-9278-4da0-9f1a-61b8d3edc5cc",
        "trace_id": "trace-123",
        "run_id": "run-1",
        "invocation_id": "0f4e6712-6d04-4514-b6cb-943b0667d45c",
        "now_iso": "2024-05-03T12:34:56+00:00",
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut context = valid();
    context[field] = value;
    context
}

fn read(context: &Value) -> Result<ToolContext, String> {
    serde_json::from_str(&context.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_admitted(field: &str, value: Value) -> ToolContext {
    read(&with(field, value)).unwrap()
}

#[track_caller]
fn check_refused(field: &str, value: Value, expectation: &str) {
    let message = read(&with(field, value)).unwrap_err();
    assert!(message.starts_with(&format!("`{field}`: ")), "{message}");
    assert!(message.contains(expectation), "{message}");
}

#[test]
fn the_required_fields_are_enough() {
    let context = read(&valid()).unwrap();
    assert_eq!(serde_json::to_value(&context).unwrap(), valid());
}

#[test]
fn each_required_field_is_missed_by_name() {
    for field in ["tenant_id", "trace_id", "invocation_id", "now_iso"] {
        let mut context = valid();
        context.as_object_mut().unwrap().remove(field);
        assert!(read(&context).unwrap_err().starts_with(&format!("`{field}`: missing")));
        check_refused(field, Value::Null, "missing");
    }
}

#[test]
fn a_time_without_offset_is_refused() {
    for naive in ["2024-05-03T12:34:56", "2024-05-03", "", "now", "2024-13-03T12:34:56Z"] {
        check_refused("now_iso", json!(naive), "with an offset");
    }
    for odd in ["2024-05-03 12:34:56Z", "2024-05-03T12:34:56\u{2212}02:00", "2024-05-03T12:34:60Z"]
    {
        check_refused("now_iso", json!(odd), "with an offset");
    }
    check_refused("now_iso", json!(1_714_739_696), "with an offset");
}

#[test]
fn another_offset_becomes_utc() {
    let context = check_admitted("now_iso", json!("2024-05-03T14:34:56.5+02:00"));
    assert_eq!(
        serde_json::to_value(&context).unwrap()["now_iso"],
        json!("2024-05-03T12:34:56.500+00:00")
    );
    check_admitted("now_iso", json!("2024-05-03T12:34:56Z"));
    check_refused("now_iso", json!("9999-12-31T23:59:59-12:00"), "RFC 3339");
}

#[test]
fn the_builder_converts_to_utc_and_refuses_unwritable_years() {
    let local: DateTime<FixedOffset> = "2024-05-03T14:34:56+02:00".parse().unwrap();
    let builder = ToolContext::builder(Uuid::nil(), "trace").run_id("run");
    let context = builder.clone().now_iso(local).build().unwrap();
    assert_eq!(context.now_iso().to_rfc3339(), "2024-05-03T12:34:56+00:00");
    let far = DateTime::from_timestamp(300_000_000_000, 0).unwrap();
    let refused = builder.now_iso(far).build().unwrap_err();
    assert_eq!(refused.problems()[0].field(), "now_iso");
}

#[test]
fn exactly_one_run_is_set() {
    let both = read(&with("ingestion_run_id", json!("ingest-1"))).unwrap_err();
    assert!(both.starts_with("`run_id`: expected exactly one of"), "{both}");
    let mut neither = valid();
    neither.as_object_mut().unwrap().remove("run_id");
    assert!(read(&neither).unwrap_err().starts_with("`run_id`: expected exactly one of"));
    neither["ingestion_run_id"] = json!("ingest-1");
    neither["run_id"] = Value::Null;
    assert_eq!(read(&neither).unwrap().ingestion_run_id(), Some("ingest-1"));
}

#[test]
fn ids_of_users_sessions_and_actors_have_no_characters_that_cannot_be_seen() {
    for hidden in ["bo\u{200b}ss", "\u{202e}ssob", "boss\u{e0041}", "bo\u{ad}ss", "bo\nss"] {
        for field in ["user_id", "session_id"] {
            check_refused(field, json!(hidden), "zero-width characters");
        }
        assert!(Actor::new(ActorType::User, hidden).is_err());
        let actor = json!({"type": "user", "id": hidden});
        assert!(read(&with("actor", actor)).is_err());
    }
}

#[test]
fn texts_may_not_be_empty() {
    for field in [
        "trace_id",
        "run_id",
        "workflow_id",
        "collection_id",
        "document_id",
        "document_version_id",
        "case_id",
        "idempotency_key",
        "safety_mode",
        "request_id",
        "user_id",
        "session_id",
        "tenant_slug",
        "site_id",
    ] {
        check_refused(field, json!(""), "not empty");
        check_refused(field, json!(7), "text");
    }
}

#[test]
fn the_builder_names_every_problem_at_once() {
    let refused = ToolContext::builder(Uuid::nil(), "")
        .run_id("run")
        .ingestion_run_id("ingest")
        .case_id("")
        .locale("de_DE")
        .currency("eur")
        .timezone("Europe//Berlin")
        .timeouts_ms(0)
        .attribute("", "value")
        .build()
        .unwrap_err();
    let fields: Vec<&str> = refused.problems().iter().map(tool_contracts::Problem::field).collect();
    let expected =
        ["trace_id", "run_id", "case_id", "timeouts_ms", "locale", "currency", "timezone"];
    assert_eq!(fields, [&expected[..], &["attributes"]].concat());
    assert!(refused.to_string().starts_with("ToolContext: `trace_id`: "));
}

#[test]
fn a_reader_too_names_every_problem_between_fields() {
    let mut context = with("locale", json!("de_DE"));
    context["ingestion_run_id"] = json!("ingest");
    context["currency"] = json!("eur");
    let message = read(&context).unwrap_err();
    for field in ["`run_id`: ", "`locale`: ", "`currency`: "] {
        assert!(message.contains(field), "{message}");
    }
}

#[test]
fn numbers_keep_to_their_ranges() {
    assert_eq!(check_admitted("timeouts_ms", json!(1)).timeouts_ms(), Some(1));
    assert_eq!(check_admitted("timeouts_ms", json!(1000.0)).timeouts_ms(), Some(1000));
    check_refused("timeouts_ms", json!(0), "more than 0");
    check_refused("timeouts_ms", json!(-1), "whole number");
    check_refused("timeouts_ms", json!(1.5), "whole number");
    check_refused("timeouts_ms", json!("5"), "whole number");
    check_refused("budget_tokens", json!(-1), "whole number");
    check_refused("budget_tokens", json!(1e300), "whole number");
}

#[test]
fn uuids_are_hyphenated() {
    for bad in ["5aa31da692784da09f1a61b8d3edc5cc", "urn:uuid:5aa31da6-9278-4da0-9f1a-61b8d3edc5cc"]
    {
        check_refused("tenant_id", json!(bad), "UUID with hyphens");
    }
    check_admitted("tenant_id", json!("5AA31DA6-9278-4DA0-9F1A-61B8D3EDC5CC"));
    check_refused("invocation_id", json!("zaa31da6-9278-4da0-9f1a-61b8d3edc5cc"), "UUID");
}

#[test]
fn well_formed_language_tags_are_admitted() {
    for tag in [
        "de",
        "de-DE",
        "en-US",
        "DE-de",
        "zh-Hant",
        "zh-cmn-Hans-CN",
        "yue-HK",
        "sr-Latn-RS",
        "sl-rozaj-biske-1994",
        "de-CH-1901",
        "es-419",
        "de-Latn-DE-1996",
        "hy-Latn-IT-arevela",
        "en-US-u-islamcal",
        "zh-CN-a-myext-x-private",
        "en-a-myext-b-another",
        "de-a-value",
        "x-whatever",
        "qaa-Qaaa-QM-x-southern",
        "i-klingon",
        "I-Enochian",
        "en-GB-oed",
        "sgn-BE-FR",
        "art-lojban",
        "zh-min-nan",
        "i-default",
        "abcd",
        "abcdefgh",
        "de-x-a-a",
        "en-0-ab",
        "zh-aaa-bbb-ccc",
        "de-DE-u-co-phonebk",
    ] {
        assert_eq!(check_admitted("locale", json!(tag)).locale(), Some(tag));
    }
}

#[test]
fn ill_formed_language_tags_are_refused() {
    for tag in [
        "d",
        "de_DE",
        "de-",
        "-de",
        "de--DE",
        "german!",
        "a-DE",
        "de-DE-DE-DE",
        "de-419-DE",
        "abcdefghi",
        "de-abcdefghi",
        "de-a",
        "de-a-b",
        "de-x",
        "x",
        "x-",
        "x-abcdefghi",
        "i-foo",
        "de-1",
        "de-12",
        "de-1901-1901",
        "en-a-bbb-a-ccc",
        "en-A-bbb-a-ccc",
        "zh-aa1",
        "abcd-aaa",
        "zh-aaa-bbb-ccc-ddd",
        "dé",
        "de DE",
        "12",
        "de-Latn-Latn",
        "i-klingon-x",
    ] {
        check_refused("locale", json!(tag), "BCP 47");
    }
    check_refused("locale", json!(""), "not empty");
}

#[test]
fn currencies_are_three_capital_letters() {
    check_admitted("currency", json!("EUR"));
    for bad in ["eur", "EU", "EURO", "E1R", "€€€", "EUR "] {
        check_refused("currency", json!(bad), "ISO 4217");
    }
}

#[test]
fn time_zones_have_the_shape_of_iana_names() {
    for name in [
        "UTC",
        "Europe/Berlin",
        "America/Argentina/Buenos_Aires",
        "Etc/GMT+5",
        "EST5EDT",
        "America/Port-au-Prince",
        "GMT0",
    ] {
        check_admitted("timezone", json!(name));
    }
    for bad in ["/Europe", "Europe/", "Europe//Berlin", "+02:00", "Europe Berlin", "../etc/passwd"]
    {
        check_refused("timezone", json!(bad), "IANA");
    }
    check_refused("timezone", json!("A".repeat(65)), "IANA");
}

#[test]
fn allowances_are_few_and_can_only_be_added() {
    let allowance = |name: &str| json!({"name": name, "amount": "20.00 EUR"});
    let many =
        |count: usize| -> Value { (0..count).map(|at| allowance(&at.to_string())).collect() };
    let cx = check_admitted("allowances", many(8));
    assert_eq!((cx.allowances().len(), cx.allowances()[7].name()), (8, "7"));
    check_refused("allowances", many(9), "at most 8");
    let one_more = Allowance::new("more", "1 EUR").unwrap();
    let refused = cx.with_allowance(one_more.clone()).unwrap_err();
    assert_eq!(refused.problems()[0].field(), "allowances");
    let added = check_admitted("allowances", many(7)).with_allowance(one_more).unwrap();
    assert_eq!(added.allowances()[7].amount(), "1 EUR");
    assert_eq!(added.with_dry_run(true).allowances().len(), 8, "further contexts have them too");
    let daily = check_admitted(
        "allowances",
        json!([{"name": "reporter", "amount": "100 calls", "period": "day"}]),
    );
    assert_eq!(daily.allowances()[0].period(), AllowancePeriod::Day);
}

#[test]
fn an_allowance_has_a_name_and_an_exact_amount() {
    for amount in
        ["0 EUR", "20 EUR", "0.000001 EUR", "999999999999.999999 EUR", "0 calls", "7 calls"]
    {
        assert_eq!(Allowance::new("job", amount).unwrap().amount(), amount);
    }
    for amount in [
        "",
        "20",
        "EUR",
        "20  EUR",
        "20 eur",
        "20 EURO",
        "-1 EUR",
        "1e3 EUR",
        ".5 EUR",
        "5. EUR",
        "0.0000001 EUR",
        "1000000000000 EUR",
        "1.5 calls",
        "7 call",
        " 7 calls",
        "7 calls ",
    ] {
        let refused = Allowance::new("job", amount).unwrap_err();
        assert_eq!(refused.problems()[0].field(), "amount", "{amount}");
        check_refused("allowances", json!([{"name": "job", "amount": amount}]), "amount");
    }
    for name in ["", "jo\u{200b}b", &"n".repeat(129)] {
        let refused = Allowance::new(name, "1 EUR").unwrap_err();
        assert_eq!(refused.problems()[0].field(), "name", "{}", name.escape_unicode());
    }
}

#[test]
fn attributes_are_few_and_short() {
    let many =
        |count: usize| -> Value { (0..count).map(|at| (at.to_string(), json!("value"))).collect() };
    assert_eq!(check_admitted("attributes", many(32)).attributes().len(), 32);
    check_refused("attributes", many(33), "at most 32");
    let long = |name: usize, value: usize| json!({ "n".repeat(name): "v".repeat(value) });
    check_admitted("attributes", long(128, 1024));
    check_refused("attributes", long(129, 1), "1 to 128 characters");
    check_refused("attributes", long(0, 1), "1 to 128 characters");
    check_refused("attributes", long(1, 1025), "at most 1024");
    check_refused("attributes", json!({"cart": 7}), "an object of texts");
}

#[test]
fn unknown_fields_are_refused_with_the_known_ones() {
    check_refused("tenant", json!("x"), "unknown field");
    let long = "k".repeat(1000);
    let message = read(&with(&long, json!(1))).unwrap_err();
    assert!(message.starts_with(&format!("`{}…`: unknown field", "k".repeat(64))), "{message}");
}

#[test]
fn a_field_given_twice_is_refused() {
    let twice = valid().to_string().replacen('{', r#"{"trace_id":"other","#, 1);
    let refused = serde_json::from_str::<ToolContext>(&twice).unwrap_err().to_string();
    assert!(refused.starts_with("`trace_id`: given twice"), "{refused}");
}

#[test]
fn nested_objects_name_the_whole_path() {
    check_refused("actor", json!({"type": "robot", "id": "a"}), "`type`: expected one of `user`");
    check_refused("actor", json!({"type": "user", "id": ""}), "`id`: expected text");
    check_refused("actor", json!({"type": "user", "id": "a", "b": 1}), "`b`: unknown field");
    check_refused("client", json!({"app": "tv", "version": "1"}), "`app`: expected one of `web`");
    check_refused("client", json!({"app": "web"}), "`version`: missing");
    check_refused("trace", json!({"parent_span_id": "a"}), "`span_id`: missing");
    check_refused("trace", json!(["a"]), "expected a place in a trace");
}

#[test]
fn callers_are_checked_where_they_are_made() {
    assert!(Actor::new(ActorType::User, "").is_err());
    assert!(Client::new(ClientApp::Web, "").is_err());
    assert!(Trace::new("").is_err());
    assert!(Trace::new("a").unwrap().with_parent_span_id("").is_err());
}

#[test]
fn null_is_absent() {
    for field in ["locale", "timeouts_ms", "auth", "actor", "attributes", "dry_run", "trace"] {
        assert_eq!(serde_json::to_value(check_admitted(field, Value::Null)).unwrap(), valid());
    }
    assert_eq!(serde_json::to_value(check_admitted("dry_run", json!(false))).unwrap(), valid());
}

#[test]
fn an_array_is_no_context() {
    let refused = serde_json::from_str::<ToolContext>("[]").unwrap_err().to_string();
    assert!(refused.contains("expected a tool context"), "{refused}");
}

#[test]
fn the_builder_fills_in_id_and_time() {
    let before = chrono::Utc::now();
    let build = || ToolContext::builder(Uuid::nil(), "trace").run_id("run").build().unwrap();
    let (one, other) = (build(), build());
    assert_eq!(one.invocation_id().get_version_num(), 7);
    assert_ne!(one.invocation_id(), other.invocation_id());
    assert!(one.now_iso() >= before && one.now_iso() <= chrono::Utc::now());
}

#[test]
fn another_invocation_shares_everything_else() {
    let context = check_admitted("locale", json!("de-DE"));
    let id = Uuid::now_v7();
    let other = context.with_invocation_id(id);
    assert_eq!((other.invocation_id(), other.locale()), (id, Some("de-DE")));
    assert_eq!(serde_json::to_value(&other).unwrap()["invocation_id"], json!(id));
    assert_ne!(context, other);
    assert_eq!(context, other.with_invocation_id(context.invocation_id()));
}

#[test]
fn a_new_run_has_a_prefix_and_an_id_of_its_own() {
    let builder = || ToolContext::builder(Uuid::nil(), "trace-1");
    let graph = [(); 2].map(|()| builder().new_run_id().build().unwrap());
    let upload = [(); 2].map(|()| builder().new_ingestion_run_id().build().unwrap());
    let of_graphs = graph.each_ref().map(|cx| cx.run_id().unwrap().strip_prefix("run_").unwrap());
    let of_uploads = upload.each_ref();
    let of_uploads =
        of_uploads.map(|cx| cx.ingestion_run_id().unwrap().strip_prefix("ingest_").unwrap());
    for [one, other] in [of_graphs, of_uploads] {
        assert_ne!(one, other);
        assert_eq!(Uuid::parse_str(one).unwrap().get_version_num(), 7);
    }
}
