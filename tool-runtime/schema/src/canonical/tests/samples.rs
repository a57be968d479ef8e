//! Samples of RFC 8785 and of its authors' test data.

use super::check;
use crate::canonical::{Digest, canonicalize};

#[test]
fn the_first_sample_of_the_rfc() {
    let text = r#"{
      "numbers": [333333333.33333329, 1E30, 4.50,
                  2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"#;
    let canonical = concat!(
        r#"{"literals":[null,true,false],"#,
        r#""numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        r#""string":"€$\u000f\nA'B\"\\\\\"/"}"#,
    );
    check(text, canonical);
}

#[test]
fn names_are_sorted_by_utf16_code_units() {
    let text = r#"{
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let canonical = concat!(
        r#"{"\r":"Carriage Return","1":"One","#,
        "\"\u{80}\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",",
        "\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",",
        "\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}",
    );
    check(text, canonical);
}

#[test]
fn arrays() {
    check(
        "[\n 56,\n {\"d\": true, \"10\": null, \"1\": [ ]}\n]",
        r#"[56,{"1":[],"10":null,"d":true}]"#,
    );
}

#[test]
fn french() {
    let text =
        r#"{"peach": "order", "péché": "is wrong", "pêche": "but must", "sin": "no locale"}"#;
    let sorted = r#"{"peach":"order","péché":"is wrong","pêche":"but must","sin":"no locale"}"#;
    check(text, sorted);
    check(
        r#"{"pêche": 3, "péché": 2, "sin": 4, "peach": 1}"#,
        r#"{"peach":1,"péché":2,"pêche":3,"sin":4}"#,
    );
}

#[test]
fn structures() {
    check(
        r#"{"1": {"f": {"f": "hi","F": 5} ,"\n": 56.0}, "10": { }, "": "empty", "a": { },
            "111": [ {"e": "yes","E": "no" } ], "A": { }}"#,
        r#"{"":"empty","1":{"\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}"#,
    );
}

#[test]
fn text_is_not_normalized() {
    let twice = "{\"Unnormalized Unicode\":\"A\u{30a}\"}";
    check(r#"{"Unnormalized Unicode":"A\u030a"}"#, twice);
    check("{\"\u{e9}\":1,\"e\u{301}\":2}", "{\"e\u{301}\":2,\"\u{e9}\":1}");
}

#[test]
fn values() {
    check(
        r#"{"numbers": [1E30, 4.50, 333333333.33333329, 2e-3, 0.000000000000000000000000001],
            "escaping": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"#,
        "{\"escaping\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\",\"literals\":[null,true,false],\
         \"numbers\":[1e+30,4.5,333333333.3333333,0.002,1e-27]}",
    );
}

#[test]
fn weird() {
    check(
        r#"{"\u20ac": 1, "\r": 2, "\u000a": 3, "1": 4, "\u0080": "\u007f", "\ud83d\ude02": 6,
            "\u00f6": 7, "\ufb33": 8, "</script>": 9}"#,
        "{\"\\n\":3,\"\\r\":2,\"1\":4,\"</script>\":9,\"\u{80}\":\"\u{7f}\",\"ö\":7,\"€\":1,\"😂\":6,\"\u{fb33}\":8}",
    );
}

