/// Lists squares.
#[ai_tool(effect = "read")]
async fn squares<'a>(
    _: &ToolContext,
    /// How many.
    #[arg(example = 3)]
    count: u32,
    /// Their name.
    name: &'a str,
) -> Result<impl Serialize + JsonSchema, Error> {
    Ok(name.repeat(count))
}
