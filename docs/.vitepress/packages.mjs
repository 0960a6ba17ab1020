import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { licensesOf } from "../../compose/setup/licenses.mjs";

/** Lists the packages whose code is in the site, with their licences: a release distributes them. */
export function collectPackages() {
  const modules = new Set();
  return {
    plugin: {
      name: "collect-packages",
      generateBundle(_, bundle) {
        for (const { moduleIds = [] } of Object.values(bundle)) for (const id of moduleIds) modules.add(id);
      },
    },
    write: (outDir) =>
      writeFile(join(outDir, "licenses.json"), `${JSON.stringify(licensesOf([...modules]), null, 2)}\n`),
  };
}
