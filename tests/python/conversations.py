"""Holds conversations in the providers' own types, on both sides of the adapters.

Responses and events are built by the types that the providers publish, and read by ours; what we make
of them is parsed by the types that the providers' requests have. Then the providers' own clients send
it to a server of this process, which answers with the same bodies that we read.

    python tests/python/conversations.py

What is under test is the program `conversations` of the member `tool-tests`; cargo builds it unless
CONVERSATIONS names one. Nothing leaves this machine.
"""

import functools
import json
import os
import re
import struct
import subprocess
import threading
import zlib
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anthropic
import anthropic.types as anthropic_types
import botocore.session
import ollama
import openai
from botocore.validate import ParamValidator
from google import genai
from google.genai import types as gemini_types
from openai.types import chat as chat_types
from openai.types import responses as responses_types
from openai.types.responses import response_create_params
from pydantic import TypeAdapter

CARGO = ["cargo", "run", "--quiet", "--package", "tool-tests", "--bin", "conversations"]

SEARCH = '{"query":"tea","limit":3}'
TEXT = "Let me look."
# Each call: id, the tool's own name, the arguments as written.
CALLS = [
    ("call_1", "content.search", SEARCH),
    ("call_2", "delete_all", "{}"),
    ("call_3", "unheard_of", '{"a":[1,null]}'),
    ("call_4", "ping", "{}"),
]
STATUSES = ["executed", "declined", "rejected", "executed"]


class Program:
    """The program under test: a line in, a line out."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def hold(self, dialect, whole=None, events=(), **options):
        line = {"dialect": dialect, "whole": whole, "events": list(events), **options}
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def plain(value):
    """What pydantic made, as plain data; its lazy lists are gone through."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return [plain(item) for item in value]
    return value


@functools.cache
def adapter(kind):
    # It has to outlive the lazy lists that it makes.
    return TypeAdapter(kind)


def parsed(kind, message):
    """Parses a message, and sees that its type knows every part of it."""
    known = plain(adapter(kind).validate_python(message))
    assert known == message, f"the type leaves out a part:\n{message}\n{known}"


def wire(name, dots=False):
    return name if dots else name.replace(".", "_")


# ── What each provider says ───────────────────────────────────────────────────────────────────────


def counts(cache_write=8, reasoning=12, cache_read=64):
    """What a turn is to say of the usage below."""
    return {
        "input": 100,
        "output": 20,
        "cache_read": cache_read,
        "cache_write": cache_write,
        "reasoning": reasoning,
    }


