import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fromBinary } from "@bufbuild/protobuf";
import { ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser } from "playwright-core";
import { call } from "../run/call.ts";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { openBrowser, openPage, serverKnown } from "./browser.ts";
import { passive } from "./documents.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

/** The racks, a host with a label of its own, and one whose service is checked by a command. */
const config = twoRacks.replace(
  "hosts: {",
  `hosts: {
	odd: {address: "127.0.0.1", labels: site: "room-1:left", ${passive}}
	probe: {
		address: "192.0.2.9"
		${passive}
		services: ssh: check: {type: "command", command: "ssh", args: ["-p 22", "--password=hunter2"], check_interval: "1h", retry_interval: "1h", flap: {enabled: false}}
	}
`,
);

before(async () => {
  agent = await startTestAgent(scope, {
    config: `${config}\ncommands: ssh: line: "/bin/true $ARG1$ $ARG2$ -H $HOSTADDRESS$ $USER2$"\nresources: USER2: "hidden"\n`,
    realm: "fra",
  });
  browser = await openBrowser(scope);
  await reportDisks(agent.base, ["web1", "web2", "web3"]);
  await sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name: "odd" } }, status: "STATUS_WARNING" });
  await sendCommand(agent.base, "AcknowledgeProblem", {
    target: serviceTarget("web3", "disk"),
    author: "ann",
    comment: "known",
  });
  await until("a problem is acknowledged", async () => {
    const row = (await statusRows(agent.base))["web3!disk"];
    return row?.acknowledgement !== undefined;
  });
});

test("[DB41] labels of unhandled problems are counted on the overview, and each number links to a list of that length", async () => {
  const { page, errors } = await openPage(browser, agent);
  for (const [label, count] of [
    ["rack=r1", 1],
    ["rack=r2", 1],
    ["site=room-1:left", 1],
  ] as const) {
    await page.goto("/overview");
    await page.getByRole("link", { name: `${count} unhandled problems with ${label}` }).click();
    await page.waitForURL((url) => url.pathname === "/" && url.searchParams.has("q"));
    await page.getByText(count === 1 ? "1 match" : `${count} matches`, { exact: true }).waitFor();
    assert.equal(await page.locator("tr[data-id]").count(), count);
  }
  assert.deepEqual(errors, []);
});

test("[DB42] the overview has the number of all and of the unhandled objects by kind and state, each with its list", async () => {
  const { page, errors } = await openPage(browser, agent);
  for (const [name, rows] of [
    ["3 critical Services", 3],
    ["2 unhandled critical Services", 2],
    ["1 unhandled warning Hosts", 1],
  ] as const) {
    await page.goto("/overview");
    await page.getByRole("link", { name, exact: true }).click();
    await page.locator("tr[data-id]").first().waitFor();
    assert.equal(await page.locator("tr[data-id]").count(), rows, name);
  }
  assert.deepEqual(errors, []);
});

test("[DB43] a list is grouped by the values of a label, which is chosen in the view's options", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/?handled=1");
  await page.locator("tr[data-id]").first().waitFor();
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByLabel("Group by label").selectOption("rack");
  await page.waitForURL(/group=label%3Arack/);
  await page.getByRole("rowheader", { name: "rack=r1 2" }).waitFor();
  await page.getByRole("rowheader", { name: "rack=r2 1" }).waitFor();
  await page.getByRole("rowheader", { name: "without rack 2" }).waitFor();
  assert.deepEqual(errors, []);
});

test("[DB111] rows have no groups until their labels are known", async () => {
  const { page, errors } = await openPage(browser, agent);
  const known = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname.endsWith("/ListObjects"),
    async (route) => {
      await known.promise;
      await route.continue();
    },
  );
  await page.goto("/?handled=1&group=label%3Arack");
  await page.locator("tr[data-id]").first().waitFor();
  assert.equal(await page.getByRole("rowheader").count(), 0);
  known.resolve();
  await page.getByRole("rowheader", { name: "without rack 2" }).waitFor();
  assert.deepEqual(errors, []);
});

test("[QS10, DB44] an object's page has the command of its check without secrets", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/probe/ssh");
  const command = page.locator(".check-command pre");
  await command.waitFor();
  assert.equal(await command.textContent(), "/bin/true -p 22 --password=*** -H 192.0.2.9 $USER2$");
  await page.goto("/o/-/odd");
  await page.getByRole("heading", { name: "Check", exact: true }).waitFor();
  assert.equal(await page.locator(".check-command").count(), 0);
  const missing = await call(agent.base, "QueryService/GetCheckCommand", { object: { host: { name: "nowhere" } } });
  assert.equal(missing.code, "not_found");
  assert.deepEqual(errors, []);
});

test("[DB127] the totals above the problems move no row when they are loaded", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base, width: 1920 });
  const loaded = Promise.withResolvers<void>();
  await page.route(/\/ListStatus/, async (route) => {
    const request = fromBinary(ListStatusRequestSchema, route.request().postDataBuffer() ?? new Uint8Array());
    if (request.summaryOnly) await loaded.promise;
    await route.continue();
  });
  await page.goto("/?kind=service");
  const row = page.locator("tr[data-id]").first();
  await row.waitFor();
  const totals = page.getByRole("region", { name: "Totals" });
  await totals.getByText("unhandled").waitFor();
  const texts = (await totals.getByRole("link").allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
  assert.deepEqual(texts, ["– unhandled"], "no number before it is known");
  await serverKnown(page);
  const top = (await row.boundingBox())?.y;
  loaded.resolve();
  await totals.getByRole("link", { name: /critical/ }).waitFor();
  assert.equal((await row.boundingBox())?.y, top);
  assert.deepEqual(errors, []);
});
