// Bundles programs: `node compose/setup/bundle.mjs agent aggregator shared/cli`, with `--if-stale` only those that are
// older than their sources, with `--stamp` none of them. Then the commit is written into all of the named programs: into
// skipped ones too, because their sources have not changed since. For tests that start a module hundreds of times,
// `bundle.mjs --module FILE FOLDER` writes that module to main.js. Runs on the pinned Node.js.
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { licensesOf } from "./licenses.mjs";
import { root } from "./paths.mjs";
import { checkoutCommit, stampVersion } from "./stamp-version.mjs";

/** Workspaces whose sources a program contains besides its own. */
const sharedWorkspaces = ["shared", "proto"];

const packageIn = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Call that names the module of a worker thread or a child program. */
const entryCall = /\bentryModule\("([\w-]+)", import\.meta\.url\)/g;

/** Writes each module that a thread or a child program starts with to a file that has the module's name. */
function separateEntries() {
  const idOf = new Map();
  return {
    name: "separate-entries",
    transform(code, importer) {
      for (const [, name] of code.matchAll(entryCall)) {
        const id = join(dirname(importer), `${name}.ts`);
        if ((idOf.get(name) ?? id) !== id)
          this.error(`${id} needs another name: ${idOf.get(name)} has it in the bundle`);
        idOf.set(name, id);
        this.emitFile({ type: "chunk", id, fileName: `${name}.js` });
      }
    },
  };
}

/**
 * Makes properties of Node.js' modules what an `import` names. Importing such a module reads all of its exports, and some
 * are computed when they are read: all of undici for `WebSocket` of `node:http`, the root certificates for `node:tls`.
 * That takes a third of the time in which a thread starts, and 12 MB.
 */
function builtinsByProperty() {
  return {
    name: "builtins-by-property",
    resolveId: {
      order: "pre",
      handler(source, importer, { kind }) {
        // The bundle's own runtime defines how the others import.
        const isOurs = kind === "import-statement" && !importer?.startsWith("\0");
        return isOurs && isBuiltin(source) ? { id: `\0${source}` } : undefined;
      },
    },
    load(id) {
      const name = id.startsWith("\0") ? id.slice(1) : "";
      if (!isBuiltin(name)) return;
      return { code: `module.exports = process.getBuiltinModule(${JSON.stringify(name)});`, moduleType: "js" };
    },
  };
}

/** Opens the bundle of a module, without the packages that are dependencies of the workspaces. */
function openBundle(input, workspaces) {
  const installed = workspaces.flatMap((name) => Object.keys(packageIn(join(root, name)).dependencies ?? {}));
  return rolldown({
    cwd: root,
    input: { main: input },
    platform: "node",
    external: (id) => installed.some((name) => id === name || id.startsWith(`${name}/`)),
    optimization: { inlineConst: false },
    plugins: [separateEntries(), builtinsByProperty()],
  });
}

async function bundleModule(file, folder) {
  const bundle = await openBundle(file, sharedWorkspaces);
  await bundle.write({ dir: folder });
  await bundle.close();
}

/**
 * Writes the program of a workspace to the top of its `dist`, with the licences of the packages that are in it. Packages
 * in `dependencies` stay outside, to be installed beside it; those in `devDependencies` become a part of it.
 */
async function bundleProgram(workspace) {
  const bundle = await openBundle(`${workspace}/src/main.ts`, [workspace, ...sharedWorkspaces]);
  const dist = join(root, workspace, "dist");
  mkdirSync(dist, { recursive: true });
  const earlier = globSync("*.{js,js.map}", { cwd: dist });
  const { output } = await bundle.write({
    dir: dist,
    chunkFileNames: ({ name }) => (name === "version" ? "version.js" : "[name]-[hash].js"),
    sourcemap: true,
    codeSplitting: {
      groups: [
        // The version and the commit are written into this file.
        { name: "version", test: /\bmodel.version\.ts$/ },
        { name: "builtins", test: (id) => id.startsWith("\0") && isBuiltin(id.slice(1)) },
      ],
    },
  });
  await bundle.close();
  const licenses = licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
  writeFileSync(join(dist, "licenses.json"), `${JSON.stringify(licenses, null, 2)}\n`);
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const file of earlier) if (!written.has(file)) rmSync(join(dist, file));
}

/** True when a source, a package or this script is newer than the bundle of a workspace, or there is none. */
function isStale(workspace) {
  const folders = [workspace, ...sharedWorkspaces].map((name) => `${name}/{src,gen}/**/*.ts`);
  const sources = globSync([...folders, "package-lock.json", "compose/setup/bundle.mjs"], { cwd: root });
  const builtMs = statSync(join(root, workspace, "dist/main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.some((file) => statSync(join(root, file)).mtimeMs > builtMs);
}

/** Bundles the stale programs, and writes the commit of the checkout into all of them. */
async function buildPrograms(stale, workspaces) {
  for (const workspace of stale) await bundleProgram(workspace);
  const commit = checkoutCommit(root);
  for (const workspace of workspaces) stampVersion(join(root, workspace, "dist/version.js"), "dev", commit);
}

const [first, ...words] = process.argv.slice(2);
if (first === "--module") await bundleModule(...words);
else if (first === "--stamp") await buildPrograms([], words);
else if (first === "--if-stale") await buildPrograms(words.filter(isStale), words);
else await buildPrograms([first, ...words], [first, ...words]);
