//! The arguments of a waiting call as a form that is made from the tool's schema, and back.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Number, Value};
use tool_contracts::has_hidden_characters;

use crate::text::{self, visible, with_escapes};

/// The prefix of the names of the form's fields, before the name of the argument.
const PREFIX: &str = "argument.";

/// The name of the field of all arguments, for a tool without a schema.
const ALL: &str = "arguments";

/// The arguments of a call by their names; each keeps its JSON text, so that no number is rounded.
pub(crate) type Arguments = BTreeMap<String, Box<RawValue>>;

/// The form of a call's arguments.
#[derive(Debug)]
pub(crate) struct ArgumentForm {
    pub(crate) fields: Vec<FormField>,
    /// The arguments that the call has.
    arguments: Arguments,
}

/// A field of the form.
#[derive(Debug)]
pub(crate) struct FormField {
    /// The field's name in the form.
    pub(crate) name: String,
    /// The argument that it stands for; `None` if it stands for all of them.
    argument: Option<String>,
    pub(crate) label: String,
    pub(crate) description: String,
    pub(crate) is_required: bool,
    pub(crate) kind: FieldKind,
    /// The text in the field; empty if the call has no such argument.
    pub(crate) text: String,
    /// True if the text is not what the field expects.
    pub(crate) is_wrong: bool,
}

/// The kind of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Line,
    Paragraph,
    Number,
    Integer,
    /// One of these texts.
    Choice(Vec<String>),
    Flag,
    /// Any JSON.
    Json,
}

/// An argument that a person has changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ArgumentChange {
    pub(crate) name: String,
    /// JSON; `None` if the call had no such argument.
    pub(crate) before: Option<String>,
    /// JSON; `None` if the argument is left out.
    pub(crate) after: Option<String>,
}

impl ArgumentForm {
    /// Makes the form of a call; `None` if its arguments cannot be edited, since they are not all there.
    pub(crate) fn new(schema: Option<&Value>, arguments: Option<&RawValue>) -> Option<Self> {
        let arguments: Arguments = serde_json::from_str(arguments?.get()).ok()?;
        let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
        // Browsers change such a name.
        let has_form = |name: &String| !has_hidden_characters(name);
        let properties = properties.filter(|properties| properties.keys().all(has_form));
        let fields = match properties {
            Some(properties) => {
                let required = schema.and_then(|schema| schema.get("required")?.as_array());
                let is_required =
                    |name: &str| required.is_some_and(|it| it.iter().any(|it| it == name));
                let field = |(name, schema): (&String, &Value)| {
                    FormField::new(
                        name,
                        schema,
                        arguments.get(name).map(|it| &**it),
                        is_required(name),
                    )
                };
                properties.iter().map(field).collect()
            }
            None => vec![FormField::for_all(&arguments)],
        };
        Some(Self { fields, arguments })
    }

    /// Reads what a person has entered, and returns the arguments; fields whose text is not what they expect are marked,
    /// and then there are none.
    pub(crate) fn read<'s>(&mut self, sent: impl Fn(&str) -> Option<&'s str>) -> Option<Arguments> {
        let mut edited = self.arguments.clone();
        for field in &mut self.fields {
            let Some(text) = sent(&field.name) else { continue };
            let text = with_plain_breaks(text);
            if text == with_plain_breaks(&field.text) {
                continue;
            }
            field.text = text;
            match (&field.argument, field.value()) {
                (Some(argument), Ok(Some(value))) => {
                    edited.insert(argument.clone(), value);
                }
                (Some(argument), Ok(None)) => {
                    edited.remove(argument);
                }
                (None, Ok(Some(all))) => match serde_json::from_str(all.get()) {
                    Ok(all) => edited = all,
                    Err(_) => field.is_wrong = true,
                },
                (None, Ok(None)) | (_, Err(())) => field.is_wrong = true,
            }
        }
        let is_right = self.fields.iter().all(|field| !field.is_wrong);
        is_right.then_some(edited)
    }

    /// Compares edited arguments with those of the call.
    pub(crate) fn changes(&self, edited: &Arguments) -> Vec<ArgumentChange> {
        let json = |value: &RawValue| visible(value.get()).into_owned();
        let added = edited.keys().filter(|name| !self.arguments.contains_key(*name));
        let names = self.arguments.keys().chain(added);
        let change = |name: &String| {
            let (before, after) = (self.arguments.get(name), edited.get(name));
            let is_changed = before.map(|it| it.get()) != after.map(|it| it.get());
            is_changed.then(|| ArgumentChange {
                name: visible(name).into_owned(),
                before: before.map(|it| json(it)),
                after: after.map(|it| json(it)),
            })
        };
        names.filter_map(change).collect()
    }
}

