//! A plain struct of `#[ai_type]` is read without a derive of serde, and in the same way.

use std::fmt::Debug;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde_json::{Value, json};
use tool_runtime::prelude::*;

fn many() -> u32 {
    30
}

/// A struct with each kind of field.
#[ai_type]
#[derive(Debug)]
struct Plain {
    /// Items.
    items: Vec<String>,
    /// Those of them that count.
    #[arg(default)]
    total: u32,
    /// A bound.
    #[arg(default = 30)]
    limit: u32,
    /// Where it begins.
    #[arg(rename = "from")]
    start: Option<u8>,
    /// Its type.
    r#type: String,
    /// A smaller one inside.
    inner: Option<Box<Plain>>,
}

mod derived {
    use super::many;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "it is printed")]
    pub(super) struct Plain {
        items: Vec<String>,
        #[serde(default)]
        total: u32,
        #[serde(default = "many")]
        limit: u32,
        #[serde(rename = "from")]
        start: Option<u8>,
        r#type: String,
        inner: Option<Box<Plain>>,
    }
}

/// A struct that ignores undeclared fields.
#[ai_type(open)]
#[derive(Debug)]
struct Open {
    /// The only one that counts.
    only: u8,
}

mod derived_open {
    #[derive(Debug, serde::Deserialize)]
    #[allow(dead_code, reason = "it is printed")]
    pub(super) struct Open {
        only: u8,
    }
}

fn outcome<T: Debug, E: ToString>(read: Result<T, E>) -> Result<String, String> {
    read.map(|value| format!("{value:?}")).map_err(|error| error.to_string())
}

#[test]
fn json_is_read_as_a_derive_reads_it_with_its_errors() {
    let whole = r#"{"items":["a"],"total":1,"limit":2,"from":3,"type":"t","inner":{"items":[],"type":"u"}}"#;
    let mut texts: Vec<String> = [
        whole,
        r#"{"type":"t","items":[]}"#,
        r#"{"items":[],"type":"t","from":null,"inner":null}"#,
        r#"{"items":[]}"#,
        r#"{"items":[],"type":"t","start":1}"#,
        r#"{"items":[],"type":"t","items":5}"#,
        r#"{"items":[],"type":"t","total":null}"#,
        r#"{"items":[],"type":"t","inner":{"type":"u"}}"#,
        r#"{"items":[],"type":"t","inner":{"items":[],"type":"u","more":1}}"#,
        r#"[["a"],1,2,3,"t",null]"#,
        r#"[["a"],1]"#,
        "[]",
        "7",
        "\"text\"",
        "null",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend((0..whole.len()).map(|end| whole[..end].to_owned()));
    for text in texts {
        let own = outcome(serde_json::from_str::<Plain>(&text));
        assert_eq!(own, outcome(serde_json::from_str::<derived::Plain>(&text)), "{text}");
    }
    for text in
        [r#"{"only":1}"#, r#"{"more":[{}],"only":1}"#, r#"{"more":1}"#, r#"{"only":1,"only":2}"#]
    {
        let own = outcome(serde_json::from_str::<Open>(text));
        assert_eq!(own, outcome(serde_json::from_str::<derived_open::Open>(text)), "{text}");
    }
}

#[test]
fn values_and_fields_by_number_and_by_bytes_are_read_as_a_derive_reads_them() {
    for value in
        [json!({"items": [], "type": "t"}), json!([[], 1, 2, 3, "t", null]), json!({"x": 1})]
    {
        let own = outcome(serde_json::from_value::<Plain>(value.clone()));
        assert_eq!(own, outcome(serde_json::from_value::<derived::Plain>(value)));
    }
    fn by<'de, K: IntoDeserializer<'de, Error>, T: Deserialize<'de> + Debug>(
        key: K,
    ) -> Result<String, String> {
        outcome(T::deserialize(MapDeserializer::new([(key, 7_u8)].into_iter())))
    }
    for position in 0..3 {
        assert_eq!(by::<u64, Open>(position), by::<u64, derived_open::Open>(position));
        assert_eq!(by::<u64, Plain>(position + 5), by::<u64, derived::Plain>(position + 5));
    }
    for name in [&b"only"[..], b"other", b"\xff"] {
        assert_eq!(by::<_, Open>(name), by::<_, derived_open::Open>(name));
        assert_eq!(by::<_, Plain>(name), by::<_, derived::Plain>(name));
    }
    let numbers = || SeqDeserializer::<_, Error>::new([4_u8].into_iter());
    assert_eq!(
        outcome(Open::deserialize(numbers())),
        outcome(derived_open::Open::deserialize(numbers()))
    );
}

#[test]
fn a_heading_is_the_title_and_the_rest_the_description_as_in_a_derive() {
    /// # A heading
    ///
    /// The text, of
    ///  two lines.
    #[derive(schemars::JsonSchema)]
    #[allow(dead_code, reason = "its schema is compared")]
    struct Derived {
        /// ## Inside
        /// A field.
        one: u8,
        /** A block. */
        two: u8,
        #[doc = " Three. "]
        three: u8,
        four: u8,
    }

    /// # A heading
    ///
    /// The text, of
    ///  two lines.
    #[ai_type]
    struct Own {
        /// ## Inside
        /// A field.
        one: u8,
        /** A block. */
        two: u8,
        #[doc = " Three. "]
        three: u8,
        four: u8,
    }

    let schema = |schema: schemars::Schema| {
        let mut schema = schema.to_value();
        for word in ["title", "additionalProperties"] {
            schema.as_object_mut().expect("an object").remove(word);
        }
        schema
    };
    let own: Value = schema(schemars::schema_for!(Own));
    assert_eq!(own, schema(schemars::schema_for!(Derived)));
    assert_eq!(own["properties"]["one"]["title"], "Inside");
    let Own { one, two, three, four } = Own { one: 1, two: 2, three: 3, four: 4 };
    assert_eq!(one + two + three + four, 10);
}
