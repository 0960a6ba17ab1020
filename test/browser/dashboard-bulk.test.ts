import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { realmStates, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage, retryOnReturn, serverKnown } from "./browser.ts";
import { reportDisks, twoRacks } from "./rack-document.ts";

const scope = fileScope();
const agents: Record<string, TestProgram> = {};
let centre: TestProgram;
let browser: Browser;

before(async () => {
  const nats = await startNats(scope);
  for (const realm of ["fra", "dub"])
    agents[realm] = await startTestAgent(scope, { config: twoRacks, realm, flags: { "nats-url": nats.url } });
  const realms = Object.entries(agents).map(
    ([name, { base }]) => `realms: "${name}": {url: "${base}", unreachable_after: "5m"}`,
  );
  centre = await startTestAggregator(scope, {
    realms: `${realms.join("\n")}\n`,
    flags: { "nats-url": nats.url, "forward-timeout": "25s" },
  });
  browser = await openBrowser(scope);
  for (const { base } of Object.values(agents)) await reportDisks(base, ["web1", "web3", "web5", "web7"]);
  await until("both realms are reachable and have rows", async () => {
    const [rows, states] = [
      await statusRows(centre.base, { selector: "@name=disk", problemsOnly: true }),
      await realmStates(centre.base),
    ];
    return Object.keys(rows).length === 8 && Object.values(states).every(({ reachable }) => reachable);
  });
});

test("[DB54] a bulk action has its counts before it is sent, its result for each realm, and a retry of what failed", async () => {
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/?q=rack%3Dr1&kind=service");
  await page.getByText("8 matches").waitFor();
  await serverKnown(page);
  await page.keyboard.press("Control+a");
  await page.getByText("8 selected").waitFor();
  await agents["dub"]?.stop("SIGKILL");
  await page.keyboard.press("a");
  const dialog = page.getByRole("dialog", { name: "Acknowledge 8 problems" });
  await dialog.getByText(/8 objects \((fra: 4, dub: 4|dub: 4, fra: 4)\): 8 critical/).waitFor();
  await dialog.getByLabel(/Comment/).fill("storage is being replaced");
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("Accepted: acknowledgement for 4 of 8 objects (fra: 4)").waitFor();
  await retryOnReturn(dialog, "dub", agents["dub"]);
  await until("all are acknowledged in both realms", async () => {
    const rows = await Promise.all(Object.values(agents).map(({ base }) => statusRows(base, { selector: "rack=r1" })));
    return rows.every((own) => Object.values(own).filter((row) => row.acknowledgement !== undefined).length === 4);
  });
  assert.deepEqual(
    errors.filter((text) => !text.includes("Failed to load resource")),
    [],
  );
});

test("[DB65] [DB66] [DB67] while a realm hangs, the progress of a command is shown, also after its dialog was closed", async () => {
  const { page, errors } = await openPage(browser, centre);
  const { dialog, calls } = await openRackTwo(page, "d");
  const dub = agents["dub"] as TestProgram;
  dub.signal("SIGSTOP");
  try {
    await dialog.getByLabel(/Comment/).fill("new power supply");
    await page.keyboard.press("Control+Enter");
    await dialog.getByText(/^Waiting for dub, .* 6 of 12 visible so far$/).waitFor();
    await dialog.getByText("fra: 6 objects, no answer yet, 6 visible").waitFor();
    await dialog.getByText("dub: 6 objects, no answer yet, 0 visible").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await results(page)
      .getByText(/^Waiting for dub, .* 6 of 12 visible so far$/)
      .waitFor();
  } finally {
    dub.signal("SIGCONT");
  }
  await results(page).getByText("Accepted: downtime for 12 of 12 objects (dub: 6, fra: 6)").waitFor();
  await results(page).getByText("12 accepted, all visible").waitFor();
  await results(page).waitFor({ state: "detached" });
  assert.deepEqual(calls, ["RealmBulkService/Execute"]);
  assert.deepEqual(errors, []);
});

test("[DB66] [DB67] what failed is tried again after its dialog was closed; a recheck of many objects is one call", async () => {
  const { page, errors } = await openPage(browser, centre);
  const { dialog, calls } = await openRackTwo(page, "d");
  await agents["dub"]?.stop("SIGKILL");
  await dialog.getByLabel(/Comment/).fill("second power supply");
  await page.keyboard.press("Control+Enter");
  await dialog.getByText("6 of 12 not accepted").waitFor();
  await page.keyboard.press("Escape");
  await results(page)
    .getByText(/^dub: 6 objects: \w+/)
    .waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await agents["dub"]?.restart();
  await results(page).getByRole("button", { name: "Retry 6" }).click();
  await results(page).getByText("12 accepted, all visible").waitFor();
  await page.keyboard.press("r");
  await results(page).getByText("Accepted: check now for 12 of 12 objects (dub: 6, fra: 6)").waitFor();
  assert.deepEqual(calls, Array(3).fill("RealmBulkService/Execute"));
  assert.deepEqual(
    errors.filter((text) => !text.includes("Failed to load resource")),
    [],
  );
});

/** Selects the twelve services of the second rack, opens a dialog for them, and collects the commands of the page. */
async function openRackTwo(page: Page, key: string) {
  const calls: string[] = [];
  page.on("request", (request) => {
    const [, call = ""] = /\/svc\.v1\.(\w*(?:Bulk|Command)Service\/\w+)$/.exec(new URL(request.url()).pathname) ?? [];
    if (call !== "") calls.push(call);
  });
  await page.goto("/objects?q=rack%3Dr2&kind=service");
  await page.getByText("12 matches").waitFor();
  await serverKnown(page);
  await page.keyboard.press("Control+a");
  await page.getByText("12 selected").waitFor();
  await page.keyboard.press(key);
  return { dialog: page.getByRole("dialog"), calls };
}

/** Cards of the commands that run, or whose result is not closed yet. */
const results = (page: Page) => page.getByRole("region", { name: "Commands for many objects" });

test("[DB55] a row has the command as pending from the moment it was accepted until its effect is in the row", async () => {
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/o/fra/web2/disk");
  await page.getByRole("button", { name: "Comment", exact: true, disabled: false }).waitFor();
  // Each request keeps its first answer, so that the effect is not visible.
  const answers = new Map<string, Buffer>();
  const isList = (url: URL): boolean => url.pathname.endsWith("/ListStatus");
  await page.route(isList, async (route) => {
    const response = await route.fetch();
    const request = `${route.request().url()} ${route.request().postData() ?? ""}`;
    const body = answers.get(request) ?? (await response.body());
    answers.set(request, body);
    await route.fulfill({ response, body });
  });
  // The request has the object, then its realm, and nothing else.
  await until("the row is kept", () => [...answers.keys()].some((request) => request.endsWith("disk\u001a\u0003fra")));
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "Add comment" });
  await dialog.getByLabel(/Comment/).fill("looked at it");
  await page.keyboard.press("Control+Enter");
  await page.getByText("comment pending").waitFor();
  await page.getByText("comment accepted, not yet visible").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.locator("blockquote", { hasText: "looked at it" }).waitFor();
  await page.getByText("comment accepted, not yet visible").waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
});
