import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser } from "playwright-core";
import { call } from "../../run/call.ts";
import { numberedHosts } from "../../run/numbered-hosts.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { hostTarget, sendCommand } from "../../run/rows.ts";
import { openBrowser, openPage, serverKnown } from "../browser.ts";

const scope = fileScope();
let agent: TestProgram;
let centre: TestProgram;
let browser: Browser;

/** Number of objects of the group: more than a realm takes in one command. */
const size = 12_000;
const check = `check: {type: "passive", freshness_threshold: "9h", max_attempts: 1, flap: enabled: false}`;
const hosts = numberedHosts(size, () => `address: "127.0.0.1", labels: site: "hall", ${check}`);

before(async () => {
  const nats = await startNats(scope);
  const flags = { "nats-url": nats.url };
  agent = await startTestAgent(scope, { config: `${hosts}\n`, realm: "fra", flags });
  centre = await startTestAggregator(scope, { realms: `realms: fra: {url: "${agent.base}"}\n`, flags });
  browser = await openBrowser(scope);
  for (let at = 0; at < size; at += 6_000) {
    const results = Array.from({ length: 6_000 }, (_, n) => ({
      ...hostTarget(`h${at + n}`),
      ...{ status: "STATUS_CRITICAL", output: "no answer" },
    }));
    await sendCommand(agent.base, "ProcessCheckResults", { results });
  }
  const isThere = async (): Promise<boolean> => (await summaryOf(centre.base)).unhandled === size;
  await until("the centre has all problems", isThere, { withinMs: 120_000 });
});

type Summary = { readonly unhandled?: number; readonly acknowledged?: number };

async function summaryOf(base: string): Promise<Summary> {
  const { body } = await call(base, "QueryService/ListStatus", { pageSize: 1 });
  return body["summary"] as Summary;
}

for (const [program, group, comment] of [
  ["an agent", "label:site", "The hall has no power."],
  ["an aggregator", "realm", "The power is being restored."],
] as const)
  test(`[DB67, DB111] a group of ${size} objects is acknowledged as one at ${program}`, async () => {
    const { base } = program === "an agent" ? agent : centre;
    const { page, errors } = await openPage(browser, { base });
    await page.goto(`/?group=${encodeURIComponent(group)}&handled=1`);
    await serverKnown(page);
    await page.getByLabel(/^Select the \d+ rows of /).click();
    await page.getByText(`${size} selected`).waitFor();
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: `Acknowledge ${size} problems` });
    await dialog.getByLabel(/Comment/).fill(comment);
    await page.keyboard.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
    await until("all are acknowledged", async () => (await summaryOf(agent.base)).acknowledged === size);
    const { body } = await call(agent.base, "QueryService/ListStatus", {});
    const rows = body["rows"] as readonly { readonly acknowledgement?: { readonly comment: string } }[];
    assert.equal(rows.filter(({ acknowledgement }) => acknowledgement?.comment === comment).length, size);
    assert.deepEqual(errors, []);
  });
