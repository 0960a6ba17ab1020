import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, type DescMessage, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { Browser, Page, Route } from "playwright-core";
import { hideStartWarnings } from "../browser.ts";

/** Time of every picture, Unix ms. */
const frozenAtMs = Date.UTC(2026, 0, 15, 10, 30);

/** Age of all that happened while the test ran, ms: below the skew and the lag that pages warn of. */
const recentMs = 5_000;
/** Times up to this far from the beginning of the test count as recent, ms. */
const recentWithinMs = 600_000;

type FrozenPageOptions = {
  readonly base: string;
  /** Real time of the beginning of the test, Unix ms. */
  readonly startedAtMs: number;
  readonly token?: string;
};

/**
 * Opens a page whose pictures are the same in each run: its clock stands still, times in the answers of the server are
 * moved to that clock, and its font is one of the repository instead of the machine's. All else is real.
 */
export async function openFrozenPage(browser: Browser, { base, startedAtMs, token }: FrozenPageOptions): Promise<Page> {
  const context = await browser.newContext({
    baseURL: base,
    // For the font, which is added to the page.
    bypassCSP: true,
    timezoneId: "UTC",
    locale: "en-GB",
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 800 },
  });
  context.setDefaultTimeout(60_000);
  if (token !== undefined)
    await context.addInitScript(`sessionStorage.setItem("realmwatch.token", ${JSON.stringify(token)})`);
  await hideStartWarnings(context, base, token);
  const page = await context.newPage();
  await page.clock.setFixedTime(frozenAtMs);
  await page.addInitScript(`document.addEventListener("DOMContentLoaded", () => {
    const style = document.createElement("style");
    style.textContent = ${JSON.stringify(pictureCss())};
    document.head.append(style);
  })`);
  await page.route("**/svc.v1.*/*", (route) => passMoved(route, startedAtMs));
  return page;
}

/** Style of pictures: the font, and without what differs from run to run, such as port numbers of peers. */
function pictureCss(): string {
  const file = createRequire(import.meta.url).resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2");
  const url = `data:font/woff2;base64,${readFileSync(file).toString("base64")}`;
  return `
    @font-face {font-family: "Picture"; src: url(${url}) format("woff2"); font-weight: 100 900;}
    *, *::before, *::after {font-family: "Picture" !important; caret-color: transparent !important;}
    .audit-table td:last-child, .audit-json {visibility: hidden;}
  `;
}

const services = new Map(
  [QueryService, AdminService, AuthService, RealmAdminService].map((service) => [service.typeName as string, service]),
);

/** Forwards a call with the times of its request moved to the real clock, and answers with those of the response frozen. */
async function passMoved(route: Route, startedAtMs: number): Promise<void> {
  const [typeName = "", methodName = ""] = new URL(route.request().url()).pathname.slice(1).split("/");
  const method = services.get(typeName)?.methods.find(({ name }) => name === methodName);
  if (method === undefined) return route.continue();
  // A request without any field has no body.
  const sent = route.request().postDataBuffer() ?? new Uint8Array();
  const toReal = (ms: number): number => ms - frozenAtMs + startedAtMs;
  const response = await route.fetch({ postData: moved(method.input, sent, toReal) }).catch(() => undefined);
  if (response === undefined) return route.abort();
  const received = await response.body();
  const isMessage = response.ok() && response.headers()["content-type"] === "application/proto";
  const toFrozen = (ms: number): number => freeze(ms - startedAtMs);
  const answered = { response, headers: { ...response.headers(), date: new Date(frozenAtMs).toUTCString() } };
  return route.fulfill(isMessage ? { ...answered, body: moved(method.output, received, toFrozen) } : answered);
}

/** Time of the frozen page for a distance from the beginning of the test, ms; coarse, so that the speed of a run does not show. */
function freeze(distanceMs: number): number {
  if (Math.abs(distanceMs) < recentWithinMs) return frozenAtMs - recentMs;
  return frozenAtMs + Math.round(distanceMs / recentWithinMs) * recentWithinMs;
}

function moved(schema: DescMessage, bytes: Uint8Array, move: (ms: number) => number): Buffer {
  const message = create(schema, fromBinary(schema, bytes));
  moveTimes(message, move);
  return Buffer.from(toBinary(schema, message));
}

/** Moves every timestamp in a value, at any depth. */
function moveTimes(value: unknown, move: (ms: number) => number): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if ((value as Partial<Message>).$typeName === "google.protobuf.Timestamp") {
    const at = value as ReturnType<typeof timestampFromMs>;
    Object.assign(at, timestampFromMs(move(timestampDate(at).getTime())));
    return;
  }
  for (const inner of Object.values(value)) moveTimes(inner, move);
}
