import { chmodSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { registryHint, runNpm } from "../setup/install.mjs";
import { systemPath } from "../setup/paths.mjs";
import { runLogged } from "../setup/steps.mjs";

/** Architectures of a release by Debian's name, with the name that Node.js and npm have for each. */
export const architectures = { amd64: "x64", arm64: "arm64" };

/**
 * Installs into a folder what the programs need at run time on a machine of an architecture, which this one need not be:
 * the packages of the lock file, and the program of Node.js at its version there. No script of a package runs.
 */
export async function installFor(arch, { built, folder }) {
  const cpu = architectures[arch];
  const log = `.demo/release-${arch}.log`;
  const npm = (...words) => runNpm(words, { log, cwd: folder, env: { PATH: systemPath }, hint: registryHint });
  const { workspaces } = JSON.parse(readFileSync(join(built, "package.json"), "utf8"));
  const manifests = ["", ...workspaces].map((workspace) => join(workspace, "package.json"));
  for (const file of [...manifests, "package-lock.json", ".npmrc"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(built, file), join(folder, file));
  }
  const target = [`--cpu=${cpu}`, "--os=linux", "--libc=glibc"];
  await npm("ci", "--omit=dev", "--ignore-scripts", ...target, "--no-audit", "--no-fund");
  const lock = JSON.parse(readFileSync(join(built, "package-lock.json"), "utf8"));
  const { version } = lock.packages["node_modules/node"];
  const program = `node-linux-${cpu}`;
  await npm("pack", `${program}@${version}`);
  const own = join(folder, "node_modules/node");
  const unpacked = join(own, "node_modules", program);
  for (const made of [unpacked, join(own, "bin")]) mkdirSync(made, { recursive: true });
  const archive = join(folder, `${program}-${version}.tgz`);
  const unpack = ["--extract", "--strip-components=1", `--directory=${unpacked}`, `--file=${archive}`];
  await runLogged("tar", unpack, { log });
  cpSync(join(unpacked, "bin/node"), join(own, "bin/node"));
  chmodSync(join(own, "bin/node"), 0o755);
}
