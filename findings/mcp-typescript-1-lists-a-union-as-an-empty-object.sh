#!/usr/bin/env bash
# Guess:     the input schema that an MCP server lists is the one that it checks calls by.
# Behaviour: for a tool whose input is a union of objects, the TypeScript SDK 1.x lists `{"type":"object","properties":{}}`,
#            which names no property, and still checks calls by the union: arguments that the listed schema admits are
#            refused. A client that closes schemas without properties would refuse every right call. The SDK's
#            successor, @modelcontextprotocol/server 2.x, lists the union.
# Versions:  @modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/server 2.4.0, with zod 4.6.7.
# Output:    sdk 1.32.2 lists:   {"type":"object","properties":{}}
#            sdk 1.32.2 answers: {"any":1} is refused, {"kind":"circle","radius":1} is taken
#            server 2.4.0 lists: a schema with oneOf
# Seen on:   2026-11-28
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >package.json <<'JSON'
{ "name": "union", "version": "0.0.0", "private": true, "type": "module" }
JSON
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server@2.4.0 zod@4.6.7
cat >union.js <<'JS'
import { z } from "zod";

// Lists the tool of a server and calls it; prints the listed schema and whether each call was refused.
export async function run(McpServer, InMemoryTransport) {
  const circle = z.object({ kind: z.literal("circle"), radius: z.number() });
  const square = z.object({ kind: z.literal("square"), side: z.number() });
  const server = new McpServer({ name: "shapes", version: "1.0.0" });
  const config = { description: "Computes an area.", inputSchema: z.discriminatedUnion("kind", [circle, square]) };
  server.registerTool("area", config, async (shape) => ({ content: [{ type: "text", text: shape.kind }] }));
  const [client, transport] = InMemoryTransport.createLinkedPair();
  await server.connect(transport);
  await client.start();
  let id = 0;
  const send = (method, params) =>
    new Promise((resolve) => {
      client.onmessage = resolve;
      client.send({ jsonrpc: "2.0", id: ++id, method, params });
    });
  await send("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "reader", version: "1.0.0" },
  });
  await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const listed = await send("tools/list", {});
  const call = async (input) => {
    const answer = await send("tools/call", { name: "area", arguments: input });
    return answer.error || answer.result.isError ? "refused" : "taken";
  };
  const calls = [await call({ any: 1 }), await call({ kind: "circle", radius: 1 })];
  console.log(JSON.stringify({ schema: listed.result.tools[0].inputSchema, calls }));
  process.exit(0);
}
JS
cat >first.js <<'JS'
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { run } from "./union.js";
await run(McpServer, InMemoryTransport);
JS
cat >second.js <<'JS'
import { McpServer, InMemoryTransport } from "@modelcontextprotocol/server";
import { run } from "./union.js";
await run(McpServer, InMemoryTransport);
JS
first=$(node first.js)
second=$(node second.js)
printf 'sdk 1.32.2:   %s\nserver 2.4.0: %s\n' "$first" "$second"
[ "$first" = '{"schema":{"type":"object","properties":{}},"calls":["refused","taken"]}' ] || { echo 'changed: sdk 1.32.2'; exit 1; }
[[ $second == *'"oneOf"'*'"calls":["refused","taken"]'* ]] || { echo 'changed: server 2.4.0'; exit 1; }
