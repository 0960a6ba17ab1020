import { join } from "node:path";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { readTextFile } from "../platform/files/text-file.ts";
import { writeFileAtomically } from "../platform/files/write-file-atomically.ts";
import type { FiringAlert } from "./firing-alerts.ts";

/** Version of the file's form. */
const version = 1;

export type FiringAlertsFile = {
  /** Stored alerts; none when there is no file or it is damaged, which is logged. */
  read(): Promise<readonly FiringAlert[]>;
  /** Stores the present alerts. Calls during a write share the next one. Resolves when the file has them, or on failure. */
  save(): Promise<void>;
};

/** File in the data directory with the alerts that fire, so that they end at their time after a restart too. */
export function firingAlertsFile(options: {
  readonly dataDir: string;
  readonly alerts: Iterable<FiringAlert>;
  readonly log: Pick<Log, "warn" | "info">;
}): FiringAlertsFile {
  const { dataDir, alerts, log } = options;
  const path = join(dataDir, "alerts.json");
  let failing = false;
  let writing: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  function* pieces(): Generator<string> {
    yield `{"version":${version},"alerts":[`;
    let separator = "\n";
    for (const alert of [...alerts]) {
      yield separator + JSON.stringify(alert);
      separator = ",\n";
    }
    yield "\n]}\n";
  }

  async function write(): Promise<void> {
    waiting = undefined;
    const written = await writeFileAtomically(path, [[...pieces()].join("")]);
    if (!written.ok && !failing)
      log.warn({ path, why: written.error }, "firing alerts cannot be stored: a restart forgets when they end");
    else if (written.ok && failing) log.info({ path }, "firing alerts are stored again");
    failing = !written.ok;
  }

  return {
    async read() {
      const text = await readTextFile(path);
      if (!text.ok) {
        if (text.error !== "ENOENT") log.warn({ path, why: text.error }, "the firing alerts cannot be read");
        return [];
      }
      const stored = parseStored(text.value);
      if (stored === undefined) log.warn({ path }, "the firing alerts are damaged and are left out");
      return stored ?? [];
    },
    save() {
      if (waiting === undefined) {
        waiting = writing.then(write);
        writing = waiting;
      }
      return waiting;
    },
  };
}

function parseStored(text: string): readonly FiringAlert[] | undefined {
  try {
    const stored = JSON.parse(text) as { readonly version?: unknown; readonly alerts?: unknown };
    if (stored.version !== version || !Array.isArray(stored.alerts)) return undefined;
    return stored.alerts.every(isStored) ? stored.alerts : undefined;
  } catch {
    return undefined;
  }
}

function isStored(json: unknown): json is FiringAlert {
  const { key, ref, status, output, longOutput, source, firesUntilMs, sinceMs } = (json ?? {}) as Partial<FiringAlert>;
  const texts = [key, ref, output, longOutput, source].every((each) => typeof each === "string");
  const times = [firesUntilMs, sinceMs].every((each) => Number.isFinite(each));
  return texts && times && (status === "critical" || status === "warning" || status === "unknown");
}
