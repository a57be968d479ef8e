#!/usr/bin/env bash
# Guess:     an MCP tool whose input schema says `additionalProperties: false`, the usual way to refuse misspelt names,
#            can be given to Gemini by Google's own client.
# Behaviour: google-genai's conversion of MCP tools filters each keyword's value as if it were a schema, so that a
#            boolean one raises AttributeError. One such tool, also a nested one, fails the whole conversion.
# Versions:  google-genai 3.6.1 with mcp 2.3.0.
# Output:    open:   a declaration
#            closed: AttributeError: 'bool' object has no attribute 'items'
# Seen on:   2026-11-28
#
# Cure: list such schemas without the keyword to this client, and check the arguments all the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet google-genai==3.6.1 mcp==2.3.0
cat >"$folder/convert.py" <<'PYTHON'
from google.genai import _mcp_utils
from mcp.types import Tool

PROPERTIES = {"order": {"type": "string"}}


def convert(**more):
    schema = {"type": "object", "properties": PROPERTIES, **more}
    tool = Tool(name="ship", description="Ships an order.", inputSchema=schema)
    try:
        _mcp_utils.mcp_to_gemini_tool(tool)
        return "a declaration"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


print("open:  ", convert())
print("closed:", convert(additionalProperties=False))
PYTHON
output=$("$folder/python/bin/python" "$folder/convert.py")
printf '%s\n' "$output"
expected="open:   a declaration
closed: AttributeError: 'bool' object has no attribute 'items'"
[ "$output" = "$expected" ] || { echo 'changed'; exit 1; }
