//! Search results, their order, and queries without results.

use serde_json::{Value, json};
use tool_contracts::{Effect, ToolSpec, ToolkitSpec};

use super::ToolIndex;

fn spec(name: &str, description: &str) -> ToolSpec {
    with_parameters(name, description, &json!({}))
}

fn with_parameters(name: &str, description: &str, properties: &Value) -> ToolSpec {
    ToolSpec::builder(name, Effect::Read)
        .description(description)
        .input_schema(json!({ "type": "object", "properties": properties }))
        .build()
        .expect("a valid contract")
}

#[track_caller]
fn check(specs: &[ToolSpec], query: &str, expected: &[&str]) {
    let hits = ToolIndex::new(specs).search(query, 10);
    assert_eq!(hits.iter().map(super::Hit::name).collect::<Vec<_>>(), expected, "{query}");
}

#[test]
fn names_are_found_by_their_parts() {
    let specs =
        [spec("getCurrentWeather", ""), spec("stock_price.latest", ""), spec("s3-list", "")];
    check(&specs, "weather", &["getCurrentWeather"]);
    check(&specs, "the latest price", &["stock_price.latest"]);
    check(&specs, "what is in S3?", &["s3-list"]);
    check(&specs, "getcurrentweather", &["getCurrentWeather"]);
}

#[test]
fn one_word_in_several_forms_is_one_word() {
    let specs = [spec("currency", "Converts between currencies."), spec("zip", "Packs files.")];
    check(&specs, "converting a currency", &["currency"]);
    check(&specs, "PACKING a File", &["zip"]);
}

#[test]
fn questions_in_chinese_japanese_and_korean_find_their_tools() {
    let specs = [
        spec("a", "查询城市的天气预报"),
        spec("b", "发送电子邮件"),
        spec("c", "天気を調べる"),
        spec("d", "날씨를 조회합니다"),
        spec("e", "买茶"),
    ];
    check(&specs, "北京明天天气怎么样？", &["a"]);
    check(&specs, "给老板发电子邮件", &["b"]);
    check(&specs, "明日の天気", &["c"]);
    check(&specs, "서울 날씨", &["d"]);
    check(&specs, "茶", &["e"]);
}

#[test]
fn a_tool_that_shares_no_word_is_not_found() {
    let specs = [spec("weather", "Tells the weather of a city.")];
    for query in ["", "   ", "?!", "what is the", "42 and 7", "quantum chromodynamics"] {
        check(&specs, query, &[]);
    }
    check(&[], "weather", &[]);
}

