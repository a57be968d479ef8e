//! Tools in a module of a program, whose contracts its build script writes.

mod tools;

use tool_runtime::prelude::*;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::builder().discover().state(tools::Rooms::sample()).build()?;
    let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build()?;
    let mut call = runtime.call("find_room", r#"{"seats":6}"#, &cx);
    println!("{}", call.execute().await);
    Ok(())
}

#[cfg(test)]
mod tests {
    use tool_runtime::Registry;
    use tool_runtime::schema::{Export, ExportError};

    #[test]
    fn the_committed_contracts_are_those_of_the_tools() -> Result<(), ExportError> {
        let export = Export::new(Registry::new().discover()).inputs_only().frozen();
        export.check("tools.lock.json")?;
        export.write_to("schemas")?;
        Ok(())
    }
}
