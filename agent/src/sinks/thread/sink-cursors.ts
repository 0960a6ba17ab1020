import { join } from "node:path";
import type { SinkPlan } from "@realmwatch/shared/config/plan";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { type CursorPositions, readCursorFile, type SinkInput, writeCursorFile } from "../runner/cursor-file.ts";
import { cursorPathOf } from "../sink-types.ts";

/** Opens the cursor of a sink in the data directory. */
export function openSinkCursor(plan: SinkPlan, dataDir: string, onFailure: (why: string) => void) {
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
    stored: (input: SinkInput) => positions[input],
    /** Stores a position. Failures are reported once until a write succeeds: the sink goes on and may repeat entries. */
    save(input: SinkInput, position: number) {
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
