"""Makes generated calls say what no schema can ask for.

A tenant, a site and a trace are required, but in the headers or in the body, and what both say has
to be the same. A user who acts has to be named. In a tool's input, null for an optional field means that it is left out.
The tool that a path names decides its input. A key under which a call was made before belongs to that call. A call that is given a
millisecond has rightly run out of time. A language tag repeats no variant and no singleton. Ids have no hidden characters, and the patterns of ids name only
those up to U+FFFF, since beyond that the engines of patterns differ. OpenAPI has no words for that, so it is done here to what is
generated. Nothing is taken out of what the document says, and no answer is looked at.
"""

import uuid

import schemathesis

PLACES = {
    "X-Tenant-ID": "tenant_id",
    "X-Site-ID": "site_id",
    "X-Span-ID": "span_id",
    "X-User-ID": "user_id",
    "X-Actor-Type": "actor_type",
    "X-Session-ID": "session_id",
    "X-NPC-ID": "npc_id",
    "Idempotency-Key": "idempotency_key",
}
REQUIRED = {"X-Tenant-ID": "yantian", "X-Site-ID": "yantian-main", "X-Trace-ID": "trace-1"}
# Those above U+FFFF, as the server has them.
HIDDEN = [*range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)]
VISIBLE = dict.fromkeys(HIDDEN, "x")
TRACES = ("X-Trace-ID", "X-Request-ID")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Has headers and body agree, where the headers themselves are not what is tested."""
    if is_positive(case):
        case.query, case.body = visible(case.query), visible(case.body)
        case.path_parameters = visible(case.path_parameters)
    elif isinstance(case.body, dict) and isinstance(case.body.get("input"), dict):
        case.body["input"] = without_null(case.body["input"])
    modes = case.meta.components if case.meta else {}
    headers = next((it for place, it in modes.items() if str(place.value) in ("header", "headers")), None)
    if "X-Site-ID" not in parameters(case) or (headers and headers.mode.is_negative):
        return
    is_envelope = case.operation.path.endswith("/calls/{tool}")
    said = case.body if isinstance(case.body, dict) else {}
    if is_envelope:
        take_no_input(case)
    else:
        said = said.get("context")
    said = said if isinstance(said, dict) else {}
    actor = said.get("actor") if is_envelope else None
    if isinstance(actor, dict) and actor.get("type") is not None:
        case.headers.pop("X-Actor-Type", None)
    if isinstance(said.get("trace"), dict):
        case.headers.pop("X-Span-ID", None)
    for header, field in PLACES.items():
        if said.get(field) is not None:
            case.headers.pop(header, None)
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    elif said.get("idempotency_key") is not None and is_positive(case):
        said["idempotency_key"] = str(uuid.uuid4())
    if said.get("timeouts_ms") is not None and is_positive(case):
        said["timeouts_ms"] = max(said["timeouts_ms"], 10_000)
    if is_positive(case) and repeats_a_subtag(said.get("locale")):
        said["locale"] = "en"
    kind = actor.get("type") if isinstance(actor, dict) else said.get("actor_type") or case.headers.get("X-Actor-Type")
    if kind == "user" and said.get("user_id") is None and is_positive(case):
        case.headers.setdefault("X-User-ID", "user-1")
    for header, value in REQUIRED.items():
        if header not in case.headers and said.get(PLACES.get(header, "trace_id")) is None:
            case.headers[header] = value


def repeats_a_subtag(locale):
    """Says whether a language tag may repeat a variant or a singleton, which its pattern cannot exclude."""
    subtags = locale.lower().split("-") if isinstance(locale, str) else []
    return len(set(subtags)) < len(subtags)


def take_no_input(case):
    """Calls a tool without required arguments, with none: a path's input depends on its tool."""
    if is_positive(case) and isinstance(case.body, dict):
        schemas = case.operation.schema.raw_schema["components"]["schemas"]
        calls = schemas.get("ToolCall", {}).get("discriminator", {}).get("mapping", {})
        free = [tool for tool, call in calls.items() if "input" not in schemas[call.rsplit("/", 1)[-1]]["required"]]
        if case.path_parameters.get("tool") not in free and free:
            case.path_parameters["tool"] = free[0]
        case.body.pop("input", None)


def visible(value):
    """Replaces hidden characters in all texts but those of a tool's input."""
    if isinstance(value, str):
        return value.translate(VISIBLE)
    if isinstance(value, list):
        return [visible(item) for item in value]
    if isinstance(value, dict):
        return {name: it if name == "input" else visible(it) for name, it in value.items()}
    return value


def without_null(value):
    """Replaces each null, which is no error where a field is optional, by an object that no schema accepts in its place."""
    if isinstance(value, list):
        return [without_null(item) for item in value]
    if isinstance(value, dict):
        return {name: without_null(it) for name, it in value.items()}
    return {"unknown": None} if value is None else value


def is_positive(case):
    return case.meta is None or case.meta.generation.mode.is_positive


def parameters(case):
    return {parameter.name for parameter in case.operation.headers}
