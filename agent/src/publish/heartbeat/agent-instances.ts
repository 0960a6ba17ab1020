import { join } from "node:path";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { readTextFile } from "../../platform/files/text-file.ts";
import { writeFileAtomically } from "../../platform/files/write-file-atomically.ts";

/** Ids of this process and of the one that used the data directory before it; the latter is empty for the first. */
export type AgentInstances = { readonly own: string; readonly previous: string };

/**
 * Stores the id of this process in the data directory and returns the previous one. The aggregator follows a restarted agent
 * at once when it names the instance that was followed before. A file that cannot be read or written is logged.
 */
export async function recordAgentInstance(io: {
  readonly dataDir: string;
  readonly own: string;
  readonly log: Pick<Log, "warn">;
}): Promise<AgentInstances> {
  const { dataDir, own, log } = io;
  const path = join(dataDir, "instance");
  const stored = await readTextFile(path);
  if (!stored.ok && stored.error !== "ENOENT") log.warn({ path, why: stored.error }, "the instance id cannot be read");
  const written = await writeFileAtomically(path, [`${own}\n`]);
  if (!written.ok) log.warn({ path, why: written.error }, "the instance id cannot be stored");
  return { own, previous: stored.ok ? parseInstance(stored.value) : "" };
}

/** Id in the text; empty when there is none, because the file is damaged. */
const parseInstance = (text: string): string => /^([0-9a-z]{1,40})\n$/.exec(text)?.[1] ?? "";
