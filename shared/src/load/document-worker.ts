import { parentPort, workerData } from "node:worker_threads";
import { compilePlan, type PlanOptions, startCompilation } from "../config/compile/compile-plan.ts";
import type { DocumentProblem } from "../config/problem.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { type CueCommand, loadCueCommand } from "../platform/cue/engine/command.ts";
import { type CueEvaluator, loadCueEvaluator } from "../platform/cue/engine/evaluator.ts";
import { MemoryLimitReached } from "../platform/cue/engine/memory-limit.ts";
import { type CueSources, prepareSources } from "../platform/cue/source/cue-sources.ts";
import type { CueFile } from "../platform/cue/source/source-position.ts";
import { parseStatic } from "../platform/cue/static/parse-static.ts";
import { staticSources } from "../platform/cue/static/static-sources.ts";
import type { DocumentPath } from "../text/document-path.ts";
import { approximateProblem, explainRejection, isPathPrefix } from "./explain-rejection.ts";
import { approximatePositions, locateProblems } from "./locate-problems.ts";
import { sliced } from "./object-slices.ts";
import type {
  DocumentWorkerData,
  DocumentWorkerReply,
  DocumentWorkerRequest,
  LocatedProblem,
} from "./worker-messages.ts";

const { memoryBytes, taken } = workerData as DocumentWorkerData;
const port = parentPort;
if (port === null) throw new TypeError("this module is the entry of a worker thread");

const say = (reply: DocumentWorkerReply): void => port.postMessage(reply);
const once = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
};
const evaluator = once((): Promise<CueEvaluator> => loadCueEvaluator(memoryBytes));
const command = once((): Promise<CueCommand> => loadCueCommand(memoryBytes));

type Evaluated = {
  readonly sources: CueSources;
  readonly json: unknown;
  /** Paths that were repaired after CUE rejected the document. */
  readonly repairedPaths: readonly DocumentPath[];
  /** True when the document was parsed without CUE. */
  readonly isStatic: boolean;
};
/** What the last evaluation left: `locate` asks about it. */
let last: Evaluated | undefined;

port.on("message", (request: DocumentWorkerRequest) => {
  answer(request).catch((error: unknown) => {
    if (!(error instanceof MemoryLimitReached)) throw error;
    say({ kind: "out_of_memory" });
  });
});
// Go also calls back from timers, where nobody catches what its growth throws.
process.on("uncaughtException", (error) => {
  if (!(error instanceof MemoryLimitReached)) throw error;
  say({ kind: "out_of_memory" });
});

async function answer(request: DocumentWorkerRequest): Promise<void> {
  switch (request.kind) {
    case "plan":
      return plan(request);
    case "json": {
      const json = await evaluate(request.files);
      return say(json.ok ? { kind: "json", json: json.value } : { kind: "rejected", problems: json.error });
    }
    case "locate":
      return reject(request.problems);
  }
}

async function plan({ files, options, early }: Extract<DocumentWorkerRequest, { kind: "plan" }>): Promise<void> {
  const json = await evaluate(files);
  if (!json.ok) return say({ kind: "rejected", problems: [...json.error, ...(await remaining(json.error, options))] });
  const { head, names, objects, isValid, finish } = startCompilation(json.value, options);
  if (early && isValid()) say({ kind: "begun", head });
  const later: string[] = [];
  for (const slice of sliced(objects(), names)) {
    if (!early) later.push(slice);
    else if (isValid()) send(slice, onTheWay.early);
  }
  const hash = finish();
  if (!hash.ok) return reject(hash.error);
  if (!early) say({ kind: "begun", head });
  for (const slice of later) send(slice, onTheWay.later);
  return say({ kind: "plan", hash: hash.value });
}

/**
 * Slices on their way, of some 60 KB each. Early ones are so many that neither side waits for the other without need;
 * later ones so few that the receiver, who has other things to do, never has many to take in at once.
 */
const onTheWay = { early: 64, later: 2 } as const;
let sent = 0;

/** Sends a slice of objects once the receiver has taken in enough of those before. */
function send(slice: string, most: number): void {
  for (let seen = Atomics.load(taken, 0); sent - seen >= most; seen = Atomics.load(taken, 0))
    Atomics.wait(taken, 0, seen);
  sent += 1;
  say({ kind: "objects", slice });
}

/** The document as JSON, else CUE's complaints with their places. */
async function evaluate(files: readonly CueFile[]): Promise<Result<unknown, readonly LocatedProblem[]>> {
  last = undefined;
  const sources = prepareSources(files);
  if (!sources.ok) return fail([sources.error]);
  const staticData = parseStatic(files);
  if (staticData !== undefined) {
    last = { sources: sources.value, json: staticData, repairedPaths: [], isStatic: true };
    return ok(staticData);
  }
  const text = await evaluateSources(sources.value);
  if (text.ok) {
    last = { sources: sources.value, json: JSON.parse(text.value), repairedPaths: [], isStatic: false };
    return ok(last.json);
  }
  say({ kind: "rough", problems: [approximateProblem(text.error)] });
  const { problems, repaired, repairedPaths } = await explainRejection(await command(), {
    sources: sources.value,
    evaluatorError: text.error,
  });
  if (repaired !== undefined) last = { ...repaired, repairedPaths, isStatic: false };
  return fail(problems);
}

/** What is wrong beside CUE's complaints, where taking out what it complains about gives a document. */
async function remaining(
  complaints: readonly LocatedProblem[],
  options: PlanOptions,
): Promise<readonly LocatedProblem[]> {
  if (last === undefined) return [];
  say({ kind: "rough", problems: complaints });
  const { repairedPaths } = last;
  const compiled = compilePlan(last.json, options);
  if (compiled.ok) return [];
  const problems = compiled.error.filter(({ path }) => !repairedPaths.some((each) => isPathPrefix(each, path)));
  return locateProblems(command, { ...last, problems });
}

/** One file goes to the faster engine; several need the command, which knows packages. */
async function evaluateSources(sources: CueSources): Promise<Result<string, string>> {
  const [first] = sources.files;
  if (first !== undefined && sources.files.length === 1) return (await evaluator())(first.text);
  const run = await command();
  const { code, stdout, stderr } = await run(["export", ...sources.texts.keys()], sources.texts);
  return code === 0 ? ok(stdout) : fail(stderr.trim());
}

async function reject(problems: readonly DocumentProblem[]): Promise<void> {
  if (last === undefined) throw new TypeError("nothing was evaluated");
  const { json, isStatic } = last;
  const sources = isStatic ? staticSources(last.sources, problems.flatMap(pathsOf)) : last.sources;
  say({ kind: "rough", problems: approximatePositions(sources, problems) });
  say({ kind: "rejected", problems: await locateProblems(command, { sources, json, problems }) });
}

const pathsOf = ({ path, conflicts = [] }: DocumentProblem): readonly DocumentPath[] => [path, ...conflicts];
