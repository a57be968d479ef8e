// Uses the console as people do, in a browser: node browser.mjs CHROMIUM URL [FOLDER]
//
// URL is a heritage server with --console, on which nothing waits. Pictures of the pages go to FOLDER.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [executablePath, url, pictures] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const console_ = `${url}/console`;
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
const RIGHT_TO_LEFT = "\u202e";

// Calls a tool as a visitor's agent, and returns the answer.
async function call(tool_name, input, trace) {
  const answer = await fetch(`${url}/api/tools/call`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Tenant-ID": "yantian",
      "X-Site-ID": "yantian-main",
      "X-Trace-ID": trace,
      "X-User-ID": "visitor-1",
    },
    body: JSON.stringify({ tool_name, input }),
  });
  return answer.json();
}

// Requests a draft, and returns its ticket.
async function request(title, body = "溪上有一座廊桥。", trace = "trace-console") {
  const { detail, error } = await call("create_draft_content", { content_type: "story", title, body }, trace);
  assert.ok(detail?.details?.ticket, error);
  return detail.details.ticket.id;
}

// Counts the drafts with a word of their titles.
async function drafts(query) {
  const { output, error } = await call("search_content", { query, status: "draft", limit: 1 }, "trace-count");
  assert.ok(output, error);
  return output.total;
}

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const passed = [];

// A person with a browser of their own, signed in; whatever a page loads from elsewhere or complains about is noted.
async function person(user, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, locale: "en", ...options });
  const page = await context.newPage();
  page.faults = [];
  page.on("console", (message) => {
    // A page that is answered with a failure's status is one that a test asks for.
    if (!message.text().startsWith("Failed to load resource: the server responded with a status of 4")) {
      page.faults.push(message.text());
    }
  });
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("dialog", (dialog) => page.faults.push(`a dialog: ${dialog.message()}`));
  page.on("request", (it) => it.url().startsWith(url) || page.faults.push(`a request to ${it.url()}`));
  await page.goto(console_);
  assert.equal(new URL(page.url()).pathname, "/console/sign-in");
  await page.fill("#tenant", "yantian");
  await page.fill("#user", user);
  await page.locator("main button").click();
  assert.equal(page.url(), console_);
  return page;
}

// Fails if axe-core finds something serious on the page, in light and in dark, wide and narrow.
async function everyone_can_use(page, name) {
  for (const [width, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      const serious = violations.filter((it) => ["serious", "critical"].includes(it.impact));
      assert.deepEqual(serious.map((it) => [it.id, it.nodes.map((node) => node.html)]), [], `${name}, ${width}, ${colorScheme}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${name}, ${width}: ${overflow} pixels beyond the page`);
      if (pictures) {
        await page.evaluate(() => scrollTo(0, 0));
        await page.screenshot({ path: `${pictures}/console-${name}-${width}-${colorScheme}.png` });
      }
    }
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: "light" });
}

const approve = (page) => page.getByRole("button", { name: "Approve and run" });
const open = (page, ticket) => page.goto(`${console_}/approvals/${ticket}`);

async function test(name, run) {
  await run();
  passed.push(name);
}

