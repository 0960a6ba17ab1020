import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { Browser, Page } from "playwright-core";
import { startNats, startTestAgent, startTestAggregator, type TestProgram, tempFolder } from "../../run/processes.ts";
import { realmStates, statusRows } from "../../run/rows.ts";
import { openBrowser } from "../browser.ts";
import { breakDisk, oneDisk } from "../documents.ts";
import { comparePicture } from "./compare-pictures.ts";
import { openFrozenPage } from "./frozen-page.ts";
import { pictureDocument, preparePictures } from "./picture-document.ts";

const token = "the-token-of-ann-in-the-pictures";
const headers = { authorization: `Bearer ${token}` };

const scope = fileScope();
const startedAtMs = Date.now();
let agent: TestProgram;
let centre: TestProgram;
let browser: Browser;
/** Pages of the agent and of the aggregator. */
let page: Page;
let centrePage: Page;

before(async () => {
  const folder = tempFolder(scope, "pictures");
  const [auth, secret] = [join(folder, "auth.cue"), join(folder, "secret")];
  const hash = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "sha256:${hash}"}\n`);
  writeFileSync(secret, "a session secret of more than 32 bytes");
  const nats = await startNats(scope);
  const flags = { "auth-config": auth, "session-secret-file": secret, "nats-url": nats.url };
  agent = await startTestAgent(scope, { config: pictureDocument, realm: "fra", flags });
  const dub = await startTestAgent(scope, { config: oneDisk, realm: "dub", flags: { "nats-url": nats.url } });
  await breakDisk(dub.base);
  const realm = (name: string, { base }: TestProgram, description: string, unreachableAfter: string): string =>
    `realms: ${name}: {url: "${base}", description: "${description}", unreachable_after: "${unreachableAfter}"}\n`;
  // Only dub is ever to be unreachable, also on a machine on which seconds pass between two heartbeats.
  const realms = `${realm("fra", agent, "Frankfurt", "10m")}${realm("dub", dub, "Dublin", "6s")}`;
  centre = await startTestAggregator(scope, { realms, flags: { "nats-url": nats.url } });
  browser = await openBrowser(scope);
  page = await openFrozenPage(browser, { base: agent.base, startedAtMs, token });
  centrePage = await openFrozenPage(browser, { base: centre.base, startedAtMs });
  await preparePictures(agent.base, headers);
  await until("the downtime is in effect", async () => {
    const row = (await statusRows(agent.base, {}, headers))["db2!disk"];
    return row?.inDowntime === true && row.handled;
  });
  await until("the aggregator has the rows of both realms", async () => {
    const rows = await statusRows(centre.base);
    return rows["fra/db2!disk"]?.inDowntime === true && rows["dub/web1!disk"]?.status === "STATUS_CRITICAL";
  });
  // A realm that is gone before its first heartbeat arrives is unknown, not unreachable.
  await until("dub is reachable", async () => (await realmStates(centre.base))["dub"]?.reachable === true);
  await dub.stop("SIGKILL");
  await until("dub is unreachable", async () => (await realmStates(centre.base))["dub"]?.reachable === false);
});

/** Names of pictures, the addresses of their pages, and the heading of each. */
const pages: readonly (readonly [name: string, path: string, heading: string | RegExp])[] = [
  ["problems", "/", "Problems"],
  ["problems-handled-by-host", "/?handled=1&group=host", "Problems"],
  ["problems-none-match", "/?q=nothing-like-this", "Problems"],
  ["overview", "/overview", "Overview"],
  ["objects", "/objects", "All objects"],
  ["overdue-empty", "/overdue", "Overdue"],
  ["muted", "/muted", "Muted"],
  ["processes", "/processes", "Processes"],
  ["views", "/views", "Views"],
  ["view", "/views/Shop", "Shop"],
  ["slos", "/slos", "Service levels"],
  ["history", "/history", "History"],
  ["contacts", "/contacts", "Contacts"],
  ["configuration", "/config", "Configuration"],
  ["audit", "/audit", "Audit"],
  ["service", "/o/-/db1/disk", "disk"],
  ["host", "/o/-/web1", "web1"],
  ["process", "/o/-/process:shop", /shop/i],
  ["object-not-found", "/o/-/nowhere", "Object not found"],
];

const walls = [
  ["wall", "/?wall=1", "Problems"],
  ["wall-overview", "/overview?wall=1", "Overview"],
] as const;

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

type Look = "light" | "dark" | "phone";

/** Compares the page in each look. */
async function compareLooks(
  page: Page,
  name: string,
  looks: readonly Look[] = ["light", "dark", "phone"],
): Promise<void> {
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light" });
    await page.setViewportSize(look === "phone" ? phone : desktop);
    await comparePicture(page, `${name}-${look}`);
  }
  await page.setViewportSize(desktop);
}

async function openPath(page: Page, path: string, heading: string | RegExp): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { name: heading }).first().waitFor();
  for (const text of [/^Loading/, /^Validating/]) await page.getByText(text).first().waitFor({ state: "detached" });
}

for (const [name, path, heading] of pages)
  test(`the page ${name} of an agent looks as its reference, in light, in dark and on a phone`, async () => {
    await openPath(page, path, heading);
    if (name === "configuration") await page.getByText("Valid", { exact: true }).waitFor();
    await compareLooks(page, name);
  });

for (const [name, path, heading] of walls)
  test(`the page ${name} looks as its reference`, async () => {
    await openPath(page, path, heading);
    await compareLooks(page, name, ["dark"]);
  });

for (const [name, key, title] of [
  ["acknowledge", "a", "Acknowledge problem"],
  ["downtime", "d", "Schedule downtime"],
  ["comment", "c", "Add comment"],
  ["palette", "Control+k", "Find an object, a page or an action"],
  ["shortcuts", "?", "Keyboard shortcuts"],
] as const)
  test(`the dialog ${name} looks as its reference`, async () => {
    await openPath(page, "/o/-/db1/disk", "disk");
    await page.getByRole("button", { name: "Acknowledge", exact: true, disabled: false }).waitFor();
    await page.keyboard.press(key);
    await page.getByRole("dialog", { name: title }).waitFor();
    await compareLooks(page, name, ["dark", "phone"]);
  });

for (const [name, path, heading] of [
  ["centre-problems", "/", "Problems"],
  ["centre-overview", "/overview", "Overview"],
  ["realms", "/realms", "Realms"],
] as const)
  test(`the page ${name} of an aggregator with an unreachable realm looks as its reference`, async () => {
    await openPath(centrePage, path, heading);
    let banners = "";
    const showsBanner = async (): Promise<boolean> => {
      banners = (await centrePage.locator(".banners").textContent()) ?? "";
      return centrePage.locator(".banner.is-unreachable").isVisible();
    };
    await until(`${name} has the banner of dub`, showsBanner, { withinMs: 60_000, seen: () => banners });
    await compareLooks(centrePage, name);
  });

test("the login looks as its reference", async () => {
  const stranger = await openFrozenPage(browser, { base: agent.base, startedAtMs });
  await openPath(stranger, "/login", /Sign in/);
  await compareLooks(stranger, "login");
});
