import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

const inlineScript = /<script(?: id="[\w-]+")?>(.*?)<\/script>/gs;

/** Moves the generator's inline scripts into files, because the programs' port allows no code inside a page. */
export function collectScripts() {
  const files = new Map();
  return {
    extract: (html, base) =>
      html.replace(inlineScript, (_, code) => {
        const name = `assets/early-${createHash("sha256").update(code).digest("hex").slice(0, 8)}.js`;
        files.set(name, code);
        return `<script src="${base}${name}"></script>`;
      }),
    async write(outDir) {
      for (const [name, code] of files) await writeFile(join(outDir, name), code);
    },
  };
}
