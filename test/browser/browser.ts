import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import type { TestScope } from "../run/processes.ts";

/** Starts the system's Chromium, headless and without its own background requests. */
export async function openBrowser(owner: TestScope): Promise<Browser> {
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
    ],
  });
  owner.after(() => browser.close());
  return browser;
}

function chromiumPath(): string {
  const named = process.env["CHROMIUM"];
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "chromium"))
    .find((path) => existsSync(path));
  const path = named ?? found;
  if (path === undefined)
    throw new Error("chromium is not installed; `apt-get install chromium`, or name it in CHROMIUM");
  return path;
}

export type WatchedPage = {
  readonly page: Page;
  /** Problems of the page so far: console errors and warnings, thrown errors, blocked content, dialogs. */
  readonly errors: string[];
};

export type PageOptions = { readonly base: string; readonly scheme?: "light" | "dark"; readonly width?: number };

/** Opens a page in a profile of its own and collects its errors. */
export async function openPage(
  browser: Browser,
  { base, scheme = "light", width = 1280 }: PageOptions,
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: base, colorScheme: scheme, viewport: { width, height: 800 } });
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

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
};

/** Violations that axe-core finds on the current page, one line each. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await transitionsEnded(page);
  // Evaluated through the debugger, so the page's content security policy stays in force.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary ?? ""}`),
  );
}

/**
 * Waits until no transition runs. The colours between the old and the new ones have less contrast than both, for example
 * while a page changes to its dark colours.
 */
async function transitionsEnded(page: Page): Promise<void> {
  await page.evaluate(`Promise.allSettled(
    document.getAnimations().filter((animation) => animation instanceof CSSTransition).map(({ finished }) => finished),
  ).then(() => undefined)`);
}
