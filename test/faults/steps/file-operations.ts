import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../architecture/sources.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-file-operations-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
execFileSync(process.execPath, [
  ...[join(root, "compose/setup/bundle.mjs"), "--module"],
  ...["test/faults/steps/file-operations.child.ts", folder],
]);

/** Program that does the file operations: a bundle, because under strace a start from sources takes half more processor time. */
export const fileOperations = join(folder, "main.js");
