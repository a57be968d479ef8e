//! rig: a tool of its `PortableTool` trait, in an agent's `ToolServer` and in a plain `ToolSet`.

use futures::FutureExt;
use rig::agent::tool::server::ToolServer;
use rig::agent::tool::{
    DynamicTool, ToolContext, ToolExecutionError, ToolOutput, ToolResult, ToolSet,
};
use rig::message::ToolName;
use rig::tool::PortableTool;
use serde_json::Value;
use tool_benches::work::{self, ARGUMENTS, Hits, Index};

use super::{Arguments, FAILED, NAME, OUT_OF_BOUNDS, Style, admits, further_name, nothing};

/// The registry that an agent dispatches through; the tool's output is its typed value.
pub(super) const DOCUMENTED: Style = Style {
    key: "rig",
    label: "rig 0.44.0, ToolServer",
    data_at: "",
    takes_further: true,
    prepare: |items, further| {
        let mut server = ToolServer::new().tool(Search(Index::new(items)));
        for tool in further_tools(further) {
            server = server.dynamic_tool(tool?);
        }
        let (server, mut context) = (server.run(), ToolContext::new());
        Ok(Box::new(move || answer(server.execute(NAME, ARGUMENTS, &mut context).now_or_never()?)))
    },
};

/// A plain set of tools; the tool serialises its output itself.
pub(super) const LEAN: Style = Style {
    key: "rig_lean",
    label: "rig 0.44.0, ToolSet, text",
    data_at: "",
    takes_further: true,
    prepare: |items, further| {
        let mut tools = ToolSet::default();
        tools.add_tool(SearchText(Search(Index::new(items))));
        for tool in further_tools(further) {
            tools.add_dynamic_tool(tool?);
        }
        let mut context = ToolContext::new();
        Ok(Box::new(move || answer(tools.execute(NAME, ARGUMENTS, &mut context).now_or_never()?)))
    },
};

/// The text that goes to the model.
fn answer(result: ToolResult) -> Option<Vec<u8>> {
    let output = result.into_result().ok()?;
    Some(output.render().into_bytes())
}

struct Search(Index);

impl PortableTool for Search {
    const NAME: &'static str = NAME;
    type Args = Arguments;
    type Output = Hits;
    type Error = ToolExecutionError;

    fn description(&self) -> String {
        "Searches the published content of a site.".to_owned()
    }

    fn parameters(&self) -> Value {
        schemars::schema_for!(Arguments).to_value()
    }

    async fn call(&self, Arguments { query, limit, tags }: Arguments) -> Result<Hits, Self::Error> {
        if !admits(&query, limit, &tags) {
            return Err(ToolExecutionError::invalid_args(OUT_OF_BOUNDS));
        }
        let found = work::search_content(&self.0, query, limit, tags).await;
        found.map_err(|_| ToolExecutionError::other(FAILED))
    }
}

struct SearchText(Search);

impl PortableTool for SearchText {
    const NAME: &'static str = NAME;
    type Args = Arguments;
    type Output = ToolOutput;
    type Error = ToolExecutionError;

    fn description(&self) -> String {
        self.0.description()
    }

    fn parameters(&self) -> Value {
        self.0.parameters()
    }

    async fn call(&self, arguments: Arguments) -> Result<ToolOutput, Self::Error> {
        let hits = self.0.call(arguments).await?;
        let text = serde_json::to_string(&hits);
        text.map(ToolOutput::text).map_err(|error| ToolExecutionError::other(error.to_string()))
    }
}

fn further_tools(further: usize) -> impl Iterator<Item = Result<DynamicTool, String>> {
    (0..further).map(|number| {
        let name = ToolName::new(further_name(number)).map_err(|error| error.to_string())?;
        let about = "Stands beside the tool that is measured.";
        Ok(DynamicTool::new(name, about, nothing().into(), |_| {
            Box::pin(async { Ok(ToolOutput::text("")) })
        }))
    })
}
