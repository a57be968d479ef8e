"""The tool of the load test with FastAPI and pydantic, as their documentation shows it."""

import hashlib
import os
import socket
import sys
import threading
import time
from typing import Annotated, Optional

import uvicorn
from fastapi import FastAPI, Header, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

TOOL = "search_content"
TOPICS = sys.argv[1].split(",")


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Input(Closed):
    query: str = Field(min_length=1, max_length=200)
    content_type: Optional[str] = None
    limit: int = Field(default=10, ge=1, le=50)


class Context(Closed):
    tenant_id: Optional[str] = None
    site_id: Optional[str] = None
    trace_id: Optional[str] = None


class Call(Closed):
    tool_name: str
    input: Input
    context: Context = Context()


class Content(BaseModel):
    id: str
    content_type: str
    title: str
    body: str
    credibility_score: float
    verified: bool


class Hits(BaseModel):
    items: list[Content]
    total: int
    query: str


class Audit(BaseModel):
    trace_id: str
    tool_name: str
    status: str
    latency_ms: int
    request_payload_hash: str


class Success(BaseModel):
    success: bool
    output: Hits
    audit: Audit


def content(number: int) -> Content:
    part = number % 20 + 1
    return Content(
        id=f"content-{number:04}",
        content_type="story" if part % 4 == 0 else "knowledge",
        title=f"The {TOPICS[number // 20]} of the old town, part {part}",
        body=f"What the chronicle of the year {1573 + number} says of them.",
        credibility_score=0.98,
        verified=True,
    )


def words(text: str) -> list[str]:
    return "".join(it if it.isalnum() else " " for it in text).lower().split()


CONTENTS = [content(number) for number in range(20 * len(TOPICS))]
BY_WORD: dict[str, set[int]] = {}
for at, one in enumerate(CONTENTS):
    for word in words(one.title):
        BY_WORD.setdefault(word, set()).add(at)


def search(asked: Input) -> Hits:
    lists = sorted((BY_WORD.get(word, set()) for word in words(asked.query)), key=len)
    found = [CONTENTS[at] for at in sorted(set.intersection(*lists))] if lists else []
    if asked.content_type is not None:
        found = [it for it in found if it.content_type == asked.content_type]
    return Hits(items=found[: asked.limit], total=len(found), query=asked.query)


def refused(status: int, code: str, text: str) -> JSONResponse:
    return JSONResponse({"success": False, "error": text, "error_type": code}, status)


app = FastAPI()


@app.post("/tools/call", response_model=Success)
async def call(
    request: Request,
    x_tenant_id: Annotated[str, Header()],
    x_site_id: Annotated[str, Header()],
    x_trace_id: Annotated[str, Header()],
):
    started = time.monotonic()
    body = await request.body()
    try:
        asked = Call.model_validate_json(body)
    except ValidationError:
        return refused(422, "INVALID_ARGUMENT", "expected the body of a call")
    if asked.tool_name != TOOL:
        return refused(404, "NOT_FOUND", "no tool has this name")
    context = asked.context
    said = [(context.tenant_id, x_tenant_id), (context.site_id, x_site_id), (context.trace_id, x_trace_id)]
    if any(it is not None and it != header for it, header in said):
        return refused(422, "INVALID_ARGUMENT", "header and body contradict each other")
    hits = search(asked.input)
    audit = Audit(
        trace_id=x_trace_id,
        tool_name=TOOL,
        status="success",
        latency_ms=int((time.monotonic() - started) * 1000),
        request_payload_hash=hashlib.sha256(body).hexdigest(),
    )
    return Success(success=True, output=hits, audit=audit)


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    threading.Thread(target=end_with_parent, daemon=True).start()
    print("listening", listener.getsockname()[1], flush=True)
    server = uvicorn.Server(uvicorn.Config(app, access_log=False, log_level="warning"))
    server.run(sockets=[listener])
