import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildCommitIn } from "../../compose/release/build-commit.mjs";
import { root } from "../architecture/sources.ts";

const git = (...words: string[]) => spawnSync("git", ["-C", root, ...words], { encoding: "utf8" });
const found = git("rev-parse", "--verify", `${process.env["UPGRADE_FROM"] ?? "HEAD~1"}^{commit}`);

/** Commit to upgrade from: by default the one before. UPGRADE_FROM names another one. */
export const previous = {
  name: found.stdout.slice(0, 12),
  skip: found.status !== 0 && "the checkout has no commit before this one: clone it with its history",
};

/** Builds programs of the commit to upgrade from. Returns the folder of its checkout, which `removeBuild` removes. */
export async function buildPrevious(built: readonly ("agent" | "aggregator")[]): Promise<string> {
  mkdirSync(join(root, ".demo"), { recursive: true });
  const folder = join(mkdtempSync(join(root, ".demo/upgrade-")), "source");
  await buildCommitIn({ root, commit: { hash: found.stdout.trim() }, folder, built });
  const dashboard = join(folder, "shared/dashboard/dist");
  mkdirSync(dashboard, { recursive: true });
  writeFileSync(join(dashboard, "index.html"), "<!doctype html>");
  return folder;
}

export function removeBuild(folder: string): void {
  if (folder !== "") rmSync(dirname(folder), { recursive: true, force: true });
}
