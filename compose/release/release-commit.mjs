import { spawnSync } from "node:child_process";
import { SetupError } from "../setup/steps.mjs";

/** Largest number of changed files that an error names. */
const namedFiles = 5;

/**
 * Commit of a release: its hash, its time in seconds since 1970, and whether it has the tag of the version. Throws a SetupError when the work tree has changes,
 * for a release has the content of a commit and no other, and when the tag of the version is at another commit.
 */
export function releaseCommit(checkout, version) {
  const hash = git(checkout, ["rev-parse", "--verify", "HEAD^{commit}"]);
  const changed = git(checkout, ["status", "--porcelain"]).split("\n").filter(Boolean);
  if (changed.length > 0) {
    const more = changed.length > namedFiles ? [`  and ${changed.length - namedFiles} more`] : [];
    throw new SetupError(
      ["The work tree has changes that are in no commit:", ...changed.slice(0, namedFiles).map((line) => `  ${line}`)]
        .concat(more, "A release is built from a commit: commit, stash or remove them first.")
        .join("\n"),
    );
  }
  const isTagged = checkTag(checkout, `v${version}`, hash);
  return { hash, epochSeconds: Number(git(checkout, ["show", "--no-patch", "--format=%ct", hash])), isTagged };
}

/** True when the tag is at the commit, false when there is no such tag. */
function checkTag(checkout, tag, hash) {
  if (git(checkout, ["tag", "--list", tag]) === "") return false;
  const tagged = git(checkout, ["rev-parse", "--verify", `refs/tags/${tag}^{commit}`]);
  if (tagged === hash) return true;
  throw new SetupError(
    `The tag ${tag} is at commit ${tagged.slice(0, 12)}, but ${hash.slice(0, 12)} is checked out: ` +
      `check out ${tag}, or release under another version.`,
  );
}

function git(checkout, args) {
  const { status, stdout, stderr, error } = spawnSync("git", ["-C", checkout, ...args], { encoding: "utf8" });
  if (error) throw new SetupError(`git cannot be run (${error.code}): a release is built from a commit.`);
  if (status !== 0)
    throw new SetupError(`A release is built from a commit of git, but in ${checkout} git says:\n${stderr.trim()}`);
  return stdout.trimEnd();
}
