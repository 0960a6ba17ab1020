// `npm run release -- vX.Y.Z`: builds the packages of a release from the current commit, in `dist`. Plain JavaScript
// for Node.js 20.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../setup/debian.mjs";
import { installPackages } from "../setup/install.mjs";
import { root } from "../setup/paths.mjs";
import { makeOwnFolder, runStep, SetupError, stopSteps } from "../setup/steps.mjs";
import { architectures, installFor } from "./architectures.mjs";
import { buildCommitIn } from "./build-commit.mjs";
import { writePackages } from "./packages.mjs";
import { releaseCommit } from "./release-commit.mjs";
import { releaseOptions } from "./release-options.mjs";

/** Programs that a release is made with, by the Debian package that has them. */
const tools = { git: "git", tar: "tar", gzip: "gzip", "dpkg-deb": "dpkg" };

/** Names all that is missing at once, before anything is built. */
function checkTools() {
  const missing = Object.entries(tools).filter(([name]) => findProgram(name) === undefined);
  if (process.platform !== "linux" || !Object.values(architectures).includes(process.arch))
    throw new SetupError(
      `A release is built on Linux on x64 or arm64: this is ${process.platform} on ${process.arch}.`,
    );
  if (missing.length > 0)
    throw new SetupError(
      [`A release needs programs that this machine lacks:`]
        .concat(missing.map(([name, from]) => `  ${name}, of the package ${from}`))
        .join("\n"),
    );
}

async function release(words) {
  const { version, sign } = releaseOptions(words);
  checkTools();
  const commit = releaseCommit(root, version);
  makeOwnFolder();
  const work = join(root, ".demo/release");
  const target = join(root, "dist");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  console.log(`Release v${version} of commit ${commit.hash.slice(0, 12)}`);
  if (!commit.isTagged) console.log(`  no tag v${version} is at this commit: set it before you publish the files`);
  await installPackages();
  const built = join(work, "source");
  const steps = Object.keys(architectures).length + 2;
  await runStep(`Building the commit (1 of ${steps})`, () => buildCommitIn({ root, commit, folder: built }));
  const modules = {};
  for (const [at, arch] of Object.keys(architectures).entries()) {
    modules[arch] = join(work, arch);
    await runStep(`Installing packages for ${arch} (${at + 2} of ${steps})`, () =>
      installFor(arch, { built, folder: modules[arch] }),
    );
  }
  await runStep(`Packing (${steps} of ${steps})`, () =>
    writePackages({ built, modules, work, target, version, commit }),
  );
  rmSync(work, { recursive: true, force: true });
  if (sign !== undefined) signSums(target, sign);
  for (const file of readdirSync(target).sort()) console.log(`  ${join("dist", file)}`);
  if (sign === undefined) console.log("  not signed: -sign COMMAND signs SHA256SUMS");
}

/** Runs the command of `-sign` in the folder of the files, with SHA256SUMS as its last word. */
function signSums(target, command) {
  const done = spawnSync("sh", ["-c", `${command} SHA256SUMS`], { cwd: target, stdio: "inherit" });
  if (done.status !== 0)
    throw new SetupError(
      `The command of -sign ended with ${done.status ?? done.signal}: the files in dist are not signed.`,
    );
}

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
process.on("exit", stopSteps);
try {
  await release(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exitCode = 1;
}
