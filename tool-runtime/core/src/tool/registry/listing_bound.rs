//! Bounds the definitions of all tools together: models may read all of them in each request.

use super::{CompiledTool, CompiledTools, RefusedTool};
use crate::tool::{BuildError, BuildProblem};

/// The most tools that a problem names.
const NAMED_TOOLS: usize = 3;

/// Returns the problem of tools whose definitions are larger together than the limit.
pub(crate) fn listing_problem<'t>(
    tools: impl Iterator<Item = &'t CompiledTool> + Clone,
    limit: usize,
) -> Option<BuildProblem> {
    let bytes = total_bytes(tools.clone());
    (bytes > limit).then(|| too_large(bytes, limit, largest(tools)))
}

impl CompiledTools {
    /// Leaves out the tools beyond the limit that may be left out, in the order of their names; the
    /// others are a problem.
    pub(crate) fn bound_listing(&mut self, limit: usize, problems: &mut Vec<BuildProblem>) {
        let largest = largest(self.tools.iter());
        let is_optional = |tool: &CompiledTool| self.optional.contains_key(tool.spec.name());
        let required = self.tools.iter().filter(|tool| !is_optional(tool));
        problems.extend(listing_problem(required.clone(), limit));
        let mut bytes = total_bytes(required);
        let tools = std::mem::take(&mut self.tools).into_iter();
        for tool in tools {
            let location = self.optional.get(tool.spec.name());
            let needed = bytes.saturating_add(tool.listing_bytes);
            match location {
                Some(location) if needed > limit => {
                    let problems = vec![too_large(needed, limit, largest.clone())];
                    let error = BuildError { problems };
                    self.refused.push(RefusedTool::new(tool.spec.name(), location, error));
                    continue;
                }
                Some(_) => bytes = needed,
                None => {}
            }
            self.tools.push(tool);
        }
        self.refused.sort_by(|one, other| one.name().cmp(other.name()));
    }
}

fn total_bytes<'t>(tools: impl Iterator<Item = &'t CompiledTool>) -> usize {
    tools.fold(0, |bytes: usize, tool| bytes.saturating_add(tool.listing_bytes))
}

/// The largest tools with their sizes, the largest first.
fn largest<'t>(tools: impl Iterator<Item = &'t CompiledTool>) -> Vec<(String, usize)> {
    let mut tools: Vec<_> = tools.map(|tool| (tool.spec.name(), tool.listing_bytes)).collect();
    tools.sort_by_key(|(name, bytes)| (std::cmp::Reverse(*bytes), *name));
    tools.truncate(NAMED_TOOLS);
    tools.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect()
}

fn too_large(bytes: usize, limit: usize, largest: Vec<(String, usize)>) -> BuildProblem {
    BuildProblem::ListingTooLarge { bytes, limit, largest }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_contracts::Effect;

    use crate::failure::Failure;
    use crate::runtime::{Runtime, ToolChanges};
    use crate::tool::registry::DynamicTool;
    use crate::tool::{BuildError, BuildProblem};

    const LARGE: usize = 64 * 1024;

    fn tool(name: &str, bytes: usize) -> DynamicTool {
        DynamicTool::new(name, Effect::Read)
            .description("Finds a page.")
            .input_schema(json!({"type": "object", "description": "x".repeat(bytes)}))
            .handler(|_| async { Ok::<_, Failure>(()) })
    }

    fn large_tools(count: usize) -> Vec<DynamicTool> {
        (0..count).map(|at| tool(&format!("tool_{at:03}"), LARGE)).collect()
    }

    fn size_of(tool: DynamicTool) -> usize {
        let runtime = Runtime::builder().dynamic(tool).build().unwrap();
        let spec = runtime.tools().list().specs().next().cloned().unwrap();
        serde_json::to_string(&*spec).unwrap().len()
    }

    #[track_caller]
    fn check(error: &BuildError, expected_bytes: usize, expected_limit: usize) {
        let [BuildProblem::ListingTooLarge { bytes, limit, largest }] = error.problems() else {
            panic!("another problem: {error}")
        };
        assert_eq!((*bytes, *limit), (expected_bytes, expected_limit));
        assert!(largest.len() <= 3 && largest.is_sorted_by(|one, other| one.1 >= other.1));
    }

    #[test]
    fn many_large_definitions_are_a_problem_that_names_the_largest() {
        let tools = large_tools(256).into_iter();
        let builder = tools.fold(Runtime::builder(), crate::RuntimeBuilder::dynamic);
        let error = builder.dynamic(tool("largest", 2 * LARGE)).build().unwrap_err();
        let bytes = 256 * size_of(tool("tool_000", LARGE)) + size_of(tool("largest", 2 * LARGE));
        check(&error, bytes, 4 * 1024 * 1024);
        let text = error.to_string();
        for part in ["the largest are `largest` (13", "`tool_000` (65", "`.max_listing_bytes(…)`"]
        {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn tools_that_may_be_left_out_are_left_out_beyond_the_limit() {
        let builder = Runtime::builder().dynamic(tool("zz_own", LARGE));
        let runtime = builder.dynamic_if_valid(large_tools(256)).build().unwrap();
        let fitting = 4 * 1024 * 1024 / size_of(tool("tool_000", LARGE));
        assert_eq!(runtime.tools().list().specs().count(), fitting);
        assert!(runtime.spec("zz_own").is_some() && runtime.spec("tool_000").is_some());
        assert_eq!(runtime.tools().refused().count(), 257 - fitting);
        let refused = runtime.tools().refused().last().unwrap();
        assert_eq!(refused.name(), "tool_255");
        assert!(refused.to_string().contains("more than the limit of 4194304"), "{refused}");
    }

    #[test]
    fn definitions_of_exactly_the_limit_are_accepted() {
        let size = size_of(tool("a", 100));
        let build = |limit: usize| {
            let builder = Runtime::builder().dynamic(tool("a", 100)).dynamic(tool("b", 100));
            builder.max_listing_bytes(limit).build()
        };
        assert!(build(2 * size).is_ok());
        check(&build(2 * size - 1).unwrap_err(), 2 * size, 2 * size - 1);
    }

    #[test]
    fn a_change_beyond_the_limit_is_not_made() {
        let size = size_of(tool("a", 100));
        let builder = Runtime::builder().dynamic(tool("a", 100)).dynamic(tool("b", 100));
        let runtime = builder.max_listing_bytes(2 * size).build().unwrap();
        let tools = runtime.tools();
        check(&tools.replace(tool("b", 101)).unwrap_err(), 2 * size + 1, 2 * size);
        check(&tools.add(tool("c", 100)).unwrap_err(), 3 * size, 2 * size);
        // A disabled tool can be enabled again at any time.
        assert!(tools.disable("b", "for a while"));
        assert!(tools.add(tool("c", 100)).is_err());
        let swap = ToolChanges::new().remove("b").add(tool("c", 100));
        assert!(tools.apply(swap).is_ok());
        assert_eq!(tools.list().specs().count(), 2);
    }
}
