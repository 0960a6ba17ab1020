import { join } from "node:path";
import type { SinkPlan } from "@realmwatch/shared/config/plan";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { type CursorPositions, readCursorFile, type SinkInput, writeCursorFile } from "../runner/cursor-file.ts";
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
