//! The header `traceparent`.

use tool_contracts::trace_context::{
    SpanId, TRACEPARENT, TRACESTATE, TraceContext, TraceContextError, TraceFlags, TraceId,
    TraceParent,
};

use super::{PARENT_ID, SAMPLED, TRACE_ID, check_continued, check_restarted};

#[test]
fn a_parent_that_holds_is_continued() {
    for (rule, parent, flags) in [
        ("version 00, sampled", SAMPLED, "01"),
        ("not sampled", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", "00"),
        ("random", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02", "02"),
        ("both flags", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03", "03"),
        ("all bits", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff", "03"),
        ("no known bit", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fc", "00"),
        ("a blank before", " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
        ("a tab before", "\t00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
        ("a blank behind", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ", "01"),
        ("a tab behind", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\t", "01"),
        ("both around", "\t 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 \t", "01"),
        ("a later version", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01"),
        ("the next version", "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02", "02"),
        ("the last version", "fe-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fd", "01"),
        ("a later field", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-Ünd-so?", "01"),
        ("a later dash", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", "01"),
    ] {
        check_continued(rule, &[(TRACEPARENT, parent)], flags, None);
        let fields = [(TRACESTATE, "foo=1"), (TRACEPARENT, parent)];
        check_continued(rule, &fields, flags, Some("foo=1"));
    }
}

#[test]
fn a_parent_that_does_not_hold_is_ignored_with_its_state() {
    use TraceContextError::{Flags, Form, SpanId, TraceId, Version};
    for (rule, parent, why) in [
        ("empty", "", Version),
        ("blank", " \t", Version),
        ("version ff", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("version FF", "FF-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("version CC", "CC-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("a dot, first", ".0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("a dot, second", "0.-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("a sign", "+0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("one digit", "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("three digits", "000-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("four digits", "0000-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("no version", "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("no dash behind it", "00", TraceId),
        ("another dash", "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Version),
        ("version 00, more", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.", Flags),
        ("version 00, a field", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-a", Form),
        ("version 00, a dash", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", Form),
        ("later, no dash", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.a", Flags),
        ("later, too short", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", Flags),
        ("later, zero", "cc-00000000000000000000000000000000-00f067aa0ba902b7-01", TraceId),
        ("later, no flags", "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x", Flags),
        ("two in one", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01,00", Flags),
        ("trace id, zero", "00-00000000000000000000000000000000-00f067aa0ba902b7-01", TraceId),
        ("dot first", "00-.bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", TraceId),
        ("dot last", "00-4bf92f3577b34da6a3ce929d0e0e473.-00f067aa0ba902b7-01", TraceId),
        ("capitals", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", TraceId),
        ("one capital", "00-4bf92f3577b34da6a3ce929d0e0e473A-00f067aa0ba902b7-01", TraceId),
        ("no hex", "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", TraceId),
        ("a sign", "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", TraceId),
        ("too long", "00-4bf92f3577b34da6a3ce929d0e0e47361-00f067aa0ba902b7-01", TraceId),
        ("too short", "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", TraceId),
        ("other letters", "00-４bf92f3577b34da6a3ce929d0e0e4-00f067aa0ba902b7-01", TraceId),
        ("span id, zero", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", SpanId),
        ("dot first", "00-4bf92f3577b34da6a3ce929d0e0e4736-.0f067aa0ba902b7-01", SpanId),
        ("dot last", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b.-01", SpanId),
        ("capitals", "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01", SpanId),
        ("too long", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b71-01", SpanId),
        ("too short", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-01", SpanId),
        ("flags, dot first", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-.0", Flags),
        ("dot last", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0.", Flags),
        ("capitals", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0A", Flags),
        ("too long", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-001", Flags),
        ("too short", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1", Flags),
        ("none", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-", Flags),
    ] {
        check_restarted(rule, &[(TRACEPARENT, parent), (TRACESTATE, "foo=1")], why);
    }
}

#[test]
fn bytes_that_are_no_text_are_ignored() {
    let broken = [SAMPLED.as_bytes(), b"\xff"].concat();
    let refused = TraceContext::from_headers([broken], None::<&str>);
    assert_eq!(refused, Err(TraceContextError::Form));
    let received = TraceContext::from_headers([SAMPLED.as_bytes()], [b"foo=\xff"]).unwrap();
    assert!(received.state().is_empty());
}

#[test]
fn ids_are_their_bytes_from_left_to_right() {
    let parent = TraceParent::parse(SAMPLED).unwrap();
    assert_eq!(parent.trace_id().to_bytes()[..2], [0x4b, 0xf9]);
    assert_eq!(parent.parent_id().to_bytes()[6..], [0x02, 0xb7]);
    assert_eq!(TraceId::from_bytes(parent.trace_id().to_bytes()), Ok(parent.trace_id()));
    assert_eq!(SpanId::from_bytes(parent.parent_id().to_bytes()), Ok(parent.parent_id()));
    assert_eq!(TraceId::from_bytes([0; 16]), Err(TraceContextError::TraceId));
    assert_eq!(SpanId::from_bytes([0; 8]), Err(TraceContextError::SpanId));
    assert_eq!(format!("{:?}", parent.trace_id()), format!("TraceId({TRACE_ID})"));
    assert_eq!(format!("{:?}", parent.parent_id()), format!("SpanId({PARENT_ID})"));
}

#[test]
fn a_child_keeps_the_trace_and_all_its_flags() {
    for flags in [TraceFlags::default(), TraceFlags::SAMPLED, TraceFlags::RANDOM] {
        let parent = TraceParent::parse(SAMPLED).unwrap();
        let parent = TraceParent::new(parent.trace_id(), parent.parent_id(), flags);
        let child = parent.child(SpanId::from_bytes([7; 8]).unwrap());
        assert_eq!((child.trace_id(), child.flags()), (parent.trace_id(), flags));
        assert_eq!(child.parent_id().to_string(), "0707070707070707");
        let recorded = child.with_sampled(true).flags();
        assert!(recorded.is_sampled() && recorded.is_random() == flags.is_random());
        let dropped = child.with_sampled(false).flags();
        assert!(!dropped.is_sampled() && dropped.is_random() == flags.is_random());
    }
}

#[test]
fn every_bit_that_is_said_to_be_random_varies() {
    // That a fair bit is the same in all 128 draws happens once in 2^127 runs.
    let drawn: Vec<[u8; 16]> = (0..128).map(|_| TraceId::random().to_bytes()).collect();
    for byte in 9..16 {
        let ones = drawn.iter().fold(0, |ones, id| ones | id[byte]);
        let zeros = drawn.iter().fold(0, |zeros, id| zeros | !id[byte]);
        assert_eq!((ones, zeros), (0xff, 0xff), "byte {byte}");
    }
    let spans: Vec<[u8; 8]> = (0..128).map(|_| SpanId::random().to_bytes()).collect();
    for byte in 1..8 {
        assert_eq!(spans.iter().fold(0, |ones, id| ones | id[byte]), 0xff, "byte {byte}");
        assert_eq!(spans.iter().fold(0, |zeros, id| zeros | !id[byte]), 0xff, "byte {byte}");
    }
}
