// Takes the pictures of docs/pictures from a running demo, in light and dark. Run `npm start`, wait for two minutes until
// the demo has shown all of its problems, then run this with the three values that it has printed:
// node test/run/write-pictures.ts http://127.0.0.1:8080 http://127.0.0.1:8081 ADMIN_TOKEN

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import type { Browser, Page } from "playwright-core";
import { root } from "../architecture/sources.ts";
import { hideStartWarnings, openBrowser } from "../browser/browser.ts";

const folder = join(root, "docs/pictures");

type Picture = {
  readonly name: string;
  readonly path: string;
  /** Keys to press once the page is there, such as that of a dialog. */
  readonly keys?: readonly string[];
  readonly size?: "phone" | "wall";
};

/** Pictures of the aggregator's dashboard. */
const ofCentre: readonly Picture[] = [
  { name: "problems", path: "/?handled=1" },
  { name: "overview", path: "/overview" },
  { name: "objects", path: "/objects" },
  { name: "overdue", path: "/overdue" },
  { name: "muted", path: "/muted" },
  { name: "downtimes", path: "/downtimes" },
  { name: "processes", path: "/processes" },
  { name: "views", path: "/views" },
  { name: "view", path: "/views/Shop" },
  { name: "service-levels", path: "/slos" },
  { name: "history", path: "/history" },
  { name: "realms", path: "/realms" },
  { name: "contacts", path: "/contacts" },
  { name: "service", path: "/o/fra/web-1/http" },
  { name: "host", path: "/o/fra/web-2" },
  { name: "process", path: "/o/fra/process:shop" },
  { name: "downtime-dialog", path: "/o/fra/web-2", keys: ["d"] },
  { name: "palette", path: "/", keys: ["Control+k"] },
  { name: "shortcuts", path: "/", keys: ["?"] },
  { name: "wall", path: "/overview?wall=1", size: "wall" },
  { name: "phone-problems", path: "/?handled=1", size: "phone" },
  { name: "phone-service", path: "/o/fra/web-1/http", size: "phone" },
];

/** Pictures of the dashboard of one agent, for administrators. */
const ofAgent: readonly Picture[] = [
  { name: "configuration", path: "/config" },
  { name: "audit", path: "/audit" },
];

/** Pictures of the dashboard of one agent, for browsers that are not signed in. */
const ofVisitor: readonly Picture[] = [{ name: "login", path: "/login" }];

const sizes = {
  page: { width: 1400, height: 900 },
  phone: { width: 390, height: 844 },
  wall: { width: 1920, height: 1080 },
} as const;

async function writePictures(browser: Browser, base: string, pictures: readonly Picture[], token?: string) {
  const context = await browser.newContext({ baseURL: base, reducedMotion: "reduce" });
  if (token !== undefined)
    await context.addInitScript(`sessionStorage.setItem("realmwatch.token", ${JSON.stringify(token)})`);
  await hideStartWarnings(context, base, token);
  const page = await context.newPage();
  for (const picture of pictures) await writeLooks(page, picture);
  await context.close();
}

async function writeLooks(page: Page, { name, path, keys = [], size }: Picture): Promise<void> {
  await page.setViewportSize(sizes[size ?? "page"]);
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page
    .getByText(/^(Loading|Validating)/)
    .first()
    .waitFor({ state: "detached" });
  // The panels of an object load one after the other.
  await page.waitForLoadState("networkidle", { timeout: 2_500 }).catch(() => undefined);
  for (const key of keys) await page.keyboard.press(key);
  if (keys.length > 0) await page.getByRole("dialog").waitFor();
  // A wall is dark by itself.
  for (const colorScheme of size === "wall" ? (["dark"] as const) : (["light", "dark"] as const)) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
    writeFileSync(join(folder, `${name}-${colorScheme}.webp`), Buffer.from(data, "base64"));
  }
}

const [centre, agent, token] = process.argv.slice(2);
if (centre === undefined || agent === undefined || token === undefined)
  throw new TypeError(
    "Want three words: URL of the aggregator, URL of an agent, token of an administrator of the agent",
  );
mkdirSync(folder, { recursive: true });
await using scope = openScope();
const browser = await openBrowser(scope);
await writePictures(browser, centre, ofCentre);
await writePictures(browser, agent, ofAgent, token);
await writePictures(browser, agent, ofVisitor);
