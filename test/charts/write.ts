import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../architecture/sources.ts";
import { centreValues, centreValuesFile } from "./centre-values.ts";
import { chartReadme } from "./chart-readme.ts";
import { valuesSchema } from "./values-schema.ts";

// Writes the files of the charts that are made from other files: the schemas and the tables in the READMEs from the values,
// and the permissions of NATS from the realms of the centre.
for (const program of ["agent", "aggregator"] as const) {
  const folder = join(root, "charts", `realmwatch-${program}`);
  writeFileSync(join(folder, "values.schema.json"), valuesSchema(program));
  writeFileSync(join(folder, "README.md"), chartReadme(`realmwatch-${program}`));
}
writeFileSync(centreValuesFile, centreValues());
