"""The checks that each Python client makes of the fixture, over what `Connection` has of it."""

import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import anyio


class ProtocolError(Exception):
    """The server answered with a JSON-RPC error of this code."""

    def __init__(self, code: int):
        super().__init__(code)
        self.code = code


class Connection(Protocol):
    """A client that is connected; results are as they are in JSON."""

    async def list(self) -> list[dict[str, Any]]: ...
    async def call(self, name: str, arguments: dict[str, Any], on_progress: Callable | None = None) -> dict[str, Any]: ...


# Connects with this answer to elicitations (`accept`, `decline`), or without the capability; the list gets what is asked.
Connect = Callable[..., AbstractAsyncContextManager[Connection]]


def text(result):
    return "".join(block["text"] for block in result["content"] if block["type"] == "text")


async def tools_are_listed(client):
    listed = await client.list()
    assert [tool["name"] for tool in listed] == [tool["name"] for tool in await client.list()], "another order"
    tools = {tool["name"]: tool for tool in listed}
    quantity = tools["quote_order"]["inputSchema"]["properties"]["quantity"]
    assert (quantity["minimum"], quantity["maximum"]) == (1, 50), quantity
    number = tools["delete_note"]["inputSchema"]["properties"]["number"]
    assert (number["minimum"], number["maximum"]) == (0, 2**32 - 1), number
    add, delete = tools["add"]["annotations"], tools["delete_note"]["annotations"]
    assert add["readOnlyHint"] is True and delete["readOnlyHint"] is False and delete["destructiveHint"] is True
    assert '"format"' not in str(listed).replace("'", '"'), "a format of Rust's"


async def a_call_is_answered(client):
    assert text(await client.call("test_simple_text", {})) == "This is a simple text response for testing."


async def structured_output_is_given(client):
    added = await client.call("add", {"a": 2, "b": 40})
    assert added["structuredContent"] == {"sum": 42, "terms": 2}, added
    listed = (await client.call("list_countries", {}))["structuredContent"]
    # Older revisions allow only objects, so that the list is wrapped.
    assert (next(iter(listed.values())) if isinstance(listed, dict) else listed) == ["AT", "CH"], listed


async def bad_arguments_are_all_reported(client):
    refused = await client.call("quote_order", {"article": "", "quantity": 0, "quantty": 1})
    assert refused["isError"], refused
    assert all(name in text(refused) for name in ("article", "quantity", "quantty")), text(refused)


async def an_unknown_tool_is_invalid_params(client):
    try:
        answered = await client.call("quote_ordr", {})
    except ProtocolError as error:
        assert error.code == -32602, error.code
    else:
        raise AssertionError(f"answered: {answered}")


async def an_image_arrives(client):
    image = (await client.call("test_image_content", {}))["content"][0]
    assert (image["type"], image["mimeType"]) == ("image", "image/png") and image["data"].startswith("iVBOR"), image


async def progress_is_reported(client):
    seen = []

    async def note(progress, total, message):
        seen.append(progress)

    assert not (await client.call("test_tool_with_progress", {}, note)).get("isError")
    assert len(seen) >= 3 and seen == sorted(seen), seen


async def a_cancelled_call_ends_its_tool(client):
    label = f"python-{time.monotonic_ns()}"
    with anyio.move_on_after(0.4):
        raise AssertionError(f"answered: {await client.call('wait', {'label': label})}")
    with anyio.fail_after(5):
        while "cancelled" not in text(await client.call("wait_state", {"label": label})):
            await anyio.sleep(0.05)


async def a_panic_is_answered_at_once(client):
    begun = time.monotonic()
    panicked = await client.call("panics", {})
    assert panicked["isError"] and "payload" not in text(panicked), panicked
    assert time.monotonic() - begun < 2, "late"


async def a_tool_may_print(client):
    assert text(await client.call("prints", {})) == "printed"


async def an_approval_is_asked_for(connect):
    number, asked = time.monotonic_ns() % 4_000_000_000, []
    async with connect("accept", asked) as client:
        deleted = await client.call("delete_note", {"number": number})
        assert text(deleted) == f"deleted note {number}" and len(asked) == 1, (deleted, asked)
        assert str(number) in text(await client.call("deleted_notes", {}))


async def a_declined_call_does_not_run(connect):
    number, asked = time.monotonic_ns() % 4_000_000_000, []
    async with connect("decline", asked) as client:
        declined = await client.call("delete_note", {"number": number})
        assert declined["isError"] and len(asked) == 1, (declined, asked)
        assert str(number) not in text(await client.call("deleted_notes", {}))


async def without_elicitation_there_is_a_ticket(connect):
    number = time.monotonic_ns() % 4_000_000_000
    async with connect() as client:
        waiting = await client.call("delete_note", {"number": number})
        assert waiting["isError"] and '"ticket"' in str(waiting).replace("'", '"'), waiting
        assert str(number) not in text(await client.call("deleted_notes", {}))


OF_A_CONNECTION = [
    tools_are_listed,
    a_call_is_answered,
    structured_output_is_given,
    bad_arguments_are_all_reported,
    an_unknown_tool_is_invalid_params,
    an_image_arrives,
    progress_is_reported,
    a_cancelled_call_ends_its_tool,
    a_panic_is_answered_at_once,
    a_tool_may_print,
]
OF_APPROVALS = [an_approval_is_asked_for, a_declined_call_does_not_run, without_elicitation_there_is_a_ticket]


def innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class Checker:
    """Makes all checks of a client, prints those that hold, and exits with those that do not."""

    def __init__(self, client: str):
        self.client = client
        self.failed: list[str] = []

    async def check(self, where: str, connect: Connect) -> None:
        where, held = f"{self.client}, {where}", []

        async def attempt(check: Callable[[Any], Awaitable[None]], argument: Any) -> None:
            try:
                with anyio.fail_after(20):
                    await check(argument)
                held.append(check.__name__)
            except Exception as error:
                self.failed.append(f"{where}: {check.__name__}: {innermost(error)!r}")

        async with connect() as client:
            for check in OF_A_CONNECTION:
                await attempt(check, client)
        for check in OF_APPROVALS:
            await attempt(check, connect)
        print(f"{where}: {', '.join(held)}", flush=True)

    def finish(self) -> None:
        if self.failed:
            sys.exit("\n".join(self.failed))
