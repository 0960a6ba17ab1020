import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Download, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { breakDisk, diskSlos } from "./documents.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: diskSlos, realm: "fra" });
  browser = await openBrowser(scope);
  await breakDisk(agent.base);
  await until(
    "the disk is critical",
    async () => (await statusRows(agent.base))["web1!disk"]?.status === "STATUS_CRITICAL",
  );
});

async function downloaded(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent("download") as Promise<Download>,
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

test("[DB5, SL13] service levels have target, achievement, budget and burn rate, and the times of their objects", async () => {
  for (const [scheme, width] of [
    ["light", 1280],
    ["dark", 360],
  ] as const) {
    const { page, errors } = await openPage(browser, { base: agent.base, scheme, width });
    await page.goto("/slos");
    const disk = page.getByRole("region", { name: "Disk has room" });
    await disk.getByText("missed").waitFor();
    assert.match(
      ((await disk.textContent()) ?? "").replaceAll(/\s+/g, " "),
      /Achieved ?0 % ?Target ?99\.5 % ?Error budget ?overspent by \d+ %/,
    );
    await page.getByRole("region", { name: "Hosts are up" }).getByText("no evidence").waitFor();
    await disk.getByRole("button", { name: "1 object" }).click();
    await disk.getByRole("link", { name: /web1.*disk/ }).waitFor();
    assert.match((await disk.getByRole("table").textContent()) ?? "", /critical/);
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.ok(
      await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"),
      "no sideways scrolling",
    );
    await page.getByRole("radio", { name: "7 d" }).click({ force: true });
    await page.waitForURL("**/slos?range=7d");
    await disk.getByText("Evidence", { exact: true }).waitFor();
    await disk.getByText("% known").first().waitFor();
    assert.deepEqual(errors, []);
  }
});

test("[DB6] reports are downloaded as CSV and JSON, and print without the frame of the page", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/slos");
  await page.getByRole("region", { name: "Disk has room" }).waitFor();
  const csv = await downloaded(page, "CSV");
  assert.match(csv.name, /^service-levels-\d{4}-\d\d-\d\d\.csv$/);
  assert.match(csv.text, /^realm,name,[^\n]*\r\n,Disk has room,99\.5,0,/);
  const json = await downloaded(page, "JSON");
  assert.deepEqual((JSON.parse(json.text) as { slos: { name: string }[] }).slos.map(({ name }) => name).sort(), [
    "Disk has room",
    "Hosts are up",
  ]);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("navigation").first().isVisible(), false);
  assert.equal(await page.getByRole("button", { name: "CSV" }).isVisible(), false);
  assert.equal(await page.getByRole("link", { name: /web1.*disk/ }).isVisible(), true);
  assert.deepEqual(errors, []);
});
