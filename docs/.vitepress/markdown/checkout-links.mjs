import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";

const isElsewhere = (href) => /^([a-z]+:|\/|#)/.test(href);

/**
 * Makes links between files of the checkout to links of the site. The README of a folder is its index. Files that are no
 * pages, such as those outside `docs` and examples, are copied below `files/`, because the site is also read where the
 * checkout is not.
 */
export function linkCheckout(docs) {
  const files = new Set();
  const siteLink = (href, page) => {
    const path = normalize(join("docs", dirname(page), href.replace(/#.*$/, "")));
    if (path.startsWith("docs/") && path.endsWith(".md")) return href.replace(/README\.md(?=$|#)/, "index.md");
    files.add(path);
    return `/docs/files/${path}.txt`;
  };
  return {
    rewrite(markdown) {
      markdown.core.ruler.push("checkout_links", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === "link_open" ? token.attrGet("href") : null;
          if (href === null || isElsewhere(href)) continue;
          const link = siteLink(href, env.relativePath);
          token.attrSet("href", link);
          // A copied file is not for the site's router, which knows only pages.
          if (link.startsWith("/docs/files/")) token.attrSet("target", "_self");
        }
      });
    },
    async copy(outDir) {
      for (const file of files) {
        const target = join(outDir, "files", `${file}.txt`);
        await mkdir(dirname(target), { recursive: true });
        await copyFile(join(docs, "..", file), target);
      }
    },
  };
}
