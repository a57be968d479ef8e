"""Uses the fixture through the Python package `mcp`: python_mcp.py URL COMMAND [ARGUMENT…]"""

import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio
from checks import Checker, ProtocolError
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import ElicitResult

URL, COMMAND = sys.argv[1], sys.argv[2:]


class Connected:
    def __init__(self, client):
        self.client = client

    async def list(self):
        return [in_json(tool) for tool in (await self.client.list_tools(cache_mode="bypass")).tools]

    async def call(self, name, arguments, on_progress=None):
        try:
            return in_json(await self.client.call_tool(name, arguments, progress_callback=on_progress))
        except MCPError as error:
            raise ProtocolError(error.code) from error


def in_json(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def answering(action, asked):
    async def answer(context, params):
        asked.append(params.message)
        fields = params.requested_schema.get("properties", {})
        return ElicitResult(action=action, content=dict.fromkeys(fields, True) if action == "accept" else None)

    return answer


def connecting(server, mode, revision):
    @asynccontextmanager
    async def connect(action=None, asked=None):
        callback = answering(action, asked) if action else None
        async with Client(server, mode=mode, read_timeout_seconds=20, elicitation_callback=callback) as client:
            assert client.protocol_version == revision, client.protocol_version
            assert (client.server_info.name, client.server_info.version) == ("fixture", "1.0.0"), client.server_info
            yield Connected(client)

    return connect


async def main():
    checker = Checker(f"mcp {version('mcp')}")
    stdio = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
    for place, server in (("http", URL), ("stdio", stdio)):
        for mode, revision in (("auto", "2026-07-28"), ("legacy", "2025-11-25")):
            await checker.check(f"{place}, {revision}", connecting(server, mode, revision))
    checker.finish()


anyio.run(main)
