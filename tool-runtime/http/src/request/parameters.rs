//! Reads the parameters of a request: those of its path and of its query, such as the page that it
//! requests.

use std::fmt::Display;
use std::str::FromStr;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use tool_contracts::ErrorCode;

use crate::problem::Problem;
use crate::response::ReportFacts;
use crate::state::app::SharedApp;

/// A request whose body is not read.
#[derive(Debug)]
pub(crate) struct Bodyless(Parts);

impl FromRequest<SharedApp> for Bodyless {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &SharedApp) -> Result<Self, Problem> {
        Ok(Self(request.into_parts().0))
    }
}

impl ReportFacts for Bodyless {}

impl Bodyless {
    /// Returns the query, without its `?`.
    pub(crate) fn query(&self) -> Option<&str> {
        self.0.uri.query()
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }
}

/// The parameters of a path, if they are UTF-8.
pub(crate) type Params = Result<RawPathParams, RawPathParamsRejection>;

impl ReportFacts for Params {}

/// Extracts the parameters of a request's path.
pub(super) async fn params_of(parts: &mut Parts) -> Params {
    RawPathParams::from_request_parts(parts, &()).await
}

/// Returns a parameter of the path, percent-decoded.
pub(crate) fn param<'p>(params: &'p Params, name: &str) -> Result<&'p str, Problem> {
    let parameter = params.as_ref().ok().and_then(|params| params.iter().find(|it| it.0 == name));
    parameter.map(|(_, value)| value).ok_or_else(|| {
        let message = format!("path `{name}`: expected percent-encoded UTF-8");
        Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
    })
}

/// The largest page.
pub(crate) const MAX_LIMIT: usize = 100;
/// The default page size.
pub(crate) const DEFAULT_LIMIT: usize = 50;

/// The page that a query requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageRequest<T> {
    /// The cursor after which the page begins; `None` for the first page.
    pub(crate) after: Option<T>,
    pub(crate) limit: usize,
}

impl<T: FromStr> PageRequest<T> {
    /// Reads `after` and `limit` from a query and ignores other parameters.
    pub(crate) fn read(query: Option<&str>, after_is: &str) -> Result<Self, Problem> {
        let limit = one(query, "limit", &format_args!("a number from 1 to {MAX_LIMIT}"), |text| {
            text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit))
        })?;
        let after = one(query, "after", &after_is, |text| text.parse().ok())?;
        Ok(Self { after, limit: limit.unwrap_or(DEFAULT_LIMIT) })
    }
}

/// Reads one parameter, which may occur once.
pub(crate) fn one<T>(
    query: Option<&str>,
    name: &str,
    expected: &dyn Display,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Problem> {
    let has_name = |pair: &&str| pair.split_once('=').map_or(*pair, |(name, _)| name) == name;
    let mut pairs = query.unwrap_or_default().split('&').filter(has_name);
    let (Some(pair), more) = (pairs.next(), pairs.next()) else { return Ok(None) };
    let value = pair.split_once('=').map_or("", |(_, value)| value);
    match read(value).filter(|_| more.is_none()) {
        Some(value) => Ok(Some(value)),
        None => Err(Problem::from_code(
            ErrorCode::InvalidArgument,
            format!("query `{name}`: expected {expected}, once"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: Result<(Option<u64>, usize), &str>) {
        let read = PageRequest::<u64>::read(Some(query), "a number");
        let read = read.map(|asked| (asked.after, asked.limit)).map_err(|it| it.message);
        assert_eq!(read, expected.map_err(Into::into), "{query}");
    }

    #[test]
    fn a_page_begins_at_the_start_and_has_its_usual_length() {
        check("", Ok((None, DEFAULT_LIMIT)));
        check("trace_id=x&limits=3&afterwards=4", Ok((None, DEFAULT_LIMIT)));
    }

    #[test]
    fn a_query_says_where_a_page_begins_and_how_long_it_is() {
        check("limit=1&after=7", Ok((Some(7), 1)));
        check("after=0&limit=100", Ok((Some(0), 100)));
    }

    #[test]
    fn a_parameter_out_of_range_or_repeated_is_refused_by_name() {
        let limit = Err("query `limit`: expected a number from 1 to 100, once");
        for query in ["limit=0", "limit=101", "limit=", "limit", "limit=x", "limit=1&limit=1"] {
            check(query, limit);
        }
        check("after=-1", Err("query `after`: expected a number, once"));
    }
}
