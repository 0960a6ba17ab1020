import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { npmCommand } from "../setup/install.mjs";
import { systemPath } from "../setup/paths.mjs";
import { builtWorkspaces, workspaces } from "./build-commit.mjs";
import { productionPackages } from "./installed-packages.mjs";

/**
 * Bill of materials in CycloneDX JSON: the packages beside the programs, which each folder of `modules` has installed, and those that are bundled into them or into
 * the dashboard. It is what npm reads from the lock file, with everything removed that differs from run to run.
 */
export async function billOfMaterials({ built, modules, version, epochSeconds }) {
  const bill = await lockedPackages(built);
  const own = new Map([["realmwatch", `realmwatch@${version}`]]);
  for (const name of Object.keys(workspaces)) own.set(`@realmwatch/${name}`, `@realmwatch/${name}@${version}`);
  const installed = modules.flatMap((folder) => productionPackages({ built, modules: folder }));
  const shipped = new Set([...installed, ...bundledPackages(built)].map(refOf));
  const refs = new Map([bill.metadata.component, ...bill.components].flatMap((one) => kept(one, { own, shipped })));
  const components = bill.components
    .filter((one) => refs.has(one["bom-ref"]))
    .map((one) => ({ ...one, ...identityOf(one, { own, refs, version }), scope: "required", properties: [] }));
  const body = {
    metadata: {
      timestamp: new Date(epochSeconds * 1000).toISOString(),
      lifecycles: bill.metadata.lifecycles,
      tools: bill.metadata.tools,
      component: { "bom-ref": own.get("realmwatch"), type: "application", name: "realmwatch", version, ...licence },
    },
    components: sortedBy(components, "bom-ref"),
    dependencies: sortedBy(dependenciesOf(bill, refs), "ref"),
  };
  const { $schema, bomFormat, specVersion } = bill;
  const head = {
    $schema,
    bomFormat,
    specVersion,
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
  };
  return `${JSON.stringify({ ...head, ...body }, null, 2)}\n`;
}

const licence = { licenses: [{ license: { id: "Apache-2.0" } }] };
const refOf = ({ name, version }) => `${name}@${version}`;

/**
 * All packages of the lock file. `npm sbom --omit=dev` is of no use: it also omits a package that one workspace needs
 * at run time and another for development only.
 */
async function lockedPackages(built) {
  const [command, args] = npmCommand();
  const words = [...args, "sbom", "--sbom-format=cyclonedx", "--package-lock-only"];
  const options = { cwd: built, env: { ...process.env, PATH: systemPath }, maxBuffer: 64 * 1024 * 1024 };
  return JSON.parse((await promisify(execFile)(command, words, options)).stdout);
}

/** Packages whose code is in the files of the programs and the dashboard, from the lists that their builds write. */
const bundledPackages = (built) =>
  Object.values(builtWorkspaces).flatMap((path) =>
    JSON.parse(readFileSync(join(built, path, "dist/licenses.json"), "utf8")),
  );

/** The old and the new reference of a component that is in the release; nothing for one that is not. */
function kept(one, { own, shipped }) {
  const ref = one["bom-ref"];
  const name = ref.slice(0, ref.lastIndexOf("@"));
  if (own.has(name)) return [[ref, own.get(name)]];
  return shipped.has(ref) ? [[ref, ref]] : [];
}

/** Names of a component. Packages of this project have no address in the registry, where they are not published. */
function identityOf(one, { own, refs, version }) {
  const ref = refs.get(one["bom-ref"]);
  const name = ref.slice(0, ref.lastIndexOf("@"));
  return own.has(name) ? { "bom-ref": ref, name, version, purl: undefined } : { "bom-ref": ref, name };
}

const dependenciesOf = (bill, refs) =>
  bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref: refs.get(ref),
      dependsOn: [...new Set(dependsOn.flatMap((to) => refs.get(to) ?? []))].sort(),
    }));

const sortedBy = (list, key) => list.toSorted((one, other) => (one[key] < other[key] ? -1 : 1));

/** UUID of version 8 that is derived from a text. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(hex[16], 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}
