import { chmodSync, lstatSync, lutimesSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { runLogged } from "../setup/steps.mjs";

/** Gives all files below a folder the modes 0644 or 0755, whatever the umask, and one time. `modes` has exceptions by path. */
export function normalizeFiles(folder, epochSeconds, modes = {}) {
  const normalize = (path) => {
    const stat = lstatSync(path);
    if (stat.isDirectory()) for (const name of readdirSync(path)) normalize(join(path, name));
    const isExecutable = stat.isDirectory() || (stat.mode & 0o100) !== 0;
    const mode = modes[path.slice(folder.length + 1)] ?? (isExecutable ? 0o755 : 0o644);
    if (!stat.isSymbolicLink()) chmodSync(path, mode);
    lutimesSync(path, epochSeconds, epochSeconds);
  };
  normalize(folder);
}

/** Writes a folder to a compressed archive, in which it is the only top folder. */
export function writeTarball({ folder, file, epochSeconds, compression = 9 }) {
  return runLogged(
    "tar",
    [
      "--create",
      "--format=gnu",
      "--sort=name",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      `--mtime=@${epochSeconds}`,
      `--use-compress-program=gzip -n${compression}`,
      `--file=${file}`,
      `--directory=${dirname(folder)}`,
      basename(folder),
    ],
    { log: `.demo/release-${basename(folder)}.log`, env: { LC_ALL: "C" } },
  );
}
