// The checks that each TypeScript client makes of the fixture.
//
// `connect(action, asked)` connects with this answer to elicitations ("accept", "decline"), or without the
// capability; `asked` gets what is asked. A connection has `list()`, `call(name, arguments, options)`, `close()`.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const text = (result) => result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
let last = Date.now() % 4_000_000_000;
const aNumber = () => (last += 1);

const ofAConnection = {
  async tools_are_listed(client) {
    const listed = await client.list();
    assert.deepEqual((await client.list()).map((tool) => tool.name), listed.map((tool) => tool.name));
    const tool = (name) => listed.find((tool) => tool.name === name);
    const limits = ({ minimum, maximum }) => [minimum, maximum];
    assert.deepEqual(limits(tool("quote_order").inputSchema.properties.quantity), [1, 50]);
    assert.deepEqual(limits(tool("delete_note").inputSchema.properties.number), [0, 2 ** 32 - 1]);
    assert.equal(tool("add").annotations.readOnlyHint, true);
    assert.equal(tool("delete_note").annotations.readOnlyHint, false);
    assert.equal(tool("delete_note").annotations.destructiveHint, true);
    assert.ok(!JSON.stringify(listed).includes('"format"'), "a format of Rust's");
  },

  async a_call_is_answered(client) {
    assert.equal(text(await client.call("test_simple_text", {})), "This is a simple text response for testing.");
  },

  async structured_output_is_given(client) {
    const added = await client.call("add", { a: 2, b: 40 });
    assert.deepEqual(added.structuredContent, { sum: 42, terms: 2 });
    const listed = (await client.call("list_countries", {})).structuredContent;
    // Older revisions allow only objects, so that the list is wrapped.
    assert.deepEqual(Array.isArray(listed) ? listed : Object.values(listed)[0], ["AT", "CH"]);
  },

  async bad_arguments_are_all_reported(client) {
    const refused = await client.call("quote_order", { article: "", quantity: 0, quantty: 1 });
    assert.equal(refused.isError, true);
    for (const name of ["article", "quantity", "quantty"]) assert.ok(text(refused).includes(name), text(refused));
  },

  async an_unknown_tool_is_invalid_params(client) {
    await assert.rejects(client.call("quote_ordr", {}), (error) => error.code === -32602);
  },

  async an_image_arrives(client) {
    const [image] = (await client.call("test_image_content", {})).content;
    assert.deepEqual([image.type, image.mimeType, image.data.slice(0, 5)], ["image", "image/png", "iVBOR"]);
  },

  async progress_is_reported(client) {
    const seen = [];
    const onprogress = ({ progress }) => seen.push(progress);
    const answered = await client.call("test_tool_with_progress", {}, { onprogress });
    assert.ok(!answered.isError);
    assert.ok(seen.length >= 3, `${seen}`);
    assert.deepEqual(seen, seen.toSorted((a, b) => a - b));
  },

  async a_cancelled_call_ends_its_tool(client) {
    const label = `typescript-${aNumber()}`;
    await assert.rejects(client.call("wait", { label }, { signal: AbortSignal.timeout(400) }));
    for (const begun = Date.now(); !text(await client.call("wait_state", { label })).includes("cancelled"); await sleep(50)) {
      assert.ok(Date.now() - begun < 5_000, "the tool was not cancelled");
    }
  },

  async a_panic_is_answered_at_once(client) {
    const begun = Date.now();
    const panicked = await client.call("panics", {});
    assert.equal(panicked.isError, true);
    assert.ok(!text(panicked).includes("payload"), text(panicked));
    assert.ok(Date.now() - begun < 2_000, "late");
  },

  async a_tool_may_print(client) {
    assert.equal(text(await client.call("prints", {})), "printed");
  },
};

const ofApprovals = {
  async an_approval_is_asked_for(using) {
    const [number, asked] = [aNumber(), []];
    await using("accept", asked, async (client) => {
      assert.equal(text(await client.call("delete_note", { number })), `deleted note ${number}`);
      assert.equal(asked.length, 1);
      assert.ok(text(await client.call("deleted_notes", {})).includes(number));
    });
  },

  async a_declined_call_does_not_run(using) {
    const [number, asked] = [aNumber(), []];
    await using("decline", asked, async (client) => {
      assert.equal((await client.call("delete_note", { number })).isError, true);
      assert.equal(asked.length, 1);
      assert.ok(!text(await client.call("deleted_notes", {})).includes(number));
    });
  },

  async without_elicitation_there_is_a_ticket(using) {
    const number = aNumber();
    await using(undefined, [], async (client) => {
      const waiting = await client.call("delete_note", { number });
      assert.equal(waiting.isError, true);
      assert.ok(JSON.stringify(waiting).replaceAll("\\", "").includes('"ticket"'), JSON.stringify(waiting));
      assert.ok(!text(await client.call("deleted_notes", {})).includes(number));
    });
  },
};

// The client's answer to a form: each field is confirmed.
export const answer = (action, asked) => (request) => {
  asked.push(request.params.message);
  if (action !== "accept") return { action };
  const fields = Object.keys(request.params.requestedSchema?.properties ?? {});
  return { action, content: Object.fromEntries(fields.map((name) => [name, true])) };
};

// Makes all checks of a client, prints those that hold, and exits with those that do not.
export class Checker {
  failed = [];

  constructor(client) {
    this.client = client;
  }

  async check(where, connect) {
    const held = [];
    const attempt = async (checks, argument) => {
      for (const [name, check] of Object.entries(checks)) {
        try {
          const late = sleep(20_000, undefined, { ref: false }).then(() => assert.fail("no answer in 20 s"));
          await Promise.race([check(argument), late]);
          held.push(name);
        } catch (error) {
          this.failed.push(`${this.client}, ${where}: ${name}: ${error.message}`);
        }
      }
    };
    const using = async (action, asked, use) => {
      const client = await connect(action, asked);
      try {
        return await use(client);
      } finally {
        await client.close();
      }
    };
    await using(undefined, [], (client) => attempt(ofAConnection, client));
    await attempt(ofApprovals, using);
    console.log(`${this.client}, ${where}: ${held.join(", ")}`);
  }

  finish() {
    if (this.failed.length > 0) {
      console.error(this.failed.join("\n"));
      process.exit(1);
    }
  }
}
