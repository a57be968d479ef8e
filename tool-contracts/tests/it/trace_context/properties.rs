//! Properties of all headers and contexts.

use proptest::{collection, prelude::*};
use tool_contracts::{
    ToolContext,
    trace_context::{SpanId, TraceContext, TraceFlags, TraceId, TraceParent, TraceState},
};
use uuid::Uuid;

fn trace_id() -> impl Strategy<Value = TraceId> {
    (1..=u128::MAX).prop_map(|id| TraceId::from_bytes(id.to_be_bytes()).unwrap())
}

fn span_id() -> impl Strategy<Value = SpanId> {
    (1..=u64::MAX).prop_map(|id| SpanId::from_bytes(id.to_be_bytes()).unwrap())
}

pub(crate) fn flags() -> impl Strategy<Value = TraceFlags> {
    any::<u8>().prop_map(TraceFlags::from_bits)
}

pub(crate) fn state() -> impl Strategy<Value = TraceState> {
    let member = ("[a-z0-9][a-z0-9_*/@-]{0,12}", "[ -+\\--<>-~]{0,12}[!-+\\--<>-~]");
    collection::vec(member, 0..40).prop_map(|members| {
        members
            .iter()
            .fold(TraceState::default(), |state, (key, value)| state.with(key, value).unwrap())
    })
}

fn context() -> impl Strategy<Value = TraceContext> {
    (trace_id(), span_id(), flags(), state()).prop_map(|(trace_id, parent_id, flags, state)| {
        TraceContext::new(TraceParent::new(trace_id, parent_id, flags)).with_state(state)
    })
}

/// A header's value that is nearly right: few mistakes, so that they come late.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let mistakes = collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (context(), mistakes, any::<bool>()).prop_map(|(context, mistakes, of_state)| {
        let header = context.to_headers().nth(usize::from(of_state)).unwrap_or_default();
        let mut bytes = header.1.into_bytes();
        for (at, byte) in mistakes.into_iter().filter(|_| !header.0.is_empty()) {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_written_context_reads_back_as_itself(context in context()) {
        let headers: Vec<_> = context.to_headers().collect();
        prop_assert_eq!(TraceContext::from_fields(headers), Ok(context));
    }

    #[test]
    fn a_tools_context_gives_back_what_it_took(context in context()) {
        let builder = ToolContext::builder(Uuid::nil(), "other").run_id("run");
        let cx = builder.trace_context(&context).build().unwrap();
        let text = serde_json::to_string(&cx).unwrap();
        prop_assert_eq!(cx.trace_context(), context);
        prop_assert_eq!(serde_json::from_str::<ToolContext>(&text).unwrap(), cx);
    }

    #[test]
    fn a_state_split_over_headers_is_the_same_state(state in state(), at in any::<prop::sample::Index>()) {
        let members: Vec<&str> = state.as_str().split(',').collect();
        let (left, right) = members.split_at(at.index(members.len()));
        prop_assert_eq!(TraceState::parse([left.join(" , "), right.join("\t,")]), Ok(state.clone()));
    }

    #[test]
    fn a_state_keeps_to_its_limits(state in state(), longest in 0..600_usize) {
        prop_assert!(state.len() <= 32);
        let within = state.within(longest);
        prop_assert!(within.as_str().len() <= longest);
        prop_assert_eq!(within.as_str().parse::<TraceState>(), Ok(within.clone()));
        let mut rest = state.iter();
        prop_assert!(within.iter().all(|member| rest.any(|other| other == member)));
    }

    #[test]
    fn any_bytes_are_read_or_refused(parent in collection::vec(any::<u8>(), 0..80), state in collection::vec(any::<u8>(), 0..80)) {
        let _ = TraceContext::from_headers([&parent], [&state]);
        let _ = TraceState::parse([&state, &parent]);
    }

    #[test]
    fn a_header_read_from_nearly_valid_bytes_is_valid(bytes in nearly()) {
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches([' ', '\t']);
        if let Ok(parent) = TraceParent::parse(&bytes) {
            prop_assert_eq!(&parent.to_string()[2..53], &text[2..53]);
            prop_assert!(!text.starts_with("ff"));
        }
        if let Ok(state) = TraceState::parse([&bytes]) {
            prop_assert_eq!(state.as_str().parse::<TraceState>(), Ok(state.clone()));
            prop_assert!(state.as_str().split(',').all(|member| text.contains(member)));
        }
    }
}
