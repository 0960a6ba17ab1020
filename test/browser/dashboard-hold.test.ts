import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage, serverKnown } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: twoRacks, realm: "fra" });
  browser = await openBrowser(scope);
});

/** Makes the named disks critical and all others ok, without acknowledgements. */
async function startWith(broken: readonly string[]): Promise<void> {
  await reportDisks(agent.base, []);
  await reportDisks(agent.base, broken);
  await until("only these disks have problems", async () => {
    const rows = Object.entries(await statusRows(agent.base, { unhandledOnly: true, kinds: ["OBJECT_KIND_SERVICE"] }));
    return rows.length === broken.length && broken.every((host) => rows.some(([name]) => name === `${host}!disk`));
  });
}

const breakDiskOf = (host: string) =>
  sendCommand(agent.base, "ProcessCheckResult", {
    ...serviceTarget(host, "disk"),
    status: "STATUS_CRITICAL",
    output: "worse",
  });

const orderOf = (page: Page): Promise<string[]> => page.locator("tr[data-id] .object-link").allTextContents();
const focusedText = (page: Page): Promise<string> => page.evaluate("document.activeElement?.textContent ?? ''");
const services = "/?kind=service";

for (const [what, hold, release] of [
  ["a row has the cursor", "j", "Escape"],
  ["a row is selected", "jx", "Escape"],
] as const)
  test(`[DB51] while ${what} the order holds, a bar has the number of new rows, and nothing is pushed`, async () => {
    await startWith(["web1", "web2"]);
    const { page, errors } = await openPage(browser, agent);
    await page.goto(services);
    await until("both rows are listed", async () => (await orderOf(page)).length === 2);
    const before = await orderOf(page);
    const topOf = async () => (await page.locator("tr[data-id]").first().boundingBox())?.y;
    const top = await topOf();
    for (const key of hold) await page.keyboard.press(key);
    for (const host of ["web5", "web6", "web7"]) await breakDiskOf(host);
    await page.getByRole("button", { name: "3 new – show now" }).waitFor();
    assert.deepEqual(await orderOf(page), before);
    assert.equal(await topOf(), top);
    for (let presses = 0; presses < hold.length; presses++) await page.keyboard.press(release);
    await until("the new rows are shown", async () => (await orderOf(page)).length === 5);
    assert.deepEqual(errors, []);
  });

test("[DB51] the bar shows the new rows at once, and the selection stays", async () => {
  await startWith(["web1", "web2"]);
  const { page, errors } = await openPage(browser, agent);
  await page.goto(services);
  await until("both rows are listed", async () => (await orderOf(page)).length === 2);
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await breakDiskOf("web9");
  await page.getByRole("button", { name: "1 new – show now" }).click();
  await until("three rows are listed", async () => (await orderOf(page)).length === 3);
  await page.getByText("1 selected").waitFor();
  assert.deepEqual(errors, []);
});

test("[DB52] after an action the cursor is in the place of the row that has left, and on the same row otherwise", async () => {
  await startWith(["web1", "web2", "web3"]);
  const { page, errors } = await openPage(browser, agent);
  await page.goto(services);
  await until("three rows are listed", async () => (await orderOf(page)).length === 3);
  await serverKnown(page);
  const [, second, third] = await orderOf(page);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await until("the second row has the focus", async () => (await focusedText(page)) === second);
  await page.keyboard.press("c");
  await page
    .getByRole("dialog", { name: "Add comment" })
    .getByLabel(/Comment/)
    .fill("seen");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await until("the focus is back on the row", async () => (await focusedText(page)) === second);
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
  await dialog.getByLabel(/Comment/).fill("known");
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await until("the acknowledged row has left", async () => (await orderOf(page)).length === 2);
  await until("the row in its place has the focus", async () => (await focusedText(page)) === third);
  assert.deepEqual(errors, []);
});

test("[DB53] the link of a list is copied, and opens the same list", async () => {
  await startWith(["web1", "web2"]);
  const { page, errors } = await openPage(browser, agent);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: agent.base });
  await page.goto("/objects?q=rack%3Dr1&sort=-object&cols=object,state");
  await page.getByText("12 matches").waitFor();
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("The link to this list is copied").waitFor();
  const copied: string = await page.evaluate("navigator.clipboard.readText()");
  assert.equal(copied, page.url());
  const before = await orderOf(page);
  await page.goto(copied);
  await page.getByText("12 matches").waitFor();
  assert.deepEqual(await orderOf(page), before);
  assert.deepEqual(errors, []);
});

