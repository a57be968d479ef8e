//! Sentences for a model that replace unsupported keywords.

use serde_json::Value;

/// A sentence for a keyword; `None` if one sentence cannot express it.
pub(super) fn sentence(keyword: &str, value: &Value) -> Option<String> {
    let value_text = shown(value);
    Some(match keyword {
        "minLength" => format!("At least {}.", counted(value, "character")?),
        "maxLength" => format!("At most {}.", counted(value, "character")?),
        "minItems" => format!("At least {}.", counted(value, "item")?),
        "maxItems" => format!("At most {}.", counted(value, "item")?),
        "minProperties" => format!("At least {}.", counted(value, "property")?),
        "maxProperties" => format!("At most {}.", counted(value, "property")?),
        "uniqueItems" if *value == Value::Bool(true) => "Items must be unique.".to_owned(),
        "minimum" => format!("At least {value_text}."),
        "maximum" => format!("At most {value_text}."),
        "exclusiveMinimum" => format!("Above {value_text}."),
        "exclusiveMaximum" => format!("Below {value_text}."),
        "multipleOf" => format!("A multiple of {value_text}."),
        "pattern" => format!("Matches the regular expression `{}`.", value.as_str()?),
        "format" => format!("Format: {}.", value.as_str()?),
        "default" => format!("Default: {value_text}."),
        "title" => format!("Type: {value_text}."),
        "const" => format!("Always {value_text}."),
        "enum" => format!("One of {}.", list(value)?),
        "required" => format!("Requires {}.", list(value)?),
        _ => return None,
    })
}

/// Appends a sentence to a description.
pub(super) fn joined(description: Option<&str>, sentence: &str) -> String {
    match description.map(str::trim_end).filter(|text| !text.is_empty()) {
        None => sentence.to_owned(),
        Some(text) if text.ends_with(['.', '!', '?', ':', ')']) => format!("{text} {sentence}"),
        Some(text) => format!("{text}. {sentence}"),
    }
}

fn counted(count: &Value, noun: &str) -> Option<String> {
    let plural = || noun.strip_suffix('y').map_or(format!("{noun}s"), |stem| format!("{stem}ies"));
    match count.as_f64()? {
        1.0 => Some(format!("1 {noun}")),
        _ => Some(format!("{count} {}", plural())),
    }
}

fn list(values: &Value) -> Option<String> {
    let value_texts: Vec<String> = values.as_array()?.iter().map(shown).collect();
    Some(value_texts.join(", "))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{text}`"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_is_not_many() {
        assert_eq!(sentence("minItems", &json!(1)).as_deref(), Some("At least 1 item."));
        assert_eq!(sentence("maxProperties", &json!(2)).as_deref(), Some("At most 2 properties."));
    }

    #[test]
    fn a_sentence_is_added_to_a_description_that_may_lack_its_full_stop() {
        assert_eq!(
            joined(Some("Words to find"), "At least 1 character."),
            "Words to find. At least 1 character."
        );
        assert_eq!(joined(None, "Default: `a`."), "Default: `a`.");
    }
}
