//! Forged, altered, stale and malformed tickets, and one that version 1 must always verify.

use serde_json::{Value, json};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::{Ticket, TicketClaims, TicketRejection, sign};
use crate::key_ring::KeyRing;
use crate::store::UnixMillis;

pub(super) const NEW: [u8; 32] = [7; 32];
pub(super) const OLD: [u8; 32] = [8; 32];

/// Signs with `new`, verifies with `old` too.
pub(super) fn ring() -> KeyRing {
    KeyRing::new("new", &NEW).and_then(|ring| ring.with_former("old", &OLD)).expect("a ring")
}

fn old_ring() -> KeyRing {
    KeyRing::new("old", &OLD).expect("a ring")
}

fn claims() -> TicketClaims {
    TicketClaims {
        id: Uuid::from_u128(0x0197_f0c4_9a5b_7c3e_8a41_6f2b_8f0d_1e2a),
        call_id: Some("call_1".into()),
        tenant: Uuid::from_u128(0x0197_f0c4_0000_7000_8000_0000_0000_0001),
        principal: "user:42".into(),
        tool: "send_mail".into(),
        tool_version: "1.0.0".into(),
        schema: Digest::from_bytes([0x5c; 32]),
        arguments: Digest::from_bytes([0xa1; 32]),
        preview: Digest::from_bytes([0xe4; 32]),
        bound_preview: true,
        issued_at: UnixMillis::new(1_735_689_600_000),
        expires_at: UnixMillis::new(1_735_693_200_000),
    }
}

fn other_claims() -> TicketClaims {
    TicketClaims {
        id: Uuid::from_u128(1),
        call_id: None,
        tenant: Uuid::from_u128(2),
        principal: "user:43".into(),
        tool: "delete_mail".into(),
        tool_version: "2.0.0".into(),
        schema: Digest::from_bytes([1; 32]),
        arguments: Digest::from_bytes([2; 32]),
        preview: Digest::from_bytes([3; 32]),
        bound_preview: false,
        issued_at: UnixMillis::new(1),
        expires_at: UnixMillis::new(2),
    }
}

fn issued(claims: TicketClaims) -> Value {
    serde_json::to_value(sign(claims, &ring()).expect("a ticket")).expect("JSON")
}

fn with(ticket: &Value, field: &str, value: impl Into<Value>) -> Value {
    let mut altered = ticket.clone();
    altered[field] = value.into();
    altered
}

fn judge(ticket: &Value, ring: &KeyRing) -> Result<(), TicketRejection> {
    Ticket::parse(&ticket.to_string())?.verify(ring)
}

#[track_caller]
fn check(ticket: &Value, rejection: TicketRejection) {
    assert_eq!(judge(ticket, &ring()), Err(rejection), "{ticket}");
}

#[track_caller]
fn check_malformed(text: &str) {
    assert_eq!(Ticket::parse(text).err(), Some(TicketRejection::Malformed), "{text}");
}

#[test]
fn a_ticket_verifies_after_it_has_travelled() {
    for claims in [claims(), other_claims()] {
        let ticket = sign(claims, &ring()).expect("a ticket");
        let back = Ticket::parse(&ticket.to_json()).expect("its own JSON");
        assert_eq!(back, ticket);
        assert_eq!(back.verify(&ring()), Ok(()));
    }
}

#[test]
fn getters_return_what_was_signed() {
    let ticket = sign(claims(), &ring()).expect("a ticket");
    let back = TicketClaims {
        id: ticket.id(),
        call_id: ticket.call_id().map(Box::from),
        tenant: ticket.tenant(),
        principal: ticket.principal().into(),
        tool: ticket.tool().into(),
        tool_version: ticket.tool_version().into(),
        schema: ticket.schema(),
        arguments: ticket.arguments(),
        preview: ticket.preview(),
        bound_preview: ticket.bound_preview(),
        issued_at: ticket.issued_at(),
        expires_at: ticket.expires_at(),
    };
    assert_eq!((back, ticket.key()), (claims(), "new"));
}

