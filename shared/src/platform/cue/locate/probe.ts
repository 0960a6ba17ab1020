import { type DocumentPath, pathKey } from "../../../text/document-path.ts";
import type { CueCommand } from "../engine/command.ts";
import type { CueSources } from "../source/cue-sources.ts";
import type { SourcePosition } from "../source/source-position.ts";
import { parseVetReport } from "./vet-report.ts";

/** A place to find: where the value at `path` was written. `contradiction` is CUE that must conflict with the value. */
export type CueProbe = { readonly path: DocumentPath; readonly contradiction: string };

/** Conflicts with everything but structs. */
export const structContradiction = '{"__p": 0}';

const probeFile = "probe.cue";

/**
 * Finds where values come from by contradicting them: a further file, one line a probe, conflicts with each, and
 * CUE's complaint about that line names the literals on the other side, be they in a template, a definition, a
 * reference or a comprehension. An impossible value at a struct hides what is below, so such probes take turns.
 *
 * @returns for each probe the places CUE named, in its order; none where it named none or the turns ran out
 */
export async function runProbes(
  cue: CueCommand,
  sheet: CueSources,
  probes: readonly CueProbe[],
): Promise<readonly SourcePosition[][]> {
  const found = probes.map((): SourcePosition[] => []);
  for (const turn of batchProbes(probes.map((probe) => probe.path))) {
    const head = sheet.packageClause;
    const lines = turn.map((i) => probeLine(probes[i]?.path ?? [], probes[i]?.contradiction ?? "_"));
    const texts = new Map([...sheet.texts, [probeFile, head + lines.join("\n")]]);
    const { stdout, stderr } = await cue(["vet", "-E", ...texts.keys()], texts);
    for (const { positions } of parseVetReport(stdout + stderr)) {
      const own = positions.filter(({ file }) => file === probeFile).map(({ line }) => line - (head === "" ? 1 : 2));
      // A complaint that names several probes is about a struct above them and says nothing of either.
      if (new Set(own).size !== 1) continue;
      const at = found[turn[own[0] as number] ?? -1];
      for (const place of positions) {
        const real = sheet.positionOf(place);
        if (real !== undefined) at?.push(real);
      }
    }
  }
  return found;
}

const maxBatches = 4;

/** Deals indices into turns so that no path of a turn is above another one of it, the deepest first. */
function batchProbes(paths: readonly DocumentPath[]): readonly (readonly number[])[] {
  const earliest = new Map<string, number>();
  const turns: number[][] = [];
  const deepestFirst = paths
    .map((_, i) => i)
    .sort((a, b) => (paths[b] as DocumentPath).length - (paths[a] as DocumentPath).length);
  for (const i of deepestFirst) {
    const path = paths[i] as DocumentPath;
    const turn = earliest.get(pathKey(path)) ?? 0;
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const above = pathKey(path.slice(0, length));
      earliest.set(above, Math.max(earliest.get(above) ?? 0, turn + 1));
    }
    turns[turn] ??= [];
    turns[turn].push(i);
  }
  return turns.slice(0, maxBatches);
}

/** `"a": "b": [_, {"c": value}, ...]`. JSON strings are CUE strings. */
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
