import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

type Program = "agent" | "aggregator" | "shared/cli";

const root = resolve(import.meta.dirname, "../../../..");
const bundler = join(root, "compose/setup/bundle.mjs");
/** Set by `npm test`, which has built all programs when its tests begin. */
let isBuilt = process.env["REALMWATCH_IS_BUILT"] !== undefined;

/**
 * Returns the words that run a built program. In a test file that is run by itself, builds the programs first that are
 * older than their sources; the lock is for files that run at the same time. A checkout in another folder is run as it
 * was built.
 */
export function builtProgram(program: Program, checkout = root): readonly string[] {
  if (!isBuilt && checkout === root)
    execFileSync("flock", [bundler, process.execPath, bundler, "--if-stale", "agent", "aggregator", "shared/cli"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  isBuilt ||= checkout === root;
  return [process.execPath, "--disable-warning=ExperimentalWarning", join(checkout, program, "dist/main.js")];
}
