import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;

/**
 * Resident memory of a process and of all that it has started, bytes. What has ended counts as 0; so does all else where
 * the system has no `/proc`.
 */
export function residentBytesOfTree(pid: number): number {
  let pages = 0;
  const pids = [`${pid}`];
  for (const each of pids) {
    pages += Number(wordsOf(`/proc/${each}/statm`)[1] ?? 0);
    // A child belongs to the thread that has started it.
    for (const thread of entriesOf(`/proc/${each}/task`))
      pids.push(...wordsOf(`/proc/${each}/task/${thread}/children`));
  }
  return pages * pageBytes;
}

function wordsOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
