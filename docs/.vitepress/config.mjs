// Site of the documentation: `npm run docs` writes it to `docs/dist`, which the programs serve below `/docs/`.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { collectScripts } from "./inline-scripts.mjs";
import { linkCheckout } from "./markdown/checkout-links.mjs";
import { drawDiagrams } from "./markdown/diagrams.mjs";
import { keepBraces } from "./markdown/literal-code.mjs";
import { nameProofs } from "./markdown/proofs.mjs";
import { collectPackages } from "./packages.mjs";
import { readSections } from "./sections.mjs";

const docs = fileURLToPath(new URL("..", import.meta.url));
const outDir = `${docs}dist`;
const sections = readSections(docs);
const scripts = collectScripts();
const packages = collectPackages();
const links = linkCheckout(docs);

/** Anchor of a heading, as forges generate it: the pages' links are right there and here. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

export default defineConfig({
  title: "Realmwatch",
  description: "Monitoring for many sites.",
  base: "/docs/",
  outDir,
  cacheDir: `${docs}dist/.cache`,
  // Pages lead to each other as files of the checkout do; a dead link fails the build.
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, "$1index.md"),
  metaChunk: true,
  markdown: {
    anchor: { slugify: anchorOf },
    config(markdown) {
      keepBraces(markdown);
      drawDiagrams(markdown);
      nameProofs(markdown, docs);
      links.rewrite(markdown);
    },
  },
  themeConfig: {
    nav: sections.map(({ title, pages }) => ({ text: title, link: pages[0].link })),
    sidebar: sections.map(({ title, pages }) => ({ text: title, items: pages })),
    outline: [2, 3],
    search: { provider: "local" },
  },
  transformHtml: (html) => scripts.extract(html, "/docs/"),
  vite: { plugins: [packages.plugin] },
  async buildEnd() {
    await packages.write(outDir);
    await scripts.write(outDir);
    await links.copy(outDir);
  },
});
