// `npm run release -- vX.Y.Z`: builds the packages of a release from the current commit, in `dist`. Plain JavaScript
// for Node.js 20.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "../setup/install.mjs";
import { root } from "../setup/paths.mjs";
import { makeOwnFolder, runStep, SetupError, stopSteps } from "../setup/steps.mjs";
import { buildCommitIn } from "./build-commit.mjs";
import { writePackages } from "./packages.mjs";
import { releaseCommit } from "./release-commit.mjs";

const usage = "Usage: npm run release -- vX.Y.Z   (three numbers without leading zeros, such as v1.4.0)";

/** Version without its `v`. Throws a SetupError when the arguments are not exactly one version. */
function versionOf(words) {
  if (words.length !== 1) throw new SetupError(usage);
  const found = /^v((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))$/.exec(words[0]);
  if (found === null) throw new SetupError(`${words[0]} is not a version of a release.\n${usage}`);
  return found[1];
}

async function release(words) {
  const version = versionOf(words);
  const commit = releaseCommit(root, version);
  makeOwnFolder();
  const work = join(root, ".demo/release");
  const target = join(root, "dist");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  console.log(`Release v${version} of commit ${commit.hash.slice(0, 12)}`);
  await installPackages();
  const built = join(work, "source");
  await runStep("Building the commit", () => buildCommitIn({ root, commit, folder: built }));
  const files = await runStep("Packing", () => writePackages({ built, modules: root, work, target, version, commit }));
  rmSync(work, { recursive: true, force: true });
  for (const file of files) console.log(`  ${join("dist", file)}`);
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
process.on("exit", stopSteps);
try {
  await release(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exitCode = 1;
}
