"""Asks the model Needle 3 on requests in JSON Lines, as the crate worker-process speaks them.

A request is a conversation: `{"system": TEXT, "tools": [TOOL], "turns": [TEXT], "max_new_tokens": N}`.
The turns are what the model reads: a person's words, or the results of the calls of its last answer
as a JSON array. An answer has the calls that the model requests after the last turn, none at the end
of a conversation, or the code of an error.

The engine holds one conversation, and cannot be given answers of another one. So the script answers
only the turns that are new where a request continues the last one, and otherwise all of them again:
the engine always takes the likeliest token, so that it repeats itself.
"""

import ctypes
import importlib.util
import json
import pathlib
import sys

ANSWER_BYTES = 1 << 20


class EngineError(Exception):
    """An error of the engine, as its code."""


class Engine:
    """The model's engine, by its C ABI."""

    def __init__(self):
        folder = pathlib.Path(importlib.util.find_spec("needle").submodule_search_locations[0])
        [library] = folder.glob("libneedle3.*")
        self.library = ctypes.CDLL(str(library))
        text, number = ctypes.c_char_p, ctypes.c_int
        self.library.needle_load.argtypes = [text, ctypes.c_uint64]
        self.library.needle_init.argtypes = [text, text, text]
        self.library.needle_complete.argtypes = [text, number, text, number]
        self.library.needle_last_error.restype = text
        # The engine reads the weights where they are, so they must not be freed.
        self.weights = (folder / "needle3.cact").read_bytes()
        if self.library.needle_load(self.weights, len(self.weights)) < 0:
            raise SystemExit(f"the weights cannot be loaded: {self.last_error()}")
        self.answer = ctypes.create_string_buffer(ANSWER_BYTES)

    def begin(self, system, tools):
        """Begins a conversation, and returns the tokens of its system text and tools."""
        tokens = self.library.needle_init(system.encode(), tools.encode(), None)
        if tokens < 0:
            raise EngineError(self.code())
        return tokens

    def complete(self, turn, max_new_tokens):
        """Returns the model's answer to a turn."""
        size = len(self.answer)
        if self.library.needle_complete(turn.encode(), max_new_tokens, self.answer, size) < 0:
            raise EngineError(self.code())
        # The reasoning may end within a character.
        answer = json.loads(self.answer.value.decode(errors="replace"))
        if not answer["success"]:
            print("the engine failed:", answer["error"], file=sys.stderr)
            raise EngineError("cut_off" if "truncated" in str(answer["error"]) else "engine")
        return answer

    def code(self):
        """Writes the last error to the log, and returns its code."""
        error = self.last_error()
        print("the engine failed:", error, file=sys.stderr)
        return "too_long" if "context" in error else "engine"

    def last_error(self):
        return (self.library.needle_last_error() or b"").decode(errors="replace")


class Conversation:
    """The engine's one conversation."""

    def __init__(self, engine):
        self.engine = engine
        self.forget()

    def forget(self):
        self.tools, self.turns, self.tokens, self.answer = None, [], 0, {}

    def ask(self, request):
        """Answers the last turn of a request."""
        tools = (request["system"], json.dumps(request["tools"], ensure_ascii=False))
        turns, known = request["turns"], len(self.turns)
        try:
            if tools != self.tools or turns[:known] != self.turns:
                self.forget()
                self.tokens = self.engine.begin(*tools)
                self.tools = tools
            for turn in turns[len(self.turns):]:
                self.answer = self.engine.complete(turn, request["max_new_tokens"])
                self.turns.append(turn)
        except EngineError as error:
            self.forget()
            return {"error": str(error)}
        return {
            "calls": self.answer["function_calls"],
            "withheld": self.answer.get("suppressed_calls") or [],
            "reasoning": self.answer.get("reasoning"),
            "confidence": self.answer["confidence"],
            "tool_tokens": self.tokens,
        }


def main():
    protocol, sys.stdout = sys.stdout, sys.stderr

    def write(line):
        print(json.dumps(line), file=protocol, flush=True)

    conversation = Conversation(Engine())
    write({"ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        write({"id": request["id"], "answer": conversation.ask(request["request"])})


if __name__ == "__main__":
    main()
