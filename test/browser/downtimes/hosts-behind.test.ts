import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Locator, Page } from "playwright-core";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { realmStates, statusRows } from "../../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage, retryOnReturn, serverKnown } from "../browser.ts";
import { passive } from "../documents.ts";

/** A host `core`, a rack behind it, two hosts behind the rack, and a host that is behind none of them. */
const config = `hosts: {
	core: {address: "127.0.0.1", ${passive}, services: ports: {${passive}}}
	rack1: {address: "127.0.0.1", parents: ["core"], ${passive}}
	web1: {address: "127.0.0.1", parents: ["rack1"], ${passive}, services: {disk: {${passive}}, http: {${passive}}}}
	web2: {address: "127.0.0.1", parents: ["rack1"], ${passive}, services: disk: {${passive}}}
	alone: {address: "127.0.0.1", ${passive}, services: disk: {${passive}}}
}\n`;
const [hostsOfCore, allOfCore] = [
  ["core", "rack1", "web1", "web2"],
  ["core", "core!ports", "rack1", "web1", "web1!disk", "web1!http", "web2", "web2!disk"],
];

const scope = fileScope();
const agents: Record<string, TestProgram> = {};
let centre: TestProgram;
let browser: Browser;

before(async () => {
  const nats = await startNats(scope);
  for (const realm of ["fra", "dub"])
    agents[realm] = await startTestAgent(scope, { config, realm, flags: { "nats-url": nats.url } });
  const realms = Object.entries(agents).map(
    ([name, { base }]) => `realms: "${name}": {url: "${base}", unreachable_after: "5m"}\n`,
  );
  centre = await startTestAggregator(scope, { realms: realms.join(""), flags: { "nats-url": nats.url } });
  browser = await openBrowser(scope);
  await until("both realms are reachable and have rows", async () => {
    const [rows, states] = [await statusRows(centre.base), await realmStates(centre.base)];
    return Object.keys(rows).length === 20 && Object.values(states).every(({ reachable }) => reachable);
  });
});

/** Names of the objects of a realm that have a downtime with a comment. */
async function downtimesOf(realm: string, comment: string): Promise<string[]> {
  const rows = Object.entries(await statusRows(agents[realm]?.base ?? ""));
  return rows
    .filter(([, { downtimes = [] }]) => downtimes.some((downtime) => downtime.comment === comment))
    .map(([name]) => name)
    .sort();
}

async function openDialog(page: Page, path: string): Promise<Locator> {
  await page.goto(path);
  await page.locator("button:not([aria-disabled])", { hasText: "Downtime" }).waitFor();
  await page.keyboard.press("d");
  return page.getByRole("dialog", { name: "Schedule downtime" });
}

const behindField = (dialog: Locator): Locator => dialog.getByLabel(/^Include the hosts behind/);

test("[DB126] a downtime includes the hosts behind a host, and their services, and says how many objects they are", async () => {
  const { page, errors } = await openPage(browser, agents["fra"] as TestProgram);
  const dialog = await openDialog(page, "/o/-/core");
  await dialog.getByText("2 objects get a downtime: the host and 1 service.").waitFor();
  await behindField(dialog).check();
  await dialog.getByText("8 objects get a downtime: the 4 objects above and 4 services.").waitFor();
  await dialog.getByText("directly or through others, get the same downtime: 3.").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await dialog.getByLabel("Include services").uncheck();
  await dialog.getByText("4 objects get a downtime.").waitFor();
  await dialog.getByLabel(/Comment/).fill("hosts only");
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await until("the hosts have it", async () => (await downtimesOf("fra", "hosts only")).length === 4);
  assert.deepEqual(await downtimesOf("fra", "hosts only"), hostsOfCore);
  const again = await openDialog(page, "/o/-/core");
  await behindField(again).check();
  await again.getByText("8 objects get a downtime").waitFor();
  await again.getByLabel(/Comment/).fill("with services");
  await page.keyboard.press("Control+Enter");
  await again.waitFor({ state: "detached" });
  await until("all have it", async () => (await downtimesOf("fra", "with services")).length === allOfCore.length);
  assert.deepEqual(await downtimesOf("fra", "with services"), allOfCore);
  assert.deepEqual(errors, []);
});

test("[DB126] a host without hosts behind it, and a service, have no such choice", async () => {
  const { page } = await openPage(browser, agents["fra"] as TestProgram);
  const dialog = await openDialog(page, "/o/-/alone");
  await dialog.getByText("2 objects get a downtime").waitFor();
  await page.waitForLoadState("networkidle");
  assert.equal(await behindField(dialog).count(), 0);
  const ofService = await openDialog(page, "/o/-/core/ports");
  await ofService.getByLabel(/Comment/).waitFor();
  await page.waitForLoadState("networkidle");
  assert.equal(await behindField(ofService).count(), 0);
});

test("[DB126] hosts behind that cannot be read are not left out silently", async () => {
  const { page } = await openPage(browser, agents["fra"] as TestProgram);
  const dialog = await openDialog(page, "/o/-/core");
  await behindField(dialog).waitFor();
  await page.route("**/svc.v1.QueryService/ListStatus*", (route) => route.abort());
  await behindField(dialog).check();
  await dialog.getByText("The hosts behind cannot be read.").waitFor();
  await dialog.getByLabel(/Comment/).fill("unread");
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("The hosts behind could not be read: leave them out.").waitFor();
  await behindField(dialog).uncheck();
  await page.unroute("**/svc.v1.QueryService/ListStatus*");
  await page.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await until("the host has it", async () => (await downtimesOf("fra", "unread")).length === 2);
});

test("[DB54, DB126] at an aggregator the hosts behind are those of each realm, and a realm that fails is tried again", async () => {
  const { page } = await openPage(browser, centre);
  await page.goto("/downtimes");
  await page.locator("button:not([aria-disabled])", { hasText: "New downtime" }).click();
  await serverKnown(page);
  const dialog = page.getByRole("dialog", { name: /^Schedule downtime/ });
  await dialog.getByLabel("Objects").fill("@kind=host,@name=core");
  await page.keyboard.press("Enter");
  await behindField(dialog).check();
  await dialog.getByText(/^8 objects \((fra: 4, dub: 4|dub: 4, fra: 4)\)/).waitFor();
  await dialog.getByText("16 objects get a downtime: the 8 objects above and 8 services.").waitFor();
  await agents["dub"]?.stop("SIGKILL");
  await dialog.getByLabel(/Comment/).fill("new core");
  await page.keyboard.press("Control+Enter");
  await retryOnReturn(dialog, "dub", agents["dub"]);
  for (const realm of ["fra", "dub"]) {
    await until(`all of ${realm} have it`, async () => (await downtimesOf(realm, "new core")).length === 8);
    assert.deepEqual(await downtimesOf(realm, "new core"), allOfCore);
  }
});
