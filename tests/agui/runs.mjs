// Runs an agent at random with the official client of AG-UI: node runs.mjs URL RUNS SEED. Prints one line, and exits with
// 1 if the client's verifier objects, a run does not end, or an approval is lost or runs twice.
import { HttpAgent } from "@ag-ui/client";

const [url, limit, seed] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const SECRET = "4111-1111";
const TOOLS = [
  { name: "choose", description: "Lets the user choose.", parameters: { type: "object", properties: { of: { type: "string" } } } },
];

// The same numbers for the same seed (mulberry32's recurrence).
let state = seed >>> 0;
function below(bound) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
}
const pick = (list) => list[below(list.length)];

const counts = { runs: 0, violations: 0, approvals: 0, approved: 0, declined: 0, cancelled: 0, left: 0, lost: 0, twice: 0, client_calls: 0, reads: 0, reloads: 0, failed_models: 0 };
const problems = [];
function violation(text) {
  counts.violations += 1;
  problems.push(text);
}
// The client warns of what the protocol does not describe, and removes it.
console.warn = (...texts) => violation(texts.join(" "));

const payments = new Map();

function turn(thread, number) {
  const calls = [];
  for (let position = below(5); position >= 0; position -= 1) {
    const kind = below(7);
    if (kind < 2) calls.push(["add", { a: below(100), b: below(100) }]);
    else if (kind < 4) {
      const id = `${thread}-${number}-${position}`;
      payments.set(id, { state: "planned" });
      calls.push(["pay", { id, card: SECRET }]);
    } else if (kind < 6) calls.push(["choose", { of: `tea "${position}"\n` }]);
    else calls.push(pick([["add", { a: "one" }], ["nothing", {}], ["pay", '{"id":'], ["broken", {}]]));
  }
  return { text: pick(["", "Let me see.", "Schön: ☕\n\ndata: x"]), calls };
}

function plan(thread) {
  if (below(6) === 0) return ["a text alone"];
  const turns = Array.from({ length: 1 + below(3) }, (_, number) => turn(thread, number));
  if (below(8) === 0) turns[below(turns.length)] = pick(["fail", "panic"]);
  return turns;
}

function newAgent(thread, messages) {
  return new HttpAgent({ url: `${url}/agent`, headers: { user: "jane" }, threadId: thread, initialMessages: messages });
}

// Runs once; returns the events, whose last one ends the run.
async function run(agent, resume) {
  counts.runs += 1;
  const events = [];
  const subscriber = { onEvent: ({ event }) => void events.push(event) };
  const parameters = { runId: `run-${counts.runs}`, tools: TOOLS, ...(resume.length ? { resume } : {}) };
  try {
    await agent.runAgent(parameters, subscriber);
  } catch (error) {
    if (events.at(-1)?.type !== "RUN_ERROR") violation(`${error}`);
  }
  if (!["RUN_FINISHED", "RUN_ERROR"].includes(events.at(-1)?.type)) violation(`the run ends with ${events.at(-1)?.type}`);
  // The plan in the user's message has it; nothing else may.
  const shown = [events, agent.messages.filter((message) => message.role !== "user")];
  if (JSON.stringify(shown).includes(SECRET)) violation("a secret is shown");
  for (const { toolCallId } of events.filter((event) => event.type === "TOOL_CALL_RESULT")) checkAnswer(agent, toolCallId);
  counts.reads += events.filter((event) => event.type === "TOOL_CALL_START" && event.toolCallName === "add").length;
  counts.client_calls += events.filter((event) => event.type === "TOOL_CALL_START" && event.toolCallName === "choose").length;
  return events;
}

// A payment without a decision must not be answered.
function checkAnswer(agent, callId) {
  const call = agent.messages.flatMap((message) => message.toolCalls ?? []).find((call) => call.id === callId);
  const payment = [...payments].find(([id]) => call?.function.arguments.includes(`"${id}"`));
  if (call?.function.name === "pay" && payment && ["planned", "waiting"].includes(payment[1].state)) {
    counts.lost += 1;
    problems.push(`the payment ${payment[0]} was answered without a decision`);
  }
}

