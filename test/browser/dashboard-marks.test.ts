import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { passive } from "./documents.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

/**
 * One host for each status and for each reason against notifications. Only one notifies the contact that cannot be
 * reached: of two, the second may wait for minutes behind the retries of the first.
 */
const config = `
hosts: {
	good: {address: "127.0.0.1", ${passive}}
	slow: {address: "127.0.0.1", ${passive}}
	bad: {address: "127.0.0.1", ${passive}, notification: "closed"}
	odd: {address: "127.0.0.1", ${passive}, notification: "ops"}
	new: {address: "127.0.0.1", ${passive}}
	gate: {address: "127.0.0.1", ${passive}}
	behind: {address: "127.0.0.1", parents: ["gate"], ${passive}, notification: "ops"}
	acked: {address: "127.0.0.1", ${passive}}
	resting: {address: "127.0.0.1", ${passive}}
	tardy: {address: "127.0.0.1", check: {type: "passive", freshness_threshold: "1s", max_attempts: 1, flap: {enabled: false}}}
}
timeperiods: never: ranges: {}
contacts: desk: {type: "webhook", url: "http://127.0.0.1:9/"}
notifications: {
	ops: levels: [{contacts: ["desk"], renotify_interval: "1h"}]
	closed: {period: "never", levels: [{contacts: ["desk"], renotify_interval: "1h"}]}
}
`;

const dayMs = 86_400_000;
const instant = (fromNowMs: number): string => new Date(Date.now() + fromNowMs).toISOString();
const report = (name: string, status: string) =>
  sendCommand(agent.base, "ProcessCheckResult", { ...hostTarget(name), status: `STATUS_${status}`, output: name });

before(async () => {
  agent = await startTestAgent(scope, { config, realm: "fra" });
  browser = await openBrowser(scope);
  for (const [name, status] of [
    ["good", "OK"],
    ["slow", "WARNING"],
    ["gate", "CRITICAL"],
    ["bad", "CRITICAL"],
    ["odd", "UNKNOWN"],
    ["behind", "CRITICAL"],
    ["acked", "CRITICAL"],
    ["resting", "WARNING"],
  ] as const)
    await report(name, status);
  await sendCommand(agent.base, "AcknowledgeProblem", {
    target: hostTarget("acked"),
    author: "ann",
    comment: "new disks",
    sticky: true,
  });
  await sendCommand(agent.base, "ScheduleDowntime", {
    target: hostTarget("resting"),
    start: instant(-4 * dayMs),
    end: instant(dayMs),
    author: "bob",
    comment: "long rebuild",
  });
  await until("both are handled", async () => {
    const rows = await statusRows(agent.base);
    return rows["acked"]?.handled === true && rows["resting"]?.inDowntime === true;
  });
});

const rowOf = (page: Page, name: string) => page.locator(`tr[data-id="/${name}"]`);

test("[DB45] each status has its own shape and word, also in grey; handled problems are hollow and faded", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects");
  const shapes = new Map<string, string>();
  for (const [name, word] of [
    ["good", "ok"],
    ["slow", "warning"],
    ["bad", "critical"],
    ["odd", "unknown"],
    ["new", "pending"],
    ["behind", "unreachable"],
  ] as const) {
    const badge = rowOf(page, name).locator(".status-badge");
    assert.equal((await badge.textContent())?.toLowerCase(), word);
    shapes.set(await badge.locator(".shape").evaluate((shape) => shape.outerHTML), word);
  }
  assert.equal(shapes.size, 6);
  const fill = (name: string): Promise<string | undefined> =>
    rowOf(page, name)
      .locator(".shape")
      .evaluate((shape) => shape.ownerDocument.defaultView?.getComputedStyle(shape).fill);
  assert.equal(await fill("resting"), "none");
  assert.notEqual(await fill("slow"), "none");
  assert.equal(
    await rowOf(page, "behind")
      .locator(".status-badge")
      .evaluate((badge) => badge.ownerDocument.defaultView?.getComputedStyle(badge).borderTopStyle),
    "dashed",
  );
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  assert.ok(await rowOf(page, "bad").locator(".status-word").isVisible());
  assert.deepEqual(errors, []);
});

test("[DB46] unhandled problems come first, the worst of them at the top, then handled ones", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/?handled=1");
  await rowOf(page, "acked").waitFor();
  const order = await page
    .locator("tr[data-id]")
    .evaluateAll((rows) =>
      rows.map((row) => `${row.getAttribute("data-status")}${row.classList.contains("is-handled") ? " handled" : ""}`),
    );
  const problems = order.filter((row) => row !== "unknown" || !row.includes("tardy"));
  assert.deepEqual(
    [...new Set(problems)],
    [
      "critical",
      "warning",
      "unknown",
      ...["critical handled", "unreachable handled", "warning handled"].filter((row) => problems.includes(row)),
    ],
  );
  assert.deepEqual(errors, []);
});

test("[DB47] the row says why no contact is notified: acknowledgement, downtime, parent, closed period, no policy, failed delivery", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/?handled=1");
  await rowOf(page, "acked").getByText("ack ann, sticky").waitFor();
  assert.match(
    (await rowOf(page, "acked")
      .getByTitle(/new disks/)
      .getAttribute("title")) ?? "",
    /^Acknowledged by ann, .*\d\d:\d\d: new disks$/,
  );
  await rowOf(page, "resting")
    .getByText(/^downtime until .*\d\d:\d\d$/)
    .waitFor();
  await rowOf(page, "resting").getByTitle("Downtime by bob: long rebuild").waitFor();
  await rowOf(page, "behind").getByTitle("Suppressed by gate").waitFor();
  await rowOf(page, "bad").getByText("out of period").waitFor();
  await rowOf(page, "slow").getByText("no policy").waitFor();
  await rowOf(page, "odd").getByText("not delivered").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(errors, []);
});

test("[DB48] a late result is marked with its age on every list, without the colour of a problem", async () => {
  const { page, errors } = await openPage(browser, agent);
  await until(
    "a result is overdue",
    async () => {
      const rows = await statusRows(agent.base, { overdueOnly: true });
      return rows["tardy"] !== undefined;
    },
    { withinMs: 60_000 },
  );
  await page.goto("/objects");
  await rowOf(page, "tardy")
    .getByText(/^late \d+ [sm]$|^never checked$/)
    .waitFor();
  assert.match((await rowOf(page, "tardy").getAttribute("class")) ?? "", /is-late/);
  await page.goto("/overdue");
  await rowOf(page, "tardy").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(errors, []);
});

test("[DB49] what has been muted for more than three days is marked on the page of muted objects", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/muted");
  await rowOf(page, "resting").getByTitle("muted for more than 3 days").waitFor();
  await rowOf(page, "acked").getByText("acknowledged by ann: new disks").waitFor();
  assert.equal(await rowOf(page, "acked").getByTitle("muted for more than 3 days").count(), 0);
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(errors, []);
});

test("[DB50] title and icon of the tab have the number of unhandled problems in the colour of the worst", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await until("title and icon have the number", async () => {
    const count = /^\((\d+)\) Problems – fra$/.exec(await page.title())?.[1];
    const icon = decodeURIComponent((await page.locator("link[rel=icon]").getAttribute("href")) ?? "");
    return new RegExp(`#c92a35.*>${count}<`).test(icon);
  });
  assert.deepEqual(errors, []);
});
