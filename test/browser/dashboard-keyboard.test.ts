import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { realmStates, statusRows } from "../run/rows.ts";
import { focusIn, openBrowser, openPage, pressSequence, serverKnown } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

/** Function of the browser. The code that calls it here runs in the page. */
declare const getComputedStyle: (element: unknown) => { readonly color: string };

const scope = fileScope();
const agents: Record<string, TestProgram> = {};
let centre: TestProgram;
let browser: Browser;

const rack = ["web1", "web3", "web5", "web7", "web9", "web11"];

before(async () => {
  const nats = await startNats(scope);
  for (const realm of ["dc-1", "dc-2", "dc-3"])
    agents[realm] = await startTestAgent(scope, { config: twoRacks, realm, flags: { "nats-url": nats.url } });
  const realms = Object.entries(agents).map(
    ([name, { base }]) => `realms: "${name}": {url: "${base}", unreachable_after: "10s"}`,
  );
  centre = await startTestAggregator(scope, { realms: `${realms.join("\n")}\n`, flags: { "nats-url": nats.url } });
  browser = await openBrowser(scope);
  for (const { base } of Object.values(agents)) await reportDisks(base, rack);
  await until("all realms are reachable and have rows", async () => {
    const [rows, states] = [await statusRows(centre.base, { problemsOnly: true }), await realmStates(centre.base)];
    return Object.values(rows).length >= 18 && Object.values(states).every(({ reachable }) => reachable);
  });
});

/** Keyboard that counts the pressed keys, one for each combination, beside typed text. */
function countedKeys(page: Page) {
  let count = 0;
  return {
    async press(...keys: readonly string[]): Promise<void> {
      for (const key of keys) {
        count++;
        await page.keyboard.press(key);
      }
    },
    async sequence(...keys: readonly string[]): Promise<void> {
      count += keys.length;
      await pressSequence(page, ...keys);
    },
    type: (text: string): Promise<void> => page.keyboard.type(text),
    /** Searches for a selector. A slow machine would pause between its characters, and the server refuses a part of it. */
    async search(selector: string): Promise<void> {
      await this.press("/");
      await page.keyboard.insertText(selector);
      await this.press("Enter");
    },
    assertAtMost(budget: number, t: TestContext): void {
      t.diagnostic(`${count} keys of ${budget}`);
      assert.ok(count <= budget, `${count} keys, the budget is ${budget}`);
    },
  };
}

const focusIsOnRow = (page: Page) => async (): Promise<boolean> =>
  page.evaluate("document.activeElement?.classList.contains('object-link') ?? false");

/** Opens the start page with its rows. */
async function openStart() {
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/");
  await page.locator("tr[data-id]").first().waitFor();
  await serverKnown(page);
  return { page, errors, keys: countedKeys(page) };
}

