import type { CueCommand } from "../platform/cue/engine/command.ts";
import { type CueProblem, explainErrors } from "../platform/cue/locate/explain.ts";
import { repairSources } from "../platform/cue/locate/repair.ts";
import { parseVetReport } from "../platform/cue/locate/vet-report.ts";
import { type CueSources, prepareSources } from "../platform/cue/source/cue-sources.ts";
import type { DocumentPath } from "../text/document-path.ts";
import type { LocatedProblem } from "./worker-messages.ts";

type Explained = {
  readonly problems: readonly LocatedProblem[];
  /** The document without what CUE complained about, where that could be had. */
  readonly mended: { readonly sheet: CueSources; readonly json: unknown } | undefined;
  /** Paths whose values were taken out or made up: what is said of them beyond the complaint is no news. */
  readonly broken: readonly DocumentPath[];
};

/** CUE stops at the first kind of error it meets: references, then conflicts, then what is incomplete. */
const maxRounds = 4;

/**
 * All of CUE's complaints about a document, without the secrets that it likes to quote. What it complains about is
 * mended and the document evaluated again, until it has no more to say.
 */
export async function explainRejection(
  command: CueCommand,
  { sheet, complaint }: { readonly sheet: CueSources; readonly complaint: string },
): Promise<Explained> {
  const problems: CueProblem[] = [];
  let current = sheet;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await explainErrors(command, current, round === 0 ? complaint : "");
    const known = problems.flatMap(({ path }) => (path === undefined ? [] : [path]));
    problems.push(...found.filter(({ path }) => path === undefined || !known.some((each) => isPathPrefix(each, path))));
    const files = found.length === 0 ? undefined : repairSources(current, found);
    const next = files === undefined ? undefined : prepareSources(files);
    if (next?.ok !== true) break;
    current = next.value;
    const { code, stdout } = await command(["export", ...current.texts.keys()], current.texts);
    if (code === 0) return { ...told(problems), mended: { sheet: current, json: JSON.parse(stdout) } };
  }
  return { ...told(problems), mended: undefined };
}

/** The evaluator's own complaint, which has no position: for the case that there is no time for a better one. */
export function approximateProblem(complaint: string): LocatedProblem {
  const [error] = parseVetReport(complaint.replace(/^cue: marshal error: /, ""));
  const message = redactSecrets(error?.message ?? "CUE refuses the document", error?.path?.map(String) ?? []);
  return { message, position: { file: 0, line: 1, column: 1 } };
}

const told = (problems: readonly CueProblem[]): Pick<Explained, "problems" | "broken"> => ({
  problems: problems.map(({ message, path, position }) => ({
    message: redactSecrets(message, path?.map(String) ?? []),
    place,
  })),
  broken: problems.flatMap(({ path }) => (path === undefined ? [] : [path])),
});

/** Whether `path` is `above` or somewhere below it. */
export const isPathPrefix = (above: DocumentPath, path: DocumentPath): boolean =>
  above.every((part, i) => part === path[i]);

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
function redactSecrets(message: string, path: readonly string[]): string {
  const field = path.at(-1) ?? "";
  const isSecret = secretFields.has(field) || path.includes("headers") || path.includes("resources");
  if (!isSecret && !message.includes("{")) return message;
  const start = message.indexOf(": ") + 1;
  return message.slice(0, start) + message.slice(start).replace(/"(?:[^"\\]|\\.)*"/g, '"…"');
}
