//! The probe traits; generated code imports all of them anonymously.

pub use std::ops::Deref as _;

pub use super::probe::{
    BoxedFault as _, DebuggedFault as _, DeclaredDebuggedFault as _, DeclaredErrorFault as _,
    DeclaredFault as _, DeclaredPrintedFault as _, DryRunFallback as _, FaultWithoutText as _,
    HiddenDefault as _, KeyFallback as _, NoCodes as _, NoOutputSchema as _, NoString as _,
    NotHostOnly as _, OutputSchema as _, PlainFault as _, PrintedFault as _, ShownDefault as _,
    SplitPlain as _, StandardFault as _, TakeFromCall as _, TakeState as _,
};
pub use super::select::PlainReturn as _;
