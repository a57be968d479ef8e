"""Has the adapters read what hosts send that deviate from the plain form of a dialect.

Bodies and events are built by the types of Mistral's, Groq's and OpenAI's packages, as Mistral, Groq
and OpenRouter fill them; what the adapters repeat is parsed by the types of these hosts' requests. Then
the rare forms that the other providers stream, and the raw messages.

    python tests/python/hosts.py
"""

import json
import os

from conversations import (
    CALLS,
    CARGO,
    DIALECTS,
    TEXT,
    Anthropic,
    Bedrock,
    Chat,
    Gemini,
    Program,
    check_turn,
    compact,
    parsed,
    pieces,
    text_of,
    wire,
)
from groq.types import chat as groq
from mistralai.client import models as mistral
from openai.types import chat as chat_types

WIDE = 12345678901234567890123


def check_mistral(program):
    """Reasoning stands in parts of the content, in a complete response and in a streamed one."""
    think = {"type": "thinking", "thinking": [{"type": "text", "text": "tea, then"}], "closed": True}
    content = [think, {"type": "text", "text": TEXT}]
    calls = [
        {"id": id, "type": "function", "function": {"name": wire(name), "arguments": arguments}, "index": place}
        for place, (id, name, arguments) in enumerate(CALLS)
    ]
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "usage": usage}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    whole = mistral.ChatCompletionResponse.model_validate(body | {"choices": [choice]})
    turn = program.hold("openai", whole=whole.model_dump_json())
    check_turn(turn, "Mistral")

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        event = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
        return mistral.CompletionChunk.model_validate(event).model_dump_json(exclude_unset=True)

    events = [chunk({"role": "assistant", "content": ""})]
    for piece in pieces("tea, then"):
        events.append(chunk({"content": [think | {"thinking": [{"type": "text", "text": piece}]}]}))
    events += [chunk({"content": piece}) for piece in pieces(TEXT)]
    # Mistral sends each call whole.
    events.append(chunk({"content": "", "tool_calls": calls}, "tool_calls"))
    streamed = program.hold("openai", events=events)
    check_turn(streamed, "Mistral, streamed")
    for told in (turn, streamed):
        assert told["thinking"] == "tea, then", told["thinking"]
        [message] = told["messages"]
        assert message["content"] == content, message["content"]
        request = mistral.AssistantMessage.model_validate(message).model_dump(exclude_unset=True, mode="json")
        assert request["content"] == content, request
        assert [call["id"] for call in request["tool_calls"]] == [id for id, _, _ in CALLS], request
        for answer, (id, _, _) in zip(told["answers"], CALLS, strict=True):
            assert mistral.ToolMessage.model_validate(answer).tool_call_id == id, answer


def check_groq(program):
    """Usage and errors stand in an object of Groq's own, and what its tools did is in no request."""
    chat = Chat()
    executed = {"index": 0, "type": "search", "arguments": "{}", "output": "tea"}
    citation = {"start_index": 0, "end_index": 1, "tool_call_id": "s"}
    annotation = {"type": "function_citation", "function_citation": citation}
    own = {"reasoning": "tea, then", "executed_tools": [executed], "annotations": [annotation]}
    body = chat.whole().model_dump(mode="json", exclude_none=True)
    body["choices"][0]["message"] |= own
    whole = groq.ChatCompletion.model_validate(body | {"x_groq": {"id": "r"}})
    turn = program.hold("openai", whole=text_of(whole, exclude_unset=True))

    def chunk(delta, reason=None, **own):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        event = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
        return text_of(groq.ChatCompletionChunk.model_validate(event | own), exclude_unset=True)

    calls = [
        {"index": place, "id": id, "type": "function", "function": {"name": wire(name), "arguments": arguments}}
        for place, (id, name, arguments) in enumerate(CALLS)
    ]
    events = [chunk({"role": "assistant", "content": None}, x_groq={"id": "r"})]
    events += [chunk({"reasoning": piece}) for piece in pieces("tea, then")]
    events.append(chunk({"executed_tools": [executed], "annotations": [annotation]}))
    events += [chunk({"content": piece}) for piece in pieces(TEXT)]
    events.append(chunk({"tool_calls": calls}))
    events.append(chunk({}, "tool_calls", x_groq={"id": "r", "usage": chat.spent}))
    streamed = program.hold("openai", events=events)
    for told, what in ((turn, "Groq"), (streamed, "Groq, streamed")):
        check_turn(told, what)
        assert told["thinking"] == "tea, then", (what, told["thinking"])
        assert told["usage"] == chat.usage, (what, told["usage"])
        # Groq refuses a request whose messages have another field.
        for message, known in zip(told["messages"] + told["answers"], ["assistant"] + ["tool"] * len(CALLS), strict=True):
            types = {"assistant": groq.ChatCompletionAssistantMessageParam, "tool": groq.ChatCompletionToolMessageParam}
            assert message["role"] == known, (what, message)
            assert message.keys() <= types[known].__annotations__.keys(), (what, message)
            parsed(groq.ChatCompletionMessageParam, message)
    failed = program.hold("openai", events=[events[0], chunk({}, x_groq={"id": "r", "error": "over"})])
    assert "error" in failed, failed


