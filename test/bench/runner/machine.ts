import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../../architecture/sources.ts";

/** Programs that some benchmarks run, each with the words that print its version. Peers are the systems to compare with. */
const programs = [
  { name: "icinga2", words: ["--version"], isPeer: true },
  { name: "nagios4", words: ["--version"], isPeer: true },
  { name: "prometheus-blackbox-exporter", words: ["--version"], isPeer: true },
  { name: "nats-server", words: ["--version"], isPeer: false },
  { name: "redis-server", words: ["--version"], isPeer: false },
] as const;

/** Processors, memory and system of this machine, in one line. */
export function machineText(): string {
  const memory = (totalmem() / 2 ** 30).toFixed(1);
  return `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory} GiB, ${process.platform} ${release()}`;
}

/** Versions of this build, of Node.js and of the programs that are installed, and the peers that are not. */
export function findVersions(): {
  readonly versions: Readonly<Record<string, string>>;
  readonly missing: readonly string[];
} {
  const versions: Record<string, string> = { realmwatch: ownVersion(), "Node.js": process.version.slice(1) };
  const missing: string[] = [];
  for (const { name, words, isPeer } of programs) {
    const { stdout, stderr, error } = spawnSync(name, words, { encoding: "utf8" });
    const version = /\d+\.\d+(?:\.\d+)?/.exec(`${stdout}${stderr}`)?.[0];
    if (error === undefined && version !== undefined) versions[name] = version;
    else if (isPeer) missing.push(name);
  }
  return { versions, missing };
}

/** Version and commit of this checkout, and whether files differ from it. */
function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const git = (...words: string[]): string => spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout.trim();
  const commit = git("rev-parse", "--short", "HEAD");
  const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : ", with changes";
  return commit === "" ? version : `${version} (${commit}${changed})`;
}
