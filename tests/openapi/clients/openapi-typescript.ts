// Uses each operation whose types openapi-typescript generates, against a running server.
//
//     node openapi-typescript.js URL KEY COUNT
//
// COUNT is the number of operations in the document.

import createClient from "openapi-fetch";

import type { components, paths } from "./openapi-typescript-types";

declare const process: { argv: string[]; exitCode: number };
const [url, key, count] = process.argv.slice(2);
const used = new Set<string>();
const client = createClient<paths>({
  baseUrl: url!,
  headers: { "X-Internal-API-Key": key! },
});
client.use({
  onRequest({ request, schemaPath }) {
    used.add(`${request.method} ${schemaPath}`);
  },
});
const header = { "X-Tenant-ID": "yantian", "X-Site-ID": "yantian-main", "X-Trace-ID": "trace-types" };
const { "X-Trace-ID": id, ...withoutTrace } = header;
type Schemas = components["schemas"];

function check(holds: boolean, answer: unknown): asserts holds {
  if (!holds) throw new Error(`not what was expected: ${JSON.stringify(answer)}`);
}

/** The body of an answer, which has to be a success in JSON. */
async function body<T>(request: Promise<{ data?: T; error?: unknown }>): Promise<Exclude<NonNullable<T>, string>> {
  const { data, error } = await request;
  check(typeof data === "object" && data !== null, error);
  return data as Exclude<NonNullable<T>, string>;
}

async function main(): Promise<void> {
  const params = { header };
  const call = (body: Schemas["ToolCall"]) => client.POST("/tools/call", { params, body });

  const listed = await body(client.POST("/tools/list", { params, body: { ai_callable_only: false } }));
  check(listed.total === 7, listed);
  const query = { effect: "write" as const, name: "write_tale" };
  const writes = await body(client.GET("/tools", { params: { header, query } }));
  check(writes.tools.length === 1 && writes.tools[0]?.name === "write_tale", writes);
  const searched = await body(call({ tool_name: "search_tales", input: { query: "old well", limit: 2 } }));
  const found = searched as Schemas["SearchTalesAnswer"];
  check(found.audit.tool_name === "search_tales" && found.output.total === 2, searched);
  const place = { latitude: 28.5, longitude: 117.7 };
  const telling = { kind: "words" as const, text: "by the bridge" };
  const described = await body(call({ tool_name: "describe_place", input: { place, telling, names: { en: "Old Well" } } }));
  check(described.output === "Old Well", described);
  const guest = {
    account: { userId: "ada", user_id: 7 },
    größe: 1.75,
    class: "first" as const,
    model_config: "wide",
    home: { street: "Main Street", town: "Yantian" },
  };
  const greeted = await body(call({ tool_name: "guests.greet", input: guest }));
  const { output } = greeted as Schemas["GuestsGreetAnswer"];
  check(output.account.user_id === 7 && output.größe === 1.75 && output.home?.town === "Yantian", greeted);
  const missing = await call({ tool_name: "find_person", input: { name: "Yan" } });
  check(missing.response.status === 404 && missing.error?.error_type === "NOT_FOUND", missing.error);

  const tale = { tool_name: "write_tale" as const, input: { title: "The well" } };
  const waits = await call(tale);
  check(waits.response.status === 409 && waits.error?.detail.code === "NEEDS_USER_CONFIRMATION", waits.error);
  const waiting = await body(client.GET("/approvals", { params }));
  const { ticket } = waiting.approvals.find((it) => it.tool_name === "write_tale")!;
  const path = { params: { header, path: { ticket } } };
  const written = await body(client.POST("/approvals/{ticket}", { ...path, body: { decision: "approve" } }));
  check("output" in written && written.output === "The well", written);
  const tried = await body(call({ ...tale, context: { dry_run: true } }));
  check(tried.meta != null && "dry_run" in tried.meta && tried.meta.dry_run === true, tried);

  const text = await body(client.POST("/tools/call/text", { params, body: { tool_name: "count_tales" } }));
  check(text.output.serialized_text === "42", text);
  const envelope = { request_id: "req-1", actor: { type: "agent" as const, id: "tester" } };
  const enveloped = await body(
    client.POST("/calls/{tool}", { params: { header: withoutTrace, path: { tool: "count_tales" } }, body: envelope }),
  );
  check(enveloped.data === 42, enveloped);

  const ofTrace = { params: { header, path: { id } } };
  const trace = await body(client.GET("/traces/{id}", ofTrace));
  check(trace.records.some((it) => it.call.tool === "search_tales"), trace);
  const ofRequest = await body(client.GET("/traces", { params: { header, query: { request_id: "req-1" } } }));
  check(ofRequest.records[0]?.call.tool === "count_tales", ofRequest);
  const replayed = await body(client.POST("/traces/{id}/replay", { ...ofTrace, body: { reason: "a check" } }));
  check(replayed.calls.some((it) => it.tool === "search_tales" && it.verdict.verdict === "same"), replayed);

  const verification = await body(client.GET("/ledger/verification", { params }));
  check(verification.intact && verification.records! > 5, verification);

  const [snapshot] = (await body(client.GET("/evidence", { params }))).evidence;
  check(snapshot?.tool === "search_tales", snapshot);
  const ofSnapshot = { params: { header, path: { id: snapshot.snapshot_id } } };
  const read = await body(client.GET("/evidence/{id}", ofSnapshot));
  check(read.snapshot_id === snapshot.snapshot_id, read);
  const opened = await body(client.POST("/evidence/{id}/contents", { ...ofSnapshot, body: { reason: "a check" } }));
  check(opened.snapshot.snapshot_id === snapshot.snapshot_id, opened);

  const budgets = await body(client.GET("/budgets", { params }));
  check(budgets.limits[0]?.budget === "tales" && budgets.limits[0].total === "20", budgets);
  check(budgets.sums[0]?.unit === "calls" && budgets.sums[0].left === "19", budgets);

  const none = await body(client.GET("/outcomes", { params }));
  check(none.outcomes.length === 0, none);
  const resolved = await client.POST("/outcomes/{id}", {
    params: { header, path: { id: 7 } },
    body: { decision: "did_not_happen", reason: "a check" },
  });
  check(resolved.response.status === 404 && resolved.error?.success === false, resolved.error);
  const attachment = await client.GET("/attachments/{id}", {
    params: { header, path: { id: `att_${"0".repeat(12)}7${"0".repeat(19)}` } },
  });
  check(attachment.response.status === 404, attachment.error);
  check("paths" in (await body(client.GET("/openapi.json"))), "the document");
  check((await body(client.GET("/healthz"))).status === "ok", "health");
  check((await body(client.GET("/readyz"))).status === "ready", "readiness");
  const metrics = await client.GET("/metrics", { parseAs: "text" });
  check(metrics.data?.includes("tool") === true, metrics.error);

  check(used.size === Number(count), [...used]);
  console.log(`openapi-typescript: ${used.size} operations, all used`);
}

main().catch((failure: unknown) => {
  console.error(failure);
  process.exitCode = 1;
});
