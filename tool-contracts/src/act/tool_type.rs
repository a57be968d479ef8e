//! The types of tools.

use schemars::JsonSchema;

use crate::wire::words;

/// The type of a tool: what a call of it does.
///
/// ```
/// use tool_contracts::act::ToolType;
///
/// let tool_type: ToolType = "rag_retrieval".parse()?;
/// assert_eq!(tool_type, ToolType::RagRetrieval);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("tool_type"))]
#[non_exhaustive]
pub enum ToolType {
    /// Queries a database.
    DatabaseQuery,
    /// Calls an API over the network.
    ApiCall,
    /// Retrieves passages from documents.
    RagRetrieval,
    /// Reads or writes files.
    FileOperation,
    /// Runs a function in Python.
    PythonFunction,
}

words!(ToolType {
    DatabaseQuery = "database_query",
    ApiCall = "api_call",
    RagRetrieval = "rag_retrieval",
    FileOperation = "file_operation",
    PythonFunction = "python_function",
});
