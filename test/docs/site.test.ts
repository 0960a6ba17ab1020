import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { before, test } from "node:test";
import { filesOf, root } from "../architecture/sources.ts";

const site = join(root, "docs/dist");
const html = new Map<string, string>();

before(() => {
  const names = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  for (const name of names) html.set(name, readFileSync(join(site, name), "utf8"));
});

/** Name of the file that a page of the checkout becomes. */
const builtFrom = (page: string): string =>
  page
    .slice("docs/".length)
    .replace(/README\.md$/, "index.md")
    .replace(/\.md$/, ".html");

/** Reason why a link of a page of the site is broken; empty when it is valid, and for a link to another site. */
function fault(page: string, href: string): string {
  if (/^[a-z]+:/.test(href)) return "";
  const [path = "", anchor = ""] = href.split("#");
  const named =
    path === "" ? page : decodeURI(posix.relative("/docs", posix.resolve("/docs", posix.dirname(page), path)));
  const folder = path.endsWith("/") ? posix.join(named, "index.html") : named;
  const file = [folder, `${folder}.html`].find((name) => name !== "" && existsSync(join(site, name)));
  if (file === undefined) return `${page}: ${href} does not exist`;
  const target = html.get(file);
  return anchor === "" || target === undefined || target.includes(`id="${decodeURIComponent(anchor)}"`)
    ? ""
    : `${page}: ${href} names no heading`;
}

test("[PT45] the site has every page of docs, and each of them stands in its navigation", () => {
  const index = html.get("index.html") ?? "";
  const pages = filesOf("docs/**/*.md").map(builtFrom);
  assert.deepEqual(
    pages.filter((page) => !html.has(page)),
    [],
  );
  const listed = (page: string): boolean => index.includes(`href="/docs/${page.replace(/index\.html$/, "")}"`);
  assert.deepEqual(
    pages.filter((page) => page !== "index.html" && !listed(page)),
    [],
  );
});

test("[PT45] every link of the site leads to a file and a heading that exist", () => {
  const broken = [...html].flatMap(([page, text]) =>
    [...text.matchAll(/<a[^>]* href="([^"]+)"/g)]
      .map(([, href = ""]) => fault(page, href.replaceAll("&amp;", "&")))
      .filter(Boolean),
  );
  assert.deepEqual([...new Set(broken)], []);
});

test("[PT45] the site has no code inside its pages, asks no other server, and brings the index of its search", () => {
  for (const [page, text] of html) {
    assert.doesNotMatch(text, /<script(?![^>]* src=)[^>]*>/, page);
    assert.doesNotMatch(text, /<(?:script|link|img)[^>]* (?:src|href)="(?:https?:)?\/\//, page);
    assert.doesNotMatch(text, /@import|url\(["']?https?:/, page);
  }
  assert.ok(readdirSync(join(site, "assets/chunks")).some((name) => name.startsWith("@localSearchIndex")));
});

test("[PT45] a rule names the tests that prove it", () => {
  assert.match(html.get("rules/states.html") ?? "", /ST2.*?Test: agent\/src\/engine\/state\/attempts\.test\.ts/s);
});
