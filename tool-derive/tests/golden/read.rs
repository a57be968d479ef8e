/// Searches the published content of a site.
#[ai_tool(effect = "read", version = "1.0.0", category = "content", ttl = "60s", shared, timeout = "5s",
    example = r#"{"query":"tea"}"#, example = r#"{"query":"jam","limit":3}"#)]
async fn search_content(
    cx: &ToolContext,
    index: &Index,
    /// Words to look for.
    query: &str,
    /// Most hits to return.
    #[arg(default = 10, range(1..=50))]
    limit: u32,
    /// Only these tags.
    #[arg(default, length(..=20))]
    tags: Vec<String>,
) -> Result<Hits, SearchError> {
    index.search(cx, query, limit, tags).await
}
