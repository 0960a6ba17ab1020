import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { QueryAvailabilityResponseSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { call } from "../../run/call.ts";
import { outputOf } from "../../run/cli.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { realmStates } from "../../run/rows.ts";
import { accessibilityViolations, openBrowser, openPage } from "../browser.ts";
import { breakDisk, diskSlos } from "../documents.ts";
import { comparePrinted } from "../pictures/compare-pictures.ts";
import { openFrozenPage } from "../pictures/frozen-page.ts";
import { pdfPages } from "../pictures/pdf-pages.ts";

const scope = fileScope();
const startedAtMs = Date.now();
let agent: TestProgram;
let centre: TestProgram;
let browser: Browser;

before(async () => {
  const nats = await startNats(scope);
  const flags = { "nats-url": nats.url };
  agent = await startTestAgent(scope, { config: diskSlos, realm: "fra", flags });
  const ams = await startTestAgent(scope, { config: diskSlos, realm: "ams", flags });
  const realms = `realms: fra: {url: "${agent.base}"}\nrealms: ams: {unreachable_after: "6s"}\n`;
  centre = await startTestAggregator(scope, { realms, flags });
  browser = await openBrowser(scope);
  await breakDisk(agent.base);
  await until("both realms answer", async () => {
    const answer = await call(centre.base, "QueryService/QueryAvailability", {});
    return answer.ok && (answer.body as { slos?: unknown[] }).slos?.length === 4;
  });
  await ams.stop("SIGKILL");
});

const thisMonth = new Date().toISOString().slice(0, 7);

test("[DB112] a report has its summary first, a row for each objective with its evidence, and the worst objects", async () => {
  for (const [scheme, width] of [
    ["light", 1280],
    ["dark", 360],
  ] as const) {
    const { page, errors } = await openPage(browser, { base: agent.base, scheme, width });
    await page.goto(`/reports?month=${thisMonth}`);
    await page
      .getByText("2 objectives: 1 missed the target, 1 without evidence. 2 have evidence below 95 %.")
      .waitFor();
    const row = page.getByRole("table", { name: "Report" }).getByRole("row", { name: /Disk has room/ });
    assert.match((await row.textContent()) ?? "", /^Disk has room0 %\d\S* % low99\.5 %-19900 %/);
    const worst = page.getByRole("table", { name: "Worst objects" });
    await worst.getByRole("link", { name: "web1 › disk" }).waitFor();
    assert.deepEqual(await accessibilityViolations(page), []);
    assert.ok(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"));
    assert.deepEqual(errors, []);
  }
});

test("[DB113] month, zone and rows are in the address, and CSV is that of the command line", async () => {
  const { page, errors } = await openPage(browser, { base: agent.base });
  await page.goto("/reports?month=2026-03&zone=Europe/Berlin");
  await page.getByText("2026-03-01 00:00 to 2026-04-01 00:00").waitFor();
  await page.getByText("1 without evidence").or(page.getByText("2 without evidence")).waitFor();
  await page.getByRole("button", { name: "Next month" }).click();
  await page.getByRole("heading", { name: "2026-04, Europe/Berlin" }).waitFor();
  await page.getByRole("button", { name: "Previous month" }).click();
  await page.getByRole("button", { name: "Previous month" }).click();
  await page.getByRole("heading", { name: "2026-02, Europe/Berlin" }).waitFor();
  await page.getByLabel("Time zone").selectOption("UTC");
  await page.getByLabel("Rows").selectOption("By realm");
  await page.getByRole("row", { name: /this realm/ }).waitFor();
  assert.deepEqual(new URL(page.url()).search, "?month=2026-02&zone=UTC&by=realm");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV", exact: true }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "report-2026-02.csv");
  const csv = await outputOf(["report", "-month", "2026-02", "-zone", "UTC", "-by", "realm", "-csv"], {
    REALMWATCH_SERVER: agent.base,
  });
  assert.equal(readFileSync(await download.path(), "utf8"), csv);

  await page.getByLabel("Rows").selectOption("By label");
  await page.getByRole("row", { name: /without app/ }).waitFor();
  await page.getByRole("button", { name: "Free range" }).click();
  await page.getByLabel("Before").fill("2026-02-15");
  await page.getByRole("heading", { name: "2026-02-01 00:00 to 2026-02-15 00:00, UTC" }).waitFor();
  for (const [search, message] of [
    ["zone=Mars/Base", "Mars/Base is not an IANA zone"],
    ["month=2026-99", "2026-99 is not a month"],
    ["month=8000-01", "The range has not begun yet"],
    ["by=host", "host must be slo, realm or label:KEY"],
  ]) {
    await page.goto(`/reports?${search}`);
    await page.getByText(message ?? "").waitFor();
  }
  assert.deepEqual(errors, []);
});

test("[DB114] at an aggregator a report has all realms, and names those that did not answer", async () => {
  const { page, errors } = await openPage(browser, { base: centre.base });
  await until("ams is unreachable", async () => (await realmStates(centre.base))["ams"]?.reachable === false);
  await page.goto(`/reports?month=${thisMonth}&by=realm`);
  await page.getByRole("row", { name: /^fra/ }).waitFor();
  await page.getByText("Realm ams gave no answer").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Reports" }).waitFor();
  assert.deepEqual(errors, []);
});

const hour = 3_600;

/** Answer with forty objectives of two realms, each with two hosts that were down, and a realm that did not answer. */
const longAnswer = create(QueryAvailabilityResponseSchema, {
  slos: Array.from({ length: 40 }, (_, at) => ({
    ...{
      name: `Objective ${at + 1}`,
      realm: at % 2 === 0 ? "fra" : "dub",
      target: at % 4 === 0 ? 99.99 : 99.9,
      downtimesExcluded: true,
    },
    objects: ["a", "b"].map((host, of) => ({
      object: { ref: { case: "host" as const, value: { name: `${host}-server-${at + 1}` } } },
      seconds: [
        { status: Status.OK, seconds: (600 - at) * hour },
        { status: Status.CRITICAL, seconds: (at % 7) * (of + 1) * 60 },
        { status: Status.UNSPECIFIED, seconds: at % 5 === 0 ? 60 * hour : 0 },
      ],
      downtimeSeconds: (at % 3) * hour,
    })),
  })),
  unanswered: [{ realm: "ams", code: "unavailable", message: "the realm did not answer" }],
});

async function openLongReport(): Promise<Page> {
  const page = await openFrozenPage(browser, { base: centre.base, startedAtMs });
  await page.route("**/svc.v1.QueryService/QueryAvailability*", (route) =>
    route.fulfill({
      contentType: "application/proto",
      body: Buffer.from(toBinary(QueryAvailabilityResponseSchema, longAnswer)),
    }),
  );
  await page.goto("/reports?month=2025-12&zone=Europe/Berlin");
  await page.getByRole("row", { name: /^Objective 40/ }).waitFor();
  return page;
}

test("[DB115] printed pages begin with the summary, repeat the headings, split no row, and have no navigation", async () => {
  const page = await openLongReport();
  const pages = await pdfPages(await page.pdf({ preferCSSPageSize: true }));
  const texts = pages.map(({ text }) => text);
  const [first = ""] = texts;
  assert.ok(pages.length >= 3, `${pages.length} pages`);
  const order = [
    "Reports",
    "2025-12, Europe/Berlin",
    "40 objectives",
    "Realm ams gave no answer",
    "Objective Realm Achieved Evidence",
  ];
  const places = order.map((text) => first.indexOf(text));
  assert.ok(
    places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1)),
    `${places}: ${first}`,
  );
  for (const text of texts) {
    assert.match(text, /Achieved.*Evidence/, "each page has the headings of its table");
    assert.doesNotMatch(text, /Problems|Overview|Previous month|CSV|Print\b/);
  }
  for (const { name } of longAnswer.slos) {
    const row = new RegExp(`${name} (fra|dub) \\d[\\d.]* % [\\d.]+ %( low)? 99\\.99? % -?[\\d.]+ % `);
    assert.equal(texts.filter((text) => row.test(text)).length, 1, `${name} is in one piece`);
  }
  for (const [at, { picture }] of pages.slice(0, 2).entries()) comparePrinted(picture, `report-printed-${at + 1}`);
});
