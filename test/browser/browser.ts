import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { call } from "../run/call.ts";
import type { TestProgram } from "../run/processes.ts";
import { statusRows } from "../run/rows.ts";

/** Starts the system's headless Chromium, without its own background requests. */
export async function openBrowser(scope: TestScope): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // Most pages are open for seconds: what V8 spends on optimised code and on threads for garbage does not pay there.
      "--js-flags=--no-turbofan --no-maglev --single-threaded-gc",
    ],
  });
  atEnd(scope, async () => {
    const pages = browser.contexts().flatMap((context) => context.pages());
    // The handler of a request that is under way rejects when its page closes.
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
    await browser.close();
  });
  return browser;
}

/** Shell of Chromium without windows: a page costs an eighth of the processor time of one in a whole Chromium. */
const shell = "chromium-headless-shell";

function chromiumPath(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const path = process.env["CHROMIUM"] ?? folders.map((folder) => join(folder, shell)).find((file) => existsSync(file));
  if (path === undefined)
    throw new Error(`${shell} is not installed; \`apt-get install ${shell}\`, or name a Chromium in CHROMIUM`);
  return path;
}

type WatchedPage = {
  readonly page: Page;
  /** Problems of the page so far: console errors and warnings, thrown errors, blocked content, dialogs. */
  readonly errors: string[];
};

type PageOptions = { readonly base: string; readonly scheme?: "light" | "dark"; readonly width?: number };

/** Bound that turns a hang into a failure, ms; not a requirement on speed. */
const hangMs = 60_000;

/** Opens a page in a profile of its own, which is the same on every machine, and collects its errors. */
export async function openPage(
  browser: Browser,
  { base, scheme = "light", width = 1280 }: PageOptions,
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: base,
    colorScheme: scheme,
    viewport: { width, height: 800 },
    locale: "en-GB",
    timezoneId: "UTC",
    // The colours between two others have less contrast than both, and what is measured would be in motion.
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(hangMs);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(`console: ${message.text()}`);
  });
  // The dashboard opens no native dialog, so one can only come from a script injected through data.
  page.on("dialog", (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, errors };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Without what takes most of its time: the description of what is right, and a download of style sheets for rules that are off. */
const runAxe = `axe.run({
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  rules: {"label-content-name-mismatch": {enabled: true}},
  resultTypes: ["violations"], preload: false,
}).then(({violations}) => violations)`;

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
};

/** Violations of WCAG 2.2 AA and of best practices that axe-core finds on the current page, one line each. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, so the page's content security policy stays in force.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const violations = await page.evaluate<Violation[]>(runAxe);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary ?? ""}`),
  );
}

/** Has the pages of a context look as if the warnings about their server had been hidden, of which pictures are not. */
export async function hideStartWarnings(context: BrowserContext, base: string, token?: string): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { warnings = [] } = (await call(base, "QueryService/GetServerInfo", {}, headers)).body;
  const hidden = JSON.stringify((warnings as readonly string[]).join("\n"));
  await context.addInitScript(`sessionStorage.setItem("realmwatch.hidden-warnings", ${hidden})`);
}

/**
 * Waits until the page has the identity of the server. Before that it refuses commands, has no keys for the pages of an
 * aggregator, and names no realm in its title.
 */
export const serverKnown = (page: Page): Promise<true> =>
  until("the title names the server", async () => / – (?!Realmwatch$)/.test(await page.title()));

/** Waits until the dialog, or a control in it, has the focus: keys that are pressed before do not reach it. */
export async function focusIn(dialog: Locator): Promise<void> {
  await until("the dialog has the focus", () =>
    dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement)),
  );
}

/** Presses keys one right after the other, as a sequence such as `g h` needs. */
export async function pressSequence(page: Page, ...keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/**
 * Checks that a command for eight objects of two realms failed for the four of a killed agent, starts that agent again,
 * and repeats the command for them.
 */
export async function retryOnReturn(dialog: Locator, realm: string, agent: TestProgram | undefined): Promise<void> {
  await dialog.getByText("4 of 8 not accepted").waitFor();
  await dialog
    .getByRole("listitem")
    .filter({ hasText: new RegExp(`^${realm}: 4 objects: \\w+`) })
    .waitFor();
  await agent?.restart();
  await until("the realm answers", async () => (await statusRows(agent?.base ?? "")) !== undefined);
  await dialog.getByRole("button", { name: "Retry 4" }).click();
  await dialog.waitFor({ state: "detached" });
}
