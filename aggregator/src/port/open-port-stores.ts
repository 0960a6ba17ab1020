import { join } from "node:path";
import { textFiles } from "@realmwatch/shared/platform/files/text-files";
import { textMapFile } from "@realmwatch/shared/platform/files/text-map-file";
import { memoryHistory } from "@realmwatch/shared/read-model/history/memory-history";
import { selectionLimits } from "../api/bulk-selections.ts";
import { noteLimits } from "../api/own-notes.ts";
import type { PortStores, PortStoresOptions } from "./port-stores.ts";

/** Opens the stores; modules for Redis are loaded only where it is used. */
export async function openPortStores(options: PortStoresOptions): Promise<PortStores> {
  const { flags, clock } = options;
  if (flags.redisUrl !== undefined) return (await import("./redis-port-stores.ts")).openRedisPortStores(options);
  return {
    openHistory: ({ historyRecords: maxRecords }, findSubject) => memoryHistory({ maxRecords, findSubject }),
    revocations: undefined,
    selections: textFiles({ folder: join(flags.dataDir, "bulk-selections"), limits: selectionLimits, clock }),
    notes: textFiles({ folder: join(flags.dataDir, "notes"), limits: noteLimits(flags.historyRetention), clock }),
    views: textMapFile(join(flags.dataDir, "views.json")),
    setCentre() {},
    async close() {},
  };
}
