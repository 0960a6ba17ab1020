import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { focusIn, openBrowser, openPage, pressSequence } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: twoRacks, realm: "fra" });
  browser = await openBrowser(scope);
  await reportDisks(agent.base, ["web1", "web2"]);
});

const firstRow = (page: Page): Promise<void> => page.locator("tr[data-id]").first().waitFor();
const focused = (page: Page): Promise<string> => page.evaluate("document.activeElement?.textContent ?? ''");
const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`);

/** Displayed controls that match and are narrower or lower than `px`. */
const controlsBelow = (page: Page, selector: string, px: number): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].flatMap((element) => {
    const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
    const hidden = width <= 1 || !element.checkVisibility({ visibilityProperty: true });
    return hidden || Math.min(width, height) >= ${px} ? [] : [element.outerHTML.slice(0, 90) + " " + width + " x " + height];
  })`);

/** Cells of cards that have content and neither the name of their column nor a control. */
const cellsWithoutName = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(".card-table tbody td, .audit-table tbody td")]
    .filter((cell) => cell.textContent !== "" && !cell.dataset.label && !cell.matches(".downtime-actions") && !cell.querySelector("button, svg"))
    .map((cell) => cell.textContent)`);

test("[DB19] on a phone the values of every card have names, and what is pressed is at least 40 px", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base, width: 360 });
  const faults: string[] = [];
  for (const path of [
    ...["/", "/overview", "/objects", "/overdue", "/muted", "/downtimes", "/processes", "/views", "/views/Rack%20one"],
    ...["/slos", "/reports", "/handover", "/history", "/contacts", "/o/-/web1", "/o/-/web1/disk", "/o/-/process:shop"],
  ]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
    const small = await controlsBelow(page, "button, select, input, .bottom-bar a", 40);
    const nameless = await cellsWithoutName(page);
    faults.push(...[...small, ...nameless].map((fault) => `${path}: ${fault}`));
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, path);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Problems" }).waitFor();
  }
  assert.deepEqual(faults, []);
  await page.goto("/history");
  await page.getByRole("button", { name: "Filters" }).click();
  await page
    .getByRole("dialog", { name: "Filters" })
    .getByLabel("Show")
    .selectOption({ label: "Notification delivered" });
  await page.getByRole("button", { name: "Show the history" }).click();
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
  assert.deepEqual(errors, []);
});

test("a problem is acknowledged with three taps on a phone", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base, width: 360 });
  await page.goto("/?q=%40host%3Dweb1,%40name%3Ddisk");
  await firstRow(page);
  let taps = 0;
  const tap = async (name: string | RegExp, role: "link" | "button" = "button"): Promise<void> => {
    taps++;
    await page.getByRole(role, { name }).first().click();
  };
  await tap(/web1 › disk/, "link");
  await tap("Acknowledge");
  const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
  await dialog.getByLabel(/Comment/).fill("known");
  taps++;
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal(taps, 3);
  await page.getByRole("button", { name: "Remove acknowledgement" }).click();
  await page.getByRole("button", { name: "Acknowledge", exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test("[DB20] new critical problems make no sound and no notification unless they are switched on", async () => {
  await reportDisks(agent.base, ["web1"]);
  const { page, errors } = await openPage(browser, agent);
  await page.addInitScript(`window.sounds = 0; window.notified = [];
    window.AudioContext = class extends AudioContext { constructor() { super(); window.sounds++; } };
    window.Notification = class {
      static permission = "granted";
      static async requestPermission() { return "granted"; }
      constructor(title) { window.notified.push(title); }
      close() {}
    };`);
  const alerts = (): Promise<[number, string[]]> => page.evaluate("[sounds, notified]");
  await page.goto("/");
  await page.getByRole("row", { name: /web1 › disk/ }).waitFor();
  await reportDisks(agent.base, ["web1", "web3"]);
  await page.getByRole("row", { name: /web3 › disk/ }).waitFor();
  assert.deepEqual(await alerts(), [0, []]);
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  for (const label of ["Browser notification", "Sound"]) {
    assert.equal(await help.getByLabel(label).isChecked(), false);
    await help.getByLabel(label).check();
  }
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await reportDisks(agent.base, ["web1", "web3", "web5"]);
  await page.getByRole("row", { name: /web5 › disk/ }).waitFor();
  await until("both alerts are out", async () => {
    const [sounds, notified] = await alerts();
    return sounds >= 1 && notified.some((title) => /\d new critical problem/.test(title));
  });
  assert.deepEqual(errors, []);
});

test("[DB21] a clock of the browser that is wrong is named on the page", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await firstRow(page);
  assert.equal(await page.getByText("The clock of this browser").count(), 0);
  await page.clock.setFixedTime(Date.now() + 600_000);
  await page.reload();
  await page.getByText(/The clock of this browser is \d+ m.* ahead of the server's/).waitFor();
  assert.deepEqual(errors, []);
});

test("keys lead to pages, select and open rows, and can be switched off", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?kind=host");
  await firstRow(page);
  for (const [keys, name] of [
    ["g h", "History"],
    ["g t", "Overview"],
    ["g p", "Problems"],
    ["g o", "All objects"],
  ] as const) {
    await pressSequence(page, ...keys.split(" "));
    await heading(page, name);
  }
  await firstRow(page);
  await page.keyboard.press("j");
  await until("the first row has the focus", () =>
    page.evaluate<boolean>("document.activeElement.matches('.object-link')"),
  );
  for (const [key, selected] of [
    ["x", 1],
    ["Space", 0],
    ["Space", 1],
  ] as const) {
    await page.keyboard.press(key);
    await until(`${selected} selected`, async () => (await page.locator("tr.is-selected").count()) === selected);
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/o\/-\//);
  await page.getByRole("button", { name: "Comment", exact: true }).waitFor();
  await page.keyboard.press("c");
  await focusIn(page.getByRole("dialog", { name: "Add comment" }));
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.getByLabel("Single-key shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await pressSequence(page, "g", "h");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find" }).waitFor();
  assert.match(page.url(), /\/o\/-\//);
  assert.deepEqual(errors, []);
});

test("the theme follows the system until one is chosen, and motion and forced colours are respected", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base, scheme: "dark" });
  await page.goto("/");
  await firstRow(page);
  const dark = await styleOf(page, "body", "color");
  await page.getByRole("button", { name: /^Theme: auto/ }).click();
  await until("the page is light", async () => (await styleOf(page, "body", "color")) !== dark);
  await page.reload();
  await page.getByRole("button", { name: /^Theme: light/ }).waitFor();
  assert.notEqual(await styleOf(page, "body", "color"), dark);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  assert.notEqual(await styleOf(page, ".button", "transitionDuration"), "0s");
  await page.emulateMedia({ reducedMotion: "reduce" });
  assert.equal(await styleOf(page, ".button", "transitionDuration"), "0s");
  await page.emulateMedia({ forcedColors: "active" });
  // The colours are the system's then, so that only the shape and the word tell the state.
  await page.getByRole("row", { name: /critical.*web1 › disk/ }).waitFor();
  assert.ok(await page.locator("tr[data-id] svg.status-icon").first().isVisible());
  assert.deepEqual(errors, []);
});

test("a skip link leads to the content, targets have 24 px, and 200 % zoom needs no sideways scrolling", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await firstRow(page);
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "Skip to the content");
  assert.equal(await page.evaluate("document.activeElement.matches(':focus-visible')"), true);
  await page.keyboard.press("Enter");
  await until("the content has the focus", () => page.evaluate<boolean>("document.activeElement.id === 'main'"));
  assert.deepEqual(await controlsBelow(page, "button, select, input, nav a", 24), []);
  assert.equal(await page.locator("table tr[data-id]").count(), await page.locator("tr[data-id]").count());
  await page.setViewportSize({ width: 640, height: 400 });
  await until("no sideways scrolling", () =>
    page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"),
  );
  assert.deepEqual(errors, []);
});

test("an empty list says why: no objects, no problem with the proof of life, or no connection", async (t) => {
  const empty = await startTestAgent(t, { config: "hosts: {}\n", realm: "new" });
  const { page } = await openPage(browser, empty);
  await page.goto("/");
  await page.getByRole("heading", { name: "No objects are configured" }).waitFor();
  await page.getByRole("link", { name: "How to declare them" }).waitFor();
  await reportDisks(agent.base, []);
  const { page: good, errors } = await openPage(browser, agent);
  await good.goto("/");
  await good.getByRole("heading", { name: "No problems" }).waitFor();
  await good.getByText(/^\d+ objects, last update/).waitFor();
  assert.deepEqual(errors, []);
  await good.route("**/svc.v1.*/**", (route) => route.abort());
  await good.reload();
  await good.getByRole("heading", { name: "Not connected" }).waitFor();
  await good.getByText("The server did not answer.").waitFor();
});

test("times are in the browser's zone or in UTC, with ISO 8601 on hover, and the tab has count and colour", async () => {
  await reportDisks(agent.base, ["web1", "web2"]);
  const context = await browser.newContext({ baseURL: agent.base, timezoneId: "Asia/Tokyo", locale: "en-GB" });
  const page = await context.newPage();
  await page.goto("/history");
  const iso = await page.locator(".record > time").first().getAttribute("datetime");
  assert.ok(iso);
  // Found by its time, because a newer record would become the first one, and because the list is built anew
  // where the change of the zone changes the day.
  const time = page.locator(`.record > time[datetime="${iso}"]`).first();
  assert.match((await time.getAttribute("title")) ?? "", /^\d{4}-\d\d-\d\dT.*ago$/);
  const inTokyo = new Date(Date.parse(iso) + 9 * 3_600_000).toISOString().slice(11, 19);
  assert.equal(await time.textContent(), inTokyo);
  await page.getByRole("button", { name: "UTC" }).click();
  await until("the time is in UTC", async () => (await time.textContent()) === iso.slice(11, 19));
  await until("the tab has the count", async () => /^\(\d+\) History – fra$/.test(await page.title()));
  const icon = async () => decodeURIComponent((await page.locator("link[rel=icon]").getAttribute("href")) ?? "");
  await until("the icon has it too", async () => /fill="#c92a35"[\s\S]*>\d+<\/text>/.test(await icon()));
  await context.close();
});
