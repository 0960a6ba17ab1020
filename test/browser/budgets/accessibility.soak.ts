import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { hostTarget, realmStates, sendCommand, serviceTarget, statusRows } from "../../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "../browser.ts";
import { reportDisks, twoRacks } from "../rack-document.ts";

const scope = fileScope();
const agents: Record<string, TestProgram> = {};
let centre: TestProgram;
let browser: Browser;

const more = `
ui: availability: range: "1h"
slos: {"Disk has room": {selector: "@name=disk", target: 99.5}, "Hosts are up": {selector: "@kind=host", target: 90}}
`;

/** Problems, a downtime and an acknowledgement in three realms, of which the last one is unreachable. */
before(async () => {
  const nats = await startNats(scope);
  const flags = { "nats-url": nats.url };
  for (const realm of ["dc-1", "dc-2", "dc-3"])
    agents[realm] = await startTestAgent(scope, { config: twoRacks + more, realm, flags });
  const realms = Object.entries(agents).map(
    ([name, { base }]) =>
      `realms: "${name}": {url: "${base}", unreachable_after: "6s", description: "Datacentre of ${name}", labels: {site: "fra", tier: "one"}}\n`,
  );
  centre = await startTestAggregator(scope, { realms: realms.join(""), flags });
  browser = await openBrowser(scope);
  const [start, end] = [Date.now(), Date.now() + 3_600_000].map((atMs) => new Date(atMs).toISOString());
  for (const { base } of Object.values(agents)) {
    await reportDisks(base, ["web1", "web2", "web3", "web5", "web7"]);
    await sendCommand(base, "ScheduleDowntime", { target: hostTarget("web4"), start, end, comment: "new disks" });
    await sendCommand(base, "AcknowledgeProblem", {
      target: serviceTarget("web2", "disk"),
      comment: "known",
      author: "ann",
    });
  }
  await until("the centre has the problems of all realms", async () => {
    const rows = await statusRows(centre.base, { problemsOnly: true });
    return Object.keys(agents).every((realm) => rows[`${realm}/web2!disk`]?.acknowledgement !== undefined);
  });
  await until("all realms were seen", async () =>
    Object.values(await realmStates(centre.base)).every(({ reachable }) => reachable),
  );
  await agents["dc-3"]?.stop("SIGKILL");
  await until("one realm is unreachable", async () => (await realmStates(centre.base))["dc-3"]?.reachable === false);
});

const paths = [
  ...["/", "/?group=host", "/?wall=1", "/overview", "/overview?wall=1", "/objects", "/overdue", "/muted", "/downtimes"],
  ...[
    "/processes",
    "/views",
    "/views/Rack%20one?realm=dc-1",
    "/slos",
    "/reports",
    "/history",
    "/realms",
    "/contacts",
    "/config",
  ],
  ...["/audit", "/login", "/nope", "/o/dc-1/web1", "/o/dc-1/web1/disk", "/o/dc-1/process%3Ashop"],
  ...["/o/dc-3/web1/disk", "/o/dc-3/process%3Ashop", "/o/dc-1/nope"],
];

async function faultsOf(page: Page, path: string): Promise<string[]> {
  await page.goto(path);
  await page.locator("h1").first().waitFor({ state: "attached" });
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
  const overflows = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
  return [...(await accessibilityViolations(page)), ...(overflows ? ["needs sideways scrolling"] : [])];
}

for (const scheme of ["light", "dark"] as const)
  for (const width of [360, 768, 1440, 3840])
    test(`[DB97] no page of a centre has a violation of WCAG 2.2 AA or of best practices, ${scheme}, ${width} px`, async () => {
      const { page } = await openPage(browser, { base: centre.base, scheme, width });
      const faults: string[] = [];
      for (const path of paths) faults.push(...(await faultsOf(page, path)).map((fault) => `${path}: ${fault}`));
      assert.deepEqual(faults, []);
      await page.context().close();
    });
