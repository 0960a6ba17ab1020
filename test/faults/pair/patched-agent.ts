import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { root } from "../../architecture/sources.ts";

/**
 * Copies the built agent with other constants. Each pattern must match exactly once in all files.
 *
 * @returns folder of the copy, as a checkout for `startTestAgent`
 */
export function patchedAgent(scope: TestScope, ...changes: readonly (readonly [from: RegExp, to: string])[]): string {
  builtProgram("agent");
  mkdirSync(join(root, ".demo"), { recursive: true });
  const checkout = mkdtempSync(join(root, ".demo/patched-"));
  atEnd(scope, () => rmSync(checkout, { recursive: true, force: true }));
  const dist = join(checkout, "agent/dist");
  cpSync(join(root, "agent/dist"), dist, { recursive: true });
  const scripts = readdirSync(dist).filter((name) => name.endsWith(".js"));
  for (const [from, to] of changes) {
    const found = scripts.filter((name) => from.test(readFileSync(join(dist, name), "utf8")));
    const [only = ""] = found;
    if (found.length !== 1) throw new Error(`${from} matches in ${found.length} files: ${found.join(", ")}`);
    const path = join(dist, only);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  }
  return checkout;
}
