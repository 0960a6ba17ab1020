import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { openBrowser, openPage, serverKnown } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: twoRacks, realm: "fra" });
  browser = await openBrowser(scope);
  await reportDisks(agent.base, []);
});

const downtimesOf = async (name: string) => (await statusRows(agent.base))[name]?.downtimes ?? [];

test("a flexible downtime is scheduled with typed times, and the page of the downtimes lists and deletes it", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1");
  await page.locator("button:not([aria-disabled])", { hasText: "Downtime" }).waitFor();
  await page.keyboard.press("d");
  const dialog = page.getByRole("dialog", { name: "Schedule downtime" });
  await dialog.getByLabel("Custom").check();
  await dialog.getByLabel("Start").fill("tomorrow 22:00");
  await dialog.getByLabel("End").fill("2");
  await dialog.getByText(/22:00 until .*02:00 \(4 h\)/).waitFor();
  await dialog.getByLabel("Flexible").check();
  await dialog.getByText("Begins with the first problem").waitFor();
  await dialog.getByLabel("Lasts").fill("soon");
  await dialog.getByLabel(/Comment/).fill("new disks");
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("A flexible downtime needs a duration").waitFor();
  await dialog.getByLabel("Lasts").fill("90m");
  await dialog.getByText(/same downtime: 1\./).waitFor();
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await until("the host and its service have the downtime", async () => {
    const [host, service] = [await downtimesOf("web1"), await downtimesOf("web1!disk")];
    return host.length === 1 && service.length === 1;
  });
  await page.goto("/downtimes");
  const row = page.getByRole("row", { name: /new disks/ });
  await row.getByText("Waiting for a problem").waitFor();
  await row.getByText(/flexible: 1 h 30 m/).waitFor();
  await row.getByRole("link", { name: /web1.*disk/ }).waitFor();
  await page.getByRole("row", { name: /Kernel updates.*of the configuration/ }).waitFor();
  await row.getByRole("button", { name: "Delete" }).click();
  await row.getByRole("button", { name: "Delete 2 downtimes" }).click();
  await row.waitFor({ state: "detached" });
  assert.equal((await downtimesOf("web1")).length, 0);
  assert.deepEqual(errors, []);
});

test("[DB105] a new downtime for a selector is one row, found by the search and the arrow keys of the calendar", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/downtimes");
  await page.locator("button:not([aria-disabled])", { hasText: "New downtime" }).click();
  const dialog = page.getByRole("dialog", { name: "Schedule downtime" });
  await dialog.getByLabel("Objects").fill("rack=r1");
  await dialog.getByLabel("Objects").press("Enter");
  await page.getByRole("dialog", { name: /Schedule downtime for \d+ objects/ }).waitFor();
  await page.getByLabel(/Comment/).fill("new cooling");
  await page.keyboard.press("Control+Enter");
  const row = page.getByRole("row", { name: /new cooling/ });
  await row.getByText("In effect").waitFor();
  assert.equal(await row.count(), 1);
  const search = page.getByLabel("Search in the downtimes");
  await search.fill("kernel");
  await row.waitFor({ state: "detached" });
  await page.getByRole("row", { name: /Kernel updates/ }).waitFor();
  assert.equal(await page.getByText("Recurring", { exact: true }).count(), 1);
  assert.equal(await page.getByText(/^recurring:/).count(), 0);
  await search.fill("cooling");
  const grid = page.getByRole("grid", { name: "Days with their downtimes" });
  assert.equal(await grid.getByRole("gridcell").count(), 28);
  const today = grid.getByRole("gridcell", { selected: true });
  await today.focus();
  const label = await today.getAttribute("aria-label");
  assert.match(label ?? "", /: 1 downtime$/);
  await page.keyboard.press("ArrowDown");
  await grid.locator('td[aria-selected="true"][aria-label$="no downtime"]').waitFor();
  await page.keyboard.press("ArrowUp");
  await page.locator(".day-list").getByText("new cooling").waitFor();
  const shot = process.env["REALMWATCH_SHOT"];
  if (shot !== undefined) await page.screenshot({ path: shot, fullPage: true });
  await row.getByRole("button", { name: "Delete" }).click();
  await row.getByRole("button", { name: /^Delete \d+ downtimes$/ }).click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
});

test("a triggered downtime names the downtime that starts it", async () => {
  const { page, errors } = await openPage(browser, agent);
  const schedule = async (host: string, fill: () => Promise<void>): Promise<void> => {
    await page.goto(`/o/-/${host}/disk`);
    await page.locator("button:not([aria-disabled])", { hasText: "Downtime" }).waitFor();
    await page.keyboard.press("d");
    await page.getByLabel(/Comment/).fill(`work on ${host}`);
    await fill();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };
  await schedule("web3", async () => undefined);
  await until("the first downtime is in effect", async () => (await downtimesOf("web3!disk"))[0]?.inEffect === true);
  await schedule("web5", async () => {
    await page.getByLabel("Triggered", { exact: true }).check();
    await page.getByLabel("Triggered by").selectOption({ index: 1 });
  });
  await until(
    "the triggered downtime is in effect",
    async () => (await downtimesOf("web5!disk"))[0]?.inEffect === true,
  );
  await page.goto("/downtimes");
  await page.getByRole("row", { name: /work on web5.*In effect.*triggered by.*ends in/ }).waitFor();
  assert.deepEqual(errors, []);
});

test("the page of the processes marks the children that decide", async () => {
  await reportDisks(agent.base, ["web1", "web2"]);
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/processes");
  const card = page.getByRole("article").filter({ has: page.getByRole("heading", { name: "shop" }) });
  await card.getByText("At least 2 of 3").waitFor();
  await until("two children decide", async () => (await card.getByText("decides").count()) === 2);
  assert.deepEqual(await card.locator("li:has(> .is-deciding) .object-link").allInnerTexts(), [
    "web1 › disk",
    "web2 › disk",
    "web3 › disk",
  ]);
  assert.deepEqual(errors, []);
});

test("an acknowledgement has templates and names the recipients", async () => {
  await reportDisks(agent.base, ["web1", "web2"]);
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/?q=%40host%3Dweb1");
  await page.getByRole("row", { name: /web1.*disk/ }).waitFor();
  await serverKnown(page);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
  await dialog.getByText("No contact was notified of these problems").waitFor();
  await dialog.getByRole("button", { name: "I am working on it" }).click();
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await until(
    "the problem is acknowledged",
    async () => (await statusRows(agent.base))["web1!disk"]?.acknowledgement?.comment === "I am working on it",
  );
  assert.deepEqual(errors, []);
});
