import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes version and commit into the module of a program that has them. */
export function stampVersion(file, version, commit) {
  const text = readFileSync(file, "utf8");
  let stamped = text;
  for (const [name, value] of Object.entries({ version, buildCommit: commit })) {
    const line = new RegExp(`^const ${name} = ".*";$`, "m");
    if (!line.test(stamped)) throw new Error(`${file} does not declare ${name}`);
    stamped = stamped.replace(line, `const ${name} = "${value}";`);
  }
  if (stamped !== text) writeFileSync(file, stamped);
}

/**
 * Hash of the commit that is checked out in a folder, with `-dirty` when tracked files have changes. `unknown` without git,
 * and in a folder that is not the top of a checkout: the context of an image, an archive, a release's build.
 */
export function checkoutCommit(folder) {
  if (!existsSync(join(folder, ".git"))) return "unknown";
  // Without the lock for a refreshed index, a `git commit` at the same time does not fail.
  const args = ["--no-optional-locks", "-C", folder, "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"];
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
}
