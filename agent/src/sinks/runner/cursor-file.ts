import { readFileSync } from "node:fs";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { writeStateFile } from "./state-file.ts";

/** Inputs of sinks, each with its own positions. */
export type SinkInput = "metrics" | "events";

/** Position of the next entry to deliver, for each input that was ever used with the cursor. */
export type CursorPositions = { readonly [I in SinkInput]?: number };

const format = "realmwatch-sink-cursor";

/** Reads a cursor file; no positions when there is none. The error is the end of a sentence about the file. */
export function readCursorFile(path: string): Result<CursorPositions, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? ok({}) : fail(`cannot be read (${code})`);
  }
  // Other files of the data directory must survive a cursor that was given their name.
  const refused = fail("is not the cursor of a sink; name another one, or remove the file");
  try {
    const { format: found, metrics, events } = JSON.parse(text) as Record<string, unknown>;
    if (found !== format) return refused;
    return ok({ ...positionIn("metrics", metrics), ...positionIn("events", events) });
  } catch {
    return refused;
  }
}

const positionIn = (input: SinkInput, value: unknown): CursorPositions =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? { [input]: value } : {};

/** Replaces a cursor file. Throws the system's error. */
export const writeCursorFile = (path: string, positions: CursorPositions): void =>
  writeStateFile(path, { format, ...positions });
