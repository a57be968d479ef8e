//! The replies of the scripted models. They read figures from the tools' answers, as a model does.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::servers::{Asked, ModelReply};

/// Answers a question from its context.
pub const ANALYST: &str = "scripted/analyst";
/// Plans a reading day with the tools, over several turns.
pub const EDITOR: &str = "scripted/editor";
/// Is busy when it is asked for the first time.
pub const BUSY: &str = "scripted/busy";
/// Always fails.
pub const BROKEN: &str = "scripted/broken";
/// Answers in place of another model.
pub const STANDBY: &str = "scripted/standby";
/// Never answers.
pub const SLOW: &str = "scripted/slow";

/// Decides what a model says to a request.
#[must_use]
pub fn reply(asked: &Asked) -> ModelReply {
    match (asked.model(), asked.times()) {
        (ANALYST, _) => analyst(asked),
        (EDITOR, _) => editor(asked),
        (BUSY, 0) => refused(StatusCode::TOO_MANY_REQUESTS, Some(1)),
        (BUSY, _) => says("One moment ago I was busy; now I answer, one word after the other."),
        (BROKEN, _) => refused(StatusCode::INTERNAL_SERVER_ERROR, None),
        (STANDBY, _) => says("I answer in place of the model that fails."),
        (SLOW, _) => ModelReply::Silence,
        _ => refused(StatusCode::NOT_FOUND, None),
    }
}

fn says(text: impl Into<String>) -> ModelReply {
    ModelReply::Text(text.into())
}

fn refused(status: StatusCode, retry_after: Option<u32>) -> ModelReply {
    ModelReply::Refused { status, retry_after }
}

/// Answers from the figures of its context.
fn analyst(asked: &Asked) -> ModelReply {
    let context = asked.text();
    let poems =
        ["渭川田家", "过故人庄", "社日"].into_iter().filter(|title| context.contains(title));
    let poems = poems.collect::<Vec<_>>().join(", ");
    let dollars = between(context, "\"amount\":", ",").unwrap_or("an unknown number of");
    let days = between(context, "\"days\":", ",").unwrap_or("an unknown number of");
    let advice = if context.contains("21 days ahead") {
        "the checklist wants them ordered 21 days ahead"
    } else {
        "the checklist was not there"
    };
    let approval = if context.contains("approve(") {
        "A plan that the assistant saves waits for you: the run is suspended, and goes on when you \
         have approved the call by its ticket."
    } else {
        "The handbook says nothing about approvals."
    };
    says(format!(
        "These poems are verified, and tell of a village: {poems}. The booklets cost {dollars} US \
         dollars; the day is in {days} days, and {advice}. {approval}"
    ))
}

/// Looks up, converts (wrongly at first), writes the plan, and reports.
fn editor(asked: &Asked) -> ModelReply {
    let texts = json!({"content_type": "poem", "tag": "村落", "min_credibility": 0.9});
    match asked.turn() {
        0 => ModelReply::Calls(vec![
            ("files.read", json!({"path": "checklist.md"})),
            ("village.texts", texts),
        ]),
        1 => {
            let amount = json!({"amount": "140 euros", "from": "EUR", "to": "dollars"});
            ModelReply::Calls(vec![("rates.convert", amount)])
        }
        2 => {
            let amount = json!({"amount": 140, "from": "EUR", "to": "USD"});
            let day = json!({"day": "2027-02-06", "days": 21});
            let calls = [("rates.convert", amount), ("python.workday_before", day)];
            ModelReply::Calls(calls.into_iter().filter(|(tool, _)| asked.has_tool(tool)).collect())
        }
        3 => {
            let plan = json!({"path": "reading-day.md", "text": plan(asked)});
            ModelReply::Calls(vec![("files.write", plan)])
        }
        _ => match asked.json_of("files.write")["path"].as_str() {
            Some(path) => says(format!("The plan is saved in {path}.")),
            None => says("The plan is not saved, since the call was not carried out."),
        },
    }
}

/// Writes the plan from the tools' answers.
fn plan(asked: &Asked) -> String {
    let texts = asked.json_of("village.texts");
    let titles = texts.as_array().into_iter().flatten().filter_map(|row| row["title"].as_str());
    let titles: Vec<String> = titles.map(|title| format!("- {title}")).collect();
    let price = asked.json_of("rates.convert")["amount"].clone();
    let order_by = asked.json_of("python.workday_before");
    let order_by = order_by.as_str().unwrap_or("21 days before");
    let price = if price == Value::Null { "unknown".to_owned() } else { price.to_string() };
    format!(
        "# Reading day on 6 February 2027\n\n{}\n\nBooklets: 40, for {price} US dollars; to be \
         ordered by {order_by}.\n",
        titles.join("\n")
    )
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(before)?;
    rest.split_once(after).map(|(found, _)| found)
}
