import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "../architecture/sources.ts";

/** Files and folders made by builds, programs or git, which a fresh checkout does not have. */
const generated = new Set(["node_modules", "dist", "gen", ".git", ".turbo", ".demo", "realmwatch-data"]);

/** Folders with relative links between the workspace packages, which stay within the copy. */
const ownLinks = new Set([".bin", "@realmwatch"]);

/**
 * Copies this checkout to `folder` as a fresh clone, with installed packages as links to those installed here. Builds in
 * the copy do not affect this checkout.
 */
export function copyCheckout(folder: string): void {
  for (const name of readdirSync(root))
    if (!generated.has(name))
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !generated.has(path.slice(path.lastIndexOf("/") + 1)),
      });
  const [installed, linked] = [join(root, "node_modules"), join(folder, "node_modules")];
  mkdirSync(linked);
  for (const name of readdirSync(installed)) {
    if (ownLinks.has(name))
      cpSync(join(installed, name), join(linked, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(installed, name), join(linked, name));
  }
}

/** Build cache that builds of the same sources share. */
export const buildCache: string = join(root, ".turbo/cache");
