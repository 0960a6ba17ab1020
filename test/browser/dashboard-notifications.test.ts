import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { before, test } from "node:test";
import { atEnd, fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser } from "playwright-core";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { passive } from "./documents.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

/** Document: service `http` is notified, `app` is suppressed by a dependency; `old1` is in a permanent downtime. */
const configFor = (port: number): string => `
hosts: {
	web1: {address: "127.0.0.1", ${passive}, services: {http: {${passive}, notification: "ops"}, app: {${passive}, notification: "ops"}}}
	db1: {address: "127.0.0.1", ${passive}, services: sql: {${passive}}}
	old1: {address: "127.0.0.1", labels: env: "old", ${passive}}
}
contacts: desk: {type: "webhook", url: "http://127.0.0.1:${port}/", labels: team: "operations"}
notifications: ops: levels: [{contacts: ["desk"], renotify_interval: "1h"}]
dependencies: "app needs sql": {dependents: [{select: "@name=app"}], on: ref: "db1!sql", fails_on: ["critical"], suppress: "problems"}
timeperiods: always: ranges: {${["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => `${day}: "00:00-24:00"`).join(", ")}}
downtimes: "being replaced": {selector: "env=old", scope: "host", period: "always", comment: "Goes away soon."}
`;

before(async () => {
  const desk = createServer((request, response) => request.resume().on("end", () => response.writeHead(204).end()));
  await new Promise<void>((resolve) => desk.listen(0, "127.0.0.1", resolve));
  atEnd(scope, () => void desk.close());
  agent = await startTestAgent(scope, { config: configFor((desk.address() as AddressInfo).port), realm: "fra" });
  browser = await openBrowser(scope);
  for (const host of ["web1", "db1"]) await report({ host: { name: host } }, "OK");
});

const report = (object: object, status: string, output = "said so") =>
  sendCommand(agent.base, "ProcessCheckResult", { object, status: `STATUS_${status}`, output });

const service = (host: string, name: string) => ({ service: { host, name } });

test("delivered and suppressed notifications are on the object's page and in history", async () => {
  await report(service("web1", "http"), "CRITICAL");
  await report(service("db1", "sql"), "CRITICAL");
  await report(service("web1", "app"), "CRITICAL");
  await until("one notification is decided, the other suppressed", async () => {
    const rows = await statusRows(agent.base);
    return rows["web1!app"]?.handled === true && rows["web1!http"]?.status === "STATUS_CRITICAL";
  });
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/http");
  await page.getByText("1 notification", { exact: true }).waitFor();
  await page.getByText("Delivered", { exact: true }).waitFor();
  await page.goto("/o/-/web1/app");
  await page.getByText("dependency “app needs sql”").first().waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.goto("/o/-/old1");
  await page.getByText("recurring: “being replaced”").waitFor();
  await page.goto("/history");
  const suppressed = page.locator(".record", { hasText: "suppressed" });
  await suppressed.first().waitFor();
  await page.getByLabel("Show").selectOption({ label: "Notification delivered" });
  await page.waitForURL("**/history?show=notification");
  await suppressed.first().waitFor({ state: "detached" });
  const notifications = page.locator(".record", { hasText: "notification" });
  assert.match((await notifications.first().textContent()) ?? "", /web1 › http.*desk.*problem · level 0/);
  assert.deepEqual(errors, []);
});

test("[DB118] a contact is muted with a reason and an end, after the dialog has said who is left, and unmuted", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/contacts");
  await page.getByText("team=operations").waitFor();
  await page.getByRole("button", { name: "Mute desk", exact: true }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Mute desk" });
  await dialog.getByText("desk is the only contact left of 1 policy (2 objects): nobody will be notified").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("A reason is required").waitFor();
  await dialog.getByLabel("Comment").fill("the desk moves");
  await dialog.getByLabel("Date and time").check();
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("The end must be a time in the future").waitFor();
  await dialog.getByLabel("End", { exact: true }).fill("+2h");
  await dialog.getByLabel("Author").fill("ann");
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  const row = page.getByRole("row", { name: /desk/ });
  // The rest is rounded down, so that a moment after the command it is shorter than two hours.
  await row.getByText(/muted by ann until .* \(in (?:2 h|1 h 59 m)\): the desk moves/).waitFor();
  await page.getByText("1 muted").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await report(service("web1", "http"), "OK");
  await report(service("web1", "http"), "CRITICAL");
  const object = await openPage(browser, agent);
  await object.page.goto("/o/-/web1/http");
  await object.page.getByText("Contact “desk” is muted").first().waitFor();
  await object.page.getByText("desk: muted by ann").waitFor();
  await object.page.goto("/muted");
  await object.page.getByRole("region", { name: "Muted contacts" }).getByText("muted by ann until").waitFor();
  assert.deepEqual(await accessibilityViolations(object.page), []);
  await row.getByRole("button", { name: "Unmute desk" }).press("Enter");
  await row.getByRole("button", { name: "Mute desk", exact: true }).waitFor();
  assert.equal(await page.locator(":focus").textContent(), "Mute desk", "the focus stays");
  assert.equal(await page.getByText("Connection lost").count(), 0);
  assert.deepEqual([...errors, ...object.errors], []);
});

test("the past view has its time, no commands, and a way back to the present", async () => {
  await report(service("web1", "http"), "OK");
  await report(service("web1", "http"), "CRITICAL", "broken then");
  await until(
    "the problem is visible",
    async () => (await statusRows(agent.base))["web1!http"]?.output === "broken then",
  );
  // Times in addresses have a precision of one second: take the first one after the failure was recorded.
  const at = `${new Date(Date.now() + 1_000).toISOString().slice(0, 19)}Z`;
  await until("that time has passed", () => Date.now() > Date.parse(at));
  await report(service("web1", "http"), "OK", "well again");
  await until("the service is OK", async () => (await statusRows(agent.base))["web1!http"]?.status === "STATUS_OK");
  const { page, errors } = await openPage(browser, agent);
  await page.goto(`/?at=${at}&handled=1`);
  await page.getByText("broken then").waitFor();
  await page.getByText("State at").waitFor();
  assert.equal(await page.getByRole("checkbox", { name: /Select/ }).count(), 0);
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByRole("button", { name: "Back to now" }).click();
  await page.getByText("broken then").waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Past state/ }).click();
  await page.waitForURL(/at=/);
  await page.getByLabel(/Time to display/).waitFor();
  assert.deepEqual(errors, []);
});