#[test]
fn equals_come_in_the_order_of_their_names() {
    let specs = ["c", "a", "b"].map(|name| spec(name, "Reads the sensor."));
    check(&specs, "sensor", &["a", "b", "c"]);
    let hits = ToolIndex::new(&specs).search("sensor", 2);
    assert_eq!(hits.iter().map(super::Hit::name).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_name_says_more_than_a_description_and_that_more_than_a_parameters_text() {
    let specs = [
        with_parameters("a", "", &json!({ "x": { "description": "An invoice." } })),
        with_parameters("b", "", &json!({ "invoice": {} })),
        spec("c", "An invoice."),
        spec("invoice", ""),
    ];
    let hits = ToolIndex::new(&specs).search("invoice", 10);
    assert_eq!(hits[0].name(), "invoice");
    assert_eq!(hits[3].name(), "a");
    assert!(hits.windows(2).all(|pair| pair[0].score() >= pair[1].score()));
}

#[test]
fn a_rare_word_says_more_than_a_common_one() {
    let mut specs: Vec<_> = (0..9).map(|n| spec(&format!("n{n}"), "Sends a report.")).collect();
    specs.push(spec("z", "Sends a telegram."));
    let hits = ToolIndex::new(&specs).search("send the telegram report", 10);
    assert_eq!((hits[0].name(), hits.len()), ("z", 10));
}

#[test]
fn parameters_are_found_at_any_depth_with_their_values() {
    let nested = json!({
        "filter": {
            "type": "object",
            "properties": { "colour": { "enum": ["crimson", 7] } },
        },
        "sizes": { "items": { "anyOf": [{ "const": "tiny" }, { "description": "Or gigantic." }] } },
        "default": { "description": "A parameter that is named like a keyword." },
    });
    let specs = [with_parameters("a", "", &nested)];
    for query in ["colour", "crimson", "tiny", "gigantic", "keywords", "filters"] {
        check(&specs, query, &["a"]);
    }
    check(&specs, "object", &[]);
}

#[test]
fn at_most_so_many_are_found_and_they_are_the_best() {
    let specs: Vec<_> = (0..50)
        .map(|n| spec(&format!("tool_{n:02}"), &"probe ".repeat(1 + (n * 7) % 50)))
        .collect();
    let index = ToolIndex::new(&specs);
    let all = index.search("probe", usize::MAX);
    assert_eq!((all.len(), index.search("probe", 0).len()), (50, 0));
    for k in [1, 7, 49, 50] {
        let names = |hits: &[super::Hit]| -> Vec<String> {
            hits.iter().map(|hit| hit.name().to_owned()).collect()
        };
        assert_eq!(names(&index.search("probe", k)), names(&all[..k]));
    }
}

#[test]
fn a_question_is_read_up_to_its_bound() {
    let specs = [spec("weather", "")];
    check(&specs, &format!("{}weather", "é ".repeat(1_990)), &["weather"]);
    check(&specs, &format!("{}weather", "é ".repeat(2_000)), &[]);
}

#[test]
fn the_order_of_the_words_and_of_the_tools_does_not_matter() {
    let mut specs: Vec<_> = ["b green", "a tea", "d tea", "c black"]
        .map(|text| text.split_once(' ').expect("two words"))
        .map(|(name, words)| spec(name, words))
        .into();
    let scores = |specs: &[ToolSpec], query| -> Vec<(String, f64)> {
        let hits = ToolIndex::new(specs).search(query, 10);
        hits.iter().map(|hit| (hit.name().to_owned(), hit.score())).collect()
    };
    let once = scores(&specs, "green black tea");
    specs.reverse();
    assert_eq!(once, scores(&specs, "tea tea black GREEN"));
}

fn in_toolkit(name: &str, description: &str, toolkit: (&str, &str)) -> ToolSpec {
    ToolSpec::builder(name, Effect::Read)
        .description(description)
        .toolkit(ToolkitSpec::new(toolkit.0, toolkit.1).expect("a toolkit"))
        .build()
        .expect("a valid contract")
}

#[test]
fn a_tool_is_found_by_what_its_toolkit_is_for() {
    let crm = ("crm", "Looks after the customers of a company.");
    let specs = [
        in_toolkit("crm.notes", "Lists what was written down.", crm),
        in_toolkit("crm.owner", "Names the person in charge.", crm),
        spec("weather", "Tells the weather of a city."),
    ];
    check(&specs, "which customers do we have", &["crm.notes", "crm.owner"]);
    check(&specs, "who is in charge of a customer", &["crm.owner", "crm.notes"]);
}

#[test]
fn a_description_of_its_own_says_more_of_a_tool_than_its_toolkits() {
    let specs = [
        in_toolkit("a.list", "Lists entries.", ("a", "Handles invoices.")),
        spec("b", "Handles invoices."),
    ];
    check(&specs, "invoices", &["b", "a.list"]);
}

#[test]
fn each_sentence_of_a_query_counts_by_itself() {
    let words = ["room", "hotel", "night", "city", "view", "breakfast"];
    let mut specs: Vec<_> =
        (2..=6).map(|n| spec(&format!("t{n}"), &words[..n].join(" "))).collect();
    specs.extend((0..4).map(|n| spec(&format!("money_{n}"), "")));
    let place = |query: &str| {
        let hits = ToolIndex::new(&specs).search(query, 20);
        hits.iter().position(|hit| hit.name() == "money_0")
    };
    let room = words.join(" ");
    let (separate, joined) = (place(&format!("{room}. Money?")), place(&format!("{room} money")));
    assert!(separate < joined, "{separate:?} {joined:?}");
}

#[test]
fn many_similar_tools_do_not_displace_the_one_for_the_rest() {
    let hotels = (0..20).map(|n| spec(&format!("hotel_{n:02}"), "Books."));
    let ferry = "Ferries, beside many other ways to travel that are offered on this coast.";
    let ferries = (0..20).map(|n| spec(&format!("n{n:02}"), ferry));
    let specs: Vec<_> = hotels.chain(ferries).collect();
    let hits = ToolIndex::new(&specs).search("hotel ferries", 40);
    assert_eq!(hits[0].name(), "hotel_00");
    let first = hits.iter().position(|hit| hit.name() == "n00");
    assert!(first.is_some_and(|place| place < 20), "{first:?}");
    assert!(hits.windows(2).all(|pair| pair[0].score() >= pair[1].score()));
}

#[test]
fn a_tool_is_found_by_the_texts_of_its_examples() {
    let example = json!({ "filter": { "genre": ["baroque", 3] } });
    let spec = ToolSpec::builder("a", Effect::Read).input_example(example).build().unwrap();
    check(&[spec], "baroque music", &["a"]);
}
