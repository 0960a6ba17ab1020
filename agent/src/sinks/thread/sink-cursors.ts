import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SinkPlan } from "@realmwatch/shared/config/plan";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { writeStateFile } from "../runner/state-file.ts";
import { cursorPathOf } from "../sink-types.ts";

/** Positions of events that both members of a pair know, by sink. */
export type SharedPositions = {
  get(sink: string): number | undefined;
  set(sink: string, position: number): void;
};

type SinkCursorOptions = {
  readonly dataDir: string;
  /** Undefined for an agent without a pair. */
  readonly shared: SharedPositions | undefined;
  readonly onFailure: (why: string) => void;
};

/** Inputs of sinks, each with its own positions. */
type SinkInput = "metrics" | "events";

/** Position of the next entry to deliver, for each input that was ever used with the cursor. */
type CursorPositions = { readonly [I in SinkInput]?: number };

const format = "realmwatch-sink-cursor";

/** Reads a cursor file. A missing file has no positions. The error completes a sentence that begins with the file's name. */
function readCursorFile(path: string): Result<CursorPositions, string> {
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
const writeCursorFile = (path: string, positions: CursorPositions): void =>
  writeStateFile(path, { format, ...positions });

/**
 * Opens the cursor of a sink in the data directory. [PA36] The history is that of both members of a pair, and so is a
 * position in it: the file says only how far this member was when it was active last.
 */
export function openSinkCursor(plan: SinkPlan, { dataDir, shared, onFailure }: SinkCursorOptions) {
  const name = cursorPathOf(plan);
  let positions: CursorPositions = {};
  if (name === undefined) return { stored: () => undefined, save() {} };
  const path = join(dataDir, name);
  const read = readCursorFile(path);
  let isFailing = !read.ok;
  if (read.ok) positions = read.value;
  else onFailure(`the cursor ${name} ${read.error}`);
  return {
    /** Stored position; undefined without a cursor, or when it was never stored. */
    stored: (input: SinkInput) => (input === "events" ? shared?.get(plan.name) : undefined) ?? positions[input],
    /** Stores a position. Failures are reported once until a write succeeds: the sink goes on and may repeat entries. */
    save(input: SinkInput, position: number) {
      if (input === "events") shared?.set(plan.name, position);
      // A file that is not a cursor must not be overwritten.
      if (!read.ok) return;
      if (positions[input] === position) return;
      positions = { ...positions, [input]: position };
      try {
        writeCursorFile(path, positions);
        isFailing = false;
      } catch (error) {
        if (!isFailing) onFailure(`the cursor ${name} cannot be written: ${errorText(error)}`);
        isFailing = true;
      }
    },
  };
}