class Chat:
    dialect = "openai"
    # The events that close a response: without them it is cut off.
    closing = 2
    usage = counts()
    names = ("c", "m")
    spent = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 12},
    }

    def whole(self, reason="tool_calls"):
        calls = [
            {"id": id, "type": "function", "function": {"name": wire(name), "arguments": arguments}}
            for id, name, arguments in CALLS
        ]
        message = {"role": "assistant", "content": TEXT, "tool_calls": calls, "refusal": None}
        choice = {"index": 0, "finish_reason": reason, "logprobs": None, "message": message}
        return chat_types.ChatCompletion.model_validate(
            {
                "id": "c",
                "object": "chat.completion",
                "created": 0,
                "model": "m",
                "choices": [choice],
                "usage": self.spent,
            }
        )

    def events(self):
        def chunk(delta, reason=None):
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            return chat_types.ChatCompletionChunk.model_validate(
                {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
            )

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(TEXT):
            yield chunk({"content": piece})
        for place, (id, name, _) in enumerate(CALLS):
            function = {"name": wire(name), "arguments": ""}
            yield chunk({"tool_calls": [{"index": place, "id": id, "type": "function", "function": function}]})
        for place, (_, _, arguments) in enumerate(CALLS):
            for piece in pieces(arguments):
                yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
        yield chunk({}, "tool_calls")
        yield chat_types.ChatCompletionChunk.model_validate(
            {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": "m",
                "choices": [],
                "usage": self.spent,
            }
        )

    def chosen(self, fields):
        parsed(chat_types.ChatCompletionToolChoiceOptionParam, fields.pop("tool_choice"))
        return fields.pop("parallel_tool_calls", None)

    def check(self, messages):
        for message in messages:
            parsed(chat_types.ChatCompletionMessageParam, message)

    def send(self, url, tools, messages, stream=False):
        client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
        messages = [{"role": "user", "content": "tea?"}, *messages]
        answer = client.chat.completions.create(model="m", messages=messages, tools=tools, stream=stream)
        if not stream:
            calls = answer.choices[0].message.tool_calls or []
            return [(call.id, call.function.name, call.function.arguments) for call in calls]
        return [chunk.model_dump_json(exclude_unset=True) for chunk in answer]

    def gathered(self, url):
        client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
        with client.chat.completions.stream(model="m", messages=[]) as stream:
            message = stream.get_final_completion().choices[0].message.model_dump(exclude_none=True)
        message.pop("parsed", None)
        for call in message["tool_calls"]:
            call.pop("index", None)
            call["function"].pop("parsed_arguments", None)
        return [message]


class Responses:
    dialect = "responses"
    closing = 1
    usage = counts()
    names = ("resp", "m")
    spent = {
        "input_tokens": 100,
        "output_tokens": 20,
        "total_tokens": 120,
        "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 8},
        "output_tokens_details": {"reasoning_tokens": 12},
    }

    def output(self):
        text = {"type": "output_text", "text": TEXT, "annotations": []}
        yield {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "gAAA"}
        yield {"type": "message", "id": "msg", "role": "assistant", "status": "completed", "content": [text]}
        for id, name, arguments in CALLS:
            yield {
                "type": "function_call",
                "id": f"fc_{id}",
                "call_id": id,
                "name": wire(name),
                "arguments": arguments,
                "status": "completed",
            }

    def response(self, status, output):
        return {
            "id": "resp",
            "object": "response",
            "created_at": 0,
            "model": "m",
            "status": status,
            "output": output,
            "usage": self.spent if status == "completed" else None,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }

    def whole(self):
        return responses_types.Response.model_validate(self.response("completed", list(self.output())))

    def events(self):
        number = 0

        def event(kind, **fields):
            nonlocal number
            number += 1
            fields |= {"type": kind, "sequence_number": number}
            return adapter(responses_types.ResponseStreamEvent).validate_python(fields)

        yield event("response.created", response=self.response("in_progress", []))
        for place, item in enumerate(self.output()):
            early = item | ({"status": "in_progress"} if "status" in item else {})
            if item["type"] == "function_call":
                early["arguments"] = ""
            yield event("response.output_item.added", output_index=place, item=early)
            if item["type"] == "function_call":
                for piece in pieces(item["arguments"]):
                    kind = "response.function_call_arguments.delta"
                    yield event(kind, output_index=place, item_id=item["id"], delta=piece)
            if item["type"] == "message":
                for piece in pieces(TEXT):
                    kind = "response.output_text.delta"
                    yield event(
                        kind, output_index=place, item_id="msg", content_index=0, delta=piece, logprobs=[]
                    )
            yield event("response.output_item.done", output_index=place, item=item)
        yield event("response.completed", response=self.response("completed", list(self.output())))

    def chosen(self, fields):
        parsed(response_create_params.ToolChoice, fields.pop("tool_choice"))
        return fields.pop("parallel_tool_calls", None)

    def check(self, messages):
        for message in messages:
            parsed(responses_types.ResponseInputItemParam, message)

    def send(self, url, tools, messages, stream=False):
        client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
        messages = [{"role": "user", "content": "tea?"}, *messages]
        answer = client.responses.create(model="m", input=messages, tools=tools, stream=stream)
        if not stream:
            calls = [item for item in answer.output if item.type == "function_call"]
            return [(call.call_id, call.name, call.arguments) for call in calls]
        return [event.model_dump_json(exclude_unset=True) for event in answer]


class Anthropic:
    dialect = "anthropic"
    closing = 1
    usage = counts()
    names = ("msg", "m")

    def content(self):
        yield {"type": "thinking", "thinking": "tea, then", "signature": "c2ln"}
        yield {"type": "text", "text": TEXT}
        for id, name, arguments in CALLS:
            yield {"type": "tool_use", "id": id, "name": wire(name), "input": json.loads(arguments)}

    def message(self, content, reason):
        return {
            "id": "msg",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": content,
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": 28,
                "cache_read_input_tokens": 64,
                "cache_creation_input_tokens": 8,
                "output_tokens": 20 if reason else 1,
                "output_tokens_details": {"thinking_tokens": 12 if reason else 0},
            },
        }

    def whole(self):
        return anthropic_types.Message.model_validate(self.message(list(self.content()), "tool_use"))

    def events(self):
        def event(kind, **fields):
            return adapter(anthropic_types.RawMessageStreamEvent).validate_python(fields | {"type": kind})

        yield event("message_start", message=self.message([], None))
        arguments = iter(arguments for _, _, arguments in CALLS)
        for place, block in enumerate(self.content()):
            match block["type"]:
                case "text":
                    early = {"type": "text", "text": ""}
                    deltas = [{"type": "text_delta", "text": piece} for piece in pieces(TEXT)]
                case "thinking":
                    early = block | {"thinking": "", "signature": ""}
                    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])]
                    deltas.append({"type": "signature_delta", "signature": "c2ln"})
                case _:
                    early = block | {"input": {}}
                    written = next(arguments)
                    # No arguments come as no text.
                    written = "" if written == "{}" else written
                    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(written)]
            yield event("content_block_start", index=place, content_block=early)
            for delta in deltas:
                yield event("content_block_delta", index=place, delta=delta)
            yield event("content_block_stop", index=place)
        ended = {"stop_reason": "tool_use", "stop_sequence": None}
        ended_usage = {"output_tokens": 20, "output_tokens_details": {"thinking_tokens": 12}}
        yield event("message_delta", delta=ended, usage=ended_usage)
        yield event("message_stop")

    def chosen(self, fields):
        choice = fields.pop("tool_choice")
        parsed(anthropic_types.ToolChoiceParam, choice)
        disabled = choice.get("disable_parallel_tool_use")
        return None if disabled is None else not disabled

    def check(self, messages):
        for message in messages:
            parsed(anthropic_types.MessageParam, message)

    def send(self, url, tools, messages, stream=False):
        client = anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="none", max_retries=0)
        messages = [{"role": "user", "content": "tea?"}, *messages]
        answer = client.messages.create(
            model="m", max_tokens=9, messages=messages, tools=tools, stream=stream
        )
        if not stream:
            calls = [block for block in answer.content if block.type == "tool_use"]
            return [(call.id, call.name, compact(call.input)) for call in calls]
        return [event.model_dump_json(exclude_unset=True) for event in answer]

    def gathered(self, url):
        client = anthropic.Anthropic(base_url=url.removesuffix("/v1"), api_key="none", max_retries=0)
        with client.messages.stream(model="m", max_tokens=9, messages=[]) as stream:
            message = stream.get_final_message()
        return [{"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}]


class Gemini:
    dialect = "gemini"
    closing = 1
    usage = counts(cache_write=None)
    names = ("r", "m")

    def parts(self):
        yield {"text": "tea, then", "thought": True}
        yield {"text": TEXT}
        for place, (id, name, arguments) in enumerate(CALLS):
            call = {"name": wire(name, dots=True), "args": json.loads(arguments)}
            if place % 2 == 0:
                call["id"] = id
            yield {"functionCall": call} | ({"thoughtSignature": "c2ln"} if place == 0 else {})

    def response(self, parts, reason=None):
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}
        spent = {
            "promptTokenCount": 90,
            "toolUsePromptTokenCount": 10,
            "cachedContentTokenCount": 64,
            "candidatesTokenCount": 8 if reason else 1,
            "thoughtsTokenCount": 12,
        }
        response = {"candidates": [candidate], "usageMetadata": spent, "responseId": "r", "modelVersion": "m"}
        return gemini_types.GenerateContentResponse.model_validate(response)

    def whole(self):
        return self.response(list(self.parts()), "STOP")

    def events(self):
        parts = list(self.parts())
        yield self.response(parts[:1])
        for piece in pieces(TEXT):
            yield self.response([{"text": piece}])
        yield self.response(parts[2:4])
        yield self.response(parts[4:])
        yield self.response([{"text": ""}], "STOP")

    def chosen(self, fields):
        config = fields.pop("toolConfig")
        known = gemini_types.ToolConfig.model_validate(config).model_dump(
            by_alias=True, exclude_none=True, mode="json"
        )
        assert known == config, (known, config)

    def check(self, messages):
        for message in messages:
            # These types refuse what they do not know.
            gemini_types.Content.model_validate(message)

    def send(self, url, tools, messages, stream=False):
        client = genai.Client(api_key="none", http_options={"base_url": url.removesuffix("/v1")})
        contents = [{"role": "user", "parts": [{"text": "tea?"}]}, *messages]
        contents = [gemini_types.Content.model_validate(content) for content in contents]
        manual = {"disable": True}
        config = {"tools": tools, "automatic_function_calling": manual}
        if not stream:
            answer = client.models.generate_content(model="m", contents=contents, config=config)
            return [(call.id, call.name, compact(call.args)) for call in answer.function_calls or []]
        chunks = client.models.generate_content_stream(model="m", contents=contents, config=config)
        but = {"sdk_http_response"}
        return [chunk.model_dump_json(by_alias=True, exclude_none=True, exclude=but) for chunk in chunks]


class Bedrock:
    dialect = "bedrock"
    closing = 2
    usage = counts(reasoning=None)
    names = (None, None)
    spent = {
        "inputTokens": 28,
        "outputTokens": 20,
        "totalTokens": 120,
        "cacheReadInputTokens": 64,
        "cacheWriteInputTokens": 8,
    }

    def __init__(self):
        self.service = botocore.session.get_session().get_service_model("bedrock-runtime")

    def blocks(self):
        yield {"reasoningContent": {"reasoningText": {"text": "tea, then", "signature": "c2ln"}}}
        yield {"text": TEXT}
        for id, name, arguments in CALLS:
            yield {"toolUse": {"toolUseId": id, "name": wire(name), "input": json.loads(arguments)}}

    def whole(self):
        message = {"role": "assistant", "content": list(self.blocks())}
        response = {
            "output": {"message": message},
            "stopReason": "tool_use",
            "usage": self.spent,
            "metrics": {"latencyMs": 1},
        }
        self.known(self.service.operation_model("Converse").output_shape, response)
        return response

    def events(self):
        def delta(place, delta):
            return {"contentBlockDelta": {"contentBlockIndex": place, "delta": delta}}

        def events():
            yield {"messageStart": {"role": "assistant"}}
            for piece in pieces("tea, then"):
                yield delta(0, {"reasoningContent": {"text": piece}})
            yield delta(0, {"reasoningContent": {"signature": "c2ln"}})
            yield {"contentBlockStop": {"contentBlockIndex": 0}}
            for piece in pieces(TEXT):
                yield delta(1, {"text": piece})
            for place, (id, name, arguments) in enumerate(CALLS, 2):
                start = {"toolUse": {"toolUseId": id, "name": wire(name)}}
                yield {"contentBlockStart": {"contentBlockIndex": place, "start": start}}
                for piece in pieces(arguments):
                    yield delta(place, {"toolUse": {"input": piece}})
                yield {"contentBlockStop": {"contentBlockIndex": place}}
            yield {"messageStop": {"stopReason": "tool_use"}}
            yield {"metadata": {"usage": self.spent, "metrics": {"latencyMs": 1}}}

        shape = self.service.shape_for("ConverseStreamOutput")
        for event in events():
            self.known(shape, event)
            yield event

    def known(self, shape, value):
        problems = ParamValidator().validate(value, shape)
        assert not problems.has_errors(), problems.generate_report()
        unknown = set(value) - set(shape.members)
        assert not unknown, unknown

    def chosen(self, fields):
        config = fields.pop("toolConfig")
        self.known(self.service.shape_for("ToolConfiguration"), config)
        assert "toolChoice" in config, config

    def check(self, messages):
        shape = self.service.operation_model("Converse").input_shape
        self.known(shape, {"modelId": "m", "messages": messages})

    def send(self, url, tools, messages, stream=False):
        client = botocore.session.get_session().create_client(
            "bedrock-runtime",
            endpoint_url=url.removesuffix("/v1"),
            region_name="us-east-1",
            aws_access_key_id="none",
            aws_secret_access_key="none",
        )
        messages = [{"role": "user", "content": [{"text": "tea?"}]}, *messages]
        if stream:
            events = client.converse_stream(modelId="m", messages=messages, toolConfig=tools)["stream"]
            return [compact(event) for event in events]
        answer = client.converse(modelId="m", messages=messages, toolConfig=tools)
        uses = [block["toolUse"] for block in answer["output"]["message"]["content"] if "toolUse" in block]
        return [(use["toolUseId"], use["name"], compact(use["input"])) for use in uses]


class Ollama:
    dialect = "ollama"
    closing = 1
    usage = counts(cache_read=None, cache_write=None, reasoning=None)
    names = (None, "m")

    def calls(self):
        for _, name, arguments in CALLS:
            yield {"function": {"name": wire(name), "arguments": json.loads(arguments)}}

    def response(self, done=False, **message):
        response = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": done}
        if done:
            response |= {"done_reason": "stop", "prompt_eval_count": 100, "eval_count": 20}
        message = {"role": "assistant", "content": "", **message}
        return ollama.ChatResponse.model_validate(response | {"message": message})

    def whole(self):
        return self.response(True, content=TEXT, thinking="tea, then", tool_calls=list(self.calls()))

    def events(self):
        yield self.response(thinking="tea, ")
        yield self.response(thinking="then")
        for piece in pieces(TEXT):
            yield self.response(content=piece)
        calls = list(self.calls())
        yield self.response(tool_calls=calls[:3])
        yield self.response(tool_calls=calls[3:])
        yield self.response(True)

    def chosen(self, fields):
        pass

    def check(self, messages):
        for message in messages:
            # The client takes images in a type of its own, and sends their base64.
            images = {"images": [ollama.Image(value=image) for image in message["images"]]} if "images" in message else {}
            known = ollama.Message.model_validate(message | images).model_dump(exclude_none=True)
            assert known == message, (known, message)

    def send(self, url, tools, messages, stream=False):
        client = ollama.Client(host=url.removesuffix("/v1"))
        messages = [{"role": "user", "content": "tea?"}, *messages]
        answer = client.chat(model="m", messages=messages, tools=tools, stream=stream)
        if not stream:
            calls = answer.message.tool_calls or []
            return [(None, call.function.name, compact(call.function.arguments)) for call in calls]
        return [line.model_dump_json(exclude_none=True) for line in answer]


DIALECTS = [Chat(), Responses(), Anthropic(), Gemini(), Bedrock(), Ollama()]


# ── The checks ────────────────────────────────────────────────────────────────────────────────────


def pieces(text):
    return [text[at : at + 5] for at in range(0, len(text), 5)] or [""]


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def text_of(message, **options):
    """The JSON text of what a provider's type, or its plain data, says."""
    return compact(message) if isinstance(message, dict) else message.model_dump_json(by_alias=True, **options)


def check_turn(turn, what):
    assert "error" not in turn, (what, turn)
    assert turn["stop"] == "Done", (what, turn["stop"])
    assert (turn["text"], turn["shown"]) == (TEXT, TEXT), (what, turn)
    asked = [(call["name"], json.loads(call["arguments"])) for call in turn["calls"]]
    assert asked == [(name, json.loads(arguments)) for _, name, arguments in CALLS], (what, asked)
    assert [call["status"] for call in turn["calls"]] == STATUSES, (what, turn["calls"])
    assert "not on a Friday" in json.dumps(turn["answers"]), (what, turn["answers"])


def check_types(program):
    """Bodies and events of the providers' types are read; what we make of them has their types."""
    for dialect in DIALECTS:
        name = dialect.dialect
        for options in ({"exclude_none": True}, {}) if name != "gemini" else ({"exclude_none": True},):
            turn = program.hold(name, whole=text_of(dialect.whole(), **options))
            check_turn(turn, name)
            dialect.check(turn["messages"] + turn["answers"])
        events = [text_of(event, exclude_unset=True, exclude_none=True) for event in dialect.events()]
        streamed = program.hold(name, events=events)
        check_turn(streamed, f"{name}, streamed")
        dialect.check(streamed["messages"] + streamed["answers"])
        assert same(streamed["messages"], turn["messages"]), (name, streamed["messages"], turn["messages"])
        for told in (turn, streamed):
            assert told["usage"] == dialect.usage, (name, told["usage"])
            assert (told["id"], told["model"]) == dialect.names, (name, told["id"], told["model"])
            thought = "" if name in ("openai", "responses") else "tea, then"
            assert (told["thinking"], told["refusal"]) == (thought, None), (name, told["thinking"])
        cut = program.hold(name, events=events[: -dialect.closing])
        assert cut["stop"] == "Interrupted", (name, cut["stop"])
        assert {call["status"] for call in cut["calls"]} <= {"not_executed", "rejected"}, cut["calls"]
        dialect.check(cut["messages"] + cut["answers"])


def check_names(program):
    """A call of a name that no provider takes back is repeated under one that it does."""
    patterns = {"gemini": r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}", "anthropic": r"[a-zA-Z0-9_-]{1,128}"}
    odd = ["multi_tool_use.parallel", "search content!", "", "x" * 300]
    for dialect in DIALECTS:
        body = text_of(dialect.whole(), exclude_none=True)
        for name in odd:
            turn = program.hold(dialect.dialect, whole=body.replace('"unheard_of"', json.dumps(name)))
            assert [call["status"] for call in turn["calls"]] == STATUSES, (dialect.dialect, turn["calls"])
            messages = turn["messages"] + turn["answers"]
            dialect.check(messages)
            pattern = patterns.get(dialect.dialect, r"[a-zA-Z0-9_-]{1,64}")
            for known in names_in(messages):
                assert re.fullmatch(pattern, known), (dialect.dialect, known)


def names_in(value):
    if isinstance(value, list):
        return [name for item in value for name in names_in(item)]
    if not isinstance(value, dict):
        return []
    own = [value["name"]] if isinstance(value.get("name"), str) else []
    return own + [name for item in value.values() for name in names_in(item)]


def check_rare_parts(program):
    """Parts that only some responses have are repeated as the requests' types have them."""
    function = {"name": "ping", "arguments": "{}"}
    message = {"role": "assistant", "content": None, "function_call": function}
    choice = {"index": 0, "finish_reason": "function_call", "logprobs": None, "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    turn = program.hold("openai", whole=text_of(chat_types.ChatCompletion.model_validate(body)))
    assert [call["status"] for call in turn["calls"]] == ["executed"], turn
    Chat().check(turn["messages"] + turn["answers"])

    code = {"type": "code_interpreter_call", "id": "ci", "status": "completed", "container_id": "c"}
    image = {"type": "image_generation_call", "id": "ig", "status": "failed", "result": None}
    items = [code | {"code": None, "outputs": None}, image]
    response = responses_types.Response.model_validate(Responses().response("completed", items))
    turn = program.hold("responses", whole=text_of(response))
    assert turn["messages"] == items, turn["messages"]
    Responses().check(turn["messages"])

    call = {"toolUseId": "s", "name": "nova_grounding", "type": "server_tool_use"}
    result = {"toolUseId": "s", "type": "nova_grounding_result", "status": "success"}
    blocks = [
        ({"toolUse": call}, [{"toolUse": {"input": "{}"}}]),
        ({"toolResult": result}, [{"toolResult": [{"text": "all about "}]}, {"toolResult": [{"text": "tea"}]}]),
        ({"image": {"format": "png"}}, [{"image": {"source": {"bytes": "YQ=="}}}]),
    ]
    bedrock = Bedrock()
    events = []
    for place, (start, deltas) in enumerate(blocks):
        events.append({"contentBlockStart": {"contentBlockIndex": place, "start": start}})
        events += [{"contentBlockDelta": {"contentBlockIndex": place, "delta": delta}} for delta in deltas]
    events.append({"messageStop": {"stopReason": "end_turn"}})
    for event in events:
        bedrock.known(bedrock.service.shape_for("ConverseStreamOutput"), event)
    turn = program.hold("bedrock", events=list(map(compact, events)))
    content = turn["messages"][0]["content"]
    assert [next(iter(block)) for block in content] == ["toolUse", "toolResult", "image"], content
    bedrock.check(turn["messages"])


def check_attachments(program):
    """Images and files of an answer stand where the requests' types have them."""
    for dialect in DIALECTS:
        body = text_of(dialect.whole(), exclude_none=True).replace('"ping"', '"picture"')
        turn = program.hold(dialect.dialect, whole=body)
        assert [call["status"] for call in turn["calls"]] == STATUSES, (dialect.dialect, turn["calls"])
        dialect.check(turn["messages"] + turn["answers"])
        # The image, in base64.
        assert "UE5H" in json.dumps(turn["answers"]), (dialect.dialect, turn["answers"])


def check_choices(program):
    """The fields of a choice have the types of the providers' requests."""
    rules = [{"choice": choice} for choice in ("auto", "required", "none", "content.search")]
    rules += [rule | {"allowed": ["content.search", "ping"]} for rule in rules]
    rules += [rule | {"parallel": parallel} for rule in rules for parallel in (True, False)]
    errors = {}
    for dialect in DIALECTS:
        for rule in rules:
            fields = program.hold(dialect.dialect, rules=rule)
            if "error" in fields:
                assert "cannot express" in fields["error"], fields
                errors[dialect.dialect] = errors.get(dialect.dialect, 0) + 1
                continue
            parallel = dialect.chosen(fields)
            if dialect.dialect in ("openai", "responses"):
                assert parallel == rule.get("parallel"), (dialect.dialect, rule)
            fields.pop("tools", None)
            assert not fields, (dialect.dialect, rule, fields)
    # None of Bedrock, what Ollama has no words for, and one call at a time of three providers.
    assert set(errors) == {"gemini", "bedrock", "ollama"}, errors
    tools = program.hold("ollama", rules={"choice": "auto", "allowed": ["ping"]})["tools"]
    assert [tool["function"]["name"] for tool in tools] == ["ping"], tools


def check_strict(program):
    """The mark of a strict tool is one that the providers' types know."""
    for dialect, kind in ((Anthropic(), anthropic_types.ToolParam), (Bedrock(), None)):
        turn = program.hold(dialect.dialect, whole=text_of(dialect.whole(), exclude_none=True), strict=True)
        tools = turn["declarations"]
        assert '"strict": true' in json.dumps(tools), tools
        if kind:
            for tool in tools:
                parsed(kind, tool)
        else:
            dialect.known(dialect.service.shape_for("ToolConfiguration"), tools)


def check_custom_tools(program):
    """Custom tools, their calls and their answers have the types of OpenAI."""
    query = "SELECT '\u00e9'"
    custom = {"id": "call_1", "type": "custom", "custom": {"name": "run_sql", "input": query}}
    message = {"role": "assistant", "content": None, "tool_calls": [custom]}
    choice = {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": message}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    chat = program.hold("openai", whole=text_of(chat_types.ChatCompletion.model_validate(body)), custom=True)

    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "run_sql", "input": query}
    whole = Responses().response("completed", [item])
    whole = text_of(responses_types.Response.model_validate(whole))
    number = iter(range(9))

    def event(kind, **fields):
        fields |= {"type": kind, "sequence_number": next(number)}
        return text_of(adapter(responses_types.ResponseStreamEvent).validate_python(fields), exclude_unset=True)

    place = {"output_index": 0, "item_id": "ctc_1"}
    events = [event("response.output_item.added", output_index=0, item=item | {"input": ""})]
    kind = "response.custom_tool_call_input"
    events += [event(f"{kind}.delta", delta=piece, **place) for piece in pieces(query)]
    events.append(event(f"{kind}.done", input=query, **place))
    events.append(event("response.output_item.done", output_index=0, item=item))
    events.append(event("response.completed", response=Responses().response("completed", [item])))
    responses = program.hold("responses", whole=whole, custom=True)
    streamed = program.hold("responses", events=events, custom=True)
    assert streamed["messages"] == responses["messages"], streamed["messages"]

    for turn in (chat, responses, streamed):
        [call] = turn["calls"]
        assert json.loads(call["arguments"]) == {"statement": query}, call
        assert (call["name"], call["status"]) == ("run_sql", "executed"), call
    Chat().check(chat["messages"] + chat["answers"])
    Responses().check(responses["messages"] + responses["answers"])
    declared = {tool["type"]: tool for tool in chat["declarations"]}
    parsed(chat_types.ChatCompletionCustomToolParam, declared["custom"])
    declared = {tool["type"]: tool for tool in responses["declarations"]}
    parsed(responses_types.CustomToolParam, declared["custom"])
    for dialect in (Chat(), Responses()):
        fields = program.hold(dialect.dialect, rules={"choice": "run_sql"}, custom=True)
        assert fields["tool_choice"]["type"] == "custom", fields["tool_choice"]
        dialect.chosen(fields)


def same(one, other):
    """Compares messages, but for the spaces in arguments, which two writers set differently."""
    text = lambda value: json.dumps(value, sort_keys=True).replace(" ", "")
    return text(one) == text(other)


class Server:
    """Answers every request with the bytes that it is given, and keeps what was asked."""

    def __init__(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["content-length"])
                server.asked = json.loads(self.rfile.read(length))
                self.send_response(200)
                self.send_header("content-type", server.kind)
                self.send_header("content-length", str(len(server.body)))
                self.end_headers()
                self.wfile.write(server.body)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def answer(self, body, kind="application/json"):
        self.body = body if isinstance(body, bytes) else body.encode()
        self.kind = kind


def check_clients(program):
    """The providers' clients parse what we parse, and send what we make."""
    server = Server()
    for dialect in DIALECTS:
        name = dialect.dialect
        body = text_of(dialect.whole(), exclude_none=True)
        turn = program.hold(name, whole=body)
        tools = turn["declarations"]
        server.answer(body)
        parsed_calls = dialect.send(server.url, tools, turn["messages"] + turn["answers"])
        ours = [call["arguments"] for call in turn["calls"]]
        assert [json.loads(call[2]) for call in parsed_calls] == [json.loads(text) for text in ours], name
        sent = server.asked.get("messages") or server.asked.get("input") or server.asked["contents"]
        assert same(sent[1:], turn["messages"] + turn["answers"]), (name, sent[1:])
        # Google's client writes this one name as Python does, which its service takes too.
        declared = compact(server.asked[turn["field"]]).replace("parameters_json_schema", "parametersJsonSchema")
        assert same(json.loads(declared), tools), (name, declared)
        events = [text_of(event, exclude_unset=True, exclude_none=True) for event in dialect.events()]
        body, kind = framed(name, events)
        wire = body if isinstance(body, bytes) else body.encode()
        check_turn(program.hold(name, wire=wire.hex()), f"{name}, from its bytes")
        server.answer(body, kind)
        seen = dialect.send(server.url, tools, [], stream=True)
        streamed = program.hold(name, events=seen)
        check_turn(streamed, f"{name}, through its client")
        if hasattr(dialect, "gathered"):
            # What the client itself makes of the events is what is to be repeated.
            assert same(dialect.gathered(server.url), streamed["messages"]), (name, streamed["messages"])


def framed(name, events):
    """The events as the provider sends them."""
    if name == "bedrock":
        return b"".join(map(frame, events)), "application/vnd.amazon.eventstream"
    if name == "ollama":
        return "".join(event + "\n" for event in events), "application/x-ndjson"
    named = name in ("anthropic", "responses")
    text = ""
    for event in events:
        text += f"event: {json.loads(event)['type']}\n" if named else ""
        text += f"data: {event}\n\n"
    return text + ("data: [DONE]\n\n" if name == "openai" else ""), "text/event-stream"


def frame(event):
    """One event as Amazon frames it: lengths, headers, payload, and the checksums of both."""
    [(kind, payload)] = json.loads(event).items()
    headers = b""
    for name, value in {":message-type": "event", ":event-type": kind, ":content-type": "application/json"}.items():
        headers += struct.pack(f"!B{len(name)}sBH", len(name), name.encode(), 7, len(value)) + value.encode()
    payload = compact(payload).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return message + struct.pack("!I", zlib.crc32(message))


def main():
    program = Program(os.environ.get("CONVERSATIONS", CARGO))
    check_types(program)
    check_names(program)
    check_rare_parts(program)
    check_attachments(program)
    check_choices(program)
    check_strict(program)
    check_custom_tools(program)
    check_clients(program)
    print(f"conversations: {len(DIALECTS)} dialects, whole and streamed, in the providers' own types")


if __name__ == "__main__":
    main()
