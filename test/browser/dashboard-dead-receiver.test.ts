import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startWebhookReceiver, type WebhookReceiver } from "../acceptance/webhook-receiver.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { sendCommand, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { passive } from "./documents.ts";

const scope = fileScope();
let agent: TestProgram;
let centre: TestProgram;
let receiver: WebhookReceiver;
let browser: Browser;

before(async () => {
  receiver = await startWebhookReceiver(scope);
  receiver.setBehaviour("desk", 503);
  const config = `
hosts: web1: {address: "127.0.0.1", ${passive}, notification: "ops"}
contacts: desk: {type: "webhook", url: "${receiver.url}/desk"}
notifications: ops: levels: [{contacts: ["desk"]}]
`;
  const [nats, redis] = await Promise.all([startNats(scope), startRedis(scope)]);
  const flags = { "nats-url": nats.url };
  agent = await startTestAgent(scope, { config, realm: "fra", flags });
  centre = await startTestAggregator(scope, {
    realms: `realms: fra: url: "${agent.base}"\n`,
    flags: { ...flags, "redis-url": redis.url },
  });
  browser = await openBrowser(scope);
  const object = { host: { name: "web1" } };
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL", output: "down" });
  await until("an attempt failed", () => receiver.attempts("desk") > 0);
  await until("the centre has the row", async () => (await statusRows(centre.base))["fra/web1"]?.status !== undefined);
});

/** Words that claim that a person was reached. */
const claims = /\bsent\b|\bnotified\b|(?<!not )\bdelivered\b/i;
const textOf = async (page: Page): Promise<string> => (await page.locator("main").textContent()) ?? "";

for (const [program, realm] of [
  ["an agent", "-"],
  ["an aggregator with Redis", "fra"],
])
  test(`[NO23, NO25] with a dead receiver every page of ${program} says that it fails, and none that it was notified`, async () => {
    const { page, errors } = await openPage(browser, realm === "-" ? agent : centre);
    await page.goto("/contacts");
    const banner = page.locator(".banner", { hasText: "Notifications are not delivered to desk" });
    await banner.waitFor();
    await page.getByText("Failing", { exact: true }).waitFor();
    await page.getByText("1 queued").waitFor();
    assert.match(await textOf(page), /1, 1 failing.*503/);
    assert.doesNotMatch(await textOf(page), claims);
    assert.deepEqual(await accessibilityViolations(page), []);

    await page.goto(`/o/${realm}/web1`);
    await page.locator(".delivery", { hasText: "Failing" }).waitFor();
    await banner.waitFor();
    assert.match((await page.locator(".delivery").textContent()) ?? "", /desk problem Failing since .*attempt.*503/);
    assert.doesNotMatch(await textOf(page), claims);
    assert.deepEqual(await accessibilityViolations(page), []);

    await page.goto("/history?show=notifications");
    await page.locator(".record", { hasText: "notification queued" }).waitFor();
    await banner.waitFor();
    assert.equal(await page.locator(".record").count(), 1);
    assert.doesNotMatch((await page.locator(".record").textContent()) ?? "", claims);

    await page.goto("/");
    await banner.waitFor();
    assert.deepEqual(errors, []);
  });

test("[NO23] once the receiver takes it, the pages say delivered and the banner goes", async () => {
  const { page, errors } = await openPage(browser, centre);
  await page.clock.install();
  await page.goto("/o/fra/web1");
  await page.locator(".delivery", { hasText: "Failing" }).waitFor();
  await page.locator(".is-failing-contacts").waitFor();
  receiver.setBehaviour("desk", "ok");
  await page.locator(".delivery", { hasText: "Delivered" }).waitFor({ timeout: 90_000 });
  // The next poll of the banner is at most 30 s away.
  await page.clock.fastForward(30_000);
  await page.locator(".is-failing-contacts").waitFor({ state: "detached" });
  await page.goto("/history?show=notification");
  await page.locator(".record", { hasText: "notification delivered" }).waitFor();
  await page.goto("/contacts");
  await page.getByText("last delivered").waitFor();
  assert.deepEqual(errors, []);
});

test("[NO25] the delivery of an earlier problem is not shown as that of the present one", async () => {
  const object = { host: { name: "web1" } };
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_OK", output: "up" });
  await until("the recovery is delivered", () => receiver.delivered.length === 2);
  await sendCommand(agent.base, "SetObjectNotifications", { target: { object }, enabled: false });
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL", output: "down again" });
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/o/fra/web1");
  await page.locator(".last-reason", { hasText: "Notifications are disabled for this object" }).waitFor();
  await page
    .locator(".delivery")
    .filter({ hasText: /^About an earlier problem: desk recovery Delivered/ })
    .waitFor();
  assert.equal(await page.locator(".delivery").count(), 1);
  await page.getByText("none yet").waitFor();
  assert.equal(await page.getByText("Last decided").count(), 0);
  assert.deepEqual(errors, []);
});
