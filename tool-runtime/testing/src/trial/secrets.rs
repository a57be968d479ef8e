//! Plants marked values in sensitive properties, and searches the texts of a call for them.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tool_contracts::ToolContext;
use tool_runtime_core::tool::ToolOutput;
use tool_runtime_schema::Limits;
use tool_runtime_schema::instances::{SeededRng, SensitivityKind};
use tool_runtime_schema::redact::Redactor;
use tool_runtime_schema::schema::Validator;

use super::inputs::TrialInputs;
use super::report::{TrialCheck, TrialReport};
use super::runtime::TrialRuntime;
use crate::Instances;

/// The number of inputs with planted values.
const INPUTS: u64 = 12;
/// Shorter values may appear in a text by chance.
const SHORTEST: usize = 8;

/// A planted value.
#[derive(Debug, Clone)]
struct PlantedValue {
    what: SensitivityKind,
    place: String,
    text: String,
}

/// The texts that a call produced, each with its place.
#[derive(Debug, Default)]
struct ProducedTexts {
    /// Texts for the caller: they may contain the caller's personal data.
    caller: Vec<(&'static str, String)>,
    /// Texts for a log or a developer.
    log: Vec<(&'static str, String)>,
}

pub(super) async fn check(
    trial_runtime: &TrialRuntime,
    inputs: &TrialInputs,
    report: &mut TrialReport,
) {
    let instances = &inputs.instances;
    let mut planted = 0;
    let mut rng = SeededRng::seeded(1);
    // Seed 1 makes large values, with every optional property.
    for (_, mut value) in inputs.iter(1, INPUTS) {
        let mut marks = plant(instances, &mut value, &mut rng);
        planted += marks.len();
        let credential = mark(&mut rng);
        let cx = with_credential(&trial_runtime.cx, &credential);
        let place = "the context's `auth`".to_owned();
        marks.push(PlantedValue { what: SensitivityKind::Secret, place, text: credential });
        let texts = everything(trial_runtime, &value, &cx).await;
        if let Some(leak) = marks.iter().find_map(|mark| texts.leak(mark)) {
            let input_text = trial_runtime.shown(&value.to_string());
            report.find(TrialCheck::Secrets, format!("{leak}\ninput: {input_text}"));
            return;
        }
    }
    if planted == 0 && instances.marks_sensitivity() {
        report.note(
            "secrets: not checked, because no sensitive property can hold a value that is unique \
             enough to be searched for",
        );
    }
}

/// Puts marked values into all sensitive properties that can hold one.
fn plant(instances: &Instances, value: &mut Value, rng: &mut SeededRng) -> Vec<PlantedValue> {
    let mut marks = Vec::new();
    for (place, what) in instances.sensitive(value) {
        let Some(before) = value.pointer(&place).cloned() else { continue };
        let text = mark(rng);
        let new = match &before {
            Value::String(_) => json!(text),
            Value::Number(_) => json!(1_000_000_000_000 + rng.below(1_000_000_000_000)),
            _ => continue,
        };
        put(value, &place, new.clone());
        if instances.admits(value) {
            let text = new.as_str().map_or_else(|| new.to_string(), str::to_owned);
            marks.push(PlantedValue { what, place: format!("`{place}`"), text });
            continue;
        }
        put(value, &place, before.clone());
        // A long value that matches a pattern is unique enough to be its own mark.
        if let Some(text) = before.as_str().filter(|text| text.len() >= SHORTEST && is_varied(text))
        {
            marks.push(PlantedValue { what, place: format!("`{place}`"), text: text.to_owned() });
        }
    }
    marks
}

fn put(value: &mut Value, place: &str, new: Value) {
    if let Some(old) = value.pointer_mut(place) {
        *old = new;
    }
}

fn is_varied(text: &str) -> bool {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters.dedup();
    letters.len() >= SHORTEST / 2
}

/// Makes a text that does not appear by chance.
fn mark(rng: &mut SeededRng) -> String {
    format!("Qz{:016x}", rng.next_u64())
}

fn with_credential(cx: &ToolContext, text: &str) -> ToolContext {
    let mut auth = cx.auth().cloned().unwrap_or_default();
    auth.insert("trial_credential".to_owned(), text.into());
    cx.with_auth(Some(auth))
}

/// Makes calls that end in different ways, and collects their texts.
async fn everything(
    trial_runtime: &TrialRuntime,
    value: &Value,
    cx: &ToolContext,
) -> ProducedTexts {
    let mut texts = ProducedTexts::default();
    let text = value.to_string();
    let mut stranger = value.clone();
    if let Some(map) = stranger.as_object_mut() {
        map.insert("trial_unknown_field".to_owned(), Value::Null);
    }
    for (text, cx) in
        [(&text, cx.clone()), (&text, cx.with_dry_run(true)), (&stranger.to_string(), cx.clone())]
    {
        let mut call = trial_runtime.runtime.call(
            trial_runtime.spec.name(),
            text.as_str(),
            &trial_runtime.fresh(&cx),
        );
        let progress = Arc::new(Mutex::new(String::new()));
        let call_end = Arc::clone(&progress);
        call.on_progress(move |update| {
            let mut call_end = call_end.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(call_end, "{update:?}");
        });
        let preview = call.preview();
        texts.caller.push(("the preview", format!("{preview} {preview:?}")));
        texts.log.push(("Debug of the call", format!("{call:?}")));
        call.execute().await;
        if let Some(output) = call.output() {
            texts.output(trial_runtime, output);
        }
        texts.log.push(("Debug of the call", format!("{call:?}")));
        let progress =
            std::mem::take(&mut *progress.lock().unwrap_or_else(PoisonError::into_inner));
        texts.caller.push(("the progress", progress));
        texts.call_end(trial_runtime);
    }
    drop(trial_runtime.runtime.call(
        trial_runtime.spec.name(),
        text.as_str(),
        &trial_runtime.fresh(cx),
    ));
    texts.call_end(trial_runtime);
    texts
}

impl ProducedTexts {
    fn output(&mut self, trial_runtime: &TrialRuntime, output: &ToolOutput) {
        if let Some(data) = output.data_json() {
            self.caller.push(("the answer", open_answer(trial_runtime, data)));
        }
        if let Some(error) = output.error() {
            let error = serde_json::to_string(error).unwrap_or_default();
            self.caller.push(("the error", error));
        }
        let echo = serde_json::from_str::<Value>(output.json());
        let echo = echo.map(|envelope| envelope["input"].to_string()).unwrap_or_default();
        self.caller.push(("the envelope's echo of the arguments", echo));
        self.caller.push(("the envelope's meta", output.meta_json().to_owned()));
        self.log.push(("Debug of the answer", format!("{output:?}")));
    }

    fn call_end(&mut self, trial_runtime: &TrialRuntime) {
        let Some(call_end) = trial_runtime.observer.take() else { return };
        self.log.push(("the log", call_end.log));
        self.log.push(("Debug of the record", call_end.debug));
    }

    /// Returns where a mark appears although it must not.
    fn leak(&self, mark: &PlantedValue) -> Option<String> {
        let caller = self.caller.iter().filter(|_| mark.what == SensitivityKind::Secret);
        let (sink, form) = caller
            .chain(&self.log)
            .find_map(|(sink, text)| Some((sink, form_in(text, &mark.text)?)))?;
        let word = match mark.what {
            SensitivityKind::Secret => "secret",
            SensitivityKind::Personal => "personal value",
        };
        Some(format!("the {word} at {} stands {form} in {sink}", mark.place))
    }
}

/// Returns an answer without the properties that its own schema marks as secret.
fn open_answer(trial_runtime: &TrialRuntime, data: &str) -> String {
    let schema = trial_runtime.spec.output_schema().cloned().map(Value::Object);
    let checker = schema.and_then(|schema| Validator::compile(&schema).ok());
    let redacted =
        checker.and_then(|checker| checker.redact(data, &Limits::WIDEST, &PersonalUnchanged));
    redacted.unwrap_or_else(|| data.to_owned())
}

struct PersonalUnchanged;

impl Redactor for PersonalUnchanged {
    fn personal(&self, json: &str) -> String {
        json.to_owned()
    }

    fn free_text<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        text.into()
    }
}

/// Returns the form in which a text contains a mark, if it does.
fn form_in(text: &str, mark: &str) -> Option<&'static str> {
    let hex = mark.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    let reversed: String = mark.chars().rev().collect();
    let quoted = Value::from(mark).to_string();
    if text.contains(mark) || text.contains(quoted.trim_matches('"')) {
        return Some("unchanged");
    }
    if text.to_lowercase().contains(&hex) {
        return Some("in hexadecimal");
    }
    if text.contains(&reversed) {
        return Some("backwards");
    }
    (0..3).any(|offset| text.contains(&base64_inside(mark, offset))).then_some("in Base64")
}

