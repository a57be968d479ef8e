"""Reads deferred tools, examples, marks for prompt caches and calls of programs by the providers' types.

Nothing may be refused, and nothing may be lost, as in `declarations.py`, whose checks these are.
"""

import json
import sys
from pathlib import Path

import botocore.session
from anthropic import types as anthropic
from botocore.validate import ParamValidator
from declarations import READERS, closed, same
from openai.types import responses as openai
from pydantic import TypeAdapter

SEARCHES = {
    "tool_search_tool_bm25_20251119": anthropic.ToolSearchToolBm25_20251119Param,
    "tool_search_tool_regex_20251119": anthropic.ToolSearchToolRegex20251119Param,
    "tool_search": openai.ToolSearchToolParam,
    "namespace": openai.NamespaceToolParam,
}


def lists(dialect, declarations):
    """Reads one list of declarations: the provider's own kinds of tools, and functions."""
    if dialect == "bedrock":
        return READERS[dialect](declarations)
    own = [tool for tool in declarations if tool.get("type") in SEARCHES]
    for tool in own:
        same(plain(closed(SEARCHES[tool["type"]]).validate_python(tool)), tool, f"{dialect}/{tool['type']}")
    return len(own) + READERS[dialect]([tool for tool in declarations if tool not in own])


def plain(value):
    """Goes through pydantic's lazy lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return value
    return [plain(item) for item in value]


def messages(dialect, response, sent):
    """The response is one of the provider's, and the next request's messages are."""
    if dialect == "anthropic":
        anthropic.Message.model_validate(response)
        kind = anthropic.MessageParam
    elif dialect == "responses":
        openai.Response.model_validate(response)
        kind = openai.ResponseInputItemParam
    else:
        service = botocore.session.get_session().get_service_model("bedrock-runtime")
        request = service.operation_model("Converse").input_shape
        report = ParamValidator().validate({"modelId": "any", "messages": sent}, request)
        assert not report.has_errors(), report.generate_report()
        return len(sent)
    adapter = TypeAdapter(kind)
    for index, message in enumerate(sent):
        same(plain(adapter.validate_python(message)), message, f"{dialect}/{index}")
    return len(sent)


def main(folder):
    made = json.loads((Path(folder) / "disclosure.json").read_text())
    assert made.keys() == READERS.keys(), f"dialects: {sorted(made)}"
    declared, sent = 0, 0
    for dialect, conversation in made.items():
        declared += sum(lists(dialect, declarations) for declarations in conversation["declarations"])
        for one in conversation.get("conversations", []):
            sent += messages(dialect, one["response"], one["messages"])
    text = json.dumps(made)
    outputs = [item for one in made["responses"]["conversations"] for item in one["messages"]]
    outputs = [item for item in outputs if item["type"] == "tool_search_output" and item["execution"] == "client"]
    assert outputs and all(lists("responses", item["tools"]) == len(item["tools"]) > 0 for item in outputs)
    for word in ["input_examples", "defer_loading", "allowed_callers", "cache_control", "cachePoint"]:
        assert word in text, f"nothing has {word}"
    print(f"disclosure: declarations={declared} messages={sent}")


if __name__ == "__main__":
    main(sys.argv[1])
