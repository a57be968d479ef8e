//! Lets a tool attach files, images and links to its answer.

mod new;

use std::fmt;

use thiserror::Error;
use tool_contracts::{ContractError, ErrorCode};

#[cfg(feature = "policy")]
pub(crate) use self::new::sha256_of;
use super::CallScope;
use super::attachment::Attachment;
use super::attachment_limits::AttachmentLimits;
use super::host_parameters::{FromCall, RecordingTarget};
use crate::failure::{Failure, FailureCode, ToolFailure};

/// Lets a tool attach files, images and links to its answer: `meta.attachments`.
///
/// Attachments belong to an answer: those of a failed call or of a failed attempt are dropped, and so
/// are those that are added after the call has ended. The call's secrets are removed from names,
/// descriptions, links and text files. How each model provider gets them is said in the
/// [guide](https://docs.rs/tool-runtime/latest/tool_runtime/guide/attachments/).
///
/// ```
/// use tool_runtime::{Attachment, AttachmentError, Attachments};
/// use tool_runtime::prelude::*;
///
/// /// Exports the orders of a month.
/// #[ai_tool(effect = "read")]
/// async fn export_orders(
///     attachments: &Attachments,
///     /// The month, such as `2026-05`.
///     month: String,
/// ) -> Result<u32, AttachmentError> {
///     let file = Attachment::text("text/csv", "id,total\n1,9.90\n").with_name(format!("{month}.csv"));
///     attachments.add(file)?;
///     Ok(1)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<ExportOrdersTool>().build()?;
/// let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build()?;
/// let mut call = runtime.call("export_orders", r#"{"month":"2026-05"}"#, &cx);
/// let output = call.execute().await;
/// let file = &output.attachments()[0];
/// assert_eq!((file.name(), file.as_text()), (Some("2026-05.csv"), Some("id,total\n1,9.90\n")));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Attachments {
    target: RecordingTarget,
    limits: AttachmentLimits,
}

/// The reason for which an attachment is refused.
///
/// A tool that returns it fails with the code `INVALID_OUTPUT`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AttachmentError {
    /// The media type, the name, the description or the link has another form than the contract's.
    #[error("{0}")]
    Invalid(#[source] ContractError),
    /// The answer has as many attachments as it may have.
    #[error("an answer has at most {max} attachments")]
    TooMany {
        /// The most attachments of an answer.
        max: usize,
    },
    /// The attachments of the answer are too large together.
    #[error("the attachments of an answer have at most {max} bytes together")]
    TooLarge {
        /// The most bytes of the attachments of an answer.
        max: usize,
    },
}

impl Attachments {
    /// Makes a recorder that checks attachments and keeps none, for a unit test of a tool's function.
    #[must_use]
    pub const fn detached() -> Self {
        Self { target: RecordingTarget::Nowhere, limits: AttachmentLimits::new() }
    }

    /// Attaches a file, an image or a link.
    ///
    /// # Errors
    /// [`AttachmentError::Invalid`] for a value that the contract does not allow;
    /// [`AttachmentError::TooMany`] and [`AttachmentError::TooLarge`] for one beyond the runtime's
    /// [limits](AttachmentLimits). Nothing is attached then.
    pub fn add(&self, attachment: Attachment) -> Result<(), AttachmentError> {
        let attachment = attachment.map_texts(|text| self.target.shown(text));
        self.check_size(attachment.bytes_here())?;
        attachment.check().map_err(AttachmentError::Invalid)?;
        let mut added = Ok(());
        self.target.write(|draft| added = self.add_to(&mut draft.attachments, attachment));
        added
    }

    fn add_to(
        &self,
        attachments: &mut Vec<Attachment>,
        added: Attachment,
    ) -> Result<(), AttachmentError> {
        if attachments.len() >= self.limits.max_count() {
            return Err(AttachmentError::TooMany { max: self.limits.max_count() });
        }
        let sizes = attachments.iter().chain([&added]).map(Attachment::bytes_here);
        self.check_size(sizes.sum())?;
        attachments.push(added);
        Ok(())
    }

    fn check_size(&self, bytes: usize) -> Result<(), AttachmentError> {
        if bytes > self.limits.max_bytes() {
            return Err(AttachmentError::TooLarge { max: self.limits.max_bytes() });
        }
        Ok(())
    }
}

impl fmt::Debug for Attachments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachments").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl FromCall for Attachments {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        let limits = call.environment().attachment_limits;
        Ok(Self { target: RecordingTarget::for_call(call), limits })
    }
}

impl ToolFailure for AttachmentError {
    fn failure(&self) -> Failure {
        Failure::from_code(ErrorCode::InvalidOutput).with_message(self.to_string())
    }

    fn codes() -> &'static [FailureCode] {
        const { &[FailureCode::standard(ErrorCode::InvalidOutput)] }
    }
}