impl FormField {
    fn new(name: &str, schema: &Value, value: Option<&RawValue>, is_required: bool) -> Self {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let parsed = value.and_then(|value| serde_json::from_str(value.get()).ok());
        let kind = match value {
            Some(value) if parsed.is_none() || text::has_escapes(value.get()) => FieldKind::Json,
            Some(_) | None => FieldKind::new(schema, parsed.as_ref()),
        };
        let title = text("title");
        Self {
            name: format!("{PREFIX}{name}"),
            argument: Some(name.to_owned()),
            label: visible(if title.is_empty() { name } else { title }).into_owned(),
            description: visible(text("description")).into_owned(),
            is_required,
            text: value.map(|value| kind.write(value, parsed.as_ref())).unwrap_or_default(),
            kind,
            is_wrong: false,
        }
    }

    /// The field of all arguments as JSON.
    fn for_all(arguments: &Arguments) -> Self {
        Self {
            name: ALL.to_owned(),
            argument: None,
            label: String::new(),
            description: String::new(),
            is_required: true,
            kind: FieldKind::Json,
            text: with_escapes(&serde_json::to_string_pretty(arguments).unwrap_or_default())
                .into_owned(),
            is_wrong: false,
        }
    }

    /// Reads the text; `None` if the argument is left out.
    fn value(&self) -> Result<Option<Box<RawValue>>, ()> {
        let text = self.text.trim();
        let is_text = matches!(self.kind, FieldKind::Line | FieldKind::Paragraph);
        if text.is_empty() && !(is_text && self.is_required) {
            return Ok(None);
        }
        let is_right = match &self.kind {
            FieldKind::Line | FieldKind::Paragraph => return to_raw(&self.text).map(Some),
            FieldKind::Choice(choices) => {
                let is_one = choices.contains(&self.text);
                return if is_one { to_raw(&self.text).map(Some) } else { Err(()) };
            }
            FieldKind::Number => serde_json::from_str::<Number>(text).is_ok(),
            FieldKind::Integer => {
                serde_json::from_str::<Number>(text).is_ok_and(|it| it.is_i64() || it.is_u64())
            }
            FieldKind::Flag => matches!(text, "true" | "false"),
            FieldKind::Json => true,
        };
        let json = RawValue::from_string(text.to_owned()).map_err(|_| ())?;
        if is_right { Ok(Some(json)) } else { Err(()) }
    }
}

impl FieldKind {
    /// Chooses the kind by the schema of the argument; anything but a plain type is JSON, and so is an argument that
    /// does not have the type.
    fn new(schema: &Value, value: Option<&Value>) -> Self {
        let choices = schema.get("enum").and_then(Value::as_array);
        let choices: Option<Vec<String>> =
            choices.and_then(|it| it.iter().map(|it| it.as_str().map(str::to_owned)).collect());
        // An argument that may be null is left out instead.
        let types = match schema.get("type") {
            Some(Value::Array(types)) if types.len() == 2 => {
                let types = types.iter().filter_map(Value::as_str);
                types.filter(|name| *name != "null").collect::<Vec<_>>()
            }
            one => one.and_then(Value::as_str).into_iter().collect(),
        };
        let kind = match types[..] {
            ["string"] => match choices {
                // The empty text is the choice to leave the argument out.
                Some(choices) if choices.iter().any(String::is_empty) => Self::Json,
                Some(choices) => Self::Choice(choices),
                None if is_long(schema, value) => Self::Paragraph,
                None => Self::Line,
            },
            ["number"] => Self::Number,
            ["integer"] => Self::Integer,
            ["boolean"] => Self::Flag,
            // The types of JSON that have no field of their own, several types, or none.
            _ => Self::Json,
        };
        if value.is_none_or(|value| kind.takes(value)) { kind } else { Self::Json }
    }

