import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { accessibilityViolations, focusIn, openBrowser, openPage, serverKnown } from "./browser.ts";
import { passive } from "./documents.ts";

const config = `
hosts: web1: {
	address: "127.0.0.1"
	labels: {env: "prod"}
	${passive}
	services: {
		http: {${passive}}
		disk: {${passive}}
		evil: {${passive}}
		"odd name/with #signs": {${passive}}
	}
}
processes: shop: rule: ref: "web1!http"
`;

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  agent = await startTestAgent(scope, { config, realm: "fra" });
  browser = await openBrowser(scope);
});

const report = (name: string, status: string, output: string, more: object = {}) =>
  sendCommand(agent.base, "ProcessCheckResult", {
    ...serviceTarget("web1", name),
    status: `STATUS_${status}`,
    output,
    ...more,
  });

async function reportAllOk(): Promise<void> {
  for (const name of ["http", "disk", "evil", "odd name/with #signs"]) await report(name, "OK", "well");
  await until(
    "there are no problems",
    async () => Object.values(await statusRows(agent.base, { problemsOnly: true })).length === 0,
  );
}

test("a problem appears in the list and in the title of the tab without a reload, and disappears when it ends", async () => {
  await reportAllOk();
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await page.getByRole("heading", { name: "No problems" }).waitFor();
  await until("the tab has no count", async () => (await page.title()) === "Problems – fra");
  await report("disk", "CRITICAL", "/var is full");
  const row = page.getByRole("row", { name: /web1.*disk/ });
  await row.waitFor();
  assert.match((await row.textContent()) ?? "", /critical[\s\S]*\/var is full[\s\S]*1\/1 hard/i);
  await until("the tab has the count", async () => (await page.title()) === "(1) Problems – fra");
  await report("disk", "OK", "space again");
  await page.getByRole("heading", { name: "No problems" }).waitFor();
  assert.deepEqual(errors, []);
});

test("plugin output is rendered as text, in the list and on the object's page", async () => {
  await reportAllOk();
  const attack = `<img src=x onerror=alert(1)><script>alert(2)</script><b>bold</b>`;
  await report("evil", "CRITICAL", attack, { longOutput: `line 1\n${attack}`, perfdata: "'<b>label</b>'=3;5;9" });
  await sendCommand(agent.base, "AddComment", { target: serviceTarget("web1", "evil"), author: attack, text: attack });
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await page.getByText(attack).first().waitFor();
  await page.getByRole("link", { name: /web1.*evil/ }).click();
  await page.waitForURL("**/o/-/web1/evil");
  await page.getByRole("heading", { name: "Output" }).waitFor();
  await page.getByRole("rowheader", { name: "<b>label</b>" }).waitFor();
  await page.locator("blockquote", { hasText: attack }).waitFor();
  assert.equal(await page.locator("img, b, main script").count(), 0);
  assert.deepEqual(errors, []);
});

test("the object's page has output, performance data, times and history", async () => {
  await reportAllOk();
  await report("disk", "WARNING", "/var is filling", {
    longOutput: "12 GiB of 14 GiB",
    perfdata: "used=91%;90;95;0;100",
  });
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/disk");
  await page.getByRole("heading", { level: 1, name: "disk" }).waitFor();
  await page.locator("pre", { hasText: "12 GiB of 14 GiB" }).waitFor();
  const perf = page.getByRole("row", { name: /^used/ });
  assert.deepEqual(await perf.getByRole("cell").allInnerTexts(), ["91 %", "90", "95", "0", "100"]);
  await page.locator(".record", { hasText: "/var is filling" }).first().waitFor();
  await page.getByText("env=prod").waitFor();
  await page.goto("/o/-/process:shop");
  await page.getByRole("heading", { level: 1, name: "shop" }).waitFor();
  await page.goto("/o/-/nowhere");
  await page.getByRole("heading", { name: "Object not found" }).waitFor();
  assert.deepEqual(errors, []);
});

test("an object with special characters in its name has a working address", async () => {
  await reportAllOk();
  const name = "odd name/with #signs";
  await report(name, "CRITICAL", "odd but real");
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await page.getByRole("link", { name: /odd name/ }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await page.reload();
  await page.locator("pre", { hasText: "odd but real" }).waitFor();
  assert.deepEqual(errors, []);
});

test("a problem is acknowledged from the list by keyboard, and the acknowledgement has its author", async () => {
  await reportAllOk();
  await report("disk", "CRITICAL", "/var is full");
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await page.getByRole("row", { name: /web1.*disk/ }).waitFor();
  await serverKnown(page);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
  await dialog.getByLabel("Author").fill("ann");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await dialog.getByText("A comment is required").waitFor();
  await dialog.getByLabel(/Comment/).fill("a new disk is on its way");
  await dialog.getByLabel("Sticky").check();
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "No unhandled problems" }).waitFor();
  const row = (await statusRows(agent.base))["web1!disk"];
  assert.deepEqual([row?.acknowledgement?.author, row?.acknowledgement?.comment], ["ann", "a new disk is on its way"]);
  await page.getByLabel("Show handled").click();
  await page.waitForURL("**/?handled=1");
  await page.getByText("ack ann, sticky").waitFor();
  await page.getByRole("link", { name: /web1.*disk/ }).click();
  await page.getByText("a new disk is on its way").first().waitFor();
  await page.getByRole("button", { name: "Remove acknowledgement" }).click();
  await page.getByRole("button", { name: "Acknowledge", exact: true }).waitFor();
  assert.deepEqual(errors, []);
});

