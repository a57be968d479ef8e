/// Renames a page.
#[allow(dead_code)]
#[ai_tool(effect = "write", idempotent, open_world)]
#[cfg(feature = "pages")]
async fn rename_page(
    dry_run: &DryRun,
    pages: &Pages,
    /// Which.
    r#type: String,
) {
    pages.rename(r#type, dry_run).await;
}
