"""Answers requests for the functions of a Python module, in JSON Lines.

    python3 worker.py functions.py

A line is a request, {"id": 1, "request": REQUEST}; its answer is {"id": 1, "answer": ANSWER}:

    "describe"                                      [{"name", "description", "input", "output"}, …]
    {"function": NAME, "arguments": {NAME: VALUE}}  {"value": VALUE}, or
                                                    {"error": {"type": NAME, "message": TEXT}}

An error has the type of the exception. It has a message only if the caller can mend its input: that of an
`InvalidInput` of the module, or of a day that does not exist. The traceback goes to standard error.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
import traceback
import types
from datetime import date
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string"}


class InvalidArgument(ValueError):
    """An argument that has the right JSON type, and is not valid; the message quotes no value."""


class Function:
    """A public function of the module, with the schemas that its type hints give."""

    def __init__(self, function):
        self.call = function
        self.hints = get_type_hints(function, include_extras=True)
        self.output = self.hints.pop("return", Any)
        self.parameters = inspect.signature(function).parameters

    def describe(self):
        name = self.call.__name__
        properties, required = {}, []
        for parameter in self.parameters.values():
            if parameter.name not in self.hints:
                raise TypeError(f"{name}: the parameter {parameter.name} has no type hint")
            properties[parameter.name] = schema_of(self.hints[parameter.name], name)
            if parameter.default is parameter.empty:
                required.append(parameter.name)
            else:
                properties[parameter.name]["default"] = parameter.default
        schema = {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
        description = inspect.getdoc(self.call) or ""
        output = schema_of(self.output, name)
        return {"name": name, "description": description, "input": schema, "output": output}

    def run(self, arguments):
        return self.call(**{name: self.convert(name, value) for name, value in arguments.items()})

    def convert(self, name, value):
        """Makes a date of its text; JSON has all other types."""
        hint = self.hints.get(name)
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        if hint is not date:
            return value
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise InvalidArgument(f"`{name}`: expected a day of the calendar") from None


def schema_of(hint, place):
    """Returns the JSON Schema of a type hint."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        description = next((it for it in arguments[1:] if isinstance(it, str)), None)
        schema = schema_of(arguments[0], place)
        return {"description": description, **schema} if description else schema
    if hint is Any:
        return {}
    if hint in PLAIN:
        return {"type": PLAIN[hint]}
    if hint is date:
        return {"type": "string", "format": "date", "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
    if hint is type(None):
        return {"type": "null"}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": schema_of(arguments[0], place)}
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], place)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(argument, place) for argument in arguments]}
    if is_typeddict(hint):
        fields = get_type_hints(hint, include_extras=True)
        properties = {name: schema_of(field, place) for name, field in fields.items()}
        required = sorted(hint.__required_keys__)
        return {"type": "object", "properties": properties, "required": required}
    raise TypeError(f"{place}: the type hint {hint!r} has no JSON Schema")


def load(path):
    """Loads a module by its file, and returns it with its public functions by name."""
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    functions = inspect.getmembers(module, inspect.isfunction)
    own = {
        name: Function(function)
        for name, function in functions
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
    return module, own


def answer(request, module, functions):
    if request == "describe":
        return [function.describe() for function in functions.values()]
    try:
        value = functions[request["function"]].run(request["arguments"])
        json.dumps(value, allow_nan=False)
        return {"value": value}
    except Exception as exception:
        traceback.print_exc(file=sys.stderr)
        error = {"type": type(exception).__name__}
        if isinstance(exception, (InvalidArgument, getattr(module, "InvalidInput", ()))):
            error["message"] = str(exception)
        return {"error": error}


def main():
    # What a function prints goes to standard error: the protocol has a copy of standard output, which
    # programs that the function starts do not inherit.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    # Nor do they read requests.
    requests = os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())

    def write(line):
        output.write(json.dumps(line, allow_nan=False) + "\n")
        output.flush()

    module, functions = load(sys.argv[1])
    write({"ready": True})
    for line in requests:
        request = json.loads(line)
        write({"id": request["id"], "answer": answer(request["request"], module, functions)})


if __name__ == "__main__":
    main()
