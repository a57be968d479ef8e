//! `GET /attachments/{id}`: serves the stored attachments of a caller's own calls.

use std::fmt::Write;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use tool_contracts::ErrorCode;
use tool_runtime_core::tool::{Attachment, AttachmentHandle};

use crate::problem::Problem;
use crate::request::access_records;
use crate::request::admission::Admitted;
use crate::request::context::{self, RequestHead};
use crate::request::parameters::{Bodyless, Params, param};
use crate::request::time_limit::within_time_limit;
use crate::state::app::SharedApp;

/// Admits the ids of attachments.
pub(crate) const ID_PATTERN: &str = "^att_[0-9a-f]{12}7[0-9a-f]{19}$";

/// The media types that a browser shows without running anything; others are downloaded as bytes.
const SHOWN: [&str; 8] = [
    "application/json",
    "application/pdf",
    "image/avif",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "text/plain",
];
const BYTES: &str = "application/octet-stream";

/// A tool's file must run nothing in the origin of the server.
const NO_ACTIVE_CONTENT: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; sandbox");
const NO_SNIFFING: HeaderValue = HeaderValue::from_static("nosniff");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// The content of an attachment as a response.
struct ServedAttachment(Attachment);

/// Handles a request for one attachment.
///
/// The attachment belongs to the tenant and the user, or else the principal, of the call that made it;
/// for any other caller there is none.
pub(crate) async fn read(
    admitted: Admitted,
    State(app): State<SharedApp>,
    params: Params,
    request: Bodyless,
) -> Result<Response, Problem> {
    let (handle, principal) = (handle(&params)?, admitted.principal());
    let request_head = RequestHead::from_parts(request.parts());
    let cx = context::context(&request_head, None, principal, &app.config.context_defaults)?;
    let _permit = access_records::acquire_read(&app, principal)?;
    let reading = async {
        let read = app.runtime.outputs().attachment(handle, &cx).await;
        read.map_err(|_| Problem::store_unavailable())?.ok_or_else(unknown)
    };
    within_time_limit(&app, reading).await.map(|it| ServedAttachment(it).into_response())
}

fn handle(params: &Params) -> Result<AttachmentHandle, Problem> {
    let message = "path `id`: expected the id of an attachment, `att_` and 32 hexadecimal digits";
    let id = AttachmentHandle::parse(param(params, "id")?);
    id.ok_or_else(|| Problem::from_code(ErrorCode::InvalidArgument, message))
}

fn unknown() -> Problem {
    let message = "the caller has no such attachment, or it has expired; call the tool again";
    Problem::from_code(ErrorCode::NotFound, message)
}

impl IntoResponse for ServedAttachment {
    fn into_response(self) -> Response {
        let Self(attachment) = self;
        let content = Bytes::copy_from_slice(attachment.as_bytes().unwrap_or_default());
        let mut response = content.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(served_type(&attachment)));
        headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFFING);
        headers.insert(CONTENT_SECURITY_POLICY, NO_ACTIVE_CONTENT);
        headers.insert(CACHE_CONTROL, NO_STORE);
        let attachment_headers = [
            (CONTENT_DISPOSITION, disposition(&attachment)),
            (ETAG, format!("\"{}\"", attachment.sha256().unwrap_or_default())),
        ];
        for (name, value) in attachment_headers {
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        }
        response
    }
}

fn served_type(attachment: &Attachment) -> &'static str {
    let media_type = SHOWN.iter().find(|shown| **shown == attachment.media_type());
    media_type.copied().unwrap_or(BYTES)
}

/// Writes the file name in the form of RFC 6266; a browser shows only what [`SHOWN`] lists.
fn disposition(attachment: &Attachment) -> String {
    let kind = if served_type(attachment) == BYTES { "attachment" } else { "inline" };
    let Some(name) = attachment.name() else { return kind.to_owned() };
    let mut value = format!("{kind}; filename*=UTF-8''");
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            value.push(char::from(byte));
        } else {
            // Writing to a text does not fail.
            let _ = write!(value, "%{byte:02X}");
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_a_browser_could_run_is_downloaded_as_bytes() {
        for (media_type, served) in [
            ("image/png", "image/png"),
            ("text/plain", "text/plain"),
            ("text/html", BYTES),
            ("image/svg+xml", BYTES),
            ("application/xhtml+xml", BYTES),
            ("text/javascript", BYTES),
        ] {
            let attachment = Attachment::bytes(media_type, *b"<script>alert(1)</script>");
            assert_eq!(served_type(&attachment), served, "{media_type}");
            let response = ServedAttachment(attachment).into_response();
            assert_eq!(response.headers()[CONTENT_TYPE], served);
            assert_eq!(response.headers()[X_CONTENT_TYPE_OPTIONS], "nosniff");
            let expected = if served == BYTES { "attachment" } else { "inline" };
            assert_eq!(response.headers()[CONTENT_DISPOSITION], expected);
        }
    }

    #[test]
    fn a_file_name_cannot_leave_its_parameter() {
        let attachment = Attachment::text("text/plain", "x").with_name("a\"; b=1 ü.txt");
        let expected = "inline; filename*=UTF-8''a%22%3B%20b%3D1%20%C3%BC.txt";
        assert_eq!(disposition(&attachment), expected);
    }
}
