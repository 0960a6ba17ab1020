import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { statusRows } from "../../run/rows.ts";
import { behindEachSwitch, reportSwitches, startStorm } from "../../run/storm/storm.ts";
import { accessibilityViolations, openBrowser, openPage, serverKnown } from "../browser.ts";

const scope = fileScope();
let storm: Awaited<ReturnType<typeof startStorm>>;
let browser: Browser;

before(async () => {
  [storm, browser] = await Promise.all([startStorm(scope), openBrowser(scope)]);
});

const firstRows = (page: Page): Promise<string[]> => page.locator("tr[data-id]").allTextContents();

test("[DB120] while all is well the map has what a dependency reads, and its dependents", async () => {
  const { page, errors } = await openPage(browser, storm.centre);
  await page.goto("/o/fra/nas/nfs");
  const master = page.getByRole("link", { name: "sw2, ok, dependency" });
  await master.waitFor();
  assert.equal(await page.locator(".facts").getByRole("link", { name: "sw2" }).count(), 1);
  await master.click();
  const map = page.getByRole("group", { name: "Map of sw2" });
  for (const name of ["nfs", "smb"]) await map.getByRole("link", { name: `nas › ${name}, ok, dependent` }).waitFor();
  await map.getByRole("link", { name: "74 OK children" }).waitFor();
  assert.deepEqual(errors, []);
});

test("[DB110, DB67] when two switches fall both are on top with what is behind them, and one action acknowledges all of it", async () => {
  const { agents, centre } = storm;
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/");
  await serverKnown(page);
  await page.locator("tr[data-id]").first().waitFor();
  await reportSwitches(agents.fra.base, "CRITICAL");
  await until("both switches are on top", async () => {
    const rows = (await firstRows(page)).slice(0, 2);
    return rows.length === 2 && rows.every((row) => /sw[12] host.*150 behind it/.test(row));
  });
  const heading = page.locator(".page-count");
  await until("the heading counts what is behind", async () =>
    /^\d+ problems, 300 objects behind them$/.test((await heading.textContent()) ?? ""),
  );
  const count = /^\d+/.exec((await heading.textContent()) ?? "")?.[0];
  assert.match(await page.title(), new RegExp(`^\\(${count}\\) `));

  const first = page.locator("tr[data-id]").first();
  await first.getByRole("checkbox").check();
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("And the 150 objects behind it").check();
  await dialog.getByLabel("Comment").fill("The power of the rack is off.");
  const button = dialog.getByRole("button", { name: "Acknowledge" });
  await until("the objects behind it are in the dialog", async () => /151/.test((await dialog.textContent()) ?? ""));
  const box = await button.boundingBox();
  const { height = 0 } = page.viewportSize() ?? {};
  assert.ok(box !== null && box.y + box.height <= height, "the button is within the window");
  const sent = page.waitForRequest(
    (request) => request.url().endsWith("/Execute") && /@cause/.test(request.postData() ?? ""),
  );
  await button.click();
  await sent;
  await until("cause and consequences are acknowledged", async () => {
    const rows = await statusRows(centre.base, {
      realm: "fra",
      selector: "@kind in (host,service)",
      problemsOnly: true,
    });
    const acknowledged = Object.entries(rows).filter(
      ([ref, row]) => !ref.includes("shop") && (row as { acknowledgement?: object }).acknowledgement !== undefined,
    );
    return acknowledged.length === behindEachSwitch + 1;
  });
  assert.deepEqual(errors, []);
});

test("[DB111] groups fold and are selected as one, by cause too", async () => {
  const { page, errors } = await openPage(browser, storm.centre);
  await page.goto("/objects?q=%40kind%3Dhost&group=cause");
  const group = page.locator(".fold").first();
  await group.waitFor();
  await serverKnown(page);
  const [, name = "", count = ""] =
    /(sw[12] · fra) (7[56]) rows, worst critical/.exec((await group.textContent()) ?? "") ?? [];
  assert.equal(await group.getAttribute("aria-expanded"), "true");
  await group.click();
  assert.equal(await group.getAttribute("aria-expanded"), "false");
  await until("the next group follows it", async () => (await page.locator(".fold").count()) > 1);
  await page.getByLabel(`Select the ${count} rows of ${name}`).check();
  await page.getByText(`${count} selected`).waitFor();
  await page.keyboard.press("a");
  await page
    .getByRole("dialog")
    .getByRole("heading", { name: `Acknowledge ${count} problems` })
    .waitFor();
  assert.deepEqual(errors, []);
});

test("[DB110, DB120] the number of objects behind a problem leads to them, and each of them names the cause, also in its map", async () => {
  const { page, errors } = await openPage(browser, storm.centre);
  await page.goto("/?handled=1");
  await page.getByRole("link", { name: "150 behind it" }).first().click();
  await page.getByText(`${behindEachSwitch} matches`).waitFor();
  assert.match(decodeURIComponent(page.url()), /@cause/);
  await page.goto("/o/ams/shop/cache");
  const heading = page.getByRole("heading", { level: 1 });
  await page.locator(".object-state").getByText("flapping").waitFor();
  assert.equal(await heading.textContent(), "shop › cache");
  assert.doesNotMatch((await page.locator(".object-state").textContent()) ?? "", /comments/);
  await page.goto("/o/fra/h100/http");
  await page.getByText("because of").waitFor();
  assert.equal(await page.locator(".object-state").getByRole("link", { name: "sw2" }).count(), 1);
  const cause = page
    .getByRole("group", { name: "Map of h100 › http" })
    .getByRole("link", { name: "sw2, critical, top cause" });
  await cause.focus();
  await page.keyboard.press("Enter");
  const map = page.getByRole("group", { name: "Map of sw2" });
  await map
    .getByRole("link", { name: /^h\d+, unreachable, child$/ })
    .nth(11)
    .waitFor();
  assert.equal(await map.getByRole("link").count(), 16);
  await map.getByText("sw2", { exact: true }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "150 behind it in all" }).waitFor();
  await map.getByRole("link", { name: "62 more problems" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("74 matches").waitFor();
  await page.goto("/o/fra/sw2");
  await map.waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.locator(".object-state").getByRole("link", { name: "150 behind it" }).waitFor();
  assert.deepEqual(errors, []);
});