/// Appendix B: a float's bits, and its text.
const FLOATS: &[(u64, &str)] = &[
    (0x0000_0000_0000_0000, "0"),
    (0x8000_0000_0000_0000, "0"),
    (0x0000_0000_0000_0001, "5e-324"),
    (0x8000_0000_0000_0001, "-5e-324"),
    (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
    (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
    (0x4340_0000_0000_0000, "9007199254740992"),
    (0xc340_0000_0000_0000, "-9007199254740992"),
    (0x4430_0000_0000_0000, "295147905179352830000"),
    (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
    (0x44b5_2d02_c7e1_4af6, "1e+23"),
    (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
    (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
    (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
    (0x444b_1ae4_d6e2_ef50, "1e+21"),
    (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
    (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
    (0x41b3_de43_5555_5553, "333333333.3333332"),
    (0x41b3_de43_5555_5554, "333333333.33333325"),
    (0x41b3_de43_5555_5555, "333333333.3333333"),
    (0x41b3_de43_5555_5556, "333333333.3333334"),
    (0x41b3_de43_5555_5557, "333333333.33333343"),
    (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
    (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
];

#[test]
fn floats_are_written_as_appendix_b_says() {
    for (bits, expected) in FLOATS {
        let float = f64::from_bits(*bits);
        check(&format!("{float:e}"), expected);
        check(&format!("{float:.25e}"), expected);
    }
}

#[test]
fn integers_keep_every_digit_up_to_2_to_the_53() {
    for text in ["0", "7", "-1", "999999999999999", "9007199254740991", "-9007199254740991"] {
        check(text, text);
    }
    check("-0", "0");
    check("-0.0", "0");
    check("0e999", "0");
}

#[test]
fn a_float_is_rounded_to_the_nearest_one() {
    check("1.0", "1");
    check("10000e-3", "10");
    check("0.1000000000000000055", "0.1");
    check("9007199254740993.0", "9007199254740992");
    check("1e-400", "0");
    check("1e20", "100000000000000000000");
    check("1e21", "1e+21");
}

#[test]
fn long_numbers_are_read_to_their_last_digit() {
    let zeros = |count| "0".repeat(count);
    check(&format!("0.{}15e700000", zeros(699_999)), "1.5");
    check(&format!("-25{}e-700001", zeros(700_000)), "-2.5");
    check(&format!("1{}e-800000", zeros(100)), "0");
    check(&format!("0.{}e5", zeros(40_000)), "0");
    // A little more than half way between two floats.
    check(&format!("9007199254740993.{}", zeros(40_000)), "9007199254740992");
    check(&format!("9007199254740993.{}1", zeros(40_000)), "9007199254740994");
}

#[test]
fn strings_have_one_spelling() {
    check(r#""\b\t\n\f\r\"\\\/""#, r#""\b\t\n\f\r\"\\/""#);
    check(r#""\u0008\u0009\u000A\u000C\u000D\u0022\u005C""#, r#""\b\t\n\f\r\"\\""#);
    check(r#""\u0000\u001F\u0020\u007f\u2028""#, "\"\\u0000\\u001f \u{7f}\u{2028}\"");
    check(r#""\ud83D\uDE00 \ud7ff\ue000""#, "\"😀 \u{d7ff}\u{e000}\"");
}

#[test]
fn space_between_tokens_is_left_out() {
    check(" \t\r\n[ 1 , { } , [ ] , \" \" ]\n", r#"[1,{},[]," "]"#);
}

#[test]
fn nesting_goes_128_levels_deep() {
    let deep = "[".repeat(128) + &"]".repeat(128);
    check(&deep, &deep);
}

#[test]
fn a_digest_is_the_hash_of_length_domain_and_bytes() {
    let digest = Digest::compute("abc", b"");
    // `printf '\0\0\0\0\0\0\0\003abc' | sha256sum`
    assert_eq!(
        digest.to_string(),
        "c3494ca1a2cf8eeb8a11ded316fb55b83c3bbbedb6313cd50415251e5d09e12f"
    );
    assert_eq!(
        Digest::compute("ab", b"c").to_string(),
        "290a3daa9b49526a2ed7352cd7f5e69c551a01e15de61fc04c43f780d7172b71"
    );
    assert_eq!(format!("{digest:?}"), digest.to_string());
    assert_eq!(Digest::from_json("d", " [1.0]"), Ok(Digest::compute("d", b"[1]")));
    assert_eq!(Digest::from_json("d", "[").map_err(|error| error.position()), Err(1));
    assert!(canonicalize("").is_err());
}

#[test]
fn a_digest_is_read_in_one_spelling_only() {
    let digest = Digest::from_bytes(std::array::from_fn(|at| u8::try_from(at * 8).unwrap()));
    let text = digest.to_string();
    assert_eq!(&text[..10], "0008101820");
    assert_eq!(text.parse(), Ok(digest));
    assert_eq!(Digest::from_bytes(*digest.as_bytes()), digest);
    for wrong in
        ["", &text[1..], &format!("{text}0"), &text.to_uppercase(), &text.replace('8', "g")]
    {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
    }
    let json = serde_json::to_string(&digest).unwrap();
    assert_eq!(json, format!("\"{text}\""));
    assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
    assert!(serde_json::from_str::<Digest>("\"00\"").is_err());
}
