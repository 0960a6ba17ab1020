import assert from "node:assert/strict";
import { before, test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { PairRole, PairSchema } from "@realmwatch/proto/svc/v1/pair_pb";
import { ListStatusResponseSchema, type Realm, RealmFreshness } from "@realmwatch/proto/svc/v1/query_pb";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { call } from "../run/call.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { realmStates, statusRows } from "../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "./browser.ts";
import { breakDisk, oneDisk } from "./documents.ts";

/** Alters what the server says of a realm. */
const changeRealm = (page: Page, name: string, change: (realm: Realm) => void): Promise<unknown> =>
  page.route(/\/ListStatus/, async (route) => {
    const response = await route.fetch();
    const answer = fromBinary(ListStatusResponseSchema, await response.body());
    for (const realm of answer.realms) if (realm.name === name) change(realm);
    await route.fulfill({ response, body: Buffer.from(toBinary(ListStatusResponseSchema, answer)) });
  });

const scope = fileScope();
const agents: Record<string, TestProgram> = {};
let centre: TestProgram;
let browser: Browser;

before(async () => {
  const nats = await startNats(scope);
  for (const realm of ["fra", "dub"])
    agents[realm] = await startTestAgent(scope, { config: oneDisk, realm, flags: { "nats-url": nats.url } });
  const realm = (name: string, description: string) =>
    `realms: ${name}: {url: "${agents[name]?.base}", unreachable_after: "6s", description: "${description}"}`;
  centre = await startTestAggregator(scope, {
    realms: `${realm("fra", "Frankfurt")}\n${realm("dub", "Dublin")}\n`,
    flags: { "nats-url": nats.url },
  });
  browser = await openBrowser(scope);
  for (const agent of Object.values(agents)) await breakDisk(agent.base);
  await until("both realms are reachable and have rows", async () => {
    const [rows, realms] = [await statusRows(centre.base, { problemsOnly: true }), await realmStates(centre.base)];
    return rows["fra/web1!disk"] && rows["dub/web1!disk"] && realms["fra"]?.reachable && realms["dub"]?.reachable;
  });
});

test("problems of all realms are in one list, which can be filtered by realm", async () => {
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/");
  await page.getByRole("cell", { name: "fra", exact: true }).waitFor();
  await page.getByRole("cell", { name: "dub", exact: true }).waitFor();
  await until("the tab has the count", async () => (await page.title()) === "(2) Problems – all realms");
  await page.getByLabel("Realm", { exact: true }).selectOption("dub");
  await page.waitForURL("**/?realm=dub");
  await page.getByRole("cell", { name: "fra", exact: true }).waitFor({ state: "detached" });
  await page.goto("/realms");
  await page.getByRole("row", { name: /fra.*Frankfurt.*current/ }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await accessibilityViolations(page), []);
  assert.deepEqual(errors, []);
});

test("[DB69, DB122] the realms page has rows, version, clock skew and lag of each realm", async () => {
  const { page, errors } = await openPage(browser, centre);
  const cell = async (realm: string, column: string): Promise<string> => {
    const row = page.getByRole("row", { name: new RegExp(realm) });
    return (await row.locator(`td[data-label="${column}"]`).textContent()) ?? "";
  };
  await page.goto("/realms");
  await page.getByRole("row", { name: /fra.*current.*now/ }).waitFor();
  const { version } = (await call(agents["fra"]?.base ?? "", "QueryService/GetServerInfo", {})).body;
  assert.deepEqual([await cell("fra", "Version"), await cell("fra", "Rows")], [version, "2 / 2"]);
  assert.match(await cell("fra", "Clock skew"), /^\d+ s( ahead| behind)?$/);
  await changeRealm(page, "dub", (realm) => {
    realm.freshness = RealmFreshness.BEHIND;
    realm.behindSince = timestampFromMs(Date.now() - 90_000);
    Object.assign(realm, { rowsExpected: 9, clockSkew: durationFromMs(-42_000) });
  });
  await page.reload();
  await page.getByRole("row", { name: /dub.*behind.*for [12] m/ }).waitFor();
  assert.deepEqual([await cell("dub", "Rows"), await cell("dub", "Clock skew")], ["2 / 9", "42 s behind"]);
  await page.getByTitle("The times of this realm are off by this amount").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await changeRealm(page, "dub", (realm) => {
    realm.freshness = RealmFreshness.UNKNOWN;
    delete realm.behindSince;
    delete realm.lastSeen;
  });
  await page.reload();
  await page.getByRole("row", { name: /dub.*unknown/ }).waitFor();
  assert.equal((await cell("dub", "Freshness")).trim(), "unknown", "a realm that was never seen has no known lag");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  assert.deepEqual(errors, []);
});

test("an acknowledgement is forwarded to the realm of the object and becomes visible in the list", async () => {
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/o/dub/web1/disk");
  await page.getByRole("button", { name: "Acknowledge" }).click();
  const dialog = page.getByRole("dialog", { name: "Acknowledge problem" });
  await dialog.getByLabel(/Comment/).fill("known in Dublin");
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await page.getByRole("button", { name: "Remove acknowledgement" }).waitFor();
  assert.equal((await statusRows(agents["dub"]?.base ?? ""))["web1!disk"]?.acknowledgement?.comment, "known in Dublin");
  assert.equal((await statusRows(agents["fra"]?.base ?? ""))["web1!disk"]?.acknowledgement, undefined);
  assert.deepEqual(errors, []);
});

test("[SL14] an unreachable realm keeps its rows with their age, and its commands are disabled", async () => {
  const { page, errors } = await openPage(browser, centre);
  await page.goto("/");
  await page.getByRole("cell", { name: "fra", exact: true }).waitFor();
  await agents["fra"]?.stop("SIGKILL");
  await page.getByText(/^fra unreachable since/).waitFor();
  await page.getByText(/: \d+ rows? as of then; commands to it are not available/).waitFor();
  await page.getByRole("row", { name: /critical\s*, last known.*web1.*disk.*as of/i }).waitFor();
  await page.getByText("0 problems + 1 last known").waitFor();
  await page.getByRole("button", { name: /0 critical, 1 last known/ }).waitFor();
  await page.getByText("Live, 1 of 2 realms").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.getByRole("link", { name: /web1.*disk/ }).click();
  await page.getByRole("button", { name: "Acknowledge", disabled: true }).waitFor();
  await page.getByRole("paragraph").filter({ hasText: "Realm fra is unreachable" }).waitFor();
  // The map of the object too claims nothing of now.
  await page
    .getByRole("listitem")
    .filter({ hasText: "last known, host" })
    .and(page.locator(".is-last-known"))
    .waitFor();
  const bar = page.getByRole("slider", { name: /States/ });
  await until("the bar has a state", async () => / critical/.test((await bar.getAttribute("aria-valuetext")) ?? ""));
  await changeRealm(page, "fra", (realm) => {
    delete realm.behindSince;
    realm.lastSeen = timestampFromMs(Date.now() - 7_200_000);
  });
  await page.reload();
  await until("time without the realm has no state", async () =>
    /: no data$/.test((await bar.getAttribute("aria-valuetext")) ?? ""),
  );
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.goto("/realms");
  await page.getByRole("row", { name: /fra.*Frankfurt.*unreachable/ }).waitFor();
  await page.getByRole("row", { name: /dub.*Dublin.*current/ }).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.goto("/objects");
  await page
    .getByRole("row", { name: /last known.*fra/i })
    .first()
    .waitFor();
  await page.goto("/objects?group=realm");
  await page.getByRole("button", { name: /^fra \d+ rows, worst critical, last known/ }).waitFor();
  await page.getByRole("button", { name: /^dub \d+ rows, worst critical$/ }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find" }).fill("fra");
  await page
    .getByRole("option", { name: /critical, last known/ })
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  await agents["fra"]?.restart();
  await page.getByText(/^fra unreachable since/).waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
});

/** A pair whose standby is behind. */
const degradedPair = create(PairSchema, {
  ...{ self: "fra-a", role: PairRole.ACTIVE, active: "fra-a", standby: "fra-b", degraded: true, lagMs: 12_000 },
  ...{ reason: "no word for 2 s", since: timestampFromMs(1_795_000_000_000) },
  lastTakeover: { at: timestampFromMs(1_795_000_000_000), from: "fra-b", to: "fra-a", reason: "expired", term: 5n },
});

test("[PA55] a pair whose standby is behind is shown at its realm, and named in a banner", async () => {
  const { page } = await openPage(browser, centre);
  await changeRealm(page, "fra", (realm) => {
    realm.pair = degradedPair;
  });
  await page.goto("/realms");
  await page.getByRole("row", { name: /fra.*fra-a active, fra-b 12 s behind.*degraded/ }).waitFor();
  await page.getByText("Pair of agents degraded: fra: the standby fra-b is away or behind: no word for 2 s").waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.close();
});

test("[PA55] an agent shows the pair that it is a member of", async () => {
  const { page } = await openPage(browser, agents["fra"] as TestProgram);
  await page.route(/\/ListStatus/, async (route) => {
    const response = await route.fetch();
    const answer = fromBinary(ListStatusResponseSchema, await response.body());
    answer.pair = degradedPair;
    await route.fulfill({ response, body: Buffer.from(toBinary(ListStatusResponseSchema, answer)) });
  });
  await page.goto("/realms");
  const pair = page.getByRole("region", { name: "Pair of agents" });
  await pair.getByText("fra-b, 12 s behind").waitFor();
  await pair.getByText(/from fra-b to fra-a: expired/).waitFor();
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await accessibilityViolations(page), []);
  await page.close();
});
