//! The header `tracestate`.

use tool_contracts::trace_context::{TRACEPARENT, TRACESTATE, TraceContextError, TraceState};

use super::{SAMPLED, check_continued};

/// Every character that a value may have, a blank not being the last.
const ALL_OF_A_VALUE: &str = " !\"#$%&'()*+-./0123456789:;<>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`\
    abcdefghijklmnopqrstuvwxyz{|}~";

/// The state is read and sent on as written here.
#[track_caller]
fn check_kept(rule: &str, values: &[&str], sent: &str) {
    check_state(rule, values, Some(sent).filter(|sent| !sent.is_empty()));
    let state = TraceState::parse(values).unwrap();
    assert_eq!(state.as_str(), sent, "{rule}");
    assert_eq!(state.len(), state.iter().count(), "{rule}");
}

/// The state is dropped, the trace goes on.
#[track_caller]
fn check_dropped(rule: &str, values: &[&str], why: TraceContextError) {
    check_state(rule, values, None);
    assert_eq!(TraceState::parse(values), Err(why), "{rule}");
}

#[track_caller]
fn check_state(rule: &str, values: &[&str], sent: Option<&str>) {
    let states = values.iter().map(|value| (TRACESTATE, *value));
    let fields: Vec<_> = states.chain([(TRACEPARENT, SAMPLED)]).collect();
    check_continued(rule, &fields, "01", sent);
}

/// Members `m1=1` and so on.
fn members(numbers: std::ops::RangeInclusive<u8>) -> String {
    numbers.map(|at| format!("m{at}={at}")).collect::<Vec<_>>().join(",")
}

#[test]
fn a_state_that_holds_is_passed_on_in_its_order() {
    for (rule, values, sent) in [
        ("no header", &[][..], ""),
        ("one member", &["foo=1"], "foo=1"),
        ("two members", &["foo=1,bar=2"], "foo=1,bar=2"),
        (
            "several headers",
            &["foo=1,bar=2", "rojo=1,congo=2", "baz=3"],
            "foo=1,bar=2,rojo=1,congo=2,baz=3",
        ),
        ("an empty header", &[""], ""),
        ("a blank header", &[" \t"], ""),
        ("an empty one behind", &["foo=1", ""], "foo=1"),
        ("an empty one before", &["", "foo=1"], "foo=1"),
        ("empty members", &[",foo=1,, \t ,bar=2,"], "foo=1,bar=2"),
        ("blanks and tabs around commas", &["foo=1 \t , \t bar=2, \t baz=3"], "foo=1,bar=2,baz=3"),
        (
            "tabs and blanks around commas",
            &["foo=1\t \t,\t \tbar=2,\t \tbaz=3"],
            "foo=1,bar=2,baz=3",
        ),
        ("a blank before", &[" foo=1"], "foo=1"),
        ("a tab before", &["\tfoo=1"], "foo=1"),
        ("a blank behind", &["foo=1 "], "foo=1"),
        ("a tab behind", &["foo=1\t"], "foo=1"),
        ("both around", &["\t foo=1 \t"], "foo=1"),
        ("blanks that begin a value", &["foo=  1"], "foo=  1"),
        ("blanks within a value", &["foo=1  2 ,bar=3"], "foo=1  2,bar=3"),
        ("a digit first", &["0foo=1"], "0foo=1"),
        ("one character", &["f=1"], "f=1"),
        ("a tenant's key", &["tenant@system=1"], "tenant@system=1"),
        ("an at sign last", &["foo@=1,bar=2"], "foo@=1,bar=2"),
        ("two at signs", &["foo@@bar=1,bar=2"], "foo@@bar=1,bar=2"),
        ("at signs apart", &["foo@bar@baz=1,bar=2"], "foo@bar@baz=1,bar=2"),
        ("a digit before the at sign", &["1@foo=1"], "1@foo=1"),
    ] {
        check_kept(rule, values, sent);
    }
}

#[test]
fn every_character_of_the_grammar_is_admitted() {
    for key in ["abcdefghijklmnopqrstuvwxyz0123456789_-*/", "a-z_0*9/@a-z0-9_-*/"] {
        let member = format!("{key}={ALL_OF_A_VALUE}");
        check_kept(key, &[&member], &member);
        assert_eq!(TraceState::parse([&member]).unwrap().get(key), Some(ALL_OF_A_VALUE));
    }
    assert_eq!(ALL_OF_A_VALUE.len(), 0x7f - 0x20 - 2);
}

#[test]
fn the_latest_of_a_repeated_key_is_kept() {
    for (rule, values, sent) in [
        ("the same value", &["foo=1,foo=1"][..], "foo=1"),
        ("another value", &["foo=1,foo=2"], "foo=1"),
        ("the same value in another header", &["foo=1", "foo=1"], "foo=1"),
        ("another value in another header", &["foo=1", "foo=2"], "foo=1"),
        ("others between", &["foo=1,bar=2", "foo=2,baz=3"], "foo=1,bar=2,baz=3"),
        ("a key that begins another", &["foo=1,fo=2"], "foo=1,fo=2"),
    ] {
        check_kept(rule, values, sent);
    }
}

