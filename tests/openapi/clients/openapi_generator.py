"""Uses each operation of the Python client that openapi-generator generates, against a running server.

    python openapi_generator.py FOLDER URL KEY

FOLDER has the package `openapi_client`.
"""

import importlib
import pkgutil
import sys

FOLDER, URL, KEY = sys.argv[1:4]
sys.path.insert(0, FOLDER)

import openapi_client  # noqa: E402
from openapi_client import models  # noqa: E402

for found in pkgutil.walk_packages(openapi_client.__path__, "openapi_client."):
    importlib.import_module(found.name)
CONFIGURATION = openapi_client.Configuration(host=URL, api_key={"apiKey": KEY})
CALLER = openapi_client.ApiClient(CONFIGURATION)
APIS = [it(CALLER) for name, it in vars(openapi_client).items() if name.endswith("Api")]
SUFFIX = "_with_http_info"
OPERATIONS = {
    name.removesuffix(SUFFIX): getattr(it, name.removesuffix(SUFFIX)) for it in APIS for name in dir(it) if name.endswith(SUFFIX)
}
WHERE = {"x_tenant_id": "yantian", "x_site_id": "yantian-main", "x_trace_id": "trace-generator"}
unused = set(OPERATIONS)


def run(name, /, where=WHERE, **arguments):
    unused.discard(name)
    return OPERATIONS[name](**where, **arguments)


def refused(status, name, **arguments):
    try:
        answer = run(name, **arguments)
    except openapi_client.ApiException as failure:
        assert failure.status == status, failure
        return models.CallFailure.from_json(failure.body)
    raise AssertionError((name, answer))


def call(body, name="call_tool"):
    return run(name, tool_call=models.ToolCall(body))


listed = run("list_tools", list_request=models.ListRequest(ai_callable_only=False))
assert listed.total == 7, listed
writes = run("find_tools", effect="write", name="write_tale").tools
assert [it.name for it in writes] == ["write_tale"], writes

found = models.SearchTalesInput(query="old well", limit=2)
searched = call(models.SearchTalesCall(tool_name="search_tales", input=found)).actual_instance
assert isinstance(searched, models.SearchTalesAnswer), searched
assert (searched.output.total, searched.output.query) == (2, "old well")

words = models.DescribePlaceInputTellingWords(kind="words", text="by the bridge")
place = models.DescribePlaceInput(
    place=models.DescribePlaceInputPlace(latitude=28.5, longitude=117.7),
    telling=models.DescribePlaceInputTelling(words),
    names={"en": "Old Well"},
)
described = call(models.DescribePlaceCall(tool_name="describe_place", input=place)).actual_instance
assert isinstance(described, models.DescribePlaceAnswer) and described.output == "Old Well", described

guest = models.GuestsGreetInput(
    account={"userId": "ada", "user_id": 7},
    var_class=models.GuestsGreetInputClass.FIRST,
    gre=1.75,
    var_model_config="wide",
    home=models.GuestsGreetInputHome(street="Main Street", town="Yantian"),
)
greeted = call(models.GuestsGreetCall(tool_name="guests.greet", input=guest)).actual_instance.output
assert greeted.account == {"userId": "ada", "user_id": 7} and greeted.var_class == "first", greeted
assert (greeted.gre, greeted.var_model_config) == (1.75, "wide"), greeted
assert (greeted.home.street, greeted.home.town) == ("Main Street", "Yantian"), greeted

person = models.FindPersonCall(tool_name="find_person", input=models.FindPersonInput(name="Yan"))
missing = refused(404, "call_tool", tool_call=models.ToolCall(person))
assert missing.error_type == "NOT_FOUND", missing

tale = models.WriteTaleCall(tool_name="write_tale", input=models.WriteTaleInput(title="The well"))
waits = refused(409, "call_tool", tool_call=models.ToolCall(tale))
assert waits.detail.code == "NEEDS_USER_CONFIRMATION", waits
ticket = next(it for it in run("list_approvals").approvals if it.tool_name == "write_tale").ticket
approve = models.ApprovalDecision(models.ApprovalDecisionApprove(decision="approve"))
written = run("decide_approval", ticket=ticket, approval_decision=approve).actual_instance
assert isinstance(written, models.WriteTaleAnswer) and written.output == "The well", written
tale.context = models.CallContext(dry_run=True)
assert call(tale).actual_instance.meta.dry_run is True

count = models.CountTalesCall(tool_name="count_tales")
assert call(count, "call_tool_for_text").output.serialized_text == "42"
envelope = models.CallEnvelope(request_id="req-1", actor=models.Actor(type=models.ActorType.AGENT, id="tester"))
without_trace = {name: value for name, value in WHERE.items() if name != "x_trace_id"}
enveloped = run("call_tool_by_envelope", where=without_trace, tool="count_tales", call_envelope=envelope)
assert enveloped.ok is True and enveloped.data == 42, enveloped

trace = run("read_trace", id=WHERE["x_trace_id"])
assert any(it.call.tool == "search_tales" for it in trace.records), trace
assert run("read_request", request_id="req-1").records[0].call.tool == "count_tales"
replayed = run("replay_trace", id=WHERE["x_trace_id"], replay_request=models.ReplayRequest(reason="a check"))
same = [it.verdict.actual_instance for it in replayed.calls if it.tool == "search_tales"]
assert same and isinstance(same[0], models.ReplayVerdictSame), replayed

verification = run("verify_ledger")
assert verification.intact and verification.records > 5, verification

evidence = run("list_evidence").evidence[0]
assert evidence.tool == "search_tales", evidence
assert run("read_evidence", id=evidence.snapshot_id).snapshot_id == evidence.snapshot_id
reason = models.EvidenceReadRequest(reason="a check")
opened = run("open_evidence", id=evidence.snapshot_id, evidence_read_request=reason)
assert opened.snapshot.snapshot_id == evidence.snapshot_id, opened

budgets = run("list_budgets")
assert [(it.budget, it.total) for it in budgets.limits] == [("tales", "20")], budgets
assert [(it.unit, it.spent, it.left) for it in budgets.sums] == [("calls", "1", "19")], budgets

assert run("list_outcomes").outcomes == []
resolution = models.OutcomeResolutionDidNotHappen(decision="did_not_happen", reason="a check")
refused(404, "resolve_outcome", id=7, outcome_resolution=models.OutcomeResolution(resolution))
refused(404, "read_attachment", id=f"att_{'0' * 12}7{'0' * 19}")
assert run("read_document", where={})["openapi"].startswith("3.1")
assert run("read_health", where={}).status == "ok"
assert run("read_readiness", where={}).status == "ready"
unused.discard("read_metrics")
# Its client knows no text but plain text.
assert b"tool" in openapi_client.ServerApi(CALLER).read_metrics_without_preload_content().data

assert not unused, f"not used: {unused}"
print(f"openapi-generator, python: {len(OPERATIONS)} operations, all used")
