use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use self::fields::Fields;
use super::{Excerpt, excerpt};

fn anything(_: &str) -> bool {
    true
}

#[track_caller]
fn check(data: &str, max_bytes: usize, shown: &str, cuts: &[(&str, u64, u64)]) {
    let excerpt = excerpt(data, max_bytes, anything).expect("rows are enough");
    assert_eq!(excerpt.json, shown);
    let found = excerpt.cuts.iter();
    let found: Vec<_> = found.map(|cut| (&*cut.pointer, cut.rows_shown, cut.rows_total)).collect();
    assert_eq!(found, cuts);
}

#[test]
fn a_short_answer_is_given_whole() {
    check("[1, 2]", 6, "[1, 2]", &[]);
    check(r#"{"a":1}"#, 7, r#"{"a":1}"#, &[]);
}

#[test]
fn the_longest_row_prefix_that_fits_is_shown() {
    check("[10,20,30,40,50]", 15, "[10,20,30,40]", &[("", 4, 5)]);
    check("[10,20,30,40,50]", 13, "[10,20,30,40]", &[("", 4, 5)]);
    check("[10,20,30,40,50]", 12, "[10,20,30]", &[("", 3, 5)]);
    check("[10,20,30,40,50]", 4, "[10]", &[("", 1, 5)]);
    check("[10,20,30,40,50]", 3, "[]", &[("", 0, 5)]);
}

#[test]
fn everything_beside_the_rows_stays_as_it_was_written() {
    check(
        r#"{ "total":1.50, "hits" : [ "a\u00e9" , 2e0 , "xxxxxxxxxxxxxxxx" ] , "next":null }"#,
        65,
        r#"{ "total":1.50, "hits" : [ "a\u00e9" , 2e0 ] , "next":null }"#,
        &[("/hits", 2, 3)],
    );
}

#[test]
fn the_array_that_weighs_most_is_cut() {
    let data = r#"{"few":[1,2],"many":["aaaaaaaa","bbbbbbbb","cccccccc"]}"#;
    check(data, 50, r#"{"few":[1,2],"many":["aaaaaaaa","bbbbbbbb"]}"#, &[("/many", 2, 3)]);
}

#[test]
fn two_long_arrays_both_keep_rows() {
    let data = json!({"a": vec![1; 1000], "b": vec![2; 800]}).to_string();
    let excerpt = excerpt(&data, 400, anything).expect("rows are enough");
    let shown: Vec<_> = excerpt.cuts.iter().map(|cut| cut.rows_shown).collect();
    assert!(shown.iter().all(|rows| (50..150).contains(rows)), "{shown:?}");
    assert!((399..=400).contains(&excerpt.json.len()));
}

#[test]
fn arrays_inside_of_a_row_are_cut_when_it_is_the_last() {
    let data = r#"{"docs":[{"id":7,"lines":["one","two","three"]},{"id":8,"lines":["x"]}]}"#;
    check(
        data,
        45,
        r#"{"docs":[{"id":7,"lines":["one","two"]}]}"#,
        &[("/docs", 1, 2), ("/docs/0/lines", 2, 3)],
    );
    check(
        data,
        30,
        r#"{"docs":[{"id":7,"lines":[]}]}"#,
        &[("/docs", 1, 2), ("/docs/0/lines", 0, 3)],
    );
    check(data, 29, r#"{"docs":[]}"#, &[("/docs", 0, 2)]);
}

#[test]
fn a_row_too_long_for_the_budget_costs_the_other_arrays_nothing() {
    let data = json!({"blobs": ["x".repeat(500)], "list": vec![1; 40]}).to_string();
    let excerpt = excerpt(&data, 200, anything).expect("rows are enough");
    assert_eq!(excerpt.cuts.len(), 1);
    assert_eq!(excerpt.cuts[0].pointer, "/blobs");
}

#[test]
fn an_answer_that_removed_rows_cannot_shorten_has_no_excerpt() {
    assert_eq!(excerpt(r#"{"text":"aaaaaaaaaaaaaaaa"}"#, 10, anything), None);
    assert_eq!(excerpt(r#"{"text":"aaaaaaaaaaaaaaaa","hits":[1,2]}"#, 20, anything), None);
    assert_eq!(excerpt("[1,2,3]", 1, anything), None);
    assert_eq!(excerpt("[1,2,", 3, anything), None);
}

#[test]
fn a_schema_that_forbids_every_cut_is_obeyed() {
    assert_eq!(excerpt("[1,2,3,4]", 5, |_| false), None);
}

#[test]
fn an_array_that_must_stay_whole_leaves_it_to_the_others() {
    let data =
        json!({"columns": ["a".repeat(40), "b".repeat(40)], "rows": vec![1; 30]}).to_string();
    let two_columns = |text: &str| {
        let read: Value = serde_json::from_str(text).expect("it is JSON");
        read["columns"].as_array().is_some_and(|columns| columns.len() == 2)
    };
    let Excerpt { cuts, .. } = excerpt(&data, 130, two_columns).expect("rows are enough");
    assert_eq!((cuts.len(), &*cuts[0].pointer), (1, "/rows"));
    assert!(cuts[0].rows_shown > 1);
}

#[test]
fn a_last_row_that_must_stay_leaves_it_to_another() {
    let data = json!({"must": ["a".repeat(50)], "may": ["b".repeat(60)]}).to_string();
    let kept = excerpt(&data, 100, |text| text.contains("aaa")).expect("one row is enough");
    assert_eq!((kept.cuts.len(), &*kept.cuts[0].pointer), (1, "/may"));
}

#[test]
fn many_arrays_that_are_not_enough_together_are_given_up_soon() {
    // A search for the best last row at each step would take minutes here.
    let many: serde_json::Map<_, _> = (0..100_000).map(|id| (id.to_string(), json!([1]))).collect();
    assert_eq!(excerpt(&Value::Object(many).to_string(), 100, anything), None);
}

#[test]
fn fixed_rows_of_a_short_array_are_not_guessed_at_first() {
    let data = json!({"pair": ["a".repeat(99), "b".repeat(99)], "rows": vec!["c".repeat(9); 20]});
    let pairs = |text: &str| text.contains("bbb");
    let kept = excerpt(&data.to_string(), 230, pairs).expect("rows are enough");
    assert_eq!((kept.cuts.len(), &*kept.cuts[0].pointer), (1, "/rows"));
}

#[test]
fn a_long_list_fills_the_budget() {
    let rows: Vec<_> = (0..50_000).map(|id| json!({"id": id, "tags": ["a", "b"]})).collect();
    let data = json!({"rows": rows}).to_string();
    let excerpt = excerpt(&data, 10_000, anything).expect("rows are enough");
    assert_eq!(excerpt.cuts.len(), 1);
    assert!((9_960..=10_000).contains(&excerpt.json.len()));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 200, 12, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            1 => prop::collection::vec(("[a-d/~é\"]{1,3}", inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Returns whether `shown` is `whole` with rows removed at the ends of arrays, and lists the cuts.
fn lost_rows(shown: &str, whole: &str, pointer: &str, lost: &mut Vec<(String, u64, u64)>) -> bool {
    if let Ok(all) = serde_json::from_str::<Vec<&RawValue>>(whole) {
        let Ok(some) = serde_json::from_str::<Vec<&RawValue>>(shown) else { return false };
        if some.len() < all.len() {
            lost.push((pointer.to_owned(), some.len() as u64, all.len() as u64));
        }
        let mut rows = some.iter().zip(&all).enumerate();
        return some.len() <= all.len()
            && rows.all(|(at, (some, all))| {
                lost_rows(some.get(), all.get(), &format!("{pointer}/{at}"), lost)
            });
    }
    if let Ok(Fields(all)) = serde_json::from_str(whole) {
        let Ok(Fields(some)) = serde_json::from_str(shown) else { return false };
        let mut fields = some.iter().zip(&all);
        return some.len() == all.len()
            && fields.all(|((name, some), (other, all))| {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                name == other
                    && lost_rows(some.get(), all.get(), &format!("{pointer}/{escaped}"), lost)
            });
    }
    shown == whole
}

mod fields {
    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
    use serde_json::value::RawValue;

    /// An object's fields in document order, as raw text.
    pub(super) struct Fields<'t>(pub(super) Vec<(String, &'t RawValue)>);

    impl<'de> Deserialize<'de> for Fields<'de> {
        fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
            reader.deserialize_map(Self(Vec::new()))
        }
    }

    impl<'de> Visitor<'de> for Fields<'de> {
        type Value = Self;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
            while let Some(field) = map.next_entry()? {
                self.0.push(field);
            }
            Ok(self)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_excerpt_fits_and_is_the_answer_but_for_rows(
        value in value(),
        pretty in any::<bool>(),
        share in 0..110_usize,
    ) {
        let data = if pretty { format!("{value:#}") } else { value.to_string() };
        let max_bytes = data.len() * share / 100;
        if let Some(excerpt) = excerpt(&data, max_bytes, anything) {
            prop_assert!(excerpt.json.len() <= max_bytes);
            let mut lost = Vec::new();
            prop_assert!(lost_rows(&excerpt.json, &data, "", &mut lost), "{}\n{data}", excerpt.json);
            let cuts = excerpt.cuts.into_iter();
            let cuts: Vec<_> = cuts.map(|cut| (cut.pointer, cut.rows_shown, cut.rows_total)).collect();
            prop_assert_eq!(cuts, lost);
        } else {
            prop_assert!(data.len() > max_bytes);
        }
    }

    #[test]
    fn a_list_is_cut_to_the_row_and_not_further(
        rows in prop::collection::vec("[a-z]{0,9}", 1..60),
        max_bytes in 2..400_usize,
    ) {
        let data = json!(rows).to_string();
        let shown = excerpt(&data, max_bytes, anything).expect("an empty list fits").json;
        let shown: Vec<String> = serde_json::from_str(&shown).expect("it is JSON");
        prop_assert_eq!(&shown[..], &rows[..shown.len()]);
        if shown.len() < rows.len() {
            prop_assert!(json!(rows[..=shown.len()]).to_string().len() > max_bytes);
        }
    }
}
