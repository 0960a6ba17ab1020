import { openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { optionalFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { aggregatorFlags } from "../flags.ts";
import { formatNatsChartValues, formatNatsConfiguration } from "../realms/nats-formats.ts";
import { compileRealmsDocument, type RealmsPlan, realmsDocument } from "../realms/realms-document.ts";
import { subCommandUsageError } from "./with-nats.ts";

/** Names as an agent's `-zones` takes them. */
const zonePattern = /^[^\s,\p{Cc}]{1,255}$/u;

function parseZones(text: string): Result<readonly string[], string> {
  const zones = text === "" ? [] : text.split(",").map((zone) => zone.trim());
  if (!zones.every((zone) => zonePattern.test(zone))) return fail("must be a list of zone names separated by commas");
  return new Set(zones).size === zones.length ? ok(zones) : fail("names a zone twice");
}

/** `nats-config -realms-config FILE`: prints a nats-server configuration, or values of its chart, for the realms. */
export const natsConfigSubCommand = subCommand({
  words: [],
  flags: {
    "realms-config": aggregatorFlags["realms-config"],
    zones: optionalFlag("Zones that have workers.", "LIST", parseZones),
    "leaf-nodes": { kind: "switch", help: "Realms log in over leaf nodes." },
    accounts: { kind: "switch", help: "An account for each realm instead of one for all." },
    "helm-values": { kind: "switch", help: "Prints values of the Helm chart nats/nats instead." },
  },
  async run({ values: { realmsConfig, zones, accounts, leafNodes, helmValues } }) {
    if (realmsConfig === undefined)
      return subCommandUsageError("nats-config needs -realms-config: the document that lists the realms");
    const plan = await loadRealms(realmsConfig);
    if (!plan.ok) return plan;
    const realms = [...plan.value.keys()];
    const format = helmValues ? formatNatsChartValues : formatNatsConfiguration;
    return ok(format({ realms, zones, accountPerRealm: accounts, leafNodes }).trimEnd());
  },
});

/** Loads the document without the tokens, which this machine need not have. */
async function loadRealms(path: string): Promise<Result<RealmsPlan, ProgramExit>> {
  const loader = openLoader(systemClock);
  try {
    const loaded = await loader.document({
      source: { kind: "path", path },
      compile: compileRealmsDocument,
      schema: realmsDocument.schema,
    });
    return loaded.ok ? ok(loaded.value.value) : fail({ code: 1, lines: loaded.error.map(formatDiagnostic) });
  } finally {
    await loader.close();
  }
}
