"""Reads the declarations that the adapters make by the providers' own published types.

Nothing may be refused, and nothing may be lost: what a type keeps is compared with what was sent.
"""

import json
import re
import sys
from pathlib import Path

import botocore.session
import ollama
from anthropic.types import ToolParam
from botocore.validate import ParamValidator
from google.genai import types as gemini
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam
from pydantic import ConfigDict, TypeAdapter


def closed(typed_dict):
    """An adapter that refuses what a TypedDict does not name."""
    typed_dict.__pydantic_config__ = ConfigDict(extra="forbid")
    return TypeAdapter(typed_dict)


def same(kept, sent, place):
    """Holds what a type kept to what was sent; `null` is what it fills up with."""
    if isinstance(sent, dict):
        kept = dict(kept)
        further = {name for name, value in kept.items() if value is not None} - set(sent)
        assert not further, f"{place}: made up {sorted(further)}"
        for name, value in sent.items():
            assert name in kept, f"{place}: lost `{name}`"
            same(kept[name], value, f"{place}/{name}")
    elif isinstance(sent, list):
        kept = list(kept)
        assert len(kept) == len(sent), f"{place}: {len(sent)} became {len(kept)}"
        for index, (one, other) in enumerate(zip(kept, sent)):
            same(one, other, f"{place}/{index}")
    else:
        assert kept == sent, f"{place}: {sent!r} became {kept!r}"


def typed(adapter, tools, what):
    for index, tool in enumerate(tools):
        same(adapter.validate_python(tool), tool, f"{what}/{index}")
    return len(tools)


def openai_chat(tools):
    from openai.types.shared_params import FunctionDefinition

    FunctionDefinition.__pydantic_config__ = ConfigDict(extra="forbid")
    return typed(closed(ChatCompletionFunctionToolParam), tools, "openai")


def openai_responses(tools):
    return typed(closed(FunctionToolParam), tools, "responses")


def anthropic(tools):
    return typed(closed(ToolParam), tools, "anthropic")


def gemini_tools(tools):
    for index, tool in enumerate(tools):
        kept = gemini.Tool.model_validate(tool).model_dump(by_alias=True, mode="json")
        same(kept, tool, f"gemini/{index}")
    return sum(len(tool["functionDeclarations"]) for tool in tools)


def bedrock(config):
    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    request = service.operation_model("Converse").input_shape
    sent = {"modelId": "any", "toolConfig": config}
    report = ParamValidator().validate(sent, request)
    assert not report.has_errors(), report.generate_report()
    return len(config["tools"])


def ollama_tools(tools):
    for index, tool in enumerate(tools):
        kept = ollama.Tool.model_validate(tool).model_dump(by_alias=True, exclude_none=True)
        # The client's type has fewer fields for a property than the server: what it drops there is
        # held to the fields of the server's own type.
        lenient(kept, tool, f"ollama/{index}")
    return len(tools)


SERVER_ONLY = {"anyOf", "properties"}


def lenient(kept, sent, place):
    properties = sent["function"]["parameters"]["properties"]
    for name, schema in properties.items():
        server(schema, f"{place}/{name}")
        known = kept["function"]["parameters"]["properties"][name]
        known.update({word: schema[word] for word in SERVER_ONLY & set(schema)})
    same(kept, sent, place)


def server(schema, place):
    further = set(schema) - {"type", "items", "description", "enum"} - SERVER_ONLY
    assert not further, f"{place}: the server drops {sorted(further)}"
    for branch in schema.get("anyOf", []):
        server(branch, place)
    for name, inner in schema.get("properties", {}).items():
        server(inner, f"{place}/{name}")


def compiled(schema):
    """Compiles every pattern as OpenAI's server does, and counts them; look-around is refused too."""
    if isinstance(schema, list):
        return sum(map(compiled, schema))
    if not isinstance(schema, dict):
        return 0
    patterns = list(schema.get("patternProperties", {}))
    if isinstance(schema.get("pattern"), str):
        patterns.append(schema["pattern"])
    for pattern in patterns:
        re.compile(pattern)
        assert not re.search(r"\(\?<?[=!]", pattern), pattern
    return len(patterns) + sum(map(compiled, schema.values()))


READERS = {
    "openai": openai_chat,
    "responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini_tools,
    "bedrock": bedrock,
    "ollama": ollama_tools,
}


def main(folder):
    made = json.loads((Path(folder) / "declarations.json").read_text())
    assert made.keys() == READERS.keys(), f"dialects: {sorted(made)}"
    counts = {}
    for dialect, read in READERS.items():
        counts[dialect] = sum(read(declarations) for declarations in made[dialect])
    for dialect in ["openai", "responses"]:
        assert compiled(made[dialect]) > 0, f"{dialect}: no pattern is declared"
    print("declarations:", " ".join(f"{dialect}={count}" for dialect, count in counts.items()))


if __name__ == "__main__":
    main(sys.argv[1])
