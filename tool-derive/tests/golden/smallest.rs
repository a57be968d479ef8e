/// Tells the time.
#[ai_tool(effect = "read")]
fn now() {}
