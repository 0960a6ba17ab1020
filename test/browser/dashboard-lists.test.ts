import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { focusIn, openBrowser, openPage, pressSequence, serverKnown } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: twoRacks, realm: "fra" });
  browser = await openBrowser(scope);
  await reportDisks(agent.base, ["web1", "web2"]);
});

const focusedText = (page: Page): Promise<string> => page.evaluate("document.activeElement?.textContent ?? ''");
const rowCount = (page: Page): Promise<number> => page.locator("tr[data-id]").count();

test("the search field suggests labels, counts the matches, and Escape leads to the list and keeps the filter", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects");
  await page.locator("tr[data-id]").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("ra");
  await page.getByRole("option", { name: "rack=" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.getByRole("option", { name: "r2" }).waitFor();
  await page.keyboard.type("r2");
  await page.getByText("12 matches").waitFor();
  await page.keyboard.press("Escape");
  await until("a row has the focus", async () => /web/.test(await focusedText(page)));
  assert.equal(await page.getByLabel(/Search names/).inputValue(), "rack=r2");
  assert.match(page.url(), /q=rack%3Dr2/);
  assert.deepEqual(errors, []);
});

test("a selector that the server refuses has a caret under the character", async () => {
  const { page } = await openPage(browser, agent);
  await page.goto("/objects?q=rack%3Dr1+x");
  const error = page.locator(".field-error");
  await error.waitFor();
  assert.match((await error.textContent()) ?? "", /^rack=r1 x\n {8}\^\nexpected/);
  assert.equal(await page.getByLabel(/Search names/).getAttribute("aria-invalid"), "true");
});

test("Ctrl+A selects all that match, Escape clears the selection, and commands without a row say why nothing happens", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?q=rack%3Dr1");
  await page.getByText("12 matches").waitFor();
  await serverKnown(page);
  await page.keyboard.press("c");
  await page.getByText("No row is selected").waitFor();
  await page.keyboard.press("Control+a");
  await page.getByText("12 selected").waitFor();
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "Comment 12 objects" });
  await dialog.getByLabel(/Comment/).fill("moved to another room");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Accepted: comment for 12 of 12 objects").waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByText("12 selected").waitFor({ state: "detached" });
  await until("every object has the comment", async () => {
    const rows = Object.values(await statusRows(agent.base, { selector: "rack=r1" }));
    return rows.length === 12 && rows.every(({ comments }) => comments?.[0]?.text === "moved to another room");
  });
  assert.deepEqual(errors, []);
});

test("grouping and columns are in the address, a filter is saved, and the palette finds it", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/?group=host&cols=state,object");
  await page.getByRole("rowheader", { name: "web1 1" }).waitFor();
  assert.deepEqual(await page.locator("th[class^=col-]:not(.col-select)").allTextContents(), ["State▾", "Object"]);
  await page.getByRole("button", { name: "View", exact: true }).click();
  const menu = page.getByRole("dialog", { name: "View" });
  await menu.getByLabel("Output").click();
  await page.waitForURL(/cols=state%2Cobject%2Coutput/);
  await menu.getByLabel("None", { exact: true }).click();
  await page.waitForURL((url) => !url.searchParams.has("group"));
  await menu.getByLabel(/Save these filters/).fill("Short list");
  await page.keyboard.press("Enter");
  await page.getByText("Saved: Short list").waitFor();
  await page.keyboard.press("Escape");
  await page.goto("/views");
  await page.getByRole("link", { name: "Short list" }).waitFor();
  await page.keyboard.press("Control+k");
  await focusIn(page.getByRole("combobox", { name: "Find" }));
  await page.keyboard.type("short");
  await page.getByRole("option", { name: /Short list/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/cols=state%2Cobject%2Coutput/);
  assert.deepEqual(errors, []);
});

test("going back returns to the row, and a new page has the focus on its heading", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?q=rack%3Dr1");
  await page.getByText("12 matches").waitFor();
  for (const key of ["j", "j", "j"]) await page.keyboard.press(key);
  const row = await page.locator("tr[data-id] .object-link").nth(2).textContent();
  await until("the third row has the focus", async () => (await focusedText(page)) === row);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/o\/-\//);
  await page.goBack();
  await until("the row has the focus again", async () => (await focusedText(page)) === row);
  await pressSequence(page, "g", "t");
  await until("the heading has the focus", async () => (await focusedText(page)) === "Overview");
  assert.deepEqual(errors, []);
});

test("a column without content is hidden, and one that appeared stays", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?q=rack%3Dr2&kind=host");
  await page.getByText("6 matches").waitFor();
  assert.equal(await page.getByRole("columnheader", { name: "Marks" }).count(), 0);
  await page.goto("/objects?q=rack%3Dr1&kind=host");
  await page.getByText("6 matches").waitFor();
  await page.getByRole("columnheader", { name: "Marks" }).waitFor();
  assert.equal(await rowCount(page), 6);
  assert.deepEqual(errors, []);
});
