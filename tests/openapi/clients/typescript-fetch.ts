// Uses each operation of the client that openapi-generator generates for TypeScript, against a running server.
//
//     node typescript-fetch.js URL KEY

import * as client from "./typescript-fetch-client/index";

declare const process: { argv: string[]; exitCode: number };
const [url, key] = process.argv.slice(2);
const configuration = new client.Configuration({ basePath: url, apiKey: key });
const tools = new client.ToolsApi(configuration);
const approvals = new client.ApprovalsApi(configuration);
const traces = new client.TracesApi(configuration);
const budgets = new client.BudgetsApi(configuration);
const outcomes = new client.OutcomesApi(configuration);
const evidence = new client.EvidenceApi(configuration);
const server = new client.ServerApi(configuration);
const where = { xTenantID: "yantian", xSiteID: "yantian-main", xTraceID: "trace-fetch" };
const { xTraceID: id, ...withoutTrace } = where;

const apis: object[] = [tools, approvals, traces, budgets, outcomes, evidence, server];
const operations = apis.flatMap((it) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(it)).filter((name) => name.endsWith("Raw")),
);
const unused = new Set(operations);
for (const it of apis) {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(it)).filter((name) => name.endsWith("Raw"));
  for (const name of names) {
    const run = (it as Record<string, (...values: unknown[]) => unknown>)[name]!;
    (it as Record<string, unknown>)[name] = function (this: unknown, ...values: unknown[]) {
      unused.delete(name);
      return run.apply(this, values);
    };
  }
}

function check(holds: boolean, answer: unknown): asserts holds {
  if (!holds) throw new Error(`not what was expected: ${JSON.stringify(answer)}`);
}

async function refused(status: number, request: Promise<unknown>): Promise<client.CallFailure> {
  const failure = await request.then(
    (answer) => check(false, answer),
    (reason: unknown) => reason,
  );
  if (!(failure instanceof client.ResponseError)) throw failure;
  check(failure.response.status === status, failure.response.status);
  return client.CallFailureFromJSON(await failure.response.json());
}

async function main(): Promise<void> {
  const listed = await tools.listTools({ ...where, listRequest: { aiCallableOnly: false } });
  check(listed.total === 7, listed);
  const writes = await tools.findTools({ ...where, effect: "write", name: "write_tale" });
  check(writes.tools.length === 1 && writes.tools[0]?.name === "write_tale", writes);
  const searched = await tools.callTool({
    ...where,
    toolCall: { toolName: "search_tales", input: { query: "old well", limit: 2 } },
  });
  const found = searched as client.SearchTalesAnswer;
  check(found.audit.toolName === "search_tales" && found.output.total === 2, searched);
  const described = await tools.callTool({
    ...where,
    toolCall: {
      toolName: "describe_place",
      input: {
        place: { latitude: 28.5, longitude: 117.7 },
        telling: { kind: "words", text: "by the bridge" },
        names: { en: "Old Well" },
      },
    },
  });
  check((described as client.DescribePlaceAnswer).output === "Old Well", described);
  const guest = {
    account: { userId: "ada", user_id: 7 },
    gre: 1.75,
    _class: "first" as const,
    modelConfig: "wide",
    home: { street: "Main Street", town: "Yantian" },
  };
  // `callTool` takes every answer for that of the first tool, since it looks at the required properties alone.
  const greeting = await tools.callToolRaw({ ...where, toolCall: { toolName: "guests.greet", input: guest } });
  const greeted = client.GuestsGreetAnswerFromJSON(await greeting.raw.json());
  const { output } = greeted;
  check(output._class === "first" && output.gre === 1.75 && output.modelConfig === "wide", greeted);
  check(output.account["user_id"] === 7 && output.account["userId"] === "ada", greeted);
  check(output.home?.street === "Main Street" && output.home.town === "Yantian", greeted);
  const person = { toolName: "find_person" as const, input: { name: "Yan" } };
  const missing = await refused(404, tools.callTool({ ...where, toolCall: person }));
  check(missing.errorType === "NOT_FOUND", missing);

  const tale = { toolName: "write_tale" as const, input: { title: "The well" } };
  const waits = await refused(409, tools.callTool({ ...where, toolCall: tale }));
  check(waits.detail.code === "NEEDS_USER_CONFIRMATION", waits);
  const waiting = await approvals.listApprovals(where);
  const { ticket } = waiting.approvals.find((it) => it.toolName === "write_tale")!;
  const written = await approvals.decideApproval({ ...where, ticket, approvalDecision: { decision: "approve" } });
  check((written as client.WriteTaleAnswer).output === "The well", written);
  const tried = await tools.callTool({ ...where, toolCall: { ...tale, context: { dryRun: true } } });
  check((tried as client.WriteTaleDryRunAnswer).meta.dryRun === true, tried);

  const text = await tools.callToolForText({ ...where, toolCall: { toolName: "count_tales" } });
  check(text.output.serializedText === "42", text);
  const enveloped = await tools.callToolByEnvelope({
    ...withoutTrace,
    tool: "count_tales",
    callEnvelope: { requestId: "req-1", actor: { type: "agent", id: "tester" } },
  });
  check(enveloped.data === 42, enveloped);

  const trace = await traces.readTrace({ ...where, id });
  check(trace.records.some((it) => it.call.tool === "search_tales"), trace);
  const ofRequest = await traces.readRequest({ ...where, requestId: "req-1" });
  check(ofRequest.records[0]?.call.tool === "count_tales", ofRequest);
  const replayed = await traces.replayTrace({ ...where, id, replayRequest: { reason: "a check" } });
  check(replayed.calls.some((it) => it.tool === "search_tales" && it.verdict.verdict === "same"), replayed);

  const verification = await traces.verifyLedger(where);
  check(verification.intact && verification.records! > 5, verification);

  const [snapshot] = (await evidence.listEvidence(where)).evidence;
  check(snapshot?.tool === "search_tales", snapshot);
  const read = await evidence.readEvidence({ ...where, id: snapshot.snapshotId });
  check(read.snapshotId === snapshot.snapshotId, read);
  const evidenceReadRequest = { reason: "a check" };
  const opened = await evidence.openEvidence({ ...where, id: snapshot.snapshotId, evidenceReadRequest });
  check(opened.snapshot.snapshotId === snapshot.snapshotId, opened);

  const { limits, sums } = await budgets.listBudgets(where);
  check(limits[0]?.budget === "tales" && limits[0].total === "20", limits);
  check(sums[0]?.unit === "calls" && sums[0].left === "19", sums);

  const none = await outcomes.listOutcomes(where);
  check(none.outcomes.length === 0, none);
  const outcomeResolution = { decision: "did_not_happen" as const, reason: "a check" };
  await refused(404, outcomes.resolveOutcome({ ...where, id: 7, outcomeResolution }));
  await refused(404, tools.readAttachment({ ...where, id: `att_${"0".repeat(12)}7${"0".repeat(19)}` }));
  check("paths" in (await server.readDocument()), "the document");
  check((await server.readHealth()).status === "ok", "health");
  check((await server.readReadiness()).status === "ready", "readiness");
  check((await server.readMetrics()).includes("tool"), "metrics");

  check(unused.size === 0, [...unused]);
  console.log(`openapi-generator, typescript-fetch: ${operations.length} operations, all used`);
}

main().catch((failure: unknown) => {
  console.error(failure);
  process.exitCode = 1;
});
