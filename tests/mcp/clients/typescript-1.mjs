// Uses the fixture through `@modelcontextprotocol/sdk` 1.x: node typescript-1.mjs MODULES URL COMMAND [ARGUMENT…]
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { answer, Checker } from "./checks.mjs";

const [modules, url, command, ...args] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const load = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { ElicitRequestSchema, LATEST_PROTOCOL_VERSION } = await load("types.js");
const { version } = require(`${modules}/@modelcontextprotocol/sdk/package.json`);

const connecting = (transport) => async (action, asked) => {
  const capabilities = action ? { elicitation: {} } : {};
  const client = new Client({ name: "typescript-1", version: "1.0.0" }, { capabilities });
  if (action) client.setRequestHandler(ElicitRequestSchema, answer(action, asked));
  await client.connect(transport());
  const { name, version } = client.getServerVersion();
  assert.deepEqual([name, version], ["fixture", "1.0.0"]);
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    close: () => client.close(),
  };
};

const checker = new Checker(`typescript ${version}`);
const http = () => new StreamableHTTPClientTransport(new URL(url));
await checker.check(`http, ${LATEST_PROTOCOL_VERSION}`, connecting(http));
await checker.check(`stdio, ${LATEST_PROTOCOL_VERSION}`, connecting(() => new StdioClientTransport({ command, args })));
checker.finish();
