//! The rules of attachments, for the builder and for deserialization alike.

use serde_json::{Value, json};
use tool_contracts::{Attachment, Audience};

const SHA256: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

fn inline() -> Value {
    json!({"media_type": "text/plain", "data": "aGVsbG8=", "size": 5, "sha256": SHA256})
}

fn read(value: &Value) -> Result<Attachment, String> {
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(change: Value, part_of_message: &str) {
    let mut changed = inline();
    let fields = changed.as_object_mut().unwrap();
    fields.extend(change.as_object().unwrap().clone());
    let message = read(&changed).unwrap_err();
    assert!(message.contains(part_of_message), "{message}");
}

#[test]
fn an_attachment_comes_back_from_json() {
    let built = Attachment::builder("text/plain")
        .name("greeting.txt")
        .description("A greeting.")
        .audience([Audience::User])
        .data("aGVsbG8=")
        .size(5)
        .sha256(SHA256)
        .build()
        .unwrap();
    let written = serde_json::to_value(&built).unwrap();
    assert_eq!(read(&written), Ok(built));
}

#[test]
fn each_field_has_its_form() {
    for media_type in ["png", "image/", "/png", "Image/PNG", "image/png; q=1", "a b/c", ""] {
        refused(json!({"media_type": media_type}), "`media_type`: expected a media type");
    }
    for name in ["", "../etc", "a\\b", "two\nlines", &"x".repeat(256)] {
        refused(json!({"name": name}), "`name`: expected a file name");
    }
    refused(json!({"description": ""}), "`description`: expected text that is not empty");
    refused(json!({"sha256": SHA256.to_uppercase()}), "`sha256`: expected a SHA-256");
    refused(json!({"data": "aGVsbG8"}), "`data`: expected base64");
    refused(json!({"data": "aGVs bG8="}), "`data`: expected base64");
    refused(json!({"audience": ["model"]}), "audience");
}

#[test]
fn a_size_that_is_not_that_of_the_data_is_refused() {
    refused(json!({"size": 6}), "`size`: expected the number of bytes of `data`");
}

#[test]
fn an_attachment_has_exactly_one_content() {
    let several = "expected exactly one of `data`, `id` and `url`";
    refused(json!({"id": "att_1"}), several);
    refused(json!({"url": "https://example.org"}), several);
    refused(json!({"data": null}), several);
}

#[test]
fn bytes_are_measured_and_a_link_need_not_be() {
    refused(json!({"size": null}), "expected `size` and `sha256` beside `data` or `id`");
    let link = json!({"media_type": "image/png", "url": "https://example.org/a.png"});
    assert!(read(&link).is_ok());
    let script = json!({"media_type": "image/png", "url": "javascript:alert(1)"});
    assert!(read(&script).unwrap_err().contains("`url`: expected a URL"));
}

#[test]
fn debug_shows_neither_content_nor_texts() {
    let attachment = Attachment::builder("text/plain").name("secret").url("https://secret").build();
    assert!(!format!("{:?}", attachment.unwrap()).contains("secret"));
}
