// Bundles programs: `node compose/setup/bundle.mjs agent aggregator shared/cli`, with `--if-stale` only those that are
// older than their sources. Runs on the pinned Node.js.
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

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
 * Writes the program of a workspace to the top of its `dist`, with the licences of the packages that are in it. Packages
 * in `dependencies` stay outside, to be installed beside it; those in `devDependencies` become a part of it.
 */
async function bundleProgram(workspace) {
  const installed = [workspace, ...sharedWorkspaces].flatMap((name) =>
    Object.keys(packageIn(join(root, name)).dependencies ?? {}),
  );
  const bundle = await rolldown({
    cwd: root,
    input: { main: `${workspace}/src/main.ts` },
    platform: "node",
    external: (id) => installed.some((name) => id === name || id.startsWith(`${name}/`)),
    optimization: { inlineConst: false },
    plugins: [separateEntries()],
  });
  const dist = join(root, workspace, "dist");
  mkdirSync(dist, { recursive: true });
  const earlier = globSync("*.{js,js.map}", { cwd: dist });
  const { output } = await bundle.write({
    dir: dist,
    chunkFileNames: ({ name }) => (name === "version" ? "version.js" : "[name]-[hash].js"),
    sourcemap: true,
    // A release writes its version into this file.
    codeSplitting: { groups: [{ name: "version", test: /\bmodel.version\.ts$/ }] },
  });
  await bundle.close();
  const licenses = licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds));
  writeFileSync(join(dist, "licenses.json"), `${JSON.stringify(licenses, null, 2)}\n`);
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const file of earlier) if (!written.has(file)) rmSync(join(dist, file));
}

/** Packages of the registry that modules are of, with their licences, in the form that the build of the dashboard has. */
function licensesOf(modules) {
  const folders = modules.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  return [...new Set(folders)]
    .map((folder) => {
      const { name, version, license: identifier } = packageIn(folder);
      const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
      return { name, version, identifier, text: file && readFileSync(join(folder, file), "utf8") };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** True when a source, a package or this script is newer than the bundle of a workspace, or there is none. */
function isStale(workspace) {
  const folders = [workspace, ...sharedWorkspaces].map((name) => `${name}/{src,gen}/**/*.ts`);
  const sources = globSync([...folders, "package-lock.json", "compose/setup/bundle.mjs"], { cwd: root });
  const builtMs = statSync(join(root, workspace, "dist/main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.some((file) => statSync(join(root, file)).mtimeMs > builtMs);
}

const words = process.argv.slice(2);
for (const workspace of words.filter((word) => word !== "--if-stale"))
  if (!words.includes("--if-stale") || isStale(workspace)) await bundleProgram(workspace);