try {
  const bridge = await request("廊桥 bridge", "溪上有一座廊桥，\n桥下有鱼。");
  const ada = await person("ada");

  await test("the_pages_can_be_used_by_everyone", async () => {
    await everyone_can_use(ada, "inbox");
    await ada.getByRole("link", { name: /draft/i }).first().click();
    await everyone_can_use(ada, "approval");
    await ada.locator("summary").click();
    await everyone_can_use(ada, "edit");
    const stranger = await browser.newContext({ viewport: WIDE, locale: "de" });
    const page = await stranger.newPage();
    await page.goto(console_);
    assert.equal(await page.locator("html").getAttribute("lang"), "de");
    await everyone_can_use(page, "sign-in");
    await stranger.close();
  });

  await test("no_key_alone_decides", async () => {
    await open(ada, bridge);
    await ada.locator("[name=confirm]").focus();
    await ada.keyboard.press("Space");
    await ada.keyboard.press("Enter");
    // The page comes again, without the tick.
    await ada.locator("[name=confirm]:not(:checked)").waitFor();
    await ada.locator("#feedback").focus();
    await ada.keyboard.press("Enter");
    assert.equal(ada.url(), `${console_}/approvals/${bridge}`);
    // Differences are shown, and decide nothing.
    await ada.locator("summary").click();
    await ada.locator("form[action$=review] input:not([type=hidden])").first().focus();
    await ada.keyboard.press("Enter");
    await ada.waitForURL(/review$/);
    assert.equal(await drafts("bridge"), 0);
  });

  await test("a_button_without_its_tick_or_reason_decides_nothing", async () => {
    await open(ada, bridge);
    await approve(ada).click();
    await ada.getByRole("button", { name: "Decline" }).click();
    assert.equal(ada.url(), `${console_}/approvals/${bridge}`);
    assert.equal(await drafts("bridge"), 0);
  });

  await test("an_approved_call_runs_and_shows_its_answer", async () => {
    await open(ada, bridge);
    await ada.locator("[name=confirm]").check();
    await approve(ada).click();
    await ada.getByRole("heading", { name: "The call has run." }).waitFor();
    await everyone_can_use(ada, "decided");
    assert.equal(await drafts("bridge"), 1);
    // The form once more, as a reload would send it.
    await ada.reload();
    await ada.getByRole("heading", { name: "This call was decided before" }).waitFor();
    assert.equal(await drafts("bridge"), 1);
  });

  await test("changed_arguments_are_compared_and_approved", async () => {
    const ticket = await request("pavilion", "one\ntwo");
    await open(ada, ticket);
    await ada.locator("summary").click();
    await ada.getByLabel("title", { exact: false }).first().fill("tower");
    await ada.getByRole("button", { name: "Show the differences" }).click();
    // What was not edited is not changed, line breaks included.
    assert.equal(await ada.locator("tbody tr").count(), 1);
    assert.match(await ada.locator("tbody").innerText(), /pavilion[^]*tower/);
    await everyone_can_use(ada, "changes");
    await ada.locator("[name=confirm]").check();
    await ada.getByRole("button", { name: "Approve with these arguments" }).click();
    await ada.getByRole("heading", { name: "The call has run." }).waitFor();
    assert.deepEqual([await drafts("tower"), await drafts("pavilion")], [1, 0]);
  });

  await test("a_declined_call_never_runs", async () => {
    const ticket = await request("shrine");
    await open(ada, ticket);
    await ada.fill("#feedback", "ask the village office first");
    await ada.getByRole("button", { name: "Decline" }).click();
    await ada.getByRole("heading", { name: "The call was declined." }).waitFor();
    await open(ada, ticket);
    await ada.getByRole("heading", { name: "This call does not wait" }).waitFor();
    assert.equal(await drafts("shrine"), 0);
  });

  await test("two_people_who_race_for_a_call_run_it_once", async () => {
    const ben = await person("ben");
    for (let round = 0; round < 10; round += 1) {
      const word = `race${round}x`;
      const ticket = await request(word);
      for (const page of [ada, ben]) {
        await open(page, ticket);
        await page.locator("[name=confirm]").check();
      }
      await Promise.all([ada, ben].map((page) => approve(page).click()));
      const titles = await Promise.all([ada, ben].map((page) => page.locator("h1").innerText()));
      assert.deepEqual(titles.sort(), ["The call has run.", "This call was decided before, or no longer exists."]);
      assert.equal(await drafts(word), 1);
    }
    assert.deepEqual(ben.faults, []);
    await ben.context().close();
  });

  await test("a_trace_is_on_a_timeline_and_its_reads_are_run_again", async () => {
    await drafts("bridge");
    await ada.getByRole("link", { name: "Traces" }).click();
    await ada.fill("#id", "trace-console");
    await ada.getByRole("button", { name: "Show" }).click();
    assert.ok((await ada.locator(".timeline > li").count()) > 3);
    assert.ok((await ada.locator(".track rect").count()) > 3);
    await ada.locator(".timeline summary").first().click();
    await everyone_can_use(ada, "trace");
    await ada.goto(`${console_}/traces?id=trace-count`);
    await ada.fill("#reason", "complaint 17");
    await ada.getByRole("button", { name: "Run the reads again" }).click();
    await ada.getByText("Today: the same").or(ada.getByText("Today: changed")).first().waitFor();
    await everyone_can_use(ada, "replay");
  });

  await test("the_ledger_is_verified", async () => {
    await ada.getByRole("link", { name: "Verify the ledger" }).click();
    await ada.getByRole("button", { name: "Verify the ledger" }).click();
    await ada.getByText("Every record is as it was written.").waitFor();
    await everyone_can_use(ada, "ledger");
  });

  await test("no_outcome_is_unknown_here", async () => {
    await ada.getByRole("link", { name: "Unknown outcomes" }).click();
    await ada.getByText("No outcome is unknown.").waitFor();
    await everyone_can_use(ada, "outcomes");
  });

  await test("the_list_is_live_and_says_when_it_is_not", async () => {
    const cy = await person("cy");
    await cy.getByText("New calls and decisions appear here by themselves.").waitFor();
    const ticket = await request("living bridge");
    const row = cy.locator(`a[href$="${ticket}"]`);
    await row.waitFor();
    await row.focus();
    const other = await request("another living bridge");
    await cy.locator(`a[href$="${other}"]`).waitFor();
    assert.ok((await cy.evaluate(() => document.activeElement.getAttribute("href"))).endsWith(ticket), "the focus stays");
    await open(ada, ticket);
    await ada.locator("#feedback").fill("not this one");
    await cy.context().setOffline(true);
    await cy.getByText("The connection is lost").waitFor();
    await everyone_can_use(cy, "lost");
    await cy.context().setOffline(false);
    await cy.getByText("New calls and decisions appear here by themselves.").waitFor();
    await open(cy, ticket);
    await cy.getByLabel("I have read what would happen.").check();
    await approve(cy).click();
    await cy.getByText("The call has run.").waitFor();
    // What another person has decided shows at once, and cannot be decided again.
    await ada.getByText("This call was decided before, or no longer exists.").waitFor();
    assert.ok(await approve(ada).isDisabled());
    assert.equal(await ada.locator("#feedback").inputValue(), "not this one");
    await everyone_can_use(ada, "gone");
    cy.faults = cy.faults.filter((fault) => !fault.includes("net::ERR_INTERNET_DISCONNECTED"));
    assert.deepEqual(cy.faults, []);
    await cy.context().close();
  });

  await test("a_tool_is_tried", async () => {
    await ada.getByRole("link", { name: "Tools", exact: true }).click();
    await everyone_can_use(ada, "tools");
    await ada.fill("#words", "draft");
    await ada.getByRole("button", { name: "Show" }).click();
    await ada.getByRole("link", { name: /draft/i }).first().click();
    await everyone_can_use(ada, "tool");
    await ada.getByLabel(/title/i).first().fill("a tried bridge");
    await ada.getByLabel(/body/i).first().fill("It is there.");
    await ada.getByLabel(/content.type/i).first().fill("story");
    await ada.fill("#site", "yantian-main");
    await ada.getByRole("button", { name: "Dry run" }).click();
    await ada.getByText("What the call would do").waitFor();
    await everyone_can_use(ada, "dry-run");
    await ada.getByLabel("I have read what would happen.").check();
    await ada.getByRole("button", { name: "Run", exact: true }).click();
    await ada.getByText("The call waits for a decision.").waitFor();
  });

  await test("hostile_texts_are_texts", async () => {
    const script = `</pre><script>alert(1)</script><img src=x onerror=alert(2)>`;
    const ticket = await request(`${RIGHT_TO_LEFT}eoj`, script + "long ".repeat(3000));
    await open(ada, ticket);
    assert.match(await ada.locator("main").innerText(), /⟦U\+202E⟧eoj[^]*<script>alert\(1\)<\/script>/);
    assert.equal(await ada.locator("main script:not([src]), main img").count(), 0);
    await ada.goto(console_);
    assert.equal(await ada.locator("script:not([src]), img").count(), 0);
  });

  await test("the_inbox_is_quick_and_small", async () => {
    const waiting = 990;
    for (let number = 1; number < waiting; number += 1) {
      await request(`tale ${number}`, "x", `trace-${number}`);
    }
    await ada.goto(console_);
    const paint = await ada.evaluate(
      () =>
        new Promise((resolve) => {
          const painted = (list) => list.getEntriesByName("first-contentful-paint").map((it) => resolve(it.startTime));
          new PerformanceObserver(painted).observe({ type: "paint", buffered: true });
        }),
    );
    const sizes = await ada.evaluate(() =>
      ["navigation", "resource"].flatMap((it) => performance.getEntriesByType(it)).map((it) => it.decodedBodySize),
    );
    const size = sizes.reduce((sum, it) => sum + it, 0);
    assert.ok(size < 200_000, `${size} bytes`);
    assert.equal(await ada.locator(".inbox > li").count(), 50);
    console.log(`inbox of ${waiting} calls: first paint after ${Math.round(paint)} ms, ${size} bytes`);
  });

  assert.deepEqual(ada.faults, []);
  console.log(`console: ${passed.join(", ")}`);
} finally {
  await browser.close();
}