    fn takes(&self, value: &Value) -> bool {
        match self {
            Self::Line | Self::Paragraph => value.is_string(),
            Self::Choice(choices) => {
                value.as_str().is_some_and(|it| choices.iter().any(|choice| choice == it))
            }
            Self::Number => value.is_number(),
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Flag => value.is_boolean(),
            Self::Json => true,
        }
    }

    /// Writes an argument for its field: a text as it is, anything else in the words of its JSON.
    fn write(&self, json: &RawValue, value: Option<&Value>) -> String {
        match self {
            Self::Line | Self::Paragraph | Self::Choice(_) => {
                value.and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            Self::Number | Self::Integer | Self::Flag | Self::Json => {
                with_escapes(json.get()).into_owned()
            }
        }
    }
}

fn to_raw(text: &str) -> Result<Box<RawValue>, ()> {
    serde_json::value::to_raw_value(text).map_err(|_| ())
}

/// Replaces the line breaks that browsers send, whichever a text had, by `\n`.
fn with_plain_breaks(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns whether a text needs more than a line; a line would lose its breaks.
fn is_long(schema: &Value, value: Option<&Value>) -> bool {
    let text = value.and_then(Value::as_str).unwrap_or_default();
    let longest = schema.get("maxLength").and_then(Value::as_u64);
    text.contains(['\n', '\r']) || text.len() > 80 || longest.is_some_and(|longest| longest > 200)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn json(arguments: &Arguments) -> Value {
        serde_json::to_value(arguments).expect("JSON")
    }

    fn form(arguments: &Value) -> ArgumentForm {
        let schema = json!({
            "type": "object",
            "required": ["title", "amount"],
            "properties": {
                "title": {"type": "string", "description": "Its title."},
                "amount": {"type": "number"},
                "count": {"type": "integer"},
                "kind": {"type": "string", "enum": ["a", "b"]},
                "urgent": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}}
            }
        });
        let arguments = RawValue::from_string(arguments.to_string()).expect("JSON");
        ArgumentForm::new(Some(&schema), Some(&arguments)).expect("a form")
    }