// The signature was computed by another implementation of HKDF, HMAC and the framing.
#[test]
fn a_ticket_of_version_1_stays_as_it_is() {
    let text = concat!(
        r#"{"version":1,"id":"0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2a","call_id":"call_1","#,
        r#""tenant":"0197f0c4-0000-7000-8000-000000000001","principal":"user:42","#,
        r#""tool":"send_mail","tool_version":"1.0.0","#,
        r#""schema":"5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c","#,
        r#""arguments":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","#,
        r#""preview":"e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4","#,
        r#""bound_preview":true,"issued_at":1735689600000,"expires_at":1735693200000,"#,
        r#""key":"new","#,
        r#""signature":"11193681882a8d395c499bcbe1a7a431cb8e4f11f9ce138ddc944e5996b8d2c3"}"#,
    );
    assert_eq!(sign(claims(), &ring()).expect("a ticket").to_json(), text);
}

#[test]
fn every_field_is_signed() {
    let ticket = issued(claims());
    let altered = [
        ("id", json!("0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2b")),
        ("call_id", json!("call_2")),
        ("tenant", json!("0197f0c4-0000-7000-8000-000000000002")),
        ("principal", json!("user:43")),
        ("tool", json!("send_mails")),
        ("tool_version", json!("1.0.1")),
        ("schema", json!(Digest::from_bytes([0x5d; 32]).to_string())),
        ("arguments", json!(Digest::from_bytes([0xa2; 32]).to_string())),
        ("preview", json!(Digest::from_bytes([0xe5; 32]).to_string())),
        ("bound_preview", json!(false)),
        ("issued_at", json!(1_735_689_600_001_u64)),
        ("expires_at", json!(1_735_693_200_001_u64)),
    ];
    let known = ticket.as_object().expect("an object").keys();
    let apart = ["version", "key", "signature"];
    let left: Vec<_> = known.filter(|field| !apart.contains(&field.as_str())).collect();
    assert!(left.iter().all(|field| altered.iter().any(|(name, _)| name == field)), "{left:?}");
    for (field, value) in altered {
        check(&with(&ticket, field, value), TicketRejection::Tampered);
    }
}

#[test]
fn no_field_fits_another_ticket() {
    let (one, other) = (issued(claims()), issued(other_claims()));
    for (field, value) in other.as_object().expect("an object") {
        if !["version", "key"].contains(&field.as_str()) {
            check(&with(&one, field, value.clone()), TicketRejection::Tampered);
            check(&with(&other, field, one[field].clone()), TicketRejection::Tampered);
        }
    }
}

#[test]
fn text_cannot_move_between_fields() {
    let ticket = issued(claims());
    let moved = with(&with(&ticket, "principal", "user:42s"), "tool", "end_mail");
    check(&moved, TicketRejection::Tampered);
    let swapped = with(
        &with(&ticket, "schema", ticket["arguments"].clone()),
        "arguments",
        ticket["schema"].clone(),
    );
    check(&swapped, TicketRejection::Tampered);
}

#[test]
fn no_call_id_is_not_an_empty_one() {
    let nameless = TicketClaims { call_id: None, ..claims() };
    check(&with(&issued(nameless), "call_id", ""), TicketRejection::Tampered);
    let empty = TicketClaims { call_id: Some("".into()), ..claims() };
    check(&with(&issued(empty), "call_id", Value::Null), TicketRejection::Tampered);
}

#[test]
fn a_key_id_is_signed_and_must_be_on_the_ring() {
    let ticket = issued(claims());
    check(&with(&ticket, "key", "old"), TicketRejection::Tampered);
    for key in ["newer", "NEW", &"k".repeat(64)] {
        check(&with(&ticket, "key", key), TicketRejection::UnknownKey);
    }
    for key in ["", " new", "\u{e9}", &"k".repeat(65)] {
        check(&with(&ticket, "key", key), TicketRejection::Malformed);
    }
    let renamed = KeyRing::new("renamed", &NEW).expect("a ring");
    assert_eq!(judge(&with(&ticket, "key", "renamed"), &renamed), Err(TicketRejection::Tampered));
}

