import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatNatsChartValues } from "@realmwatch/aggregator/realms/nats-formats";
import { parse } from "yaml";
import { root } from "../architecture/sources.ts";

const marker = "  # Made by node test/charts/write.ts.\n";

export const centreValuesFile: string = join(root, "charts/realmwatch/values-centre.yaml");

/** Text of the values of a centre, with the permissions of NATS for the realms that its realms document names. */
export function centreValues(): string {
  const written = readFileSync(centreValuesFile, "utf8");
  const document = parse(written).aggregator.realms.document as string;
  const realms = [...document.matchAll(/^\t([a-z][a-z0-9-]*): \{/gm)].map(([, name]) => name as string);
  const values = formatNatsChartValues({ realms, zones: [], accountPerRealm: false });
  const lines = values.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return written.slice(0, written.indexOf(marker)) + marker + lines.map((line) => `  ${line}\n`).join("");
}
