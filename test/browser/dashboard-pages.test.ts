import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import type { Browser } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { hostTarget, sendCommand } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

/** Pages with their headings. */
const pages: readonly [path: string, heading: string][] = [
  ["/", "Problems"],
  ["/?group=host", "Problems"],
  ["/overview", "Overview"],
  ["/objects", "All objects"],
  ["/overdue", "Overdue"],
  ["/muted", "Muted"],
  ["/downtimes", "Downtimes"],
  ["/processes", "Processes"],
  ["/views", "Views"],
  ["/views/Rack%20one", "Rack one"],
  ["/contacts", "Contacts"],
  ["/history", "History"],
  ["/o/-/web1", "web1"],
  ["/o/-/process%3Ashop", "shop"],
  ["/nope", "Page not found"],
];

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: twoRacks, realm: "fra" });
  browser = await openBrowser(scope);
  await reportDisks(agent.base, ["web1", "web2"]);
  const [start, end] = [Date.now(), Date.now() + 3_600_000].map((atMs) => new Date(atMs).toISOString());
  await sendCommand(agent.base, "ScheduleDowntime", { target: hostTarget("web4"), start, end, comment: "new disks" });
});

for (const scheme of ["light", "dark"] as const)
  for (const width of [1280, 360])
    test(`[DB97] no page has accessibility violations or needs horizontal scrolling, ${scheme}, ${width} px`, async () => {
      const { page, errors } = await openPage(browser, { base: agent.base, scheme, width });
      for (const [path, heading] of pages) {
        await page.goto(path);
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        await page.getByText("Loading…").first().waitFor({ state: "detached" });
        assert.deepEqual(await accessibilityViolations(page), [], path);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), true, path);
      }
      // The browser reports the status of the page that does not exist.
      assert.deepEqual(
        errors.filter((text) => !text.includes("404 (Not Found)")),
        [],
      );
    });

test("the palette, the filters and the other pages are in sheets on a phone, with areas of at least 40 px", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base, width: 360 });
  await page.goto("/");
  await page.locator("tr[data-id]").first().waitFor();
  for (const [button, title] of [
    ["Filters", "Filters"],
    ["More", "More pages"],
  ] as const) {
    await page.getByRole("button", { name: button }).click();
    const sheet = page.getByRole("dialog", { name: title });
    await sheet.waitFor();
    assert.deepEqual(await accessibilityViolations(page), [], title);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
  }
  const small = await page
    .locator("button:visible, select:visible, .select-box:visible, .bottom-bar a:visible")
    .evaluateAll((elements) =>
      elements.flatMap((element) => {
        const { width, height } = element.getBoundingClientRect();
        return Math.min(width, height) >= 40 ? [] : [`${element.className} ${width} x ${height}`];
      }),
    );
  assert.deepEqual(small, []);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Downtimes" }).click();
  await page.getByRole("heading", { level: 1, name: "Downtimes" }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Problems g p" }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(errors, []);
});

test("[DB123] a page without what its address names says so, with a way on", async () => {
  const { page } = await openPage(browser, agent);
  await page.goto("/views/none");
  await page.getByRole("heading", { name: 'View "none" does not exist' }).waitFor();
  await page.getByRole("link", { name: "Go to the views" }).click();
  await page.getByRole("heading", { name: "Views", level: 1 }).waitFor();
  await page.goto("/realms");
  await page.getByRole("heading", { name: "This is a single realm's agent" }).waitFor();
  assert.equal(await page.getByText("0 of 0").count(), 0);
});

test("each number of the overview links to a list of that length", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/overview");
  const link = page.getByRole("link", { name: "2 critical Services" });
  await link.click();
  await page.waitForURL(/\/objects\?kind=service&status=critical/);
  await page.locator("tr[data-id]").first().waitFor();
  assert.equal(await page.locator("tr[data-id]").count(), 2);
  assert.deepEqual(errors, []);
});