test("a downtime of a host and its services is scheduled and deleted", async () => {
  await reportAllOk();
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1");
  await page.getByRole("heading", { level: 1, name: "web1" }).waitFor();
  await page.getByRole("button", { name: "Downtime" }).click();
  const dialog = page.getByRole("dialog", { name: "Schedule downtime" });
  await dialog.getByLabel("30 minutes").check();
  assert.equal(await dialog.getByLabel("Include services").isChecked(), true);
  await dialog.getByLabel(/Comment/).fill("new kernel");
  await dialog.getByRole("button", { name: "Schedule" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("In effect").waitFor();
  await page.getByText("ends in").waitFor();
  assert.equal((await statusRows(agent.base))["web1!http"]?.inDowntime, true);
  await page.locator(".entries").getByRole("button", { name: "Delete" }).click();
  await until(
    "the host's own downtime is deleted",
    async () => (await statusRows(agent.base))["web1"]?.inDowntime === false,
  );
  await page.getByRole("heading", { name: "Downtimes" }).waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
  for (const { id } of Object.values(await statusRows(agent.base)).flatMap(({ downtimes }) => downtimes ?? []))
    await sendCommand(agent.base, "DeleteDowntime", { downtimeId: id });
});

test("several problems are acknowledged at once", async () => {
  await reportAllOk();
  await report("disk", "CRITICAL", "full");
  await report("evil", "WARNING", "odd");
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await page.getByRole("row", { name: /web1.*disk/ }).waitFor();
  await page.getByRole("row", { name: /web1.*evil/ }).waitFor();
  await serverKnown(page);
  await page.getByLabel(/Select all/).check();
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Acknowledge" }).click();
  const dialog = page.getByRole("dialog", { name: "Acknowledge 2 problems" });
  await dialog.getByLabel(/Comment/).fill("both known");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await page.getByText("Accepted: acknowledgement for 2 of 2 objects").waitFor();
  await page.getByRole("heading", { name: "No unhandled problems" }).waitFor();
  assert.deepEqual(errors, []);
});

test("rows stay in place under the pointer, and new rows appear when it leaves", async () => {
  await reportAllOk();
  await report("disk", "WARNING", "filling");
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  const row = page.getByRole("row", { name: /web1.*disk/ });
  // Waits until the row has come to rest.
  await row.hover();
  const box = await row.boundingBox();
  assert.ok(box);
  // The hold ends while the pointer rests, so keep it moving.
  const hover = (by: number): Promise<void> => page.mouse.move(box.x + 300 + by, box.y + box.height / 2);
  await hover(0);
  await report("evil", "CRITICAL", "worse");
  let moves = 0;
  await until("the new row is announced", async () => {
    await hover(++moves % 20);
    return page.getByRole("button", { name: "1 new – show now" }).isVisible();
  });
  assert.equal(await page.locator("tr[data-id]").count(), 1);
  await page.mouse.move(5, 5);
  await page.getByRole("row", { name: /web1.*evil/ }).waitFor();
  assert.match((await page.locator("tr[data-id]").first().textContent()) ?? "", /evil/);
  assert.deepEqual(errors, []);
});

test("the address has search and sort order, also after going back", async () => {
  await reportAllOk();
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects?q=web1&sort=-object");
  await page.getByRole("link", { name: /web1.*odd name/ }).waitFor();
  assert.match((await page.locator("tbody .object-link").first().textContent()) ?? "", /odd name/);
  await page.keyboard.press("/");
  await page.keyboard.type(" disk");
  await page.waitForURL(/q=web1\+disk/);
  await until("one row is left", async () => (await page.locator("tbody .object-link").count()) === 1);
  await page.getByRole("link", { name: /disk/ }).click();
  await page.waitForURL("**/o/-/web1/disk");
  await page.goBack();
  assert.equal(await page.getByRole("searchbox").inputValue(), "web1 disk");
  assert.deepEqual(errors, []);
});

for (const scheme of ["light", "dark"] as const)
  test(`pages and dialogs have no accessibility violations, ${scheme}`, async () => {
    await reportAllOk();
    await report("disk", "CRITICAL", "/var is full");
    await report("evil", "WARNING", "odd");
    await sendCommand(agent.base, "AcknowledgeProblem", {
      target: serviceTarget("web1", "evil"),
      comment: "known",
      author: "ann",
    });
    const { page, errors } = await openPage(browser, { base: agent.base, scheme });
    for (const [path, ready] of [
      ["/?handled=1", "tr[data-id]"],
      ["/objects", "tr[data-id]"],
      ["/history", ".record"],
      ["/o/-/web1/disk", ".record"],
      ["/?q=nothing-has-this-name", ".empty-state"],
    ] as const) {
      await page.goto(path);
      await page.locator(ready).first().waitFor();
      assert.deepEqual(await accessibilityViolations(page), [], path);
    }
    await page.goto("/o/-/web1/disk");
    await page.getByRole("heading", { name: "Output" }).waitFor();
    await serverKnown(page);
    for (const [key, name] of [
      ["a", "Acknowledge problem"],
      ["d", "Schedule downtime"],
      ["c", "Add comment"],
      ["?", "Keyboard shortcuts"],
    ] as const) {
      await page.keyboard.press(key);
      const dialog = page.getByRole("dialog", { name });
      await focusIn(dialog);
      assert.deepEqual(await accessibilityViolations(page), [], name);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    assert.deepEqual(errors, []);
  });

test("a narrow screen needs no horizontal scrolling", async () => {
  await reportAllOk();
  await report("disk", "CRITICAL", "/var is full");
  const { page, errors } = await openPage(browser, { base: agent.base, width: 360 });
  for (const path of ["/", "/objects", "/history", "/o/-/web1/disk"]) {
    await page.goto(path);
    await page.locator("tr[data-id], .record").first().waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), true, path);
    assert.deepEqual(await accessibilityViolations(page), [], path);
  }
  assert.deepEqual(errors, []);
});
