/// Deletes a page.
#[ai_tool(effect = "destructive", preview = pages::preview_delete, crate = renamed::runtime)]
pub fn delete_page(
    /// Which.
    page: u64,
) -> Result<(), PageError> {
    pages::delete(page)
}
