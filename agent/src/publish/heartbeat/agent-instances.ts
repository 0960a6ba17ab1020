import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { readTextFile, writeFileAtomically } from "../../platform/files/text-file.ts";

/** Ids of this process and of the one that used the data directory before it; the latter is empty for the first. */
export type AgentInstances = { readonly own: string; readonly previous: string };

/**
 * Stores the id of this process in the data directory and returns the previous one, which has ended: one process at a time
 * uses a data directory. The aggregator follows a restarted agent soon when it names the instance that was followed
 * before, and sends it the calls for that instance. [FD81] The id in a copied directory belongs to a process that may live,
 * so it does not count. A file that cannot be read or written is logged.
 */
export async function recordAgentInstance(io: {
  readonly dataDir: string;
  readonly own: string;
  readonly log: Pick<Log, "warn">;
}): Promise<AgentInstances> {
  const { dataDir, own, log } = io;
  const path = join(dataDir, "instance");
  const folder = await folderIdentity(dataDir);
  const stored = await readTextFile(path);
  if (!stored.ok && stored.error !== "ENOENT") log.warn({ path, why: stored.error }, "the instance id cannot be read");
  const written = await writeFileAtomically(path, [`${own} ${folder}\n`]);
  if (!written.ok) log.warn({ path, why: written.error }, "the instance id cannot be stored");
  return { own, previous: stored.ok ? parseInstance(stored.value, folder) : "" };
}

/** Reads the id from the text; empty when the file is damaged or was written in another folder. */
function parseInstance(text: string, folder: string): string {
  const [, instance = "", writtenIn] = /^([0-9a-z]{1,40}) ([0-9-]*)\n$/.exec(text) ?? [];
  return writtenIn === folder ? instance : "";
}

/**
 * Text by which a folder differs from its copies: inode and time of creation, which only a copy of the whole block device
 * takes along. Empty when the folder cannot be read.
 */
async function folderIdentity(path: string): Promise<string> {
  try {
    const { ino, birthtimeNs } = await stat(path, { bigint: true });
    return `${ino}-${birthtimeNs}`;
  } catch {
    return "";
  }
}
