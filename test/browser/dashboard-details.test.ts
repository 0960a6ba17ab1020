import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

const flap = "flap: {enabled: false}";
const passiveHost = (maxAttempts: number, flapping = flap) =>
  `{address: "127.0.0.1", check: {type: "passive", freshness_threshold: "1h", max_attempts: ${maxAttempts}, ${flapping}}}`;
const config = `
hosts: {
	chatty: {address: "127.0.0.1", check: {
		type: "legacy", path: "/bin/sh", args: ["-c", "echo first; head -c 100000 /dev/zero | tr '\\\\0' x"]
		check_interval: "1h", ${flap}
	}}
	soft: ${passiveHost(3)}
	acked: ${passiveHost(1)}
	restless: ${passiveHost(1, "flap: {alpha: 0.9, high_threshold: 0.5, low_threshold: 0.1}")}
	hard1: ${passiveHost(1)}
	hard2: ${passiveHost(1)}
	hard3: ${passiveHost(1)}
}
`;

const report = (name: string, status: string) =>
  sendCommand(agent.base, "ProcessCheckResult", { ...hostTarget(name), status: `STATUS_${status}`, output: name });

before(async () => {
  agent = await startTestAgent(scope, { config, realm: "fra" });
  browser = await openBrowser(scope);
  for (const status of ["OK", "CRITICAL", "OK", "CRITICAL"]) await report("restless", status);
  for (const name of ["soft", "acked", "hard1", "hard2", "hard3"]) await report(name, "CRITICAL");
  await sendCommand(agent.base, "AcknowledgeProblem", {
    target: hostTarget("acked"),
    author: "ann",
    comment: "until tomorrow",
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await sendCommand(agent.base, "ScheduleCheck", { target: hostTarget("chatty") });
  await until("the acknowledgement, flapping and a checked host are in the rows", async () => {
    const { acked, restless, chatty } = await statusRows(agent.base);
    return [acked?.handled, restless?.flapping, chatty?.lastCheck !== undefined].join() === "true,true,true";
  });
});

const rowOf = (page: Page, name: string) => page.locator(`tr[data-id="/${name}"]`);
const pill = (page: Page) => page.locator(".live-pill");

test("[DB57] [DB58] cut output is noted, and the last check's latency and execution time have a bar with a text", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/chatty");
  await page.getByText("The check printed more: output above 64 KiB is dropped.").waitFor();
  await page.getByRole("img", { name: /^Started .+ after its time and took .+, with an interval of 1 h$/ }).waitFor();
  await page.getByText(/^(on time|late)$/).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.goto("/o/-/hard1");
  await page.getByRole("heading", { name: "Check", exact: true }).waitFor();
  assert.equal(await page.getByText("The check printed more").count(), 0);
  assert.equal(await page.locator(".timing").count(), 0);
  assert.deepEqual(errors, []);
});

test("[DB61] [DB68] the key r checks the object at once, and the page draws the checks that it has seen", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/chatty");
  await page.getByRole("button", { name: "Check now", disabled: false }).waitFor();
  const before = (await statusRows(agent.base))["chatty"]?.lastCheck;
  await page.keyboard.press("r");
  await until("the host was checked again", async () => (await statusRows(agent.base))["chatty"]?.lastCheck !== before);
  const checks = /^\d+ checks seen by this page since .*: (all on time|\d late)\. Started at most .*, and took at most/;
  await page.getByRole("img", { name: checks }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(errors, []);
});

test("[DB59] the details of an error are copied: code, message, request, time and page", async () => {
  const { page } = await openPage(browser, agent);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: agent.base });
  await page.route("**/svc.v1.QueryService/ListHistory", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/json",
      body: JSON.stringify({ code: "unavailable", message: "the disk is gone" }),
    }),
  );
  await page.goto("/history");
  await page.getByRole("button", { name: "Copy details" }).first().click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied: string = await page.evaluate("navigator.clipboard.readText()");
  assert.match(copied, /^code: unavailable\nmessage: the disk is gone\nrequest: svc\.v1\.QueryService\/ListHistory$/m);
  assert.match(copied, /^time: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*Z\npage: http:.*\/history$/m);
});

