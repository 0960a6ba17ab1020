import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openScope, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import type { Row } from "@realmwatch/shared/row/row";
import type { Browser, CDPSession, Page } from "playwright-core";
import { root } from "../../architecture/sources.ts";
import { openBrowser } from "../../browser/browser.ts";
import type { TestProgram } from "../../run/processes.ts";
import {
  rebuild,
  rowMessage,
  type StoredRealms,
  sendHeartbeats,
  storeRealms,
} from "../aggregator/bench-stored-realms.ts";
import type { BenchRow } from "../bench-row.ts";
import { cpuSecondsOfTree } from "../process-tree.ts";
import { sized } from "../runner/bench-size.ts";

/** Sizes of the two sites that are compared; both have the same number of problems. */
const sites = { large: { realms: sized(100, 20), objects: 1_000 }, small: { realms: 1, objects: 100 } } as const;
const problems = 50;
/** Runs of each measurement; the median counts, because other load of the machine comes and goes. */
const runs = sized(7, 3);
/** Number of pages that are open together. */
const manyPages = 15;
/** Time over which an idle page and the server are observed, ms. */
const observedMs = sized(30_000, 6_000);

type Site = { readonly program: TestProgram; readonly stored: StoredRealms };

/** An aggregator with rows of which `problems` are unhandled problems, and realms that send heartbeats. */
async function openSite(scope: TestScope, { realms, objects }: { realms: number; objects: number }): Promise<Site> {
  const hourAgo = systemClock.now() - 3_600_000;
  const every = Math.max(1, (objects * realms) / problems);
  const changeOf = (realm: string, at: number): Partial<Row> => {
    const number = Number(realm.slice("realm-".length)) * objects + at;
    const isProblem = number % every === 0;
    return {
      lastChangeAtMs: hourAgo - number,
      lastHardChangeAtMs: hourAgo - number,
      ...(isProblem ? { status: "critical", lastHardStatus: "critical", output: "connection refused" } : {}),
    };
  };
  const stored = await storeRealms(scope, realms, objects, changeOf);
  sendHeartbeats(scope, stored);
  const { program } = await rebuild(scope, stored, undefined);
  return { program, stored };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function newPage(browser: Browser, { program }: Site): Promise<Page> {
  const context = await browser.newContext({ baseURL: program.base, viewport: { width: 1400, height: 900 } });
  return context.newPage();
}

/** Time from the navigation to the first displayed row, ms. The files come from the browser's cache. */
async function firstRowMs(page: Page, path: string): Promise<number> {
  const startedMs = performance.now();
  await page.goto(path);
  await page.locator("tbody tr a").first().waitFor();
  return performance.now() - startedMs;
}

/** Median times of two pages, measured in turn, so that other load of the machine affects both. */
async function medianMs(one: () => Promise<number>, other: () => Promise<number>): Promise<[number, number]> {
  const [first, second]: [number[], number[]] = [[], []];
  // The first turn fills caches and compiles code.
  for (let turn = 0; turn <= runs; turn++) {
    const times = [await one(), await other()] as const;
    if (turn === 0) continue;
    first.push(times[0]);
    second.push(times[1]);
  }
  return [median(first), median(second)];
}

/** Size of the scripts that the start page loads before its first row, compressed as the server sends them. */
export function benchFirstScripts(): BenchRow[] {
  const folder = join(root, "shared/dashboard/dist");
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const size = (name: string): number => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length / 1_000;
  const named = [...new Set([...html.matchAll(/assets\/[^"]+\.js/g)].map(([name]) => name))];
  const all = readdirSync(join(folder, "assets")).filter((name) => name.endsWith(".js"));
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + size(name), 0);
  const note = `${named.length} files; budget 220 kB`;
  return [
    { name: "first scripts, compressed", rate: sum(named), unit: "kB", note },
    { name: "all scripts", rate: sum(all.map((name) => `assets/${name}`)), unit: "kB" },
  ];
}

/** Measures pages with 100 000 objects in Chromium. */
export async function benchDashboard(): Promise<BenchRow[]> {
  await using scope = openScope();
  const [large, small] = [await openSite(scope, sites.large), await openSite(scope, sites.small)];
  const browser = await openBrowser(scope);
  const rows: BenchRow[] = [];
  const parts = [comparePages, measurePast, measureScrolling, measureIdle];
  for (const part of parts) rows.push(...(await part(browser, large, small)));
  rows.push(...(await measureManyPages(browser, large)));
  return rows;
}

async function comparePages(browser: Browser, large: Site, small: Site): Promise<BenchRow[]> {
  const [many, few] = [await newPage(browser, large), await newPage(browser, small)];
  const [largeMs, smallMs] = await medianMs(
    () => firstRowMs(many, "/"),
    () => firstRowMs(few, "/"),
  );
  await Promise.all([many, few].map((page) => page.context().close()));
  return [
    { name: "problems page, 100 objects", rate: smallMs, unit: "ms", note: `${problems} problems` },
    {
      ...{
        name: `problems page, ${sites.large.realms * sites.large.objects} objects`,
        rate: largeMs,
        unit: "ms",
        note: "budget 1.2",
      },
      against: "problems page, 100 objects",
    },
  ];
}

async function measurePast(browser: Browser, large: Site): Promise<BenchRow[]> {
  const page = await newPage(browser, large);
  let turn = 0;
  // Each turn shows another time, whose rows the server has not built before.
  const past = (): string => {
    turn += 1;
    return `/objects?at=${new Date(systemClock.now() - 300_000 - turn * 1_000).toISOString()}`;
  };
  const [nowMs, pastMs] = await medianMs(
    () => firstRowMs(page, "/objects"),
    () => firstRowMs(page, past()),
  );
  await page.context().close();
  return [
    { name: "all objects, present", rate: nowMs, unit: "ms" },
    { name: "all objects, past", rate: pastMs, unit: "ms", note: "budget 3", against: "all objects, present" },
  ];
}

const heapMb = async (session: CDPSession): Promise<number> => {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
};

/** Script that scrolls the page by 200 px a frame and returns the times between frames, ms. */
const scrollScript = (frames: number): string => `(async () => {
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const scrolled = [...document.querySelectorAll("*")].find((one) =>
    one.scrollHeight > one.clientHeight + 5000 && /auto|scroll/.test(getComputedStyle(one).overflowY)
  ) ?? document.scrollingElement;
  const times = [];
  let lastMs = await next();
  for (let frame = 0; frame < ${frames}; frame++) {
    scrolled.scrollBy(0, 200);
    const atMs = await next();
    times.push(atMs - lastMs);
    lastMs = atMs;
  }
  return { times, top: scrolled.scrollTop };
})()`;

type Scrolled = { readonly times: number[]; readonly top: number };

async function measureScrolling(browser: Browser, large: Site): Promise<BenchRow[]> {
  const page = await newPage(browser, large);
  await firstRowMs(page, "/objects");
  const session = await page.context().newCDPSession(page);
  await page.evaluate(scrollScript(100));
  const { times, top } = await page.evaluate<Scrolled>(scrollScript(900));
  if (top < 100_000) throw new Error(`the list was scrolled to ${top} px only`);
  times.sort((a, b) => a - b);
  const heap = await heapMb(session);
  await page.context().close();
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  const note = `median ${at(0.5).toFixed(1)} ms, largest ${at(0.999).toFixed(1)} ms; budget 33 ms`;
  return [
    { name: "scrolling all objects, 95th percentile of frames", rate: at(0.95), unit: "ms", note },
    { name: "heap after scrolling", rate: heap, unit: "MB", note: "budget 80 MB" },
  ];
}

/** Requests and bytes of a page without a change on the server. */
async function measureIdle(browser: Browser, large: Site): Promise<BenchRow[]> {
  const found: BenchRow[] = [];
  for (const [name, path] of [
    ["problems", "/"],
    ["all objects", "/objects"],
  ] as const) {
    const page = await newPage(browser, large);
    await firstRowMs(page, path);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await sleep(2_000);
    let [requests, bytes] = [0, 0];
    session.on("Network.requestWillBeSent", () => void requests++);
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await sleep(observedMs);
    await page.context().close();
    const seconds = observedMs / 1_000;
    found.push(
      { name: `idle page, ${name}`, rate: requests / seconds, unit: "requests/s", note: "budget 0.5" },
      { name: `idle page, ${name}, received`, rate: bytes / seconds, unit: "B/s", note: "budget 2 000" },
    );
  }
  return found;
}

/** Changed rows a second while many pages are open. */
const changesPerSecond = 200;

async function measureManyPages(browser: Browser, large: Site): Promise<BenchRow[]> {
  const { program, stored } = large;
  let revision = 10;
  const send = setInterval(() => {
    revision += 1;
    for (let n = 0; n < changesPerSecond / 10; n++) {
      const realm = stored.names[(revision + n * 7) % stored.names.length] ?? "";
      stored.connection.publish(...rowMessage(realm, 1 + ((revision * 13 + n) % 900), revision));
    }
  }, 100);
  const pages: Page[] = [];
  const cpuWith = async (count: number): Promise<number> => {
    while (pages.length < count) {
      const page = await newPage(browser, large);
      await firstRowMs(page, "/");
      pages.push(page);
    }
    await sleep(5_000);
    const before = cpuSecondsOfTree(program.pid);
    await sleep(observedMs);
    return ((cpuSecondsOfTree(program.pid) - before) / observedMs) * 100_000;
  };
  try {
    const [one, many] = [await cpuWith(1), await cpuWith(manyPages)];
    const note = `${changesPerSecond} changed rows/s`;
    return [
      { name: "CPU of the aggregator, 1 page", rate: one, unit: "%", note },
      {
        ...{ name: `CPU of the aggregator, ${manyPages} pages`, rate: many, unit: "%", note: "budget 1.2" },
        against: "CPU of the aggregator, 1 page",
      },
    ];
  } finally {
    clearInterval(send);
    for (const page of pages) await page.context().close();
  }
}
