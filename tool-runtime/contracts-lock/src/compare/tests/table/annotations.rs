//! Changes of annotations.

use serde_json::{Value, json};

use super::Case::{
    AliasAdded, AliasRemoved, DefaultChanged, HandledDifferently, Same, SpendingAdded,
    SpendingChanged, SpendingRemoved, Stricter, Undecided,
};
use super::{Row, row};

fn text(word: &str, value: Value) -> Value {
    let mut schema = json!({"type": "string"});
    schema[word] = value;
    schema
}

#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn rows() -> Vec<Row> {
    let plain = || json!({"type": "string"});
    let both = |word: &str, old: Value, new: Value| (text(word, old), text(word, new));
    let changed = |name, word: &str, rule| {
        let (before, after) = both(word, json!("a"), json!("b"));
        row(name, before, after, Same, [rule])
    };
    vec![
        changed("a title", "title", "title-changed /title"),
        changed("a description", "description", "description-changed /description"),
        changed("a comment", "$comment", "comment-changed /$comment"),
        changed("an extension", "x-order", "annotation-changed /x-order"),
        changed("a format without a parser", "format", "annotation-changed /format"),
        changed("an encoding", "contentEncoding", "annotation-changed /contentEncoding"),
        row(
            "a description is new",
            plain(),
            text("description", json!("a")),
            Same,
            ["description-changed /description"],
        ),
        row(
            "examples",
            plain(),
            text("examples", json!(["a"])),
            Same,
            ["examples-changed /examples"],
        ),
        row(
            "a deprecation",
            plain(),
            text("deprecated", json!(true)),
            Same,
            ["deprecated-changed /deprecated"],
        ),
        row(
            "read only",
            plain(),
            text("readOnly", json!(true)),
            Same,
            ["read-only-changed /readOnly"],
        ),
        row(
            "write only",
            plain(),
            text("writeOnly", json!(true)),
            Same,
            ["write-only-changed /writeOnly"],
        ),
        row(
            "a default is new",
            plain(),
            text("default", json!("a")),
            DefaultChanged,
            ["default-added /default"],
        ),
        row(
            "a default is gone",
            text("default", json!("a")),
            plain(),
            DefaultChanged,
            ["default-removed /default before"],
        ),
        {
            let (before, after) = both("default", json!("a"), json!("b"));
            row("another default", before, after, DefaultChanged, ["default-changed /default"])
        },
        row(
            "a secret",
            plain(),
            text("x-sensitivity", json!("secret")),
            HandledDifferently,
            ["sensitivity-added /x-sensitivity"],
        ),
        row(
            "no secret",
            text("x-sensitivity", json!("secret")),
            plain(),
            HandledDifferently,
            ["sensitivity-removed /x-sensitivity before"],
        ),
        {
            let (before, after) = both("x-sensitivity", json!("secret"), json!("pii"));
            row(
                "another sensitivity",
                before,
                after,
                HandledDifferently,
                ["sensitivity-changed /x-sensitivity"],
            )
        },
        row(
            "money that a budget counts",
            plain(),
            text("x-spends", json!({"currency": "EUR"})),
            SpendingAdded,
            ["spending-added /x-spends"],
        ),
        row(
            "money that no budget counts any longer",
            text("x-spends", json!({"currency": "EUR"})),
            plain(),
            SpendingRemoved,
            ["spending-removed /x-spends before"],
        ),
        {
            let marks = [json!({"currency": "EUR"}), json!({"currency": "USD"})];
            let [before, after] = marks.map(|mark| text("x-spends", mark));
            let rules = ["spending-changed /x-spends"];
            row("money in another currency", before, after, SpendingChanged, rules)
        },
        row(
            "a cost that no budget counts any longer",
            text("x-cost", json!("0.02 USD")),
            plain(),
            SpendingRemoved,
            ["spending-removed /x-cost before"],
        ),
        {
            let (before, after) = both("x-cost", json!("0.02 USD"), json!("estimated"));
            row("another cost", before, after, SpendingChanged, ["spending-changed /x-cost"])
        },
        row(
            "the first alias",
            plain(),
            text("x-aliases", json!(["text"])),
            AliasAdded,
            ["alias-added /x-aliases"],
        ),
        {
            let (before, after) = both("x-aliases", json!(["text", "t"]), json!(["text"]));
            let rules = ["alias-removed /x-aliases before"];
            row("one alias fewer", before, after, AliasRemoved, rules)
        },
        {
            let (before, after) = both("x-aliases", json!(["a", "b"]), json!(["b", "a"]));
            row("aliases in another order", before, after, Same, [])
        },
        row(
            "an unknown keyword",
            plain(),
            text("frobnicate", json!(1)),
            Stricter,
            ["undecided /frobnicate"],
        ),
        row(
            "a dialect that is the current one",
            plain(),
            text("$schema", json!("https://json-schema.org/draft/2020-12/schema")),
            Same,
            [],
        ),
        row(
            "another dialect",
            plain(),
            text("$schema", json!("http://json-schema.org/draft-07/schema#")),
            Undecided,
            ["undecided /$schema"],
        ),
        row(
            "a description of a definition that is used twice",
            json!({"prefixItems": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}],
                "$defs": {"A": {"type": "string", "description": "a"}}}),
            json!({"prefixItems": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}],
                "$defs": {"A": {"type": "string", "description": "b"}}}),
            Same,
            ["description-changed /$defs/A/description"],
        ),
    ]
}
