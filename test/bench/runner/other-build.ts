import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUpAtExit } from "@realmwatch/shared/platform/process/exit-cleanups";
import { root } from "../../architecture/sources.ts";

/**
 * Builds a revision in a temporary folder. It gets the benchmarks of this checkout, so that both builds are measured in
 * the same way; a benchmark that needs what the revision does not have fails there.
 *
 * @returns the folder, which is removed when this process exits
 */
export function buildRevision(revision: string): string {
  const parent = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  const folder = join(parent, "checkout");
  const git = (...words: string[]): void => void execFileSync("git", words, { cwd: root, stdio: "inherit" });
  cleanUpAtExit(() => {
    rmSync(parent, { recursive: true, force: true });
    git("worktree", "prune");
  });
  git("worktree", "add", "--quiet", "--detach", folder, revision);
  const isSameLock = execFileSync("git", ["diff", "--name-only", revision, "--", "package-lock.json"], { cwd: root });
  if (isSameLock.length === 0) copyPackages(folder);
  else execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
  execFileSync("npm", ["run", "build"], { cwd: folder, stdio: "inherit" });
  rmSync(join(folder, "test/bench"), { recursive: true });
  cpSync(join(root, "test/bench"), join(folder, "test/bench"), { recursive: true });
  return folder;
}

/** Copies the installed packages of this checkout as hard links: links between workspaces are relative. */
function copyPackages(folder: string): void {
  const found = execFileSync("find", [".", "-name", "node_modules", "-prune"], { cwd: root, encoding: "utf8" });
  for (const path of found.split("\n").filter(Boolean))
    execFileSync("cp", ["-al", join(root, path), join(folder, path)]);
}
