// Uses the fixture through `@modelcontextprotocol/client` 2.x: node typescript-2.mjs MODULES URL COMMAND [ARGUMENT…]
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { answer, Checker } from "./checks.mjs";

const [modules, url, command, ...args] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const load = (path) => import(pathToFileURL(require.resolve(path)));
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
const { version } = require(`${modules}/@modelcontextprotocol/client/package.json`);

const connecting = (transport, mode, revision) => async (action, asked) => {
  const capabilities = action ? { elicitation: {} } : {};
  const client = new Client({ name: "typescript-2", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  if (action) client.setRequestHandler("elicitation/create", answer(action, asked));
  await client.connect(transport());
  const { name, version } = client.getServerVersion();
  assert.deepEqual([name, version, client.getNegotiatedProtocolVersion()], ["fixture", "1.0.0", revision]);
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
};

const checker = new Checker(`typescript ${version}`);
const http = () => new StreamableHTTPClientTransport(new URL(url));
const stdio = () => new StdioClientTransport({ command, args });
for (const [place, transport] of [["http", http], ["stdio", stdio]]) {
  for (const [mode, revision] of [["auto", "2026-07-28"], ["legacy", "2025-11-25"]]) {
    await checker.check(`${place}, ${revision}`, connecting(transport, mode, revision));
  }
}
checker.finish();
