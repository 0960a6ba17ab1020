import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../run/rows.ts";
import { accessibilityViolations, focusIn, openBrowser, openPage, pressSequence, serverKnown } from "./browser.ts";
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
  const group = page.getByRole("button", { name: "web1 1 rows, worst critical" });
  await group.waitFor();
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
  // Objects that match the first letters only are listed above it for a moment.
  await page.getByRole("option", { name: /Short list/, selected: true }).waitFor();
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

test("[DB121] the first mark moves no column, and an output without marks beside it has their room", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?q=rack%3Dr2&kind=host");
  await page.getByText("6 matches").waitFor();
  const lefts = async () => {
    const headers = await page.getByRole("columnheader").all();
    return Promise.all(headers.map(async (header) => (await header.boundingBox())?.x));
  };
  const outputWidth = async () => (await page.locator("tr[data-id] .col-output").first().boundingBox())?.width ?? 0;
  const [before, wide] = [await lefts(), await outputWidth()];
  // An age that turns from 9 s to 10 s counts as a shift of its letters within the same box.
  await page.evaluate(`new PerformanceObserver((list) => {
    const isMoved = ({previousRect: one, currentRect: other}) => one.x !== other.x || one.y !== other.y;
    for (const {hadRecentInput, sources, value} of list.getEntries())
      if (!hadRecentInput && sources.some(isMoved)) window.shift = (window.shift ?? 0) + value;
  }).observe({type: "layout-shift", buffered: false})`);
  const name = (await page.locator("tr[data-id] .object-link").first().textContent()) ?? "";
  const [host = ""] = name.split(" ");
  await sendCommand(agent.base, "AddComment", { target: hostTarget(host), author: "ann", text: "marked" });
  await page.locator("tr[data-id] .col-marks .mark").first().waitFor();
  assert.deepEqual(await lefts(), before);
  assert.ok((await outputWidth()) < wide - 50, "the output leaves its room to the marks");
  assert.equal(await page.evaluate("window.shift ?? 0"), 0);
  assert.equal(await rowCount(page), 6);
  assert.deepEqual(errors, []);
});

test("[VW6] a list is saved as a view for all, opened and deleted; one of the configuration stays", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?q=rack%3Dr2&kind=service");
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("link", { name: "Save as a view for all…" }).click();
  assert.equal(await page.getByLabel("Selector").inputValue(), "rack=r2,@kind=service");
  await page.getByLabel("Name").fill("Rack two");
  await page.getByLabel("Author").fill("cleo");
  await page.getByRole("button", { name: "Save for all" }).click();
  const row = page.getByRole("row", { name: /Rack two/ });
  await row.getByText("saved by cleo").waitFor();
  await page
    .getByRole("row", { name: /Rack one/ })
    .getByText("configuration")
    .waitFor();
  assert.equal(await page.getByRole("button", { name: "Delete Rack one" }).count(), 0);
  assert.deepEqual(await accessibilityViolations(page), []);

  await page.getByLabel("Name").fill("Rack one");
  await page.getByRole("button", { name: "Save for all" }).click();
  await page.getByText(/view "Rack one" is declared in the configuration/).waitFor();

  await row.getByRole("link", { name: "Rack two" }).click();
  await page.getByRole("heading", { level: 1, name: "Rack two" }).waitFor();
  await page
    .getByRole("link", { name: /web2.*disk/ })
    .first()
    .waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Delete Rack two" }).click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual(
    errors.filter((error) => !error.includes("400")),
    [],
  );
});
