"""Uses each operation of the client that openapi-python-client generates, against a running server.

    python openapi_python_client.py FOLDER URL KEY

FOLDER has the package `client`.
"""

import importlib
import pathlib
import pkgutil
import sys

FOLDER, URL, KEY = sys.argv[1:4]
sys.path.insert(0, FOLDER)

import client  # noqa: E402
from client import api, models  # noqa: E402

for found in pkgutil.walk_packages(client.__path__, "client."):
    importlib.import_module(found.name)
OPERATIONS = {
    found.name.rsplit(".", 1)[-1]: sys.modules[found.name]
    for found in pkgutil.walk_packages(api.__path__, "client.api.") if not found.ispkg
}
CALLER = client.AuthenticatedClient(URL, KEY, prefix="", auth_header_name="X-Internal-API-Key")
WHERE = {"x_tenant_id": "yantian", "x_site_id": "yantian-main", "x_trace_id": "trace-python-client"}
unused = set(OPERATIONS)


def run(name, /, *path, status=200, where=WHERE, **arguments):
    unused.discard(name)
    answer = OPERATIONS[name].sync_detailed(*path, client=CALLER, **where, **arguments)
    assert answer.status_code == status, (name, answer.status_code, answer.content)
    return answer.parsed


listed = run("list_tools", body=models.ListRequest(ai_callable_only=False))
assert isinstance(listed, models.ListResponse) and listed.total == 7, listed
writes = run("find_tools", effect=models.FindToolsEffect.WRITE, name="write_tale").tools
assert [it.name for it in writes] == ["write_tale"], writes

found = models.SearchTalesInput(query="old well", limit=2)
searched = run("call_tool", body=models.SearchTalesCall(tool_name="search_tales", input_=found))
assert isinstance(searched, models.SearchTalesAnswer), searched
assert (searched.output.total, searched.output.query) == (2, "old well")

place = models.DescribePlaceInput(
    place=models.DescribePlaceInputPlace(latitude=28.5, longitude=117.7),
    telling=models.DescribePlaceInputTellingWords(kind="words", text="by the bridge"),
    names=models.DescribePlaceInputNames.from_dict({"en": "Old Well"}),
)
described = run("call_tool", body=models.DescribePlaceCall(tool_name="describe_place", input_=place))
assert isinstance(described, models.DescribePlaceAnswer) and described.output == "Old Well", described

guest = models.GuestsGreetInput(
    account=models.GuestsGreetInputAccount.from_dict({"userId": "ada", "user_id": 7}),
    class_=models.GuestsGreetInputClass.FIRST,
    größe=1.75,
    model_config="wide",
    home=models.GuestsGreetInputHome(street="Main Street", town="Yantian"),
)
greeted = run("call_tool", body=models.GuestsGreetCall(tool_name="guests.greet", input_=guest)).output
assert greeted.account["user_id"] == 7 and greeted.class_ == "first", greeted
assert (greeted.größe, greeted.model_config) == (1.75, "wide"), greeted
assert (greeted.home.street, greeted.home.town) == ("Main Street", "Yantian"), greeted

person = models.FindPersonCall(tool_name="find_person", input_=models.FindPersonInput(name="Yan"))
missing = run("call_tool", status=404, body=person)
assert isinstance(missing, models.CallFailure) and missing.error_type == "NOT_FOUND", missing

tale = models.WriteTaleCall(tool_name="write_tale", input_=models.WriteTaleInput(title="The well"))
waits = run("call_tool", status=409, body=tale)
assert isinstance(waits, models.CallFailure) and waits.detail.code == "NEEDS_USER_CONFIRMATION", waits
waiting = run("list_approvals")
ticket = next(it for it in waiting.approvals if it.tool_name == "write_tale").ticket
written = run("decide_approval", ticket, body=models.ApprovalDecisionApprove(decision="approve"))
assert isinstance(written, models.WriteTaleAnswer) and written.output == "The well", written
tale.context = models.CallContext(dry_run=True)
tried = run("call_tool", body=tale)
assert tried.meta.dry_run is True, tried

text = run("call_tool_for_text", body=models.CountTalesCall(tool_name="count_tales"))
assert text.output.serialized_text == "42", text
envelope = models.CallEnvelope(request_id="req-1", actor=models.Actor(type_=models.ActorType.AGENT, id="tester"))
without_trace = {name: value for name, value in WHERE.items() if name != "x_trace_id"}
enveloped = run(
    "call_tool_by_envelope", models.CallToolByEnvelopeTool.COUNT_TALES, where=without_trace, body=envelope
)
assert enveloped.ok is True and enveloped.data == 42, enveloped

trace = run("read_trace", WHERE["x_trace_id"])
assert any(it.call.tool == "search_tales" for it in trace.records), trace
assert run("read_request", request_id="req-1").records[0].call.tool == "count_tales"
replayed = run("replay_trace", WHERE["x_trace_id"], body=models.ReplayRequest(reason="a check"))
same = [it.verdict for it in replayed.calls if it.tool == "search_tales"]
assert same and isinstance(same[0], models.ReplayVerdictSame), replayed

verification = run("verify_ledger")
assert verification.intact and verification.records > 5, verification

evidence = run("list_evidence").evidence[0]
assert evidence.tool == "search_tales", evidence
assert run("read_evidence", evidence.snapshot_id).snapshot_id == evidence.snapshot_id
opened = run("open_evidence", evidence.snapshot_id, body=models.EvidenceReadRequest(reason="a check"))
assert opened.snapshot.snapshot_id == evidence.snapshot_id, opened

budgets = run("list_budgets")
assert [(it.budget, it.total) for it in budgets.limits] == [("tales", "20")], budgets
assert [(it.unit, it.spent, it.left) for it in budgets.sums] == [("calls", "1", "19")], budgets

assert run("list_outcomes").outcomes == []
resolution = models.OutcomeResolutionDidNotHappen(decision="did_not_happen", reason="a check")
assert run("resolve_outcome", 7, status=404, body=resolution).success is False
assert run("read_attachment", f"att_{'0' * 12}7{'0' * 19}", status=404).success is False
assert run("read_document", where={}).to_dict()["openapi"].startswith("3.1")
assert run("read_health", where={}).status == "ok"
assert run("read_readiness", where={}).status == "ready"
run("read_metrics", where={})

assert not unused, f"not used: {unused}"
print(f"openapi-python-client: {len(OPERATIONS)} operations, all used")
