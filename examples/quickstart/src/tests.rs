//! Trials of every tool.

use std::sync::Arc;

use tool_runtime::serde_json::json;
use tool_runtime::testing::assert_tool;

use crate::world::World;

#[test]
fn find_zones_keeps_its_contract() {
    assert_tool!(World::find_zones, toolkit = World::default(), cases = 64);
}

#[test]
fn time_in_keeps_its_contract() {
    let input = json!({"zone": "Asia/Tokyo", "at": "2026-03-29T01:30:00Z"});
    assert_tool!(World::time_in, toolkit = World::default(), input = input);
}

#[test]
fn currency_keeps_its_contract() {
    let input = json!({"code": "EUR"});
    assert_tool!(World::currency, toolkit = World::default(), input = input);
}

#[test]
fn schedule_keeps_its_contract() {
    let world = Arc::new(World::default());
    let diary = Arc::clone(&world);
    assert_tool!(
        World::schedule,
        shared_toolkit = world,
        effects = move || diary.meetings(),
        input = json!({"title": "Tea", "zone": "Asia/Tokyo", "at": "2026-03-30T09:00:00"}),
    );
}
