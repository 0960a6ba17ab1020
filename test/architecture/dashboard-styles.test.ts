import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { filesOf, isTest, read, root, withoutComments } from "./sources.ts";

const folder = "shared/dashboard/src";
const start = `${folder}/main.tsx`;
const sources = filesOf(`${folder}/**/*.{ts,tsx,css}`).filter((file) => !isTest(file));
const textOf = new Map(sources.map((file) => [file, withoutComments(read(file).text)]));

/** Files of the dashboard that a file names by `way`, an expression whose first group is the path. */
const named = (file: string, way: RegExp): string[] =>
  [...(textOf.get(file) ?? "").matchAll(way)]
    .map(([, path = ""]) => posix.join(posix.dirname(file), path))
    .filter((target) => existsSync(join(root, target)));

/** Files that are loaded together with `file`: itself and all that it imports, without `import()`. */
function loadedWith(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!file.endsWith(".css"))
    for (const target of named(file, /(?:\bfrom|^import)\s+"(\.[^"]+)"/gm)) loadedWith(target, found);
  return found;
}

const classesOf = (file: string, way: RegExp): string[] =>
  [...(textOf.get(file) ?? "").matchAll(way)].flatMap(([, names = ""]) => names.split(/\s+/)).filter(Boolean);

const declared = new Map(
  sources.filter((file) => file.endsWith(".css")).map((file) => [file, new Set(classesOf(file, /\.([a-z][\w-]*)/g))]),
);

const atStart = loadedWith(start);
const loadedLater = sources.flatMap((file) => named(file, /\bimport\(\s*"(\.[^"]+)"/g));

test("each part of the dashboard that is loaded later imports the styles of the classes that it uses", () => {
  assert.ok(loadedLater.length > 10, `only ${loadedLater.length} parts were found`);
  const missing = loadedLater.flatMap((part) => {
    const own = loadedWith(part);
    const styles = [...declared].filter(([file]) => atStart.has(file) || own.has(file));
    const isStyled = (name: string): boolean => styles.some(([, names]) => names.has(name));
    const isKnown = (name: string): boolean => [...declared.values()].some((names) => names.has(name));
    return [...own]
      .filter((file) => file.endsWith(".tsx") && (!atStart.has(file) || file === part))
      .flatMap((file) =>
        classesOf(file, /className="([^"]*)"/g)
          .filter((name) => isKnown(name) && !isStyled(name))
          .map((name) => `${file}, loaded by ${part}: ${name}`),
      );
  });
  assert.deepEqual(missing, []);
});
