import { join } from "node:path";
import { readPrivateFile, replacePrivateFile } from "@realmwatch/shared/platform/files/private-file";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { IdentityMemory } from "./centre-redis.ts";

const maxBytes = 100;

/** Identity of the centre in the file `centre` of the data directory. A file that cannot be read or written is logged. */
export async function identityFile(dataDir: string, log: Pick<Log, "warn">): Promise<IdentityMemory> {
  const path = join(dataDir, "centre");
  const read = await readPrivateFile(path, maxBytes);
  if (!read.ok)
    log.warn({ path, why: read.error }, "Redis: the identity of this centre at the last run cannot be read");
  return {
    identity: (read.ok && read.value?.trim()) || "",
    remember: (identity) =>
      void replacePrivateFile(path, `${identity}\n`).then((written) => {
        if (!written.ok)
          log.warn(
            { path, why: written.error },
            "Redis: the identity of this centre cannot be written for the next run",
          );
      }),
  };
}
