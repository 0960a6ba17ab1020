import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: twoRacks, realm: "fra" });
  browser = await openBrowser(scope);
});

/** Opens a page of the wall mode on a screen of 1920 x 1080 px, and waits for its first data. */
async function openWall(path: string) {
  const watched = await openPage(browser, { base: agent.base, width: 1920 });
  await watched.page.setViewportSize({ width: 1920, height: 1080 });
  await watched.page.goto(path);
  await ready(watched.page);
  return watched;
}

async function ready(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
  await page.getByText(/^data \d+ s old$/).waitFor();
}

/** Pages of the wall mode, with a document that has one view. */
const wallPaths = ["/", "/overview", "/objects", "/overdue", "/muted", "/downtimes", "/processes", "/views/Rack%20one"];

/** True when the page is not scrolled sideways. */
const fitsWidth = (page: Page): Promise<boolean> => page.evaluate("document.documentElement.scrollWidth <= innerWidth");

/** Displayed texts whose font is smaller than 24 px, each with its size. */
const smallTexts = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll("body *")].filter((element) => element.checkVisibility()).flatMap((element) => {
    const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    const text = texts.map(({ textContent }) => textContent.trim()).join("");
    const px = Number.parseFloat(getComputedStyle(element).fontSize);
    return text === "" || element.clientWidth === 1 || px >= 24 ? [] : [px + " px: " + text];
  })`);

/** Computed value of a style property of the first element that matches. */
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`);

const controls = "nav, input, select, textarea, [role=checkbox], .toolbar, .bottom-bar, .rail";

test("[DB15] at 1080p the wall mode has no controls and no text below 24 px, and is dark", async () => {
  await reportDisks(agent.base, ["web1", "web2"]);
  const { page, errors } = await openWall("/?wall=1");
  await page.getByRole("row", { name: /web1 › disk/ }).waitFor();
  for (const path of wallPaths) {
    await page.goto(`${path}?wall=1`);
    await ready(page);
    assert.equal(await page.locator(controls).locator("visible=true").count(), 0, path);
    assert.deepEqual(await smallTexts(page), [], path);
    if (["/", "/overview"].includes(path)) assert.deepEqual(await accessibilityViolations(page), [], path);
    assert.equal(await fitsWidth(page), true, path);
    assert.equal(await styleOf(page, ":root", "colorScheme"), "dark", path);
  }
  await page.goto("/overview?wall=1");
  await page
    .getByRole("cell", { name: "2 critical Services" })
    .or(page.getByRole("link", { name: "2 critical Services" }))
    .first()
    .waitFor();
  assert.equal(await page.evaluate("document.documentElement.scrollHeight <= innerHeight"), true, "the overview fits");
  const clock = page.locator(".wall-clock");
  assert.match((await clock.textContent()) ?? "", /^\d\d:\d\d:\d\d$/);
  const first = await clock.textContent();
  await until("the clock runs", async () => (await clock.textContent()) !== first);
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.pathname === "/overview" && url.search === "");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  assert.deepEqual(errors, []);
});

test("[DB71] no page of the wall mode is scrolled sideways on a phone, and one of 1080 px has texts of 24 px", async () => {
  await reportDisks(agent.base, ["web1", "web2"]);
  const { page, errors } = await openWall("/?wall=1");
  for (const path of wallPaths) {
    await page.goto(`${path}?wall=1`);
    await ready(page);
    for (const width of [390, 800, 1079, 1080]) {
      await page.setViewportSize({ width, height: 844 });
      await until(`${path} fits into ${width} px`, () => fitsWidth(page));
    }
    assert.deepEqual(await smallTexts(page), [], path);
  }
  assert.deepEqual(errors, []);
});

test("[DB16] [DB17] a new critical problem gets a red frame, and a resting pointer neither shows nor holds the list", async () => {
  await reportDisks(agent.base, ["web1"]);
  const { page, errors } = await openWall("/?wall=1");
  const row = page.getByRole("row", { name: /web1 › disk/ });
  await row.waitFor();
  await row.hover();
  const cursor = (): Promise<string> => styleOf(page, "tr[data-id]", "cursor");
  await until("the pointer is shown", async () => (await cursor()) !== "none");
  await page.locator(".wall:not(.is-alarmed)").waitFor();
  await until("the pointer is hidden", async () => (await cursor()) === "none");
  await reportDisks(agent.base, ["web1", "web2", "web3"]);
  await page.getByRole("row", { name: /web3 › disk/ }).waitFor();
  await page.locator(".wall.is-alarmed").waitFor();
  const frame = await styleOf(page, ".wall", "borderTopColor");
  const [red = 0, green = 255, blue = 255] = frame.match(/\d+/g)?.map(Number) ?? [];
  assert.ok(red > 150 && green < 100 && blue < 100, frame);
  await page.mouse.move(400, 400);
  await until("the pointer is back", async () => (await cursor()) !== "none");
  assert.deepEqual(errors, []);
});

