//! The interface of generated code; it has no stability guarantee.

#[cfg(feature = "budgets")]
pub use tool_runtime_budgets as budgets;
pub use tool_runtime_core::__private::*;
#[cfg(feature = "testing")]
pub use tool_runtime_testing::ToolTrial;
