import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.mjs";
import { runLogged, runStep } from "./steps.mjs";

/** Installs the packages of the lock file when `node_modules` is missing or differs from it. */
export async function installPackages() {
  const why = reasonToInstall();
  if (why === "") return;
  const options = { log: ".demo/npm-ci.log", hint: registryHint };
  await runStep(`Installing packages (${why})`, () => runNpm(["ci", "--no-audit", "--no-fund"], options));
}

/** Reason to install; empty when `node_modules` is what the lock file says. */
function reasonToInstall() {
  const wanted = readLock("package-lock.json");
  // npm writes this second lock file at the end of an installation: it records what is installed.
  const found = readLock("node_modules/.package-lock.json");
  if (found === undefined) return "first start";
  for (const [path, entry] of Object.entries(wanted.packages)) {
    if (!path.startsWith("node_modules/") || entry.link || entry.optional || entry.devOptional) continue;
    if (found.packages[path]?.version !== entry.version)
      return `${path.slice("node_modules/".length)} differs from package-lock.json`;
  }
  const programs = ["node", "turbo", "realmwatch-agent", "realmwatch-aggregator"];
  const missing = programs.find((name) => !existsSync(join(root, "node_modules/.bin", name)));
  return missing === undefined ? "" : `${missing} is missing`;
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch {
    return undefined;
  }
}

/** What to do when npm cannot install. */
export const registryHint = "Check with `npm ping` that the package registry is reachable.";

/** Runs npm as `runLogged` runs a program. */
export function runNpm(words, options) {
  const [command, args] = npmCommand();
  return runLogged(command, [...args, ...words], options);
}

/** The npm that runs this process, or else the one on PATH. */
export function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli?.endsWith(".js") && existsSync(cli) && !cli.startsWith(root) ? ["node", [cli]] : ["npm", []];
}