test("[DB14] the wall mode rotates through the problems, the overview and the views", async () => {
  await reportDisks(agent.base, ["web1"]);
  const { page, errors } = await openPage(browser, { base: agent.base, width: 1920 });
  await page.clock.install();
  const views = page.waitForResponse("**/svc.v1.QueryService/ListViews");
  await page.goto("/?wall=1&rotate=60");
  await (await views).finished();
  for (const heading of ["Problems", "Overview", "Rack one", "Problems"]) {
    await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
    assert.match(page.url(), /wall=1&rotate=60/);
    await page.clock.fastForward(60_500);
  }
  assert.deepEqual(errors, []);
});

test("[DB98] a larger screen shows more rows, and a list that is longer turns by a screenful every 15 s", async () => {
  await reportDisks(agent.base, ["web1"]);
  const { page, errors } = await openPage(browser, { base: agent.base, width: 1920 });
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.clock.install();
  await page.goto("/objects?wall=1");
  await ready(page);
  const visible = (): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll("tr[data-id]")].flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      const covered = document.querySelector(".data-table thead th").getBoundingClientRect().bottom;
      return top >= covered - 1 && bottom <= innerHeight + 1 ? [row.dataset.id] : [];
    })`);
  const screenful = (text: string): Promise<void> => page.getByText(text, { exact: true }).waitFor();
  await page.clock.runFor(1_100);
  await screenful("screen 1 of 2");
  const first = await visible();
  await page.clock.runFor(15_000);
  await screenful("screen 2 of 2");
  const second = await visible();
  assert.equal(new Set([...first, ...second]).size, 25, "each row was shown");
  await page.clock.runFor(15_000);
  await screenful("screen 1 of 2");
  assert.equal((await visible())[0], first[0]);
  await page.setViewportSize({ width: 3840, height: 2160 });
  await page.clock.runFor(1_100);
  await page.getByText(/^screen \d/).waitFor({ state: "detached" });
  assert.equal((await visible()).length, 25);
  assert.deepEqual(await smallTexts(page), []);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto("/objects?wall=1&group=label%3Arack");
  await ready(page);
  const heading = (): Promise<string> =>
    page.evaluate(`document.elementFromPoint(300,
      document.querySelector(".data-table thead th").getBoundingClientRect().bottom + 12).closest("th")?.textContent ?? ""`);
  await until("the rows are grouped", async () => /rack=r1/.test(await heading()));
  await page.clock.runFor(15_000);
  await until("the screenful begins with the name of its group", async () => /rack=r\d/.test(await heading()));
  assert.ok((await page.evaluate<number>("scrollY")) > 0);
  assert.deepEqual(await smallTexts(page), []);
  assert.deepEqual(errors, []);
});

test("[DB18] a new build is loaded without a hand", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base, width: 1920 });
  await page.clock.install();
  await page.goto("/?wall=1");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate("window.sameDocument = true");
  await page.clock.fastForward(31_000);
  assert.equal(await page.evaluate("window.sameDocument"), true);
  const current = await (await fetch(agent.base)).text();
  const another = current.replace(/index-[\w-]+\.js/, "index-another.js");
  assert.notEqual(another, current);
  // One answer names another build, as after an upgrade; the reload then gets the page that is running.
  await page.route("**/", (route) => route.fulfill({ contentType: "text/html", body: another }), { times: 1 });
  await until("the page was loaded again", async () => {
    await page.clock.fastForward(31_000);
    return (await page.evaluate("window.sameDocument")) === undefined;
  });
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(errors, []);
});

test("while the server is down the wall mode says so and keeps its rows", async (t) => {
  const other = await startTestAgent(t, { config: twoRacks, realm: "dub" });
  await reportDisks(other.base, ["web1"]);
  const { page } = await openPage(browser, { base: other.base, width: 1920 });
  await page.goto("/?wall=1");
  await page.getByRole("row", { name: /web1 › disk/ }).waitFor();
  await other.stop();
  await page.getByText("Connection lost.").waitFor();
  await page.getByRole("row", { name: /web1 › disk/ }).waitFor();
  await other.restart();
  await page.getByText("Connection lost.").waitFor({ state: "detached" });
});