test("[DB92] task 1 by keyboard: find the worst problem in dc-2", async (t) => {
  const { page, errors, keys } = await openStart();
  await keys.search("@realm=dc-2");
  await until("the worst row has the focus", focusIsOnRow(page));
  await keys.press("Enter");
  await page.waitForURL(/\/o\/dc-2\//);
  keys.assertAtMost(12, t);
  await page.getByRole("button", { name: "Acknowledge", exact: true }).waitFor();
  await until("the heading has the focus", () => page.evaluate<boolean>("document.activeElement.matches('main h1')"));
  assert.deepEqual(errors, []);
});

test("task 2 by keyboard: acknowledge related services at once", async (t) => {
  const { page, errors, keys } = await openStart();
  await keys.search("rack=r1,@name=disk,@realm in (dc-1,dc-2)");
  await until("a row has the focus", focusIsOnRow(page));
  await keys.press("Control+a", "a");
  await focusIn(page.getByRole("dialog", { name: "Acknowledge 12 problems" }).getByLabel(/Comment/));
  await keys.type("the storage is being replaced");
  await keys.press("Control+Enter");
  await page.getByText("Accepted: acknowledgement for 12 of 12 objects").waitFor();
  keys.assertAtMost(15, t);
  await until("all twelve are acknowledged", async () => {
    const rows = Object.values(await statusRows(centre.base, { selector: "rack=r1,@name=disk" }));
    return rows.filter(({ acknowledgement }) => acknowledgement !== undefined).length === 12;
  });
  assert.deepEqual(errors, []);
});

test("task 3 by keyboard: schedule a downtime for a rack tonight from 22 to 02", async (t) => {
  const { page, errors, keys } = await openStart();
  // Noon of today: shortly before 02:00 the downtime would end before it could be seen.
  await page.clock.setFixedTime(new Date().setUTCHours(12, 0, 0, 0));
  await keys.sequence("g", "o");
  await page.getByRole("heading", { level: 1, name: "All objects" }).waitFor();
  await page.locator("tr[data-id]").first().waitFor();
  await keys.search("rack=r2,@realm=dc-1");
  await until("a row has the focus", focusIsOnRow(page));
  await keys.press("Control+a", "d");
  await focusIn(
    page
      .getByRole("dialog", { name: "Schedule downtime for 12 objects" })
      .getByRole("radio", { checked: true })
      .first(),
  );
  await keys.press("ArrowRight", "Tab");
  await focusIn(page.getByRole("dialog").getByLabel(/Comment/));
  await keys.type("new power supply");
  await keys.press("Control+Enter");
  await page.getByText("Accepted: downtime for 12 of 12 objects").waitFor();
  keys.assertAtMost(20, t);
  const scheduled = async () =>
    Object.values(await statusRows(centre.base, { selector: "rack=r2,@realm=dc-1,@kind=service" })).flatMap(
      ({ downtimes }) => downtimes ?? [],
    );
  await until("the services have the downtime", async () => (await scheduled()).length >= 6);
  assert.deepEqual(
    (await scheduled()).map(({ start, end }) => [new Date(start).getUTCHours(), new Date(end).getUTCHours()]),
    (await scheduled()).map(() => [22, 2]),
  );
  assert.deepEqual(errors, []);
});

test("task 4 by keyboard: say why no contact was notified of a problem", async (t) => {
  const { page, keys } = await openStart();
  await keys.press("Control+k");
  await focusIn(page.getByRole("combobox", { name: "Find" }));
  await keys.type("web11 disk dc-3");
  await page.getByRole("option", { name: /web11 › disk.*dc-3/ }).waitFor();
  await keys.press("Enter");
  await page.waitForURL(/\/o\/dc-3\/web11\/disk/);
  await page.getByText("No notification policy applies to this object").first().waitFor();
  keys.assertAtMost(8, t);
});

test("task 5 by keyboard: tell whether the data of dc-3 is current", async (t) => {
  const { page, errors, keys } = await openStart();
  await keys.sequence("g", "r");
  await page.getByRole("row", { name: /dc-3.*current/ }).waitFor();
  keys.assertAtMost(2, t);
  assert.deepEqual(errors, []);
});

/** Opens the start page on a phone, with taps that are counted. */
async function openPhone() {
  const { page, errors } = await openPage(browser, { base: centre.base, width: 360 });
  await page.goto("/");
  await page.locator("tr[data-id]").first().waitFor();
  let taps = 0;
  const tap = async (role: "link" | "button", name: string | RegExp): Promise<void> => {
    taps++;
    await page.getByRole(role, { name }).first().click();
  };
  return { page, errors, tap, taps: () => taps };
}

test("task 2 on a phone: read an object and why it is a problem", async () => {
  const { page, errors, tap, taps } = await openPhone();
  await tap("link", /web9 › disk/);
  for (const text of ["/var is full", "No notification policy applies to this object"])
    await page.getByText(text).first().waitFor();
  await page.getByRole("slider", { name: /States/ }).waitFor();
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  assert.equal(taps(), 1);
  assert.deepEqual(errors, []);
});

test("task 3 on a phone: tell whether the data of dc-3 is current, on two pages", async () => {
  const { page, errors, tap, taps } = await openPhone();
  await tap("link", "Overview");
  await page.getByRole("row", { name: /dc-3.*current/ }).waitFor();
  await tap("button", "More");
  await page.getByRole("dialog").waitFor();
  await tap("link", "Realms");
  await page.getByRole("row", { name: /dc-3.*current/ }).waitFor();
  assert.equal(taps(), 3);
  assert.deepEqual(errors, []);
});

test("[DB93] results that change no count change no live region", async () => {
  const { page, errors } = await openStart();
  // In dc-1 the downtime that a task has scheduled for tonight may be in effect.
  const { base } = agents["dc-3"] ?? assert.fail();
  // Regions that appear later are not observed.
  await page.locator(".page-count").waitFor();
  await page.evaluate(`window.spoken = [];
    for (const region of document.querySelectorAll("[aria-live], [role=status], [role=alert], [role=log]"))
      new MutationObserver((changes) => window.spoken.push(...changes
        .filter(({ target }) => (target.closest ?? target.parentElement.closest).call(target.closest ? target : target.parentElement, "[aria-live=off]") === null)
        .map(({ target }) => target.textContent)))
        .observe(region, { subtree: true, childList: true, characterData: true });`);
  const spoken = (): Promise<string[]> => page.evaluate("spoken");
  const nextPoll = (): Promise<unknown> => page.waitForResponse(/ListStatus/);
  for (let time = 0; time < 2; time++) {
    await reportDisks(base, rack);
    await nextPoll();
  }
  assert.deepEqual(await spoken(), []);
  await reportDisks(base, [...rack, "web2"]);
  await until("the new count is announced", async () => (await spoken()).some((text) => /\d+ problems?/.test(text)));
  assert.deepEqual(errors, []);
});

test("[DB94] nothing in the tree of a process is green while its realm is not current", async () => {
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/processes");
  const okOf = (realm: string) =>
    page
      .locator(".process-card")
      .filter({ has: page.getByText(realm, { exact: true }) })
      .locator('.rule-line[data-status="ok"] .status-icon')
      .first();
  const colour = (realm: string): Promise<string> => okOf(realm).evaluate((icon) => getComputedStyle(icon).color);
  const green = await colour("dc-1");
  assert.equal(await colour("dc-2"), green);
  await agents["dc-2"]?.stop("SIGKILL");
  await page.locator(".process-card.is-last-known").waitFor();
  assert.notEqual(await colour("dc-2"), green);
  assert.equal(await colour("dc-1"), green);
  assert.deepEqual(errors, []);
});
