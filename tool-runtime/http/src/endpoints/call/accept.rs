//! Negotiates the media type of a response: JSON or an event stream.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, HeaderMap};
use axum::http::request::Parts;
use tool_contracts::ErrorCode;

use crate::problem::Problem;
use crate::response::ReportFacts;
use crate::state::app::SharedApp;

/// The media type of a call's response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MediaType {
    Json,
    EventStream,
}

/// Proof that the client accepts JSON.
#[derive(Debug)]
pub(crate) struct AcceptsJson;

impl FromRequestParts<SharedApp> for MediaType {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &SharedApp) -> Result<Self, Problem> {
        preferred(&parts.headers)
            .ok_or_else(|| not_acceptable("`application/json` or `text/event-stream`"))
    }
}

impl FromRequestParts<SharedApp> for AcceptsJson {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &SharedApp) -> Result<Self, Problem> {
        admits_json(&parts.headers)
            .then_some(Self)
            .ok_or_else(|| not_acceptable("`application/json`"))
    }
}

impl ReportFacts for MediaType {}

impl ReportFacts for AcceptsJson {}

/// The preference for a media type: its weight, and how specific its range is.
type Preference = (u16, u8);

/// Returns the preferred media type, or `None` if neither is accepted (RFC 9110, section 12.5.1).
///
/// An event stream has to be named; if JSON is named with the same weight, JSON is preferred.
fn preferred(headers: &HeaderMap) -> Option<MediaType> {
    let fields = headers.get_all(ACCEPT);
    let mut first = fields.iter();
    match (first.next(), first.next()) {
        (None, _) => return Some(MediaType::Json),
        // The most common values.
        (Some(only), None) if matches!(only.as_bytes(), b"*/*" | b"application/json") => {
            return Some(MediaType::Json);
        }
        _ => {}
    }
    let json = preference(accepted(headers), "application", "json");
    let events = preference(accepted(headers), "text", "event-stream");
    match (json, events) {
        (_, (1.., 2)) if events > json => Some(MediaType::EventStream),
        ((1.., _), _) => Some(MediaType::Json),
        _ => None,
    }
}

/// Returns whether `Accept` admits `application/json`; a request without the header does.
fn admits_json(headers: &HeaderMap) -> bool {
    !headers.contains_key(ACCEPT) || preference(accepted(headers), "application", "json").0 > 0
}

/// Returns the media ranges of all `Accept` headers, each with its weight in thousandths.
fn accepted(headers: &HeaderMap) -> impl Iterator<Item = (&str, u16)> {
    headers.get_all(ACCEPT).iter().filter_map(|field| field.to_str().ok()).flat_map(ranges)
}

/// Splits a field into its media ranges, each with its weight in thousandths.
fn ranges(field: &str) -> impl Iterator<Item = (&str, u16)> {
    field.split(',').map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
        (name, weight.map_or(1_000, thousandths))
    })
}

/// Parses a weight; an invalid one is 0.
fn thousandths(weight: &str) -> u16 {
    let is_plain = weight.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let share = weight.parse::<f32>().ok().filter(|share| is_plain && (0.0..=1.0).contains(share));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 1000")]
    share.map_or(0, |share| (share * 1_000.0).round() as u16)
}

/// Returns the preference for one media type, from its most specific range.
fn preference<'f>(
    ranges: impl Iterator<Item = (&'f str, u16)>,
    kind: &str,
    subtype: &str,
) -> Preference {
    let matching_ranges = ranges.filter_map(|(range, weight)| {
        let (range_kind, range_subtype) = range.split_once('/')?;
        let exactness = match (range_kind, range_subtype) {
            ("*", "*") => 0,
            (name, "*") if name.eq_ignore_ascii_case(kind) => 1,
            (name, subname)
                if name.eq_ignore_ascii_case(kind) && subname.eq_ignore_ascii_case(subtype) =>
            {
                2
            }
            _ => return None,
        };
        Some((weight, exactness))
    });
    matching_ranges.max_by_key(|(_, exactness)| *exactness).unwrap_or_default()
}

fn not_acceptable(types: &str) -> Problem {
    let message = format!("accept: expected {types} among the types");
    Problem::new(StatusCode::NOT_ACCEPTABLE, ErrorCode::InvalidArgument, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accept: &[&'static str], wanted: Option<MediaType>) {
        let fields = accept.iter().map(|field| (ACCEPT, field.parse().expect("a value")));
        assert_eq!(preferred(&fields.collect()), wanted, "{accept:?}");
    }

    #[test]
    fn json_is_the_default() {
        check(&[], Some(MediaType::Json));
        check(&["*/*"], Some(MediaType::Json));
        check(&["application/json"], Some(MediaType::Json));
        check(&["application/*"], Some(MediaType::Json));
        check(&["text/html, */*;q=0.1"], Some(MediaType::Json));
    }

    #[test]
    fn json_is_admitted_unless_it_is_excluded() {
        let admits = |accept: &'static str| {
            admits_json(&HeaderMap::from_iter([(ACCEPT, accept.parse().expect("a value"))]))
        };
        assert!(admits_json(&HeaderMap::new()));
        assert!(
            ["*/*", "application/*", "text/event-stream, application/json;q=0.1"].map(admits)
                == [true; 3]
        );
        assert!(["text/event-stream", "application/json;q=0, */*"].map(admits) == [false; 2]);
    }

    #[test]
    fn a_stream_has_to_be_named() {
        check(&["text/event-stream"], Some(MediaType::EventStream));
        check(&["Text/Event-Stream"], Some(MediaType::EventStream));
        check(&["text/event-stream, */*"], Some(MediaType::EventStream));
        check(&["*/*, text/event-stream"], Some(MediaType::EventStream));
        check(&["text/plain", "text/event-stream"], Some(MediaType::EventStream));
        check(&["text/*, application/json;q=0.5"], Some(MediaType::Json));
        check(&["text/*"], None);
    }

    #[test]
    fn the_preferred_of_two_named_types_is_sent_and_else_json() {
        check(&["application/json, text/event-stream"], Some(MediaType::Json));
        check(&["text/event-stream, application/json"], Some(MediaType::Json));
        check(&["application/json;q=0.5, text/event-stream"], Some(MediaType::EventStream));
        check(
            &["application/json; q=0.5", "text/event-stream;q=0.501"],
            Some(MediaType::EventStream),
        );
        check(&["application/json, text/event-stream;q=0.9"], Some(MediaType::Json));
    }

    #[test]
    fn a_type_that_is_not_accepted_is_not_sent() {
        check(&["text/html"], None);
        check(&["text/event-stream;q=0"], None);
        check(&["text/event-stream;q=0, */*"], Some(MediaType::Json));
        check(&["application/json;q=0, */*"], None);
        check(&["application/json;q=0, text/event-stream;q=0.1"], Some(MediaType::EventStream));
        check(&["*/*;q=0"], None);
        check(&[""], None);
    }

    #[test]
    fn an_invalid_weight_is_zero() {
        for weight in ["2", "-1", "x", "1e0", "+1", "inf", "nan", ""] {
            assert_eq!(thousandths(weight), 0, "{weight}");
        }
        assert_eq!(
            (thousandths("1"), thousandths("0.25"), thousandths("1.000")),
            (1000, 250, 1000)
        );
    }
}
