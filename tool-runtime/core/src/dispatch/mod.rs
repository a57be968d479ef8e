//! Dispatch: the one fixed pipeline that every call goes through, and the traits it calls.

#[doc(hidden)]
pub mod answer;
pub(crate) mod attempt;
mod call_approval;
mod call_record;
pub(crate) mod decode;
mod dispatcher;
pub(crate) mod execution_policy;
#[doc(hidden)]
pub mod hooks;
#[doc(hidden)]
pub mod outcome;
pub(crate) mod pipeline;
#[doc(hidden)]
pub mod refusal;
pub(crate) mod run;
mod spending_record;

pub(crate) use self::call_approval::{
    ApprovalSlot, PreviewFailure, PreviewResult, TicketWithdrawal, is_name,
};
#[cfg(feature = "policy")]
pub(crate) use self::call_approval::{AwaitedTicket, CallApproval, RedeemedTicket};
pub(crate) use self::call_record::CallFacts;
pub use self::call_record::{CallRecord, Observe};
pub(crate) use self::dispatcher::Dispatcher;
pub use self::outcome::AnswerOrigin;
pub use self::spending_record::{SpendingOutcome, SpendingRecord};
