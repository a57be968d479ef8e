"""Uses the fixture through the Python package `fastmcp`: python_fastmcp.py URL COMMAND [ARGUMENT…]"""

import sys
from contextlib import asynccontextmanager
from importlib.metadata import version

import anyio
from checks import Checker, ProtocolError
from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp import MCPError

URL, COMMAND = sys.argv[1], sys.argv[2:]


class Connected:
    def __init__(self, client):
        self.client = client

    async def list(self):
        return [in_json(tool) for tool in await self.client.list_tools()]

    async def call(self, name, arguments, on_progress=None):
        try:
            return in_json(await self.client.call_tool_mcp(name, arguments, progress_handler=on_progress))
        except MCPError as error:
            raise ProtocolError(error.code) from error


def in_json(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def answering(action, asked):
    async def answer(message, response_type, params, context):
        asked.append(message)
        fields = params.requested_schema.get("properties", {})
        return ElicitResult(action=action, content=dict.fromkeys(fields, True) if action == "accept" else None)

    return answer


def connecting(transport, mode, revision):
    @asynccontextmanager
    async def connect(action=None, asked=None):
        handler = answering(action, asked) if action else None
        async with Client(transport(), mode=mode, timeout=20, elicitation_handler=handler) as client:
            assert client.protocol_version == revision, client.protocol_version
            assert (client.server_info.name, client.server_info.version) == ("fixture", "1.0.0"), client.server_info
            yield Connected(client)

    return connect


async def main():
    checker = Checker(f"fastmcp {version('fastmcp')}")
    stdio = lambda: StdioTransport(COMMAND[0], COMMAND[1:], keep_alive=False)
    for place, transport in (("http", lambda: StreamableHttpTransport(URL)), ("stdio", stdio)):
        for mode, revision in (("auto", "2026-07-28"), ("legacy", "2025-11-25")):
            await checker.check(f"{place}, {revision}", connecting(transport, mode, revision))
    checker.finish()


anyio.run(main)