for (const path of [services, `${services}&wall=1`])
  test(`[DB56] on ${path} neither the first banner nor the next one moves anything, and all are read in full`, async () => {
    await startWith(["web1", "web2"]);
    const { page, errors } = await openPage(browser, agent);
    const first = page.locator("tr[data-id]").first();
    const setNotifications = (enabled: boolean) =>
      sendCommand(agent.base, "SetProgramNotifications", { enabled, author: "ann" });
    const tops = async (): Promise<string> => {
      await first.waitFor();
      const found: string[] = [];
      for (const width of [3840, 1280, 768, 360]) {
        await page.setViewportSize({ width, height: 800 });
        // The frame of another width is there with the second frame after the change.
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        found.push(`${width}: ${(await first.boundingBox())?.y}`);
      }
      return found.join(", ");
    };
    await page.goto(path);
    if (path === services) await hideWarnings(page);
    const without = await tops();
    await setNotifications(false);
    await page.reload();
    await page.getByText("Notifications are disabled").waitFor();
    assert.equal(await tops(), without);
    await page.route("**/svc.v1.*/**", (route) => route.abort());
    await page.getByText("Connection lost.").waitFor();
    assert.equal(await tops(), without);
    if (path === services) await readAll(page);
    else await page.getByText("Notifications are disabled").waitFor();
    await setNotifications(true);
    assert.deepEqual(
      errors.filter((error) => !error.includes("net::ERR_FAILED")),
      [],
    );
  });

/** Hides the banner that an agent without an auth document has. */
const hideWarnings = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Hide the warnings about this server in this tab" }).click();

test("[DB125] the warnings about the server are a banner that moves nothing, and that a tab hides until they change", async () => {
  await startWith(["web1"]);
  const { page, errors } = await openPage(browser, agent);
  const banner = page.locator(".banner", {
    hasText: "1 warning about this server: every client that reaches the port",
  });
  const topOf = async (): Promise<number | undefined> => (await page.locator("tr[data-id]").first().boundingBox())?.y;
  await page.goto(services);
  await banner.waitFor();
  const top = await topOf();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.getByRole("button", { name: "Hide the warnings" }).focus();
  await page.keyboard.press("Enter");
  await banner.waitFor({ state: "detached" });
  assert.equal(await page.evaluate("document.activeElement.id"), "main", "the focus goes on to the page");
  assert.equal(await topOf(), top);
  await page.reload();
  await page.locator("tr[data-id]").first().waitFor();
  await serverKnown(page);
  assert.equal(await banner.count(), 0);
  await page.evaluate('sessionStorage.setItem("realmwatch.hidden-warnings", "another warning")');
  await page.reload();
  await banner.waitFor();
  await page.goto(`${services}&wall=1`);
  await page.locator("tr[data-id]").first().waitFor();
  await page.locator(".wall-age", { hasText: "data" }).waitFor();
  assert.equal(await banner.count(), 0, "a wall has no control that hides it");
  await page.goto(services);
  await page.route("**/svc.v1.QueryService/GetServerInfo*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: Buffer.concat([await response.body(), warningOf("<img src=x onerror=alert(1)>")]),
    });
  });
  await page.reload();
  await page.getByText("every client that reaches the port").getByText("; <img src=x onerror=alert(1)>").waitFor();
  assert.deepEqual(errors, []);
});

/** Encoding of one more warning, field 11 of `GetServerInfoResponse`. */
const warningOf = (text: string): Buffer =>
  Buffer.concat([Buffer.from([(11 << 3) | 2, text.length]), Buffer.from(text)]);

/** Opens both banners on a phone, where neither has room for its text, and closes them by Escape. */
async function readAll(page: Page): Promise<void> {
  const strip = page.locator(".banner-strip");
  const more = strip.getByRole("button", { name: "2 warnings in full" });
  const cut = strip.locator(".banner-line").first();
  const isCut = (): Promise<boolean> => cut.evaluate((line) => line.scrollHeight > line.clientHeight + 1);
  assert.equal(await isCut(), true);
  await more.click();
  assert.equal(await more.getAttribute("aria-expanded"), "true");
  assert.equal(await isCut(), false);
  await strip.getByRole("button", { name: "Copy details" }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.keyboard.press("Escape");
  assert.equal(await more.getAttribute("aria-expanded"), "false");
  await page.setViewportSize({ width: 1280, height: 800 });
  const copy = strip.getByRole("button", { name: /Copy details|Copied|Not allowed/ });
  await copy.click();
  await strip.getByText(/Copied|Not allowed/).waitFor();
  assert.equal(await more.getAttribute("aria-expanded"), "false", "a pointer opens it by the button alone");
  await more.focus();
  await page.keyboard.press("Shift+Tab");
  await until("keys open it", async () => (await more.getAttribute("aria-expanded")) === "true");
}
