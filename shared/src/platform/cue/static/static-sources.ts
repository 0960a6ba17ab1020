import { lineIndex } from "../source/source-position.ts";
import type { Sheet } from "../source/cue-sources.ts";
import type { Path } from "../source/source-spans.ts";
import { readFile } from "./parse-static.ts";
import { spotsIn, watchFor } from "./span-recorder.ts";

/**
 * The same sheet for a document that was read plainly, its spots found by reading it plainly once more: ten times as
 * fast as noting every path there is, and without the memory. Knows the spots of `paths` and of all above them only.
 */
export function plainSheet(sheet: Sheet, paths: readonly Path[]): Sheet {
  const files = sheet.files.map(({ text }) => {
    const watch = watchFor(paths);
    readFile(text, { fronts: new Map(), watch });
    return { watch, placeAt: lineIndex(text) };
  });
  return {
    ...sheet,
    spotsAt: (path) =>
      files.flatMap(({ watch, placeAt }, file) =>
        spotsIn(watch, path).map((spot) => ({ file, spot, ...placeAt(spot.at) })),
      ),
  };
}
