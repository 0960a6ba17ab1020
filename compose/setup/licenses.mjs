import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Packages of the registry that modules are of, with their licences, in the form that the build of the dashboard has. */
export function licensesOf(modules) {
  const folders = modules.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  return [...new Set(folders)]
    .map((folder) => {
      const { name, version, license: identifier } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
      return { name, version, identifier, text: file && readFileSync(join(folder, file), "utf8") };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
