import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Owner } from "../run/processes.ts";

/** Starts the system's Chromium, without a window and without anything that it would fetch by itself. */
export async function openBrowser(owner: Owner): Promise<Browser> {
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
  /** What the page complained of so far: errors and warnings of its console, thrown errors, refused content. */
  readonly complaints: string[];
};

export type PageWish = { readonly base: string; readonly scheme?: "light" | "dark"; readonly width?: number };

/** A page in a profile of its own. Whatever it complains of is kept for the test to look at. */
export async function openPage(
  browser: Browser,
  { base, scheme = "light", width = 1280 }: PageWish,
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: base, colorScheme: scheme, viewport: { width, height: 800 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`thrown: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  // A dialog can only come from script that got in through data.
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, complaints };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
};

/** What axe-core finds wrong with the page as it is now, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger, so the page's own policy stays in force for everything else.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary ?? ""}`),
  );
}