def check_openrouter(program):
    """Reasoning in `reasoning_details` goes back in its own form, which OpenAI's client passes on."""
    text = {"type": "reasoning.text", "text": "tea, then", "signature": "c2ln", "format": "f", "index": 0}
    encrypted = {"type": "reasoning.encrypted", "data": "ZW5j", "id": "r", "format": "f", "index": 1}
    body = Chat().whole().model_dump(mode="json", exclude_none=True)
    message = body["choices"][0]["message"]
    message |= {"reasoning": "tea, then", "reasoning_details": [text, encrypted]}
    turn = program.hold("openai", whole=text_of(chat_types.ChatCompletion.model_validate(body)))

    def chunk(delta):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        event = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice]}
        return text_of(chat_types.ChatCompletionChunk.model_validate(event), exclude_unset=True)

    events = []
    for piece in pieces("tea, then"):
        detail = {name: value for name, value in text.items() if name != "signature"} | {"text": piece}
        events.append(chunk({"reasoning": piece, "reasoning_details": [detail]}))
    events.append(chunk({"reasoning_details": [text | {"text": ""}]}))
    events.append(chunk({"reasoning_details": [encrypted]}))
    events += [text_of(event, exclude_unset=True, exclude_none=True) for event in Chat().events()]
    streamed = program.hold("openai", events=events)
    for told, what in ((turn, "OpenRouter"), (streamed, "OpenRouter, streamed")):
        check_turn(told, what)
        assert told["thinking"] == "tea, then", (what, told["thinking"])
        [message] = told["messages"]
        assert message["reasoning_details"] == [text, encrypted], (what, message)
        own = {name: value for name, value in message.items() if not name.startswith("reasoning")}
        parsed(chat_types.ChatCompletionMessageParam, own)


def check_rare_streams(program):
    """Forms of a stream that only some responses have."""
    anthropic = Anthropic()
    events = [json.loads(text_of(event, exclude_unset=True, exclude_none=True)) for event in anthropic.events()]
    late = {"type": "message_delta", "delta": {"stop_reason": None}, "usage": {"output_tokens": 20}}
    doubled = [*events[:-1], late, events[-1]]
    turn = program.hold("anthropic", events=list(map(compact, doubled)))
    check_turn(turn, "Anthropic, two `message_delta`")
    # The input stands in the start of its block already.
    for event in events:
        block = event.get("content_block", {})
        if block.get("type") == "tool_use":
            [block["input"]] = [json.loads(arguments) for id, _, arguments in CALLS if id == block["id"]]
    turn = program.hold("anthropic", events=list(map(compact, events)))
    check_turn(turn, "Anthropic, input in start and deltas")
    anthropic.check(turn["messages"] + turn["answers"])

    bodies = [json.loads(text_of(event, exclude_none=True)) for event in Gemini().events()]
    listed = json.dumps(bodies, indent=2)
    check_turn(program.hold("gemini", wire=listed.encode().hex()), "Gemini without alt=sse, from its bytes")
    check_turn(program.hold("gemini", whole=listed), "Gemini without alt=sse, whole")

    bedrock = Bedrock()
    # Each piece is Base64 of its own: "secret", of three bytes each.
    redacted = [{"reasoningContent": {"redactedContent": piece}} for piece in ("c2Vj", "cmV0")]
    events = [{"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}} for delta in redacted]
    events.append({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"text": TEXT}}})
    events.append({"messageStop": {"stopReason": "end_turn"}})
    for event in events:
        bedrock.known(bedrock.service.shape_for("ConverseStreamOutput"), event)
    turn = program.hold("bedrock", events=list(map(compact, events)))
    [message] = turn["messages"]
    assert message["content"][0] == {"reasoningContent": {"redactedContent": "c2VjcmV0"}}, message
    bedrock.check(turn["messages"])


def check_raw_messages(program):
    """The raw messages are the messages, with all digits of integers."""
    for dialect in DIALECTS:
        name = dialect.dialect
        body = text_of(dialect.whole(), exclude_none=True)
        escaped = name in ("openai", "responses")
        old, new = "[1,null]", f"[{WIDE},null]"
        assert old in body, (name, body)
        turn = program.hold(name, whole=body.replace(old, new))
        assert any(str(WIDE) in raw for raw in turn["raw"]), (name, turn["raw"])
        # Python rounds nothing: a rounded number would differ.
        raw = [json.loads(raw, parse_int=float) for raw in turn["raw"]]
        assert raw == json.loads(json.dumps(turn["messages"]), parse_int=float), (name, turn["raw"])
        if not escaped:
            assert str(WIDE) not in json.dumps(turn["messages"]), name
        dialect.check([json.loads(raw) for raw in turn["raw"]] + turn["answers"])


def main():
    program = Program(os.environ.get("CONVERSATIONS", CARGO))
    check_mistral(program)
    check_groq(program)
    check_openrouter(program)
    check_rare_streams(program)
    check_raw_messages(program)
    print("hosts: Mistral, Groq, OpenRouter, rare streams and raw messages")


if __name__ == "__main__":
    main()