    /// Reads the form as a browser sends it, with these fields changed.
    fn read(form: &mut ArgumentForm, changed: &[(&str, &str)]) -> Option<Arguments> {
        let mut sent: Vec<(String, String)> =
            form.fields.iter().map(|it| (it.name.clone(), it.text.clone())).collect();
        for (name, text) in changed {
            let field = sent.iter_mut().find(|it| it.0.trim_start_matches(PREFIX) == *name);
            field.expect("a field").1 = (*text).to_owned();
        }
        let get = |name: &str| sent.iter().find(|it| it.0 == name).map(|it| it.1.as_str());
        form.read(get)
    }

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let arguments = json!({
            "title": "a\r\nb\r", "amount": 12.50, "kind": "a", "urgent": false, "tags": ["x"], "other": {"a": null}
        });
        let mut form = form(&arguments);
        let edited = read(&mut form, &[]).expect("arguments");
        assert_eq!(json(&edited), arguments);
        assert_eq!(form.changes(&edited), []);
    }

    #[test]
    fn each_changed_argument_is_a_change_with_both_values() {
        let mut form = form(&json!({"title": "a", "amount": 1, "urgent": true}));
        let entered =
            [("amount", "2.50"), ("urgent", ""), ("tags", "[\"y\"]"), ("title", "b\r\nc")];
        let edited = read(&mut form, &entered).expect("arguments");
        assert_eq!(json(&edited), json!({"title": "b\nc", "amount": 2.5, "tags": ["y"]}));
        let changes = form.changes(&edited);
        let names: Vec<_> = changes.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["amount", "title", "urgent", "tags"]);
        assert_eq!(
            (changes[2].before.as_deref(), changes[2].after.as_deref()),
            (Some("true"), None)
        );
        assert_eq!(
            (changes[3].before.as_deref(), changes[3].after.as_deref()),
            (None, Some("[\"y\"]"))
        );
    }

    #[test]
    fn no_number_is_rounded() {
        let schema =
            json!({"properties": {"amount": {"type": "number"}, "note": {"type": "string"}}});
        let text = r#"{"amount":0.10000000000000000001,"note":"a"}"#;
        let arguments = RawValue::from_string(text.to_owned()).expect("JSON");
        let mut form = ArgumentForm::new(Some(&schema), Some(&arguments)).expect("a form");
        let edited = read(&mut form, &[("note", "b")]).expect("arguments");
        assert_eq!(edited["amount"].get(), "0.10000000000000000001");
        let edited = read(&mut form, &[("amount", "12345678901234567890.12")]).expect("arguments");
        assert_eq!(edited["amount"].get(), "12345678901234567890.12");
    }

    #[test]
    fn a_text_that_a_field_does_not_expect_is_marked_and_kept() {
        for (name, text) in [
            ("amount", "many"),
            ("amount", "1 2"),
            ("count", "1.5"),
            ("kind", "c"),
            ("urgent", "yes"),
            ("tags", "["),
        ] {
            let mut form = form(&json!({"title": "a", "amount": 1}));
            assert!(read(&mut form, &[(name, text)]).is_none(), "{name}");
            let wrong: Vec<_> = form.fields.iter().filter(|it| it.is_wrong).collect();
            assert_eq!(
                (wrong.len(), wrong[0].label.as_str(), wrong[0].text.as_str()),
                (1, name, text)
            );
        }
    }

    #[test]
    fn an_argument_that_does_not_have_the_type_of_its_schema_is_json() {
        let form = form(&json!({"title": 7, "amount": "1", "kind": "z"}));
        let inputs: Vec<_> = form.fields.iter().map(|it| (it.label.as_str(), &it.kind)).collect();
        for name in ["title", "amount", "kind", "tags"] {
            assert!(inputs.contains(&(name, &FieldKind::Json)), "{name}: {inputs:?}");
        }
    }

    #[test]
    fn hidden_characters_are_escapes_in_the_form_and_stay_what_they_are() {
        let title = "\u{0}pay \u{202e}001\u{3164}";
        let mut form = form(&json!({"title": title, "amount": 1}));
        let field = form.fields.iter().find(|it| it.label == "title").expect("the field");
        assert_eq!(field.kind, FieldKind::Json);
        assert_eq!(field.text, r#""\u0000pay \u202e001\u3164""#);
        let edited = read(&mut form, &[("amount", "2")]).expect("arguments");
        assert_eq!(json(&edited), json!({"title": title, "amount": 2}));
    }

    #[test]
    fn a_type_that_may_be_null_has_the_field_of_the_other_type() {
        let mut schema = json!({"properties": {
            "note": {"type": ["string", "null"]},
            "kind": {"type": "string", "enum": ["", " a"]},
            "line\nbreak": {"type": "string"}
        }});
        let arguments = RawValue::from_string(r#"{"note":"x"}"#.to_owned()).expect("JSON");
        let form = ArgumentForm::new(Some(&schema), Some(&arguments)).expect("a form");
        assert_eq!(form.fields.len(), 1, "a name that a browser changes");
        let properties = schema["properties"].as_object_mut().expect("an object");
        properties.remove("line\nbreak");
        let form = ArgumentForm::new(Some(&schema), Some(&arguments)).expect("a form");
        let kinds: Vec<_> = form.fields.iter().map(|it| (it.label.as_str(), &it.kind)).collect();
        assert_eq!(kinds, [("kind", &FieldKind::Json), ("note", &FieldKind::Line)]);
    }

    #[test]
    fn without_a_schema_all_arguments_are_one_text() {
        let arguments = RawValue::from_string(r#"{"a":1}"#.to_owned()).expect("JSON");
        let mut form = ArgumentForm::new(None, Some(&arguments)).expect("a form");
        let edited = read(&mut form, &[(ALL, r#"{"a":2}"#)]).expect("arguments");
        assert_eq!(json(&edited), json!({"a": 2}));
        assert!(read(&mut form, &[(ALL, "[1]")]).is_none());
        assert!(ArgumentForm::new(None, None).is_none());
    }
}