#[test]
fn a_state_that_does_not_hold_is_dropped_as_a_whole() {
    use TraceContextError::{Key, Member, Value};
    for (rule, values, why) in [
        ("no equals sign", &["foo"][..], Member),
        ("one member without", &["foo=1,bar"], Member),
        ("a blank in a key", &["foo =1"], Key),
        ("capitals", &["FOO=1"], Key),
        ("a dot", &["foo.bar=1"], Key),
        ("an at sign first", &["@foo=1,bar=2"], Key),
        ("an underscore first", &["_foo=1"], Key),
        ("no key", &["=1"], Key),
        ("a letter beyond ASCII", &["fö=1"], Key),
        ("an equals sign in a value", &["foo=bar=baz"], Value),
        ("no value", &["foo=,bar=3"], Value),
        ("a blank value", &["bar=3,foo= \t"], Value),
        ("a tab in a value", &["foo=1\t2"], Value),
        ("a line's end in a value", &["foo=1\n2"], Value),
        ("a character beyond ASCII", &["foo=ü"], Value),
        ("a character that is not printed", &["foo=1\u{7f}"], Value),
        ("one header of several", &["foo=1", "bar="], Value),
    ] {
        check_dropped(rule, values, why);
    }
}

#[test]
fn there_are_at_most_32_members() {
    let most = [members(1..=10), members(11..=20), members(21..=30), members(31..=32)];
    check_kept("32 members", &most.each_ref().map(|line| &**line), &members(1..=32));
    let spaced = members(1..=32).replace(',', " , ,\t,");
    check_kept("32 members and many empty ones", &[&spaced], &members(1..=32));
    let more = [members(1..=10), members(11..=20), members(21..=30), members(31..=33)];
    check_dropped(
        "33 members",
        &more.each_ref().map(|line| &**line),
        TraceContextError::TooManyMembers,
    );
    let again = members(1..=32) + ",m1=1";
    check_dropped("33 with a repeated one", &[&again], TraceContextError::TooManyMembers);
}

#[test]
fn keys_and_values_have_at_most_256_characters() {
    let (z, t, v) = ("z".repeat(256), "t".repeat(241), "v".repeat(14));
    for key in [z.clone(), format!("{t}@{v}"), format!("{t}t@v"), format!("t@{v}v")] {
        let member = format!("{key}=1");
        check_kept(&key, &["foo=1", &member], &format!("foo=1,{member}"));
    }
    check_dropped("257 of a key", &["foo=1", &format!("{z}z=1")], TraceContextError::Key);
    let value = format!("foo={z}");
    check_kept("256 of a value", &[&value], &value);
    check_kept("blanks behind 256", &[&format!("{value} ")], &value);
    check_dropped("257 of a value", &[&format!("{value}z")], TraceContextError::Value);
}

#[test]
fn a_changed_member_comes_first_and_the_last_gives_way() {
    let state: TraceState = "rojo=1,congo=2,baz=3".parse().unwrap();
    assert_eq!(state.with("foo", "0").unwrap().as_str(), "foo=0,rojo=1,congo=2,baz=3");
    assert_eq!(state.with("congo", "4").unwrap().as_str(), "congo=4,rojo=1,baz=3");
    assert_eq!(TraceState::default().with("foo", "0").unwrap().as_str(), "foo=0");
    let full: TraceState = members(1..=32).parse().unwrap();
    let added = full.with("foo", "0").unwrap();
    assert_eq!(added.as_str(), format!("foo=0,{}", members(1..=31)));
    let changed = full.with("m32", "0").unwrap();
    assert_eq!(changed.as_str(), format!("m32=0,{}", members(1..=31)));
}

#[test]
fn a_member_that_breaks_the_grammar_is_not_added() {
    let state: TraceState = "rojo=1".parse().unwrap();
    for key in ["", "Foo", "foo bar", "foo=", "foo,bar", "@foo"] {
        assert_eq!(state.with(key, "1"), Err(TraceContextError::Key), "{key}");
    }
    for value in ["", " ", "1 ", "1,2", "1=2", "1\r\nx: y", "é"] {
        assert_eq!(state.with("foo", value), Err(TraceContextError::Value), "{value}");
    }
    assert_eq!(state.with("foo", " 1").unwrap().get("foo"), Some(" 1"));
}

#[test]
fn only_the_named_member_is_left_out() {
    let state: TraceState = "rojo=1,congo=2,roj=3".parse().unwrap();
    assert_eq!(state.without("congo").as_str(), "rojo=1,roj=3");
    assert_eq!(state.without("roj").as_str(), "rojo=1,congo=2");
    assert_eq!(state.without("ro"), state);
    assert!(TraceState::parse(["a=1"]).unwrap().without("a").is_empty());
}

#[test]
fn whole_members_give_way_long_ones_first_then_the_last() {
    // `l=` and 127 characters are 129: long. `s=` and 126 are 128: not long.
    let (long, short) = (format!("l={}", "1".repeat(127)), format!("s={}", "1".repeat(126)));
    let text = format!("a=1,{long},{short},k{long},b=2");
    let state: TraceState = text.parse().unwrap();
    for (longest, kept) in [
        (usize::MAX, &*text),
        (text.len(), &*text),
        (text.len() - 1, &format!("a=1,{long},{short},b=2")),
        (text.len() - 131, &format!("a=1,{long},{short},b=2")),
        (text.len() - 132, &format!("a=1,{short},b=2")),
        (135, &format!("a=1,{short}")),
        (132, &format!("a=1,{short}")),
        (131, "a=1"),
        (3, "a=1"),
        (2, ""),
        (0, ""),
    ] {
        assert_eq!(state.within(longest).as_str(), kept, "{longest}");
    }
    assert_eq!(TraceState::default().within(0), TraceState::default());
}
