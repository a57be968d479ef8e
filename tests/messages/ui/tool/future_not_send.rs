use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
async fn search() {
    let held = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(held);
}

fn main() {}
