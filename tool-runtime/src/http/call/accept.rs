//! What a caller takes as an answer: JSON, or a stream of events.

use axum::http::header::{ACCEPT, HeaderMap};

/// In which form a call is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Events,
}

/// How much somebody wants a form: how much they say, and how exactly they name it.
type Wish = (u16, u8);

/// Finds the form that a caller wants most, or none if they take neither (RFC 9110, section 12.5.1).
///
/// A stream has to be named; where it is wanted as much as JSON by name, the answer is JSON.
pub(super) fn form(headers: &HeaderMap) -> Option<Form> {
    let fields = headers.get_all(ACCEPT);
    let mut first = fields.iter();
    match (first.next(), first.next()) {
        (None, _) => return Some(Form::Json),
        // What nearly everybody sends.
        (Some(only), None) if matches!(only.as_bytes(), b"*/*" | b"application/json") => {
            return Some(Form::Json);
        }
        _ => {}
    }
    let json = wish(accepted(headers), "application", "json");
    let events = wish(accepted(headers), "text", "event-stream");
    match (json, events) {
        (_, (1.., 2)) if events > json => Some(Form::Events),
        ((1.., _), _) => Some(Form::Json),
        _ => None,
    }
}

/// Returns whether `Accept` admits `application/json`; a request without the header does.
pub(super) fn admits_json(headers: &HeaderMap) -> bool {
    !headers.contains_key(ACCEPT) || wish(accepted(headers), "application", "json").0 > 0
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

/// Reads a weight; what is none counts for nothing.
fn thousandths(weight: &str) -> u16 {
    let is_plain = weight.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let share = weight.parse::<f32>().ok().filter(|share| is_plain && (0.0..=1.0).contains(share));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is 0 to 1000")]
    share.map_or(0, |share| (share * 1_000.0).round() as u16)
}

/// Says how much one type is wanted, by the range that names it most exactly.
fn wish<'f>(ranges: impl Iterator<Item = (&'f str, u16)>, kind: &str, subtype: &str) -> Wish {
    let fitting = ranges.filter_map(|(range, weight)| {
        let (of_kind, of_subtype) = range.split_once('/')?;
        let exactness = match (of_kind, of_subtype) {
            ("*", "*") => 0,
            (named, "*") if named.eq_ignore_ascii_case(kind) => 1,
            (named, of) if named.eq_ignore_ascii_case(kind) && of.eq_ignore_ascii_case(subtype) => {
                2
            }
            _ => return None,
        };
        Some((weight, exactness))
    });
    fitting.max_by_key(|(_, exactness)| *exactness).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(accept: &[&'static str], wanted: Option<Form>) {
        let fields = accept.iter().map(|field| (ACCEPT, field.parse().expect("a value")));
        assert_eq!(form(&fields.collect()), wanted, "{accept:?}");
    }

    #[test]
    fn whoever_says_nothing_gets_json() {
        check(&[], Some(Form::Json));
        check(&["*/*"], Some(Form::Json));
        check(&["application/json"], Some(Form::Json));
        check(&["application/*"], Some(Form::Json));
        check(&["text/html, */*;q=0.1"], Some(Form::Json));
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
        check(&["text/event-stream"], Some(Form::Events));
        check(&["Text/Event-Stream"], Some(Form::Events));
        check(&["text/event-stream, */*"], Some(Form::Events));
        check(&["*/*, text/event-stream"], Some(Form::Events));
        check(&["text/plain", "text/event-stream"], Some(Form::Events));
        check(&["text/*, application/json;q=0.5"], Some(Form::Json));
        check(&["text/*"], None);
    }

    #[test]
    fn who_names_both_gets_what_they_want_more_and_else_json() {
        check(&["application/json, text/event-stream"], Some(Form::Json));
        check(&["text/event-stream, application/json"], Some(Form::Json));
        check(&["application/json;q=0.5, text/event-stream"], Some(Form::Events));
        check(&["application/json; q=0.5", "text/event-stream;q=0.501"], Some(Form::Events));
        check(&["application/json, text/event-stream;q=0.9"], Some(Form::Json));
    }

    #[test]
    fn what_is_not_wanted_is_not_sent() {
        check(&["text/html"], None);
        check(&["text/event-stream;q=0"], None);
        check(&["text/event-stream;q=0, */*"], Some(Form::Json));
        check(&["application/json;q=0, */*"], None);
        check(&["application/json;q=0, text/event-stream;q=0.1"], Some(Form::Events));
        check(&["*/*;q=0"], None);
        check(&[""], None);
    }

    #[test]
    fn a_weight_that_is_none_counts_for_nothing() {
        for weight in ["2", "-1", "x", "1e0", "+1", "inf", "nan", ""] {
            assert_eq!(thousandths(weight), 0, "{weight}");
        }
        assert_eq!(
            (thousandths("1"), thousandths("0.25"), thousandths("1.000")),
            (1000, 250, 1000)
        );
    }
}