test("[DB60] the connection is paused while a changed list is held, and after the tab was hidden", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await rowOf(page, "hard3").waitFor();
  await until("the connection is live", async () => (await pill(page).textContent()) === "Live");
  await page.keyboard.press("j");
  await report("hard3", "OK");
  await page.locator("button.waiting-bar").waitFor();
  await until("the connection is paused", async () => (await pill(page).textContent()) === "Paused");
  await page.keyboard.press("Escape");
  await until("the connection is live again", async () => (await pill(page).textContent()) === "Live");
  await report("hard3", "CRITICAL");
  assert.deepEqual(errors, []);
});

test("[DB60] a tab that was hidden is paused until the first response", async () => {
  const { page } = await openPage(browser, agent);
  const running = new Set<unknown>();
  page.on("request", (request) => running.add(request));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", (request) => running.delete(request));
  await page.clock.install();
  await page.goto("/");
  await until("the connection is live", async () => (await pill(page).textContent()) === "Live");
  const setHidden = (hidden: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, "hidden", {configurable: true, value: ${hidden}});
      Object.defineProperty(document, "visibilityState", {configurable: true, value: "${hidden ? "hidden" : "visible"}"});
      document.dispatchEvent(new Event("visibilitychange", {bubbles: true}));`);
  await setHidden(true);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/svc.v1.QueryService/*", async (route) => {
    await answered;
    await route.continue();
  });
  await until("no earlier response is on its way", () => running.size === 0);
  await page.clock.fastForward(60_000);
  await setHidden(false);
  await page.clock.fastForward(1_100);
  await until("the connection is paused", async () => (await pill(page).textContent()) === "Paused");
  answer();
  await until("the connection is live again", async () => (await pill(page).textContent()) === "Live");
});

test("[DB62] Hide soft leaves the hard problems, and is in the address", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/");
  await rowOf(page, "soft").waitFor();
  await page.getByLabel("Hide soft").click();
  await rowOf(page, "soft").waitFor({ state: "detached" });
  await rowOf(page, "hard1").waitFor();
  assert.match(page.url(), /[?&]soft=/);
  assert.deepEqual(errors, []);
});

test("[DB63] a click with Shift selects all rows from the one selected last", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/?q=hard&sort=object");
  await rowOf(page, "hard3").waitFor();
  await rowOf(page, "hard1").getByRole("checkbox").check({ force: true });
  await rowOf(page, "hard3")
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"], force: true });
  await page.getByText("3 selected").waitFor();
  assert.ok(await rowOf(page, "hard2").getByRole("checkbox").isChecked());
  assert.deepEqual(errors, []);
});

test("[DB47] marks have the end of an acknowledgement, and flapping", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/objects");
  await rowOf(page, "acked")
    .getByTitle(/^Acknowledged by ann, .*\d\d:\d\d: until tomorrow; expires .+ \d{4} \d\d:\d\d$/)
    .waitFor();
  await rowOf(page, "restless").getByTitle("State changes are suppressed while flapping").waitFor();
  await page.goto("/o/-/acked");
  await page.getByText(/expires/).waitFor();
  assert.deepEqual(errors, []);
});

test("[DB64] the count of a list is announced politely, its rows are not", async () => {
  const { page, errors } = await openPage(browser, agent);
  for (const path of ["/", "/objects", "/overdue", "/muted"]) {
    await page.goto(path);
    await page.locator(".page-count").waitFor();
    const live = page.locator('[aria-live], [role="status"], [role="alert"], [role="log"]');
    assert.equal(await page.locator(".page-count").getAttribute("aria-live"), "polite");
    assert.equal(await live.locator("tr, table").count(), 0);
    assert.equal(await page.locator('[aria-live="assertive"]').count(), 0);
  }
  assert.deepEqual(errors, []);
});
