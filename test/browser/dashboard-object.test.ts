import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser } from "playwright-core";
import { call } from "../run/call.ts";
import { startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { startHttp } from "../run/sink-receivers.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";

const check = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 2, flap: {enabled: false}}`;
const config = (prometheus: string) => `
datasources: {
	own: {type: "local", default: true}
	prom: {type: "prometheus", url: "${prometheus}"}
}
ui: panels: checks: {title: "Checks", datasource: "prom", query: "rate(checks[1m])", selector: "@name=disk"}
hosts: web1: {address: "127.0.0.1", ${check}, services: {http: {${check}}, disk: {${check}}}}
`;

const scope = fileScope();
let agent: TestProgram;
let browser: Browser;

before(async () => {
  const prometheus = await startHttp(scope, (_request, response) => {
    const nowS = Math.floor(Date.now() / 1_000);
    const result = ["dns", "http", "tcp"].map((type, at) => ({
      metric: { type },
      values: [60, 30].map((agoS) => [nowS - agoS, String(at + 1)]),
    }));
    response
      .setHeader("content-type", "application/json")
      .end(JSON.stringify({ status: "success", data: { resultType: "matrix", result } }));
  });
  agent = await startTestAgent(scope, { config: config(prometheus), realm: "fra" });
  browser = await openBrowser(scope);
});

const report = (name: string, status: string, perfdata = "") =>
  sendCommand(agent.base, "ProcessCheckResult", {
    ...serviceTarget("web1", name),
    ...{ status: `STATUS_${status}`, output: `said ${status.toLowerCase()}`, perfdata },
  });

const metric = { object: { service: { host: "web1", name: "http" } }, metric: "time" };

test("[DB1] performance data are plotted with their thresholds, and are a table on demand", async () => {
  await report("http", "OK", "time=120ms;300;500;0 size=2048B");
  await until("the metric is recorded", async () => {
    const { body } = await call(agent.base, "QueryService/QueryObjectMetric", metric);
    return JSON.stringify(body).includes("120");
  });
  for (const scheme of ["light", "dark"] as const) {
    const { page, errors } = await openPage(browser, { base: agent.base, scheme });
    await page.goto("/o/-/web1/http?range=1h");
    await page.getByRole("img", { name: "time: last 120 ms, lowest 120 ms, highest 120 ms" }).waitFor();
    await page.getByRole("img", { name: /^size: last 2 KiB/ }).waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    await page.getByRole("button", { name: "Table" }).click();
    const values = page.getByRole("region", { name: "Values of time" });
    assert.match((await values.textContent()) ?? "", /time \(ms\)[\s\S]*120/);
    await page.getByRole("radio", { name: "24 h" }).first().focus();
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.deepEqual(errors, []);
  }
});

test("[DB1] each line of a panel has its colour in the legend", async () => {
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/disk");
  const keys = page.getByRole("figure", { name: "Checks" }).getByRole("listitem");
  await keys.first().waitFor();
  const colours = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.plot-keys .chart-key')].map((key) => getComputedStyle(key).backgroundColor)",
  );
  assert.equal(colours.length, 3);
  assert.equal(new Set(colours).size, 3, colours.join(" "));
  assert.ok(!colours.includes("rgba(0, 0, 0, 0)"), colours.join(" "));
  assert.deepEqual(errors, []);
});

test("[DB2] a row of performance data has one unit", async () => {
  await report("disk", "OK", "used=1610612736B;1073741824;2147483648;0;4294967296");
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/disk");
  const row = page.getByRole("row", { name: /^used/ });
  await row.waitFor();
  assert.deepEqual(await row.getByRole("cell").allInnerTexts(), ["1.5 GiB", "1", "2", "0", "4"]);
  assert.deepEqual(errors, []);
});

test("[DB3, SL13, SL14] the heat bar names the state of each part of the range to the keyboard", async () => {
  await report("http", "OK");
  const { page, errors } = await openPage(browser, agent);
  await page.goto("/o/-/web1/http?past=7d");
  const bar = page.getByRole("slider", { name: /States/ });
  await bar.focus();
  await until("the newest part is known", async () => / ok/.test((await bar.getAttribute("aria-valuetext")) ?? ""));
  await page.keyboard.press("Home");
  assert.match((await bar.getAttribute("aria-valuetext")) ?? "", /: no data$/);
  await page.keyboard.press("ArrowRight");
  assert.equal(await bar.getAttribute("aria-valuenow"), "1");
  await page.keyboard.press("End");
  assert.equal(await bar.getAttribute("aria-valuenow"), "83");
  await page.getByText(/^\d+(\.\d+)? %\sOK (< )?[0-4]?\d(\.\d+)? % known$/).waitFor();
  assert.deepEqual(errors, []);
});

test("[DB4] an incident lists its steps: attempts, the acknowledgement and the recovery", async () => {
  await report("disk", "OK");
  await report("disk", "CRITICAL");
  await report("disk", "CRITICAL");
  await until(
    "the problem is hard",
    async () => (await statusRows(agent.base))["web1!disk"]?.stateType === "STATE_TYPE_HARD",
  );
  const target = serviceTarget("web1", "disk");
  await sendCommand(agent.base, "AcknowledgeProblem", { target, author: "ann", comment: "on it", sticky: true });
  const { page, errors } = await openPage(browser, { base: agent.base, width: 360 });
  await page.goto("/o/-/web1/disk");
  const incident = page.locator(".incident").first();
  await incident.getByText("acknowledged").waitFor();
  await report("disk", "OK");
  await incident.getByText("said ok").waitFor();
  assert.match(
    ((await incident.textContent()) ?? "").replaceAll(/\s+/g, " "),
    /critical.*lasted.*soft, attempt 1.*said critical.*said critical.*acknowledged.*“on it”.*said ok/,
  );
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.ok(
    await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"),
    "no sideways scrolling",
  );
  assert.deepEqual(errors, []);
});

test("[DB13] history is filtered by selector, by who acted, and by time", async () => {
  const { page, errors } = await openPage(browser, agent);
  for (const author of ["Bea", "cid"])
    await sendCommand(agent.base, "AddComment", {
      target: serviceTarget("web1", "http"),
      author,
      text: `from ${author}`,
    });
  await page.goto("/history");
  await page.getByText("“from cid”").waitFor();
  await page.getByLabel("Actor").fill("Bea");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/history?actor=Bea");
  await page.getByText("“from cid”").waitFor({ state: "detached" });
  await page.getByText("“from Bea”").waitFor();
  assert.equal(await page.locator(".record").count(), 1);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export CSV" }).click(),
  ]);
  assert.match(readFileSync(await download.path(), "utf8"), /^id,at,.*\r\n\d+,.*,comment_added,.*,from Bea\r\n$/);
  await page.getByText("1 record saved").waitFor();
  await page.getByLabel("Text in object").fill("FROM b");
  await page.keyboard.press("Enter");
  await page.waitForURL(/text=FROM/);
  await page.getByText("“from Bea”").waitFor();
  await page.getByLabel("Up to").fill("2020-01-01T00:00");
  await page.waitForURL(/until=2020/);
  await page.getByText("No records.").waitFor();
  await page.getByLabel("Up to").fill("");
  await page.getByText("“from Bea”").waitFor();
  const selector = page.getByLabel("Selector of objects");
  await selector.pressSequentially("@nam");
  await page.getByRole("option", { name: "@name=" }).waitFor();
  await page.getByText("Enter applies", { exact: true }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await selector.inputValue(), "@name=");
  await selector.pressSequentially("disk");
  await page.keyboard.press("Enter");
  await page.getByText("No records.").waitFor();
  await page.getByRole("radio", { name: "1 h" }).click({ force: true });
  await page.waitForURL(/range=1h/);
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(errors, []);
});
