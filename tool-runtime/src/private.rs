//! The interface of generated code; it has no stability guarantee.

pub use tool_runtime_core::__private::*;
#[cfg(feature = "testing")]
pub use tool_runtime_testing::ToolTrial;
