import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { stampVersion } from "../setup/stamp-version.mjs";
import { normalizeFiles } from "./archives.mjs";
import { builtWorkspaces } from "./build-commit.mjs";
import { productionPackages } from "./installed-packages.mjs";
import { programs, writeManuals } from "./manuals.mjs";
import { stripSymbols } from "./strip-symbols.mjs";

/** Files of the checkout that are copied as they are, with their places in the product. */
const copies = {
  "README.md": "share/doc/realmwatch/README.md",
  LICENSE: "share/doc/realmwatch/LICENSE",
  "SECURITY.md": "share/doc/realmwatch/SECURITY.md",
  "docs/reference": "share/doc/realmwatch/docs/reference",
  "docs/how-to": "share/doc/realmwatch/docs/how-to",
  "docs/explanation": "share/doc/realmwatch/docs/explanation",
  "docs/tutorials": "share/doc/realmwatch/docs/tutorials",
  "docs/runbooks": "share/doc/realmwatch/docs/runbooks",
  "docs/rules": "share/doc/realmwatch/docs/rules",
  "docs/prometheus/alerts.yml": "share/realmwatch/prometheus/alerts.yml",
  "docs/grafana": "share/realmwatch/grafana",
  "compose/systemd": "lib/systemd/system",
  "compose/release/files/sysusers.conf": "lib/sysusers.d/realmwatch.conf",
  "compose/release/files/examples": "share/realmwatch/examples",
  "compose/release/files/logrotate": "share/realmwatch/examples/logrotate",
};

/**
 * Puts the product together in a new folder with the structure of `/usr`: programs, their Node.js and packages, units
 * of systemd, examples and documentation. `texts` are further files of the documentation.
 */
export function stageProduct({ built, modules, product, version, commit, texts }) {
  const lib = join(product, "lib/realmwatch");
  for (const [name, path] of Object.entries(builtWorkspaces)) copyWorkspace({ built, lib, name, path, version });
  for (const { module } of Object.values(programs))
    stampVersion(join(lib, dirname(module), "version.js"), `v${version}`, commit.hash);
  for (const { path, name } of productionPackages({ built, modules }))
    if (name === "node") copyNode(join(modules, path), lib);
    else copyPackage(join(modules, path), join(lib, path), name);
  for (const [program, { module }] of Object.entries(programs)) writeProgram({ product, lib, program, module });
  for (const [from, to] of Object.entries(copies)) cpSync(join(built, from), join(product, to), { recursive: true });
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(product, "share/doc/realmwatch", name), text);
  writeManuals({ built, product, version, epochSeconds: commit.epochSeconds });
  normalizeFiles(product, commit.epochSeconds);
}

/** Copies what a workspace builds with the version of the release, and links it for the others. */
export function copyWorkspace({ built, lib, name, path, version }) {
  const [from, to] = [join(built, path), join(lib, path)];
  if (name === "dashboard" || name === "docs") cpSync(join(from, "dist"), join(to, "dist"), { recursive: true });
  else for (const file of bundleIn(join(from, "dist"))) copyFile(join(from, "dist", file), join(to, "dist", file));
  const { type, exports, license, dependencies } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  const about = { name: `@realmwatch/${name}`, version, license, type, exports, dependencies };
  writeFileSync(join(to, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
  const link = join(lib, "node_modules/@realmwatch", name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), to), link);
}

/** Files of the bundle at the top of a `dist`, where builds of earlier versions have left modules of tests. */
const bundleIn = (dist) =>
  readdirSync(dist).filter(
    (file) => /\.js$|^licenses\.json$/.test(file) && !/\.(test|fixture|contract)\.js$/.test(file),
  );

/** Files that packages contain for other users: sources in C, copies for `require`, and builds for another C library. */
const unneeded = {
  "cue-wasm":
    /^(scripts|lib|Dockerfile|go\.(mod|sum)|main\.go)$|^dist\/(.*\.cjs|.*-(71749b04|b3250e2a)\.js|.*\.module\.js)$/,
  koffi: /^(vendor|lib|doc|cnoke\.cjs|CHANGELOG\.md|src\/koffi\/src\/abi)$|CMakeLists\.txt$|\.(cc|hh|S|asm|inc)$/,
  "@koromix/koffi-linux-x64": /^musl_/,
  "@koromix/koffi-linux-arm64": /^musl_/,
};

/** Copies a package of the registry without what no program reads: types, source maps and tests. */
export function copyPackage(from, to, name) {
  const isNeeded = (path) => {
    const inside = relative(from, path);
    return !(/(\.d\.[cm]?ts|\.map|\.tgz)$|^(node_modules|tests?)$/.test(inside) || unneeded[name]?.test(inside));
  };
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
}

/** Copies the program of Node.js, and its licence from the package that brought it. */
export function copyNode(installed, lib) {
  const node = join(lib, "bin/node");
  copyFile(join(installed, "bin/node"), node);
  chmodSync(node, 0o755);
  // A fifth of the whole product would be symbols of Node.js.
  stripSymbols(node);
  const binary = readdirSync(join(installed, "node_modules")).find((name) => name.startsWith("node-linux-"));
  if (binary !== undefined) copyFile(join(installed, "node_modules", binary, "LICENSE"), join(lib, "LICENSE.node"));
}

function writeProgram({ product, lib, program, module }) {
  const file = join(lib, "bin", program);
  const lines = [
    "#!/bin/sh",
    'lib=$(dirname "$(dirname "$(readlink -f "$0")")")',
    `exec "$lib/bin/node" --disable-warning=ExperimentalWarning "$lib/${module}" "$@"`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o755 });
  mkdirSync(join(product, "bin"), { recursive: true });
  symlinkSync(join("../lib/realmwatch/bin", program), join(product, "bin", program));
}

function copyFile(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
