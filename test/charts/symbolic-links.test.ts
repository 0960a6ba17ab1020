import assert from "node:assert/strict";
import { existsSync, globSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../architecture/sources.ts";

/** Target of a relative symbolic link, which is all that a file has that was a link once. */
const targetPattern = /^(\.\.\/)+[\w./-]+$/;

test("the symbolic links of the charts are links: a copy that does not keep them leaves files with their targets", () => {
  const paths = globSync("charts/**/*", { cwd: root }).filter((path) => !lstatSync(join(root, path)).isDirectory());
  const links = paths.filter((path) => lstatSync(join(root, path)).isSymbolicLink());
  assert.ok(links.length >= 17, `${links.length} links`);
  const lost = paths.filter(
    (path) => !links.includes(path) && targetPattern.test(readFileSync(join(root, path), "utf8").trim()),
  );
  assert.deepEqual(lost, []);
  assert.deepEqual(
    links.filter((path) => !existsSync(join(root, path))),
    [],
  );
});
