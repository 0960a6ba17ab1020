import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage, serverKnown } from "./browser.ts";
import { breakDisk, oneDisk } from "./documents.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config: oneDisk, realm: "fra" });
  browser = await openBrowser(scope);
  await breakDisk(agent.base);
  const disk = serviceTarget("web1", "disk");
  await until("a hard problem", async () => (await statusRows(agent.base))["web1!disk"]?.status === "STATUS_CRITICAL");
  await sendCommand(agent.base, "AcknowledgeProblem", { target: disk, author: "ann", comment: "new disk at noon" });
  const start = new Date(Date.now() + 3_600_000).toISOString();
  const end = new Date(Date.now() + 7_200_000).toISOString();
  await sendCommand(agent.base, "ScheduleDowntime", { target: disk, start, end, author: "ben", comment: "disks" });
});

test("[HO7] the handover has problems, acknowledgements, downtimes and notes; a note is added and copied as text", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/");
  await serverKnown(page);
  await page.getByRole("link", { name: "Handover" }).click();
  const section = (title: string) =>
    page.locator("section").filter({ has: page.getByRole("heading", { name: title, exact: false }) });
  await section("Began in this shift").getByRole("link", { name: "web1 › disk" }).waitFor();
  await section("Began in this shift").getByText("acknowledged by ann").waitFor();
  await section("Acknowledged").getByText("by ann: new disk at noon").waitFor();
  await section("Downtimes until").getByText("by ben: disks").waitFor();
  await section("Contacts").getByText("No contact failed.").waitFor();

  await page.getByLabel("Note for the next shift").fill("the vendor calls back");
  await page.getByLabel("Author").fill("cleo");
  await page.keyboard.press("Enter");
  await section("Notes").getByText("the vendor calls back").waitFor();
  await section("Notes").getByText("cleo").waitFor();
  assert.equal(await page.getByLabel("Note for the next shift").inputValue(), "");

  await page.getByRole("button", { name: "Copy as text" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.match(copied, /^Handover .*\n\nNotes\n {2}\d\d:\d\d {2}cleo {2}the vendor calls back\n/);
  assert.match(copied, /CRITICAL {2}web1!disk {2}\/var is full \(acknowledged by ann\)/);

  await page.getByRole("group", { name: "Beginning of the shift" }).getByLabel("22:00").click();
  await until("the address has the beginning", () => page.url().includes("since=22%3A00"));
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("button", { name: "Print" }).isVisible(), false);
  assert.equal(await page.getByRole("link", { name: "Problems" }).isVisible(), false);
  assert.deepEqual(errors, []);
});

test("[HO7] the handover is accessible, and fits a phone", async () => {
  for (const [scheme, width] of [
    ["light", 1280],
    ["dark", 360],
  ] as const) {
    const { page, errors } = await openPage(browser, { base: agent.base, scheme, width });
    await page.goto("/handover");
    await page.getByRole("heading", { name: /^Notes/ }).waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.ok(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"));
    assert.deepEqual(errors, []);
  }
});
