import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const linkLine = /^- \[(.+?)\]\(((?!\.\.\/|https?:)[^)#]+\.md)\)/;

/**
 * Sections of the site with their pages, in the order in which `docs/README.md` lists them. The pages of a folder that
 * has a README stand below it.
 */
export function readSections(docs) {
  const sections = [];
  for (const line of readFileSync(join(docs, "README.md"), "utf8").split("\n")) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ title: heading, pages: [] });
    const [, text, page] = linkLine.exec(line) ?? [];
    if (page !== undefined) sections.at(-1)?.pages.push({ ...entryOf(page, text), ...pagesBelow(docs, page) });
  }
  return sections.filter(({ pages }) => pages.length > 0);
}

const entryOf = (page, text) => ({
  text: text.replaceAll("`", ""),
  link: `/${page.replace(/README\.md$/, "").replace(/\.md$/, "")}`,
});

function pagesBelow(docs, page) {
  if (!page.endsWith("/README.md")) return {};
  const folder = dirname(page);
  const pages = readdirSync(join(docs, folder)).filter((name) => name.endsWith(".md") && name !== "README.md");
  return {
    collapsed: true,
    items: pages.map((name) => entryOf(`${folder}/${name}`, titleOf(join(docs, folder, name)))),
  };
}

const titleOf = (file) => /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? "";
