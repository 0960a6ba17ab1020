import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isScalar, type Pair, parseDocument } from "yaml";
import { root } from "../architecture/sources.ts";

/** One value of a chart. */
type ValueRow = { readonly path: string; readonly fallback: string; readonly meaning: string };

const begin = "<!-- values: made from values.yaml -->";

/** README of a chart, with the table of its values made from values.yaml. */
export function chartReadme(chart: string): string {
  const folder = join(root, "charts", chart);
  const written = readFileSync(join(folder, "README.md"), "utf8");
  const head = written.slice(0, written.indexOf(begin) + begin.length);
  const document = parseDocument(readFileSync(join(folder, "values.yaml"), "utf8"));
  if (!isMap(document.contents)) throw new Error(`${chart}: values.yaml has no values`);
  const rows = rowsOf(document.contents.items as Pair[], "");
  const lines = rows.map(({ path, fallback, meaning }) => `| \`${path}\` | ${fallback} | ${meaning} |`);
  return `${head}\n\n| value | default | meaning |\n|---|---|---|\n${lines.join("\n")}\n`;
}

function rowsOf(pairs: readonly Pair[], prefix: string, inherited = ""): readonly ValueRow[] {
  return pairs.flatMap((pair, at) => {
    const { key, value } = pair as {
      readonly key: { readonly value: string; commentBefore?: string };
      readonly value: unknown;
    };
    const own = commentOf(key.commentBefore) || (at === 0 ? inherited : "");
    const path = `${prefix}${key.value}`;
    if (isMap(value) && !value.flow && value.items.length > 0)
      return rowsOf(value.items as Pair[], `${path}.`, commentOf(value.commentBefore) || own);
    return [{ path, fallback: defaultOf(value), meaning: own }];
  });
}

const commentOf = (comment: string | null | undefined): string =>
  ((comment ?? "").split(/\n\s*\n/).at(-1) ?? "")
    .replaceAll(/^ /gm, "")
    .replaceAll("\n", " ")
    .replaceAll("|", "\\|")
    .trim();

function defaultOf(value: unknown): string {
  const json = isScalar(value) ? value.value : (value as { toJSON(): unknown }).toJSON();
  if (json === "") return "empty";
  return `\`${(typeof json === "string" ? json.trimEnd() : JSON.stringify(json)).replaceAll("|", "\\|")}\``;
}
