//! Laws that hold for every context.

use async_trait::async_trait;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use tool_contracts::act::ActResult;
use tool_contracts::assess::{
    ChatMessage, ChatRole, CompressionMethod, CompressionStrategy, ContextDataBuilder,
};
use tool_runtime_core::articulate::Articulator;

use super::{eager, lines, message, optimized, options, question, result, time};
use crate::assess::{AssessOptions, Assessor, CompressionError, Summarizer, SummaryRequest};

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-z]{1,8}",
        1 => "[A-Z][a-z]{2,5}",
        1 => "[0-9]{1,4}",
        1 => Just("tea.".to_owned()),
        1 => Just("茶。".to_owned()),
        1 => Just("\n".to_owned()),
        1 => "\\PC{1,3}",
    ];
    vec(word, 0..120).prop_map(|words| words.join(" "))
}

pub(super) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 40, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Value::from),
            vec(("[a-z ]{1,6}", inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn messages() -> impl Strategy<Value = Vec<ChatMessage>> {
    let role = proptest::sample::select(ChatRole::ALL);
    vec((role, text()).prop_map(|(role, text)| message(role, &text)), 0..12)
}

fn a_result() -> impl Strategy<Value = ActResult> {
    let data = prop_oneof![text().prop_map(Value::from), json()];
    ("[a-z]{1,6}", data).prop_map(|(id, data)| result(&id, data))
}

fn results() -> impl Strategy<Value = Vec<ActResult>> {
    vec(a_result(), 0..5)
}

fn context() -> impl Strategy<Value = ContextDataBuilder> {
    let strategy = proptest::option::of(proptest::sample::select(CompressionStrategy::ALL));
    (text(), messages(), results(), strategy, 1_000..4_000_u64).prop_map(
        |(query, messages, results, strategy, max_tokens)| {
            let context = question(&query)
                .message_history(messages)
                .tool_results(results)
                .max_tokens(max_tokens);
            match strategy {
                Some(strategy) => context.strategy(strategy),
                None => context,
            }
        },
    )
}

/// A context with instructions, and with tools that failed.
fn whole_context() -> impl Strategy<Value = ContextDataBuilder> {
    let failed = ("[a-z]{1,6}", text()).prop_map(|(id, text)| {
        ActResult::failed(&id, format!("failed: {text}"), time()).build().expect("a result")
    });
    let results = vec(prop_oneof![3 => a_result(), 1 => failed], 0..5);
    (context(), results, proptest::option::of(text())).prop_map(|(context, results, persistent)| {
        let context = context.tool_results(results);
        match persistent {
            Some(text) => context.persistent_context(format!("Be brief. {text}")),
            None => context,
        }
    })
}

/// Writes what it has to keep, or fails, or loses it, or writes too much.
#[derive(Debug, Clone, Copy)]
enum Student {
    Keeps,
    Fails,
    Loses,
    Talks,
}

#[async_trait]
impl Summarizer for Student {
    async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
        match self {
            Self::Keeps => Ok(format!("Seen: {}.", request.identifiers.join(", "))),
            Self::Fails => Err(CompressionError::new("no model")),
            Self::Loses => Ok("Nothing.".to_owned()),
            Self::Talks => Ok(request.text.repeat(2)),
        }
    }
}

fn any_assessor() -> impl Strategy<Value = Assessor> {
    let student = [Student::Keeps, Student::Fails, Student::Loses, Student::Talks];
    let student = proptest::option::of(proptest::sample::select(student.to_vec()));
    (any_options(), student, any::<bool>()).prop_map(|(options, student, serializes)| {
        let assessor = eager().options(options);
        let assessor =
            if serializes { assessor.result_serializer(Articulator::new()) } else { assessor };
        match student {
            Some(student) => assessor.summarizer(student),
            None => assessor,
        }
    })
}

pub(super) fn any_options() -> impl Strategy<Value = AssessOptions> {
    let cache = proptest::option::of((0.0..1.0_f64, 0..20_u32));
    (0.05..1.0_f64, 0..4_usize, any::<bool>(), any::<bool>(), cache).prop_map(
        |(ratio, rounds, drops_nulls, drops_links, cache)| {
            let options = options()
                .with_target_ratio(ratio)
                .with_verbatim_rounds(rounds)
                .with_nulls_dropped(drops_nulls)
                .with_links_dropped(drops_links);
            match cache {
                Some((share, turns)) => options.with_prompt_cache(share, turns),
                None => options,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn compressed_contexts_are_shorter_and_within_their_limit(
        context in whole_context(),
        assessor in any_assessor(),
    ) {
        let compressed = optimized(&assessor, context.clone());
        let tokens = assessor.estimate_tokens(compressed.optimized_text());
        prop_assert_eq!(tokens, compressed.optimized_tokens());
        prop_assert!(compressed.optimized_tokens() <= compressed.original_tokens());
        let max_tokens = context.build().unwrap().max_tokens();
        let is_too_long = compressed.metadata().contains_key("exceeds_max_tokens");
        prop_assert_eq!(compressed.optimized_tokens() > max_tokens, is_too_long);
        if is_too_long {
            prop_assert_eq!(compressed.method_used(), CompressionMethod::None);
        }
    }

    #[test]
    fn the_same_context_gives_the_same_text(
        context in whole_context(),
        assessor in any_assessor(),
    ) {
        let first = optimized(&assessor, context.clone());
        let second = optimized(&assessor, context);
        prop_assert_eq!(first.optimized_text(), second.optimized_text());
    }

    #[test]
    fn instructions_and_failures_stay_word_for_word(
        context in whole_context(),
        assessor in any_assessor(),
    ) {
        let compressed = optimized(&assessor, context.clone());
        let text = compressed.optimized_text();
        let context = context.build().unwrap();
        prop_assert!(text.contains(context.persistent_context().unwrap_or_default()), "{}", text);
        for failed in context.tool_results().iter().filter(|result| !result.success()) {
            prop_assert!(text.contains(&failed.to_text()), "{} is not in {}", failed.to_text(), text);
        }
    }

    #[test]
    fn every_result_keeps_its_tool_in_order(context in context(), serializes in any::<bool>()) {
        let assessor =
            if serializes { eager().result_serializer(Articulator::new()) } else { eager() };
        let compressed = optimized(&assessor, context.clone());
        let mut rest = compressed.optimized_text();
        for result in context.build().unwrap().tool_results() {
            let head = format!("## {}", result.tool_id());
            let found = rest.find(&head);
            prop_assert!(found.is_some(), "{} is not in {}", head, rest);
            rest = &rest[found.unwrap() + head.len()..];
        }
    }

    #[test]
    fn kept_messages_are_made_of_their_own_letters(context in context()) {
        let compressed = optimized(&eager(), context.clone());
        prop_assume!(compressed.method_used() != CompressionMethod::None);
        let all = lines(context.build().unwrap().message_history());
        let conversation = compressed.optimized_text().split("# Tool results\n").next().unwrap();
        let conversation = conversation.split("# Question\n").next().unwrap();
        let conversation = conversation.trim_start_matches("# Conversation\n");
        for piece in conversation.split(['…', '\n']) {
            prop_assert!(all.contains(piece.trim()), "{}", piece);
        }
    }

    #[test]
    fn a_context_that_is_not_compressed_is_the_raw_text(
        context in whole_context(),
        options in any_options(),
        serializes in any::<bool>(),
    ) {
        let with_serializer = |assessor: Assessor| {
            if serializes { assessor.result_serializer(Articulator::new()) } else { assessor }
        };
        let whole = with_serializer(Assessor::new());
        let whole = optimized(&whole, context.clone().max_tokens(1_000_000));
        prop_assert_eq!(whole.method_used(), CompressionMethod::None);
        let compressed = optimized(&with_serializer(eager().options(options)), context);
        if compressed.method_used() == CompressionMethod::None {
            prop_assert_eq!(compressed.optimized_text(), whole.optimized_text());
        }
    }
}
