/// Reads a file.
#[ai_tool(effect = "read", blocking, unknown_fields = "ignore", handle = none)]
pub(crate) fn read_file(
    disk: &dyn Disk,
    /// Which.
    #[arg(rename = "file-path", pattern = "^[a-z/]+$", default = "index")]
    path: &str,
    /// The key.
    #[arg(secret)]
    key: Option<String>,
) -> std::io::Result<String> {
    disk.read(path, key)
}