#[test]
fn a_former_key_verifies_until_it_is_left_out() {
    let ticket = sign(claims(), &old_ring()).expect("a ticket");
    assert_eq!(ticket.key(), "old");
    assert_eq!(ticket.verify(&ring()), Ok(()));
    let rotated = KeyRing::new("new", &NEW).expect("a ring");
    assert_eq!(ticket.verify(&rotated), Err(TicketRejection::UnknownKey));
    let other = KeyRing::new("old", &NEW).expect("a ring");
    assert_eq!(ticket.verify(&other), Err(TicketRejection::Tampered));
}

#[test]
fn every_bit_of_the_signature_counts() {
    let ticket = sign(claims(), &ring()).expect("a ticket");
    for bit in 0..256 {
        let mut forged = ticket.clone();
        forged.signature[bit / 8] ^= 1 << (bit % 8);
        let back = Ticket::parse(&forged.to_json()).expect("well-formed");
        assert_eq!(back.verify(&ring()), Err(TicketRejection::Tampered), "bit {bit}");
    }
}

#[test]
fn a_hash_has_64_lower_case_digits() {
    let ticket = issued(claims());
    for field in ["signature", "schema", "arguments", "preview"] {
        let right = ticket[field].as_str().expect("a text").to_owned();
        let wrong = [
            String::new(),
            right[..62].to_owned(),
            right[..63].to_owned(),
            format!("{right}0"),
            format!("{right}00"),
            format!(" {}", &right[1..]),
            format!("g{}", &right[1..]),
            format!("ä{}", &right[2..]),
            format!("A{}", &right[1..]),
            right.replacen(|digit: char| digit.is_ascii_digit(), "+", 1),
        ];
        for value in wrong {
            check(&with(&ticket, field, value), TicketRejection::Malformed);
        }
        check(&with(&ticket, field, Value::Null), TicketRejection::Malformed);
    }
    let upper = ticket["arguments"].as_str().expect("a text").to_uppercase();
    check(&with(&ticket, "arguments", upper), TicketRejection::Malformed);
}

#[test]
fn each_field_has_one_form() {
    let ticket = issued(claims());
    let wrong = [
        ("version", json!(0)),
        ("version", json!(2)),
        ("version", json!(257)),
        ("version", json!(1.0)),
        ("version", json!("1")),
        ("id", json!("0197F0C4-9A5B-7C3E-8A41-6F2B8F0D1E2A")),
        ("id", json!("0197f0c49a5b7c3e8a416f2b8f0d1e2a")),
        ("id", json!("{0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2a}")),
        ("tenant", json!("urn:uuid:0197f0c4-0000-7000-8000-000000000001")),
        ("tenant", json!("")),
        ("call_id", json!(1)),
        ("principal", Value::Null),
        ("tool", json!(["send_mail"])),
        ("bound_preview", json!("true")),
        ("issued_at", json!(-1)),
        ("issued_at", json!(1.5)),
        ("expires_at", json!("1735693200000")),
        ("expires_at", Value::Null),
        ("approved", json!(true)),
    ];
    for (field, value) in wrong {
        check(&with(&ticket, field, value), TicketRejection::Malformed);
    }
}