/// Returns the part of a text's Base64 that does not depend on its surroundings, at this offset in
/// a group.
fn base64_inside(text: &str, offset: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes = [vec![0; offset], text.as_bytes().to_vec()].concat();
    let group = |group: &[u8]| -> String {
        let bits =
            (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        let letters = (0..4).map(|at| LETTERS[(bits >> (18 - 6 * at) & 63) as usize]);
        letters.map(char::from).take(group.len() + 1).collect()
    };
    let encoded: String = bytes.chunks(3).map(group).collect();
    encoded[(8 * offset).div_ceil(6)..8 * bytes.len() / 6].to_owned()
}

#[cfg(test)]
mod tests {
    use super::form_in;

    #[test]
    fn a_mark_is_found_in_every_form() {
        let mark = "Qz00ff11ee22dd33cc";
        for (text, form) in [
            ("got Qz00ff11ee22dd33cc.", Some("unchanged")),
            ("0x517A30306666313165653232646433336363", Some("in hexadecimal")),
            ("cc33dd22ee11ff00zQ", Some("backwards")),
            ("Basic dXNlcjpRejAwZmYxMWVlMjJkZDMzY2M=", Some("in Base64")),
            ("nothing of that", None),
        ] {
            assert_eq!(form_in(text, mark), form, "{text}");
        }
    }
}
