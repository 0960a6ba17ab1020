import { mkdirSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { runNpm } from "../setup/install.mjs";
import { toolPath } from "../setup/paths.mjs";
import { runLogged } from "../setup/steps.mjs";

/** Folder of each workspace whose build is in a release, by the name of its package. */
export const builtWorkspaces = {
  dashboard: "shared/dashboard",
  docs: "docs",
  agent: "agent",
  cli: "shared/cli",
  aggregator: "aggregator",
};

/** Folder of each workspace of a release: the builds contain the sources of the first two. */
export const workspaces = { proto: "proto", shared: "shared", ...builtWorkspaces };

/**
 * Builds a commit in a new folder below the checkout: earlier builds and files that are in no commit have no influence.
 * Packages from the registry are found in the checkout's `node_modules`, because the folder is below it. Only the
 * workspaces `built` are built.
 */
export async function buildCommitIn({ root, commit, folder, built = Object.values(builtWorkspaces) }) {
  const own = join(folder, "node_modules/@realmwatch");
  mkdirSync(own, { recursive: true });
  for (const [name, path] of Object.entries(workspaces))
    symlinkSync(relative(own, join(folder, path)), join(own, name));
  const archive = join(folder, "../source.tar");
  const log = ".demo/release.log";
  await runLogged("git", ["-C", root, "archive", "--format=tar", `--output=${archive}`, commit.hash], { log });
  await runLogged("tar", ["--extract", `--file=${archive}`, `--directory=${folder}`], { log });
  const options = { log, cwd: folder, env: { PATH: toolPath }, hint: `The whole log is in ${log}.` };
  await runNpm(["run", "generate", "--workspace=proto"], options);
  const chosen = built.map((path) => `--workspace=${path}`);
  await runNpm(["run", "build", ...chosen], options);
}
