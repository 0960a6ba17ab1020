import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { filesOf, read, root } from "./sources.ts";

const pages = filesOf("{*.md,docs/**/*.md,charts/**/*.md,compose/**/*.md}");

/** Anchor of a heading, as GitHub and GitLab generate it. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll("`", "")
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const anchorsOf = (page: string): string[] =>
  [...withoutCode(read(page).text).matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] as string));

const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, "");

/** Reason why a link is broken; empty when it is valid. Links to other sites are not checked. */
function fault(page: string, link: string): string {
  if (/^[a-z]+:/.test(link)) return "";
  const [path = "", anchor = ""] = link.split("#");
  const target = path === "" ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(join(root, target))) return `${page}: ${link} does not exist`;
  const isKnown = anchor === "" || !target.endsWith(".md") || anchorsOf(target).includes(anchor);
  return isKnown ? "" : `${page}: ${link} names no heading`;
}

test("every link within the documentation is valid", () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(read(page).text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => fault(page, match[1] as string))
      .filter(Boolean),
  );
  assert.deepEqual(broken, []);
});

test("every page of docs is reached from README.md", () => {
  const reached = new Set<string>();
  const follow = (page: string): void => {
    if (reached.has(page) || !page.endsWith(".md") || !existsSync(join(root, page))) return;
    reached.add(page);
    for (const [, link] of withoutCode(read(page).text).matchAll(/\]\(([^)#\s]+)/g))
      if (!/^[a-z]+:/.test(link as string)) follow(posix.join(posix.dirname(page), link as string));
  };
  follow("README.md");
  assert.deepEqual(
    pages.filter((page) => page.startsWith("docs/") && !reached.has(page)),
    [],
  );
});