const unanswered = (messages, name) =>
  messages
    .flatMap((message) => message.toolCalls ?? [])
    .filter((call) => call.function.name === name && !messages.some((message) => message.toolCallId === call.id));

// Every payment that has no answer must be an interrupt with its arguments.
function checkInterrupts(agent, interrupts, what) {
  const waiting = unanswered(agent.messages, "pay");
  for (const call of waiting) {
    const id = JSON.parse(call.function.arguments).id;
    const interrupt = interrupts.find((it) => it.toolCallId === call.id);
    if (!interrupt || interrupt.metadata.arguments.id !== id) {
      counts.lost += 1;
      problems.push(`${what}: the payment ${id} is no interrupt`);
    } else if (payments.get(id).state === "planned") {
      counts.approvals += 1;
      payments.get(id).state = "waiting";
    }
  }
  if (interrupts.length > waiting.length) violation(`${what}: an interrupt has no call`);
}

function answer(interrupt) {
  const payment = payments.get(interrupt.metadata.arguments.id);
  const choice = below(5);
  if (choice < 3) {
    payment.state = "approved";
    counts.approved += 1;
    return { interruptId: interrupt.id, status: "resolved", payload: { approved: true } };
  }
  payment.state = "declined";
  if (choice === 3) {
    counts.declined += 1;
    return { interruptId: interrupt.id, status: "resolved", payload: { approved: false, feedback: "not now" } };
  }
  counts.cancelled += 1;
  return { interruptId: interrupt.id, status: "cancelled" };
}

async function runThread(number) {
  const thread = `thread-${seed}-${number}`;
  let agent = newAgent(thread, []);
  agent.addMessage({ id: `${thread}-user`, role: "user", content: JSON.stringify(plan(thread)) });
  let resume = [];
  let writesOn = below(4) === 0;
  for (let inputs = 0; ; inputs += 1) {
    if (inputs > 40) return violation(`${thread} does not end`);
    const end = (await run(agent, resume)).at(-1);
    if (end?.type === "RUN_ERROR") {
      counts.failed_models += 1;
      if (!["llm", "panic", "repeated_failures"].includes(end.code)) violation(`${thread}: ${end.code} ${end.message}`);
      return;
    }
    const interrupts = end?.outcome?.interrupts ?? [];
    checkInterrupts(agent, interrupts, `${thread}, input ${inputs}`);
    const choices = unanswered(agent.messages, "choose");
    resume = [];
    if (interrupts.length > 0 && below(12) === 0) {
      counts.left += interrupts.length;
      return;
    }
    const answered = choices.filter(() => below(3) > 0);
    for (const call of answered) {
      agent.addMessage({ id: `result-${call.id}`, role: "tool", toolCallId: call.id, content: "green", ...(below(5) === 0 ? { error: "no window" } : {}) });
    }
    if (interrupts.length > 0 && below(3) === 0) {
      // The page is loaded again, and knows of no interrupt.
      agent = newAgent(thread, agent.messages);
      counts.reloads += 1;
    } else if (interrupts.length > 0) resume = interrupts.map(answer);
    else if (choices.length === 0) {
      if (!writesOn) return;
      writesOn = false;
      agent.addMessage({ id: `${thread}-user-2`, role: "user", content: JSON.stringify(["and more"]) });
    }
  }
}

for (let number = 0; counts.runs < limit; number += 1) {
  try {
    await runThread(number);
  } catch (error) {
    violation(`thread ${number}: ${error}`);
  }
}

const paid = await (await fetch(`${url}/paid`)).json();
for (const [id, { state }] of payments) {
  const times = paid[id] ?? 0;
  if (times > 1) counts.twice += 1;
  if (state === "approved" && times === 0) counts.lost += 1;
  if (state !== "approved" && times > 0) violation(`the payment ${id} ran and is ${state}`);
}
console.log(`agui: ${Object.entries(counts).map(([name, count]) => `${name}=${count}`).join(" ")} seed=${seed}`);
for (const problem of problems.slice(0, 20)) console.error(problem);
process.exit(counts.violations + counts.lost + counts.twice > 0 ? 1 : 0);
