import { type DocumentPath, pathKey } from "../../../text/document-path.ts";
import type { CueCommand } from "../engine/command.ts";
import type { CueSources } from "../source/cue-sources.ts";
import type { SourcePosition } from "../source/source-position.ts";
import { parseVetReport } from "./vet-report.ts";

/** Search for the source of the value at `path`. `contradiction` is CUE text that conflicts with the value. */
export type CueProbe = { readonly path: DocumentPath; readonly contradiction: string };

/** Contradiction of every value that is not a struct. */
export const structContradiction = '{"__p": 0}';

const probeFile = "probe.cue";

/**
 * Finds the sources of values by contradiction: an additional file has one line per probe that conflicts with the value,
 * and CUE's error about this line names the conflicting literals, also in a template, definition, reference or
 * comprehension. A conflict at a struct hides the values below it, so such probes run in separate batches.
 *
 * @returns the positions that CUE reports for each probe, in its order; empty when it reports none or the probe is
 *   beyond the last batch
 */
export async function runProbes(
  cue: CueCommand,
  sources: CueSources,
  probes: readonly CueProbe[],
): Promise<readonly SourcePosition[][]> {
  const found = probes.map((): SourcePosition[] => []);
  for (const batch of batchProbes(probes.map((probe) => probe.path))) {
    const head = sources.packageClause;
    const lines = batch.map((i) => probeLine(probes[i]?.path ?? [], probes[i]?.contradiction ?? "_"));
    const texts = new Map([...sources.texts, [probeFile, head + lines.join("\n")]]);
    const { stdout, stderr } = await cue(["vet", "-E", ...texts.keys()], texts);
    for (const { positions } of parseVetReport(stdout + stderr)) {
      const own = positions.filter(({ file }) => file === probeFile).map(({ line }) => line - (head === "" ? 1 : 2));
      // An error that names several probes concerns a struct above them: it locates neither value.
      if (new Set(own).size !== 1) continue;
      const at = found[batch[own[0] as number] ?? -1];
      for (const position of positions) {
        const converted = sources.positionOf(position);
        if (converted !== undefined) at?.push(converted);
      }
    }
  }
  return found;
}

const maxBatches = 4;

/** Distributes indexes over batches, deepest paths first, so that no path of a batch is a prefix of another one. */
function batchProbes(paths: readonly DocumentPath[]): readonly (readonly number[])[] {
  const earliest = new Map<string, number>();
  const batches: number[][] = [];
  const deepestFirst = paths
    .map((_, i) => i)
    .sort((a, b) => (paths[b] as DocumentPath).length - (paths[a] as DocumentPath).length);
  for (const i of deepestFirst) {
    const path = paths[i] as DocumentPath;
    const batch = earliest.get(pathKey(path)) ?? 0;
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const above = pathKey(path.slice(0, length));
      earliest.set(above, Math.max(earliest.get(above) ?? 0, batch + 1));
    }
    batches[batch] ??= [];
    batches[batch].push(i);
  }
  return batches.slice(0, maxBatches);
}

/** Formats a probe: `"a": "b": [_, {"c": value}, ...]`. Every JSON string is a CUE string. */
export function probeLine(path: DocumentPath, value: string): string {
  let line = value;
  let isField = false;
  for (const part of path.toReversed()) {
    if (typeof part === "number") {
      line = `[${"_, ".repeat(part)}${isField ? `{${line}}` : line}, ...]`;
      isField = false;
    } else {
      line = `${JSON.stringify(part)}: ${line}`;
      isField = true;
    }
  }
  return line;
}
