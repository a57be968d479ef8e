//! Plants marked values in sensitive properties, and searches the texts of a call for them.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tool_contracts::ToolContext;

use super::bench::Bench;
use super::inputs::Inputs;
use super::report::{Check, TrialReport};
use crate::call::ToolOutput;
use crate::limits::Limits;
use crate::redact::Redactor;
use crate::schema::Validator;
use crate::testing::Instances;
use crate::testing::instances::{Dice, Sensitivity};

/// The number of inputs with planted values.
const INPUTS: u64 = 12;
/// Shorter values may appear in a text by chance.
const SHORTEST: usize = 8;

/// A planted value.
#[derive(Debug, Clone)]
struct Mark {
    what: Sensitivity,
    place: String,
    text: String,
}

/// The texts that a call produced, each with its place.
#[derive(Debug, Default)]
struct Sinks {
    /// What the caller reads: personal data of its own may stand there.
    caller: Vec<(&'static str, String)>,
    /// Texts for a log or a developer.
    log: Vec<(&'static str, String)>,
}

pub(super) async fn check(bench: &Bench, inputs: &Inputs, report: &mut TrialReport) {
    let instances = &inputs.instances;
    let mut planted = 0;
    let mut dice = Dice::seeded(1);
    // From seed 1: that is everything that there may be.
    for (_, mut value) in inputs.iter(1, INPUTS) {
        let mut marks = plant(instances, &mut value, &mut dice);
        planted += marks.len();
        let credential = mark(&mut dice);
        let cx = with_credential(&bench.cx, &credential);
        let place = "the context's `auth`".to_owned();
        marks.push(Mark { what: Sensitivity::Secret, place, text: credential });
        let sinks = everything(bench, &value, &cx).await;
        if let Some(leak) = marks.iter().find_map(|mark| sinks.leak(mark)) {
            let shown = bench.shown(&value.to_string());
            report.find(Check::Secrets, format!("{leak}\ninput: {shown}"));
            return;
        }
    }
    if planted == 0 && instances.speaks_of_sensitivity() {
        report.note(
            "secrets: none was planted, as the schema leaves no room for a value that can be told \
             from others",
        );
    }
}

/// Puts marked values in every sensitive place of a value that can hold one.
fn plant(instances: &Instances, value: &mut Value, dice: &mut Dice) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (place, what) in instances.sensitive(value) {
        let Some(before) = value.pointer(&place).cloned() else { continue };
        let text = mark(dice);
        let new = match &before {
            Value::String(_) => json!(text),
            Value::Number(_) => json!(1_000_000_000_000 + dice.below(1_000_000_000_000)),
            _ => continue,
        };
        put(value, &place, new.clone());
        if instances.admits(value) {
            let text = new.as_str().map_or_else(|| new.to_string(), str::to_owned);
            marks.push(Mark { what, place: format!("`{place}`"), text });
            continue;
        }
        put(value, &place, before.clone());
        // A long value that matches a pattern is unique enough to be its own mark.
        if let Some(text) = before.as_str().filter(|text| text.len() >= SHORTEST && is_varied(text))
        {
            marks.push(Mark { what, place: format!("`{place}`"), text: text.to_owned() });
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

/// A word that nobody would write by chance.
fn mark(dice: &mut Dice) -> String {
    format!("Qz{:016x}", dice.next())
}

fn with_credential(cx: &ToolContext, text: &str) -> ToolContext {
    let mut auth = cx.auth().cloned().unwrap_or_default();
    auth.insert("trial_credential".to_owned(), text.into());
    cx.with_auth(Some(auth))
}

/// Makes calls that end in every way, and keeps all that is written of them.
async fn everything(bench: &Bench, value: &Value, cx: &ToolContext) -> Sinks {
    let mut sinks = Sinks::default();
    let text = value.to_string();
    let mut stranger = value.clone();
    if let Some(map) = stranger.as_object_mut() {
        map.insert("trial_unknown_field".to_owned(), Value::Null);
    }
    for (text, cx) in
        [(&text, cx.clone()), (&text, cx.with_dry_run(true)), (&stranger.to_string(), cx.clone())]
    {
        let mut call = bench.runtime.call(bench.spec.name(), text.as_str(), &bench.fresh(&cx));
        let progress = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&progress);
        call.on_progress(move |update| {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(heard, "{update:?}");
        });
        let preview = call.preview();
        sinks.caller.push(("the preview", format!("{preview} {preview:?}")));
        sinks.log.push(("Debug of the call", format!("{call:?}")));
        call.execute().await;
        if let Some(output) = call.output() {
            sinks.output(bench, output);
        }
        sinks.log.push(("Debug of the call", format!("{call:?}")));
        let progress =
            std::mem::take(&mut *progress.lock().unwrap_or_else(PoisonError::into_inner));
        sinks.caller.push(("the progress", progress));
        sinks.heard(bench);
    }
    drop(bench.runtime.call(bench.spec.name(), text.as_str(), &bench.fresh(cx)));
    sinks.heard(bench);
    sinks
}

impl Sinks {
    fn output(&mut self, bench: &Bench, output: &ToolOutput) {
        if let Some(data) = output.data_json() {
            self.caller.push(("the answer", open_answer(bench, data)));
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

    fn heard(&mut self, bench: &Bench) {
        let Some(heard) = bench.watch.take() else { return };
        self.log.push(("the log", heard.log));
        self.log.push(("Debug of the record", heard.debug));
    }

    /// Says where a mark stands that may not.
    fn leak(&self, mark: &Mark) -> Option<String> {
        let caller = self.caller.iter().filter(|_| mark.what == Sensitivity::Secret);
        let (sink, form) = caller
            .chain(&self.log)
            .find_map(|(sink, text)| Some((sink, form_in(text, &mark.text)?)))?;
        let word = match mark.what {
            Sensitivity::Secret => "secret",
            Sensitivity::Personal => "personal value",
        };
        Some(format!("the {word} at {} stands {form} in {sink}", mark.place))
    }
}

/// An answer without what its own schema calls secret: that it is there is no surprise.
fn open_answer(bench: &Bench, data: &str) -> String {
    let schema = bench.spec.output_schema().cloned().map(Value::Object);
    let checker = schema.and_then(|schema| Validator::compile(&schema).ok());
    let redacted = checker.and_then(|checker| checker.redact(data, &Limits::WIDEST, &Plain));
    redacted.unwrap_or_else(|| data.to_owned())
}

struct Plain;

impl Redactor for Plain {
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
        return Some("as it is");
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
            ("got Qz00ff11ee22dd33cc.", Some("as it is")),
            ("0x517A30306666313165653232646433336363", Some("in hexadecimal")),
            ("cc33dd22ee11ff00zQ", Some("backwards")),
            ("Basic dXNlcjpRejAwZmYxMWVlMjJkZDMzY2M=", Some("in Base64")),
            ("nothing of that", None),
        ] {
            assert_eq!(form_in(text, mark), form, "{text}");
        }
    }
}
