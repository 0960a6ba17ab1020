import type { DocumentPath } from "../../../text/document-path.ts";
import type { CueSources } from "../source/cue-sources.ts";
import { lineIndex } from "../source/source-position.ts";
import { parseStaticFile } from "./parse-static.ts";
import { createRecorder, recordedSpans } from "./span-recorder.ts";

/**
 * The same sheet for a document that was read plainly, its spots found by reading it plainly once more: ten times as
 * fast as noting every path there is, and without the memory. Knows the spots of `paths` and of all above them only.
 */
export function staticSources(sheet: CueSources, paths: readonly DocumentPath[]): CueSources {
  const files = sheet.files.map(({ text }) => {
    const watch = createRecorder(paths);
    parseStaticFile(text, { labelOrders: new Map(), recorder });
    return { watch, placeAt: lineIndex(text) };
  });
  return {
    ...sheet,
    spansAt: (path) =>
      files.flatMap(({ watch, placeAt }, file) =>
        recordedSpans(watch, path).map((spot) => ({ file, spot, ...placeAt(spot.start) })),
      ),
  };
}
