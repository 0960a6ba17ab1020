import { chmodSync } from "node:fs";

/**
 * Restricts a database and the files that SQLite keeps beside it to their owner. SQLite gives later ones the mode of
 * the database. A file that is missing, or whose file system has no modes, stays as it is.
 */
export function restrictDatabase(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    try {
      chmodSync(file, 0o600);
    } catch {
      // The mode is a second fence: the data directory has mode 0700.
    }
}
