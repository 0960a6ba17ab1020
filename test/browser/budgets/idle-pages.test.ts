import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { statusRows } from "../../run/rows.ts";
import { openBrowser, openPage } from "../browser.ts";
import { reportDisks, twoRacks } from "../rack-document.ts";

const scope = fileScope();
let centre: TestProgram;
let browser: Browser;

before(async () => {
  const nats = await startNats(scope);
  const flags = { "nats-url": nats.url };
  const slo = `slos: web: {selector: "rack=r1", target: 99}\nui: availability: range: "1h"\n`;
  const agent = await startTestAgent(scope, { config: twoRacks + slo, realm: "fra", flags });
  const realms = `realms: fra: {url: "${agent.base}", unreachable_after: "1h"}\n`;
  centre = await startTestAggregator(scope, { realms, flags });
  browser = await openBrowser(scope);
  await reportDisks(agent.base, ["web1", "web2"]);
  await until("the centre has the problems", async () => {
    const rows = await statusRows(centre.base, { problemsOnly: true });
    return rows["fra/web2!disk"] !== undefined && rows["fra/process:shop"] !== undefined;
  });
});

test("[DB90] before its first row the start page receives at most 220 kB, and nothing from elsewhere", async () => {
  const { page, errors } = await openPage(browser, { base: centre.base, width: 1920 });
  await page.addInitScript(noteFirstRow);
  const files: string[] = [];
  const foreign: string[] = [];
  page.on("request", (request) => {
    files.push(new URL(request.url()).pathname);
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(centre.base)) foreign.push(request.url());
  });
  await page.goto("/");
  await page.locator("tr[data-id]").first().waitFor();
  const received = await page.evaluate<number>(bytesBeforeFirstRow);
  assert.ok(received > 100_000 && received < 220_000, `${received} bytes:\n${files.join("\n")}`);
  assert.deepEqual([files.filter((path) => /dialog|palette/i.test(path)), foreign], [[], []]);
  assert.deepEqual(errors, []);
});

/** Script that marks the time at which the first row is in the page. */
const noteFirstRow = `
  const observer = new MutationObserver(() => {
    if (document.querySelector("tr[data-id]") === null) return;
    performance.mark("first-row");
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
`;

/** Script that counts the bytes of the bodies, as they were sent, that the page had received when it had its first row. */
const bytesBeforeFirstRow = `
  [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(({ responseEnd }) => responseEnd <= performance.getEntriesByName("first-row")[0].startTime)
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
`;

/** Requests of a page in flight, and their number so far. */
function countRequests(page: Page) {
  const running = new Set<unknown>();
  let count = 0;
  page.on("request", (request) => {
    running.add(request);
    count += 1;
  });
  page.on("requestfinished", (request) => running.delete(request));
  page.on("requestfailed", (request) => running.delete(request));
  return {
    count: () => count,
    settled: () => until("all requests are answered", () => running.size === 0, { everyMs: 5 }),
  };
}

/** Time for which a page is idle, s, after a time in which nothing counts as a recent change any more. */
const [idleS, afterS] = [60, 24];

test("[DB91] no page makes more than one request in two seconds while it is idle", async () => {
  const rates: [path: string, rate: number][] = [];
  for (const [width, paths] of [
    [
      1280,
      [
        "/realms",
        "/contacts",
        "/processes",
        "/config",
        "/audit",
        "/downtimes",
        "/slos",
        "/reports",
        "/views",
        "/history",
      ],
    ],
    [1920, ["/", "/?q=web&status=critical", "/overview", "/objects", "/views/Rack%20one", "/?wall=1"]],
    [1280, ["/o/fra/web1", "/o/fra/web1/disk", "/o/fra/process%3Ashop", "/overdue", "/muted"]],
  ] as const) {
    const { page, errors } = await openPage(browser, { base: centre.base, width });
    const requests = countRequests(page);
    await page.clock.install();
    const run = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second += 2) {
        await page.clock.runFor(2_000);
        await requests.settled();
      }
    };
    for (const path of paths) {
      await page.goto(path);
      await page.locator("h1").waitFor({ state: "attached" });
      await requests.settled();
      await run(afterS);
      const earlier = requests.count();
      await run(idleS);
      rates.push([path, (requests.count() - earlier) / idleS]);
    }
    assert.deepEqual(errors, []);
    await page.context().close();
  }
  const tooOften = rates.filter(([, rate]) => rate > 0.5 || rate === 0);
  assert.deepEqual(tooOften, [], rates.map((each) => each.join(" ")).join("\n"));
});