#[test]
fn text_that_is_not_one_complete_object_is_malformed() {
    let ticket = issued(claims());
    let text = ticket.to_string();
    let fields = ticket.as_object().expect("an object");
    for field in fields.keys().filter(|field| *field != "call_id") {
        let mut short = ticket.clone();
        short.as_object_mut().expect("an object").remove(field);
        check_malformed(&short.to_string());
    }
    for (field, value) in fields {
        check_malformed(&text.replacen('{', &format!("{{\"{field}\":{value},"), 1));
    }
    let listed = fields.values().cloned().collect::<Value>();
    for wrong in ["", "null", "{}", "[]", "yes", &listed.to_string(), &json!([ticket]).to_string()]
    {
        check_malformed(wrong);
    }
    check_malformed(&text[..text.len() - 1]);
    check_malformed(&format!("{text}x"));
    check_malformed(&format!("{text}{text}"));
    check_malformed(&format!("\u{feff}{text}"));
}

#[test]
fn an_array_in_the_order_of_the_fields_is_no_ticket() {
    let text = sign(claims(), &ring()).expect("a ticket").to_json();
    let values: Vec<Value> = text[1..text.len() - 1]
        .split(',')
        .map(|entry| serde_json::from_str(entry.split_once("\":").expect("a field").1))
        .collect::<Result<_, _>>()
        .expect("values");
    assert_eq!(values.len(), 15);
    check_malformed(&Value::from(values).to_string());
}

#[test]
fn length_is_bounded_whole_and_by_field() {
    let text = issued(claims()).to_string();
    let padded = |length: usize| format!("{text}{}", " ".repeat(length - text.len()));
    assert!(Ticket::parse(&padded(8 * 1024)).is_ok());
    check_malformed(&padded(8 * 1024 + 1));
    for (field, max_length) in
        [("call_id", 256), ("principal", 512), ("tool", 128), ("tool_version", 128)]
    {
        check(&with(&issued(claims()), field, "x".repeat(max_length)), TicketRejection::Tampered);
        check(
            &with(&issued(claims()), field, "x".repeat(max_length + 1)),
            TicketRejection::Malformed,
        );
    }
}

#[test]
fn every_ticket_that_can_be_signed_can_be_parsed() {
    // Six bytes each in JSON.
    let longest = |length: usize| Box::from("\u{1}".repeat(length));
    let largest = TicketClaims {
        call_id: Some(longest(256)),
        principal: longest(512),
        tool: longest(128),
        tool_version: longest(128),
        issued_at: UnixMillis::new(u64::MAX),
        expires_at: UnixMillis::new(u64::MAX),
        ..claims()
    };
    let ring = KeyRing::new("k".repeat(64), &NEW).expect("a ring");
    let text = sign(largest.clone(), &ring).expect("a ticket").to_json();
    assert_eq!(Ticket::parse(&text).expect("its own JSON").verify(&ring), Ok(()));

    let oversized = [
        TicketClaims { call_id: Some(longest(257)), ..largest.clone() },
        TicketClaims { principal: longest(513), ..largest.clone() },
        TicketClaims { tool: longest(129), ..largest.clone() },
        TicketClaims { tool_version: longest(129), ..largest },
    ];
    for claims in oversized {
        assert_eq!(sign(claims, &ring).err(), Some(TicketRejection::Oversized));
    }
}

#[test]
fn a_reader_s_error_quotes_nothing() {
    let ticket = with(&issued(claims()), "schema", "hunter2");
    for wrong in [ticket, json!("hunter2"), json!({"hunter2": 1})] {
        let error = serde_json::from_value::<Ticket>(wrong.clone()).expect_err("malformed");
        assert!(!error.to_string().contains("hunter2"), "{error}");
        let error = serde_json::from_str::<Ticket>(&wrong.to_string()).expect_err("malformed");
        assert!(error.to_string().starts_with("invalid ticket"), "{error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[test]
fn debug_shows_no_signature_and_no_key() {
    let ticket = sign(claims(), &ring()).expect("a ticket");
    let shown = format!("{ticket:?}");
    assert!(shown.contains("send_mail") && shown.contains("user:42"), "{shown}");
    assert!(!shown.contains(issued(claims())["signature"].as_str().expect("a text")), "{shown}");
    assert!(!shown.contains(&format!("{:?}", ticket.signature)), "{shown}");
}
