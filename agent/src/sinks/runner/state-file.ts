import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** Reads the state of a sink; undefined for a missing or damaged file. */
export function readStateFile(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Replaces the state of a sink. Without a sync: it survives a killed process, and after a power failure an older one only
 * repeats entries. Throws the system's error.
 */
export function writeStateFile(path: string, state: object): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
