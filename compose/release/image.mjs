// `node compose/release/image.mjs PROGRAM FOLDER VERSION COMMIT [ARCH]`: puts what the image of a program contains into
// a new folder, from the built checkout. compose/Dockerfile runs it.
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../setup/paths.mjs";
import { stampVersion } from "../setup/stamp-version.mjs";
import { architectures, installFor } from "./architectures.mjs";
import { workspaces } from "./build-commit.mjs";
import { productionPackages } from "./installed-packages.mjs";
import { copyNode, copyPackage, copyWorkspace } from "./product.mjs";

const ownArchitecture = Object.keys(architectures).find((name) => architectures[name] === process.arch);

/**
 * Puts a program, its Node.js and its packages into a new folder. Packages of another architecture than this machine's are
 * installed in a folder beside it.
 */
export async function stageImage({ program, folder, version, commit, arch = ownArchitecture }) {
  mkdirSync(folder, { recursive: true });
  for (const name of [program, "dashboard", "docs"])
    copyWorkspace({ built: root, lib: folder, name, path: workspaces[name], version });
  stampVersion(join(folder, program, "dist/version.js"), version, commit);
  const modules = arch === ownArchitecture ? root : `${folder}-packages`;
  if (modules !== root) {
    mkdirSync(modules);
    await installFor(arch, { built: root, folder: modules });
  }
  const needed = packagesOf(program);
  for (const { path, name } of productionPackages({ built: root, modules }))
    if (name === "node") copyNode(join(modules, path), folder);
    else if (needed.has(path)) copyPackage(join(modules, path), join(folder, path), name);
  cpSync(join(root, "compose/release/files/healthcheck.mjs"), join(folder, "healthcheck.mjs"));
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** Paths in the lock file of the packages that a program needs, with those that they need themselves. */
function packagesOf(program) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const found = new Set();
  const add = (path) => {
    const { dependencies = {}, optionalDependencies = {} } = packages[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = [`${path}/node_modules/${name}`, `node_modules/${name}`].find((one) => one in packages);
      if (at === undefined || packages[at].link || found.has(at)) continue;
      found.add(at);
      add(at);
    }
  };
  // The sources of `shared` are in each program.
  for (const workspace of [program, "shared"]) add(workspaces[workspace]);
  return found;
}

if (import.meta.main) {
  const [program, folder, version, commit, arch] = process.argv.slice(2);
  await stageImage({ program, folder, version, commit, arch: arch || undefined });
}
