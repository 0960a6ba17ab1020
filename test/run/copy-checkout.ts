import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { root } from "../architecture/sources.ts";

/** Made by building, running or git, and not part of a checkout. */
const made = new Set(["node_modules", "dist", "gen", ".git", ".turbo", ".demo", "realmwatch-data"]);

/** Links between our own packages: relative, so that they stay within the copy. */
const ownLinks = new Set([".bin", "@realmwatch"]);

/**
 * Copies this checkout to `folder` as it would be fresh from git, save that packages need not be installed: they are
 * links to those that are installed here. What is built in the copy stays there; nobody else sees it.
 */
export function copyCheckout(folder: string): void {
  for (const name of readdirSync(root))
    if (!made.has(name))
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !made.has(path.slice(path.lastIndexOf("/") + 1)),
      });
  const [installed, linked] = [join(root, "node_modules"), join(folder, "node_modules")];
  mkdirSync(linked);
  for (const name of readdirSync(installed)) {
    if (ownLinks.has(name))
      cpSync(join(installed, name), join(linked, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(installed, name), join(linked, name));
  }
}

/** Where builds leave what others with the same sources may take. */
export const buildCache: string = join(root, ".turbo/cache");
