import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { root } from "../architecture/sources.ts";
import { centreValues, centreValuesFile } from "./centre-values.ts";
import { chartReadme } from "./chart-readme.ts";
import { goldenFile, goldens, goldenText } from "./golden.ts";
import { findHelm } from "./render.ts";
import { valuesSchema } from "./values-schema.ts";

// Writes the files of the charts that are made from other files: the schemas and the tables in the READMEs from the values,
// the permissions of NATS from the realms of the centre, and with Helm the manifests of some releases.
for (const program of ["agent", "aggregator"] as const) {
  const folder = join(root, "charts", `realmwatch-${program}`);
  writeFileSync(join(folder, "values.schema.json"), valuesSchema(program));
  writeFileSync(join(folder, "README.md"), chartReadme(`realmwatch-${program}`));
}
writeFileSync(centreValuesFile, centreValues());

const helm = findHelm();
if (helm === undefined) console.log("helm is not installed: test/charts/golden stays as it is");
else
  for (const golden of goldens) {
    const file = goldenFile(golden.name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, goldenText(helm, golden));
  }
