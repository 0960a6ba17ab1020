import type { CueCommand } from "../platform/cue/engine/command.ts";
import { type CueProblem, explain } from "../platform/cue/locate/explain.ts";
import { mend } from "../platform/cue/locate/repair.ts";
import { parseReport } from "../platform/cue/locate/vet-report.ts";
import { type Sheet, sheetOf } from "../platform/cue/source/cue-sources.ts";
import type { Path } from "../platform/cue/source/source-spans.ts";
import type { PlacedProblem } from "./thread-messages.ts";

type Explained = {
  readonly problems: readonly PlacedProblem[];
  /** The document without what CUE complained about, where that could be had. */
  readonly mended: { readonly sheet: Sheet; readonly json: unknown } | undefined;
  /** Paths whose values were taken out or made up: what is said of them beyond the complaint is no news. */
  readonly broken: readonly Path[];
};

/** CUE stops at the first kind of error it meets: references, then conflicts, then what is incomplete. */
const maxRounds = 4;

/**
 * All of CUE's complaints about a document, without the secrets that it likes to quote. What it complains about is
 * mended and the document evaluated again, until it has no more to say.
 */
export async function explainAll(
  command: CueCommand,
  { sheet, complaint }: { readonly sheet: Sheet; readonly complaint: string },
): Promise<Explained> {
  const problems: CueProblem[] = [];
  let current = sheet;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await explain(command, current, round === 0 ? complaint : "");
    const known = problems.flatMap(({ path }) => (path === undefined ? [] : [path]));
    problems.push(...found.filter(({ path }) => path === undefined || !known.some((each) => isAbove(each, path))));
    const files = found.length === 0 ? undefined : mend(current, found);
    const next = files === undefined ? undefined : sheetOf(files);
    if (next?.ok !== true) break;
    current = next.value;
    const { code, stdout } = await command(["export", ...current.texts.keys()], current.texts);
    if (code === 0) return { ...told(problems), mended: { sheet: current, json: JSON.parse(stdout) } };
  }
  return { ...told(problems), mended: undefined };
}

/** The evaluator's own complaint, which has no position: for the case that there is no time for a better one. */
export function roughComplaint(complaint: string): PlacedProblem {
  const [error] = parseReport(complaint.replace(/^cue: marshal error: /, ""));
  const message = discreet(error?.message ?? "CUE refuses the document", error?.path?.map(String) ?? []);
  return { message, place: { file: 0, line: 1, column: 1 } };
}

const told = (problems: readonly CueProblem[]): Pick<Explained, "problems" | "broken"> => ({
  problems: problems.map(({ message, path, place }) => ({
    message: discreet(message, path?.map(String) ?? []),
    place,
  })),
  broken: problems.flatMap(({ path }) => (path === undefined ? [] : [path])),
});

/** Whether `path` is `above` or somewhere below it. */
export const isAbove = (above: Path, path: Path): boolean => above.every((part, i) => part === path[i]);

const secretFields = new Set([
  "community",
  "auth_pass",
  "priv_pass",
  "url",
  "webhook_url",
  "routing_key",
  "alert_source_config_id",
  "password_hash",
  "token_hash",
]);

/** Hides quoted texts where the field is, or a struct that is spelled out may hold, a secret. */
function discreet(message: string, path: readonly string[]): string {
  const field = path.at(-1) ?? "";
  const isSecret = secretFields.has(field) || path.includes("headers") || path.includes("resources");
  if (!isSecret && !message.includes("{")) return message;
  const start = message.indexOf(": ") + 1;
  return message.slice(0, start) + message.slice(start).replace(/"(?:[^"\\]|\\.)*"/g, '"…"');
}
