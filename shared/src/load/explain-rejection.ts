import { cueVersion } from "../model/version.ts";
import type { CueCommand } from "../platform/cue/engine/command.ts";
import { type CueProblem, explainErrors } from "../platform/cue/locate/explain.ts";
import { mayNeedNewerCue, withoutConsequences } from "../platform/cue/locate/newer-syntax.ts";
import { repairSources } from "../platform/cue/locate/repair.ts";
import { parseVetReport } from "../platform/cue/locate/vet-report.ts";
import { type CueSources, prepareSources } from "../platform/cue/source/cue-sources.ts";
import type { DocumentPath } from "../text/document-path.ts";
import type { LocatedProblem } from "./worker-messages.ts";

type Explanation = {
  readonly problems: readonly LocatedProblem[];
  /** Document with the causes of CUE's errors removed; undefined when it could not be repaired. */
  readonly repaired: { readonly sources: CueSources; readonly json: unknown } | undefined;
  /** Paths whose values were removed or made up. Further problems below them are not reported. */
  readonly repairedPaths: readonly DocumentPath[];
};

type Rejection = {
  readonly sources: CueSources;
  readonly evaluatorError: string;
  /** True when the built-in CUE has rejected the document. */
  readonly isBuiltIn: boolean;
  /** Names of the fields whose values are not quoted. */
  readonly secretFields: ReadonlySet<string>;
};

/** Maximum number of repairs. CUE reports one class of errors at a time: references, conflicts, incomplete values. */
const maxRounds = 4;

/**
 * Finds all of CUE's errors in a document, with quoted secrets removed. The causes of the errors are removed and the
 * document is evaluated again until it has no more errors.
 */
export async function explainRejection(
  command: CueCommand,
  { sources, evaluatorError, isBuiltIn, secretFields }: Rejection,
): Promise<Explanation> {
  const explain = (problems: readonly CueProblem[]): Pick<Explanation, "problems" | "repairedPaths"> =>
    toExplanation(isBuiltIn ? withVersions(problems, sources) : problems, secretFields);
  const problems: CueProblem[] = [];
  let current = sources;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await explainErrors(command, current, round === 0 ? evaluatorError : "");
    const known = problems.flatMap(({ path }) => (path === undefined ? [] : [path]));
    const isNew = ({ path, message }: CueProblem): boolean =>
      path === undefined ? round === 0 || !isUnusedImport(message) : !known.some((each) => isPathPrefix(each, path));
    problems.push(...found.filter(isNew));
    const files = found.length === 0 ? undefined : repairSources(current, found);
    const next = files === undefined ? undefined : prepareSources(files);
    if (next?.ok !== true) break;
    current = next.value;
    const { code, stdout } = await command(["export", ...current.texts.keys()], current.texts);
    if (code === 0) return { ...explain(problems), repaired: { sources: current, json: JSON.parse(stdout) } };
  }
  return { ...explain(problems), repaired: undefined };
}

/** Names the version inside, and the way out, in messages about what only a newer CUE may know. */
function withVersions(problems: readonly CueProblem[], sources: CueSources): readonly CueProblem[] {
  const mayNeedNewer = ({ message, position }: CueProblem): boolean =>
    mayNeedNewerCue(message, sources.textAt({ ...position, column: 1 }));
  const hint = `the CUE inside is version ${cueVersion}; -cue-command uses an installed, newer one`;
  return withoutConsequences(problems, mayNeedNewer).map((problem) =>
    mayNeedNewer(problem) ? { ...problem, message: `${problem.message} (${hint})` } : problem,
  );
}

/** True for an error that a repair can cause by removing the only use of a package. */
const isUnusedImport = (message: string): boolean => message.startsWith("imported and not used");

/** Problem from the evaluator's message, at 1:1. Used when the time limit ends before exact positions are found. */
export function approximateProblem(evaluatorError: string, secretFields: ReadonlySet<string>): LocatedProblem {
  const [error] = parseVetReport(evaluatorError.replace(/^cue: marshal error: /, ""));
  const message = redactSecrets(error?.message ?? "CUE rejects the document", error?.path ?? [], secretFields);
  return { message, position: { file: 0, line: 1, column: 1 } };
}

const toExplanation = (
  problems: readonly CueProblem[],
  secretFields: ReadonlySet<string>,
): Pick<Explanation, "problems" | "repairedPaths"> => ({
  problems: problems.map(({ message, path = [], position }) => ({
    message: redactSecrets(message, path, secretFields),
    position,
  })),
  repairedPaths: problems.flatMap(({ path }) => (path === undefined ? [] : [path])),
});

/** True when `path` equals `prefix` or is below it. */
export const isPathPrefix = (prefix: DocumentPath, path: DocumentPath): boolean =>
  prefix.every((part, i) => part === path[i]);

/** Removes quoted texts from a message about a secret field or with a printed struct, which may contain a secret. */
function redactSecrets(message: string, path: DocumentPath, secretFields: ReadonlySet<unknown>): string {
  const isSecret = path.some((part) => secretFields.has(part));
  if (!isSecret && !message.includes("{")) return message;
  const start = message.indexOf(": ") + 1;
  return message.slice(0, start) + message.slice(start).replace(/"(?:[^"\\]|\\.)*"/g, '"…"');
}
