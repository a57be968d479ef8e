//! Removes a call's sensitive values from texts, and redacts its arguments for records.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tool_contracts::ToolErrorDetail;
use tool_runtime_schema::redact::{self, ValueScrubber};

use super::CallState;
use crate::effect_state::EffectState;

/// The values to remove from texts about a call.
pub(super) struct TextScrubbers {
    /// From texts for the caller: secrets and the context's `auth`.
    public: ValueScrubber,
    /// From texts for the log: personal data, and values under undeclared names, as well.
    log: ValueScrubber,
}

impl CallState {
    /// Removes from a text for the log what is sensitive in this call, and what looks sensitive.
    #[must_use]
    pub fn scrub_log(&self, text: String) -> String {
        if text.is_empty() {
            return text;
        }
        match self.scrubs() {
            Some(scrubs) => redact::log_text(&log_part(&scrubs.log, text)).into_owned(),
            None => redact::log_text(&text).into_owned(),
        }
    }

    /// Removes the call's secrets from a text for its caller; personal data is the caller's own.
    pub(crate) fn scrub_public(&self, text: String) -> String {
        match self.scrubs() {
            Some(scrubs) => owned(&scrubs.public, text),
            None => text,
        }
    }

    /// Removes the call's secrets from a value for its caller.
    pub(crate) fn scrub_json(&self, value: &mut Value) {
        if let Some(scrubs) = self.scrubs() {
            scrub_json(value, &scrubs.public, ErrorAuthor::Tool);
        }
    }

    /// Removes the call's secrets from an error for its caller.
    pub(crate) fn scrub_detail(
        &self,
        detail: ToolErrorDetail,
        author: ErrorAuthor,
    ) -> ToolErrorDetail {
        match self.scrubs() {
            Some(scrubs) => scrubbed(detail, &scrubs.public, author),
            None => detail,
        }
    }

    /// Returns whether the call has values that must be removed from texts about it.
    pub(crate) fn has_sensitive_values(&self) -> bool {
        self.scrubs().is_some()
    }

    /// Returns the scrubbers of this call; none if nothing in it is sensitive.
    fn scrubs(&self) -> Option<&TextScrubbers> {
        let tool = &self.tool;
        let concerned = tool.has_secrets || tool.has_personal || self.cx.auth().is_some();
        let scrubbers = || &self.optional_or_new().scrubs;
        concerned.then(|| &**scrubbers().get_or_init(|| Box::new(TextScrubbers::new(self))))
    }
}

impl TextScrubbers {
    fn new(call: &CallState) -> Self {
        let (mut secrets, mut personal, mut auth) = (Vec::new(), Vec::new(), Vec::new());
        for text in [call.raw(), call.admitted_arguments(), call.original().raw()] {
            let limits = call.environment().limits();
            let sensitive_values =
                call.registered().input.sensitive(text, limits).unwrap_or_default();
            secrets.extend(sensitive_values.secrets);
            personal.extend(sensitive_values.personal);
        }
        let values = call.cx.auth().into_iter().flat_map(|auth| auth.values());
        values.for_each(|value| collect(value, &mut auth));
        let public = || secrets.iter().map(String::as_str);
        let words = || auth.iter().map(String::as_str);
        let sensitive_texts = public().chain(personal.iter().map(String::as_str));
        Self {
            public: ValueScrubber::with_common_words(public(), words()),
            log: ValueScrubber::with_common_words(sensitive_texts, words()),
        }
    }
}

/// Scrubs the part of a text that a log keeps. The end of a long text is left out, and with it what
/// may be the beginning of a sensitive value.
fn log_part(scrub: &ValueScrubber, text: String) -> String {
    if text.len() <= redact::MAX_LOG_BYTES {
        return owned(scrub, text);
    }
    let floor = |text: &str, at: usize| {
        (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    // With room for what says how much is left out.
    let head = &text[..floor(&text, redact::MAX_LOG_BYTES - 64)];
    let beyond = text.len() - head.len();
    let mut log_text = scrub.scrub(head).into_owned();
    let kept_length = floor(&log_text, log_text.len().saturating_sub(scrub.longest()));
    let left_out = beyond + log_text.len() - kept_length;
    log_text.truncate(kept_length);
    log_text.push_str(&redact::omission_mark(left_out));
    log_text
}

/// The author of an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorAuthor {
    Runtime,
    Tool,
}

fn scrubbed(
    detail: ToolErrorDetail,
    scrub: &ValueScrubber,
    author: ErrorAuthor,
) -> ToolErrorDetail {
    let message = scrub.scrub(detail.message()).into_owned();
    let endpoint = detail.endpoint().map(|endpoint| scrub.scrub(endpoint).into_owned());
    let mut details = detail.details().cloned();
    if let Some(details) = &mut details {
        scrub_details(details, scrub, author);
    }
    let mut scrubbed = detail.into_builder().message(message);
    if let Some(endpoint) = endpoint {
        scrubbed = scrubbed.endpoint(endpoint);
    }
    if let Some(details) = details {
        scrubbed = scrubbed.details(details);
    }
    scrubbed.build()
}

fn scrub_details(details: &mut Map<String, Value>, scrub: &ValueScrubber, author: ErrorAuthor) {
    for (key, mut value) in std::mem::take(details) {
        let is_own = match key.as_str() {
            // Callers decide by these words, even if a secret has the same text.
            EffectState::KEY => value.as_str().and_then(EffectState::parse).is_some(),
            // The runtime's ticket contains no argument, and must come back unchanged.
            "ticket" => author == ErrorAuthor::Runtime,
            _ => false,
        };
        if is_own {
            details.insert(key, value);
            continue;
        }
        scrub_json(&mut value, scrub, author);
        // The runtime's own names are no secrets.
        let key = if author == ErrorAuthor::Tool { owned(scrub, key) } else { key };
        details.insert(key, value);
    }
}

/// Scrubs the strings of a value. Of a tool's also the names, and the numbers, which become `"***"`:
/// the runtime's are limits and times, by which callers decide.
fn scrub_json(value: &mut Value, scrub: &ValueScrubber, author: ErrorAuthor) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = scrub.scrub(text) {
                *text = shown;
            }
        }
        Value::Number(number) => {
            let written = number.to_string();
            match scrub.scrub(&written) {
                Cow::Owned(shown) if author == ErrorAuthor::Tool => *value = Value::String(shown),
                Cow::Owned(_) | Cow::Borrowed(_) => {}
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| scrub_json(item, scrub, author)),
        Value::Object(fields) => {
            if author == ErrorAuthor::Tool {
                let old_fields = std::mem::take(fields).into_iter();
                *fields = old_fields.map(|(name, field)| (owned(scrub, name), field)).collect();
            }
            fields.values_mut().for_each(|field| scrub_json(field, scrub, author));
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Collects every string and number in a value.
fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

fn owned(scrub: &ValueScrubber, text: String) -> String {
    match scrub.scrub(&text) {
        Cow::Owned(scrubbed) => scrubbed,
        Cow::Borrowed(shown) if shown.len() == text.len() => text,
        Cow::Borrowed(withheld) => withheld.to_owned(),
    }
}
