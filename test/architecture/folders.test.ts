import assert from "node:assert/strict";
import { posix } from "node:path";
import { test } from "node:test";
import { allSources } from "./sources.ts";

/** Number of source files, tests included, above which a folder is split by subject. */
const maxFiles = 25;

test("no folder of code holds more than 25 files", () => {
  const folders = Map.groupBy(allSources(), (file) => posix.dirname(file));
  const crowded = [...folders].filter(([, files]) => files.length > maxFiles);
  assert.deepEqual(
    crowded.map(([folder, files]) => `${folder}: ${files.length} files`),
    [],
  );
});
