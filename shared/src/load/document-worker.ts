import { parentPort, workerData } from "node:worker_threads";
import { compilePlan, type PlanOptions, startCompilation } from "../config/compile/compile-plan.ts";
import { secretFieldNames } from "../config/parser/secret-fields.ts";
import type { ObjectPlan } from "../config/plan.ts";
import type { DocumentProblem } from "../config/problem.ts";
import { configurationParser } from "../config/schema/configuration.ts";
import { never } from "../model/never.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { type CueCommand, loadCueCommand } from "../platform/cue/engine/command.ts";
import { type CueEvaluator, loadCueEvaluator } from "../platform/cue/engine/evaluator.ts";
import { MemoryLimitReached } from "../platform/cue/engine/memory-limit.ts";
import { ProcessGroup } from "../platform/cue/engine/process-group.ts";
import { openProgramCommand } from "../platform/cue/engine/program-command.ts";
import { nearestPosition } from "../platform/cue/locate/locate.ts";
import { type CueSources, prepareSources } from "../platform/cue/source/cue-sources.ts";
import { deniedImports } from "../platform/cue/source/denied-imports.ts";
import type { CueFile } from "../platform/cue/source/source-position.ts";
import type { KeptValues } from "../platform/cue/split/evaluate-split.ts";
import { parseStatic } from "../platform/cue/static/parse-static.ts";
import { staticSources } from "../platform/cue/static/static-sources.ts";
import type { DocumentPath } from "../text/document-path.ts";
import { evaluateInParts, type PartsRequest } from "./evaluate-in-parts.ts";
import { approximateProblem, explainRejection, isPathPrefix } from "./explain-rejection.ts";
import { approximatePositions, locateProblems } from "./locate-problems.ts";
import { identitiesIn, identityOf } from "./object-identity.ts";
import type {
  DocumentWorkerData,
  DocumentWorkerMessage,
  DocumentWorkerReply,
  DocumentWorkerRequest,
  LoadStage,
  LocatedProblem,
  SentObject,
} from "./worker-messages.ts";

const { memoryBytes, receivedBatches, evaluatorProgram, processGroup } = workerData as DocumentWorkerData;
const port = parentPort;
if (port === null) throw new TypeError("this module is the entry of a worker thread");

const post = (message: DocumentWorkerMessage): void => port.postMessage(message);
const reply = (message: DocumentWorkerReply): void => post(message);
const enter = (stage: LoadStage, fraction?: number): void => post({ kind: "stage", stage, fraction });
const once = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
};
const evaluator = once((): Promise<CueEvaluator> => loadCueEvaluator(memoryBytes));
const command = once(async (): Promise<CueCommand> => {
  if (evaluatorProgram === undefined) return loadCueCommand(memoryBytes);
  return openProgramCommand({ ...evaluatorProgram, memoryBytes, processGroup: new ProcessGroup(processGroup) });
});

const engine = { evaluator, onEvaluate: (fraction: number): void => enter("evaluate", fraction) };

type Evaluated = {
  readonly sources: CueSources;
  /** The document as it is written, when `sources` is a repaired one. */
  readonly written?: CueSources;
  readonly json: unknown;
  /** Paths that were repaired after CUE rejected the document. */
  readonly repairedPaths: readonly DocumentPath[];
  /** True when the document was parsed without CUE. */
  readonly isStatic: boolean;
  /** Values for the next evaluation, of a document that was evaluated in parts. */
  readonly kept?: KeptValues;
  /** Expression for which the document was evaluated as a whole. */
  readonly wholeReason?: LocatedProblem | undefined;
};
/** Result of the last evaluation, in which `locate` requests search. */
let last: Evaluated | undefined;

port.on("message", (request: DocumentWorkerRequest) => {
  handle(request).catch((error: unknown) => {
    if (!(error instanceof MemoryLimitReached)) throw error;
    reply({ kind: "out_of_memory" });
  });
});
// Go also runs from timers, where no promise rejects when its memory grows beyond the limit.
process.on("uncaughtException", (error) => {
  if (!(error instanceof MemoryLimitReached)) throw error;
  reply({ kind: "out_of_memory" });
});

async function handle(request: DocumentWorkerRequest): Promise<void> {
  switch (request.kind) {
    case "plan":
      return sendPlan(request);
    case "json": {
      const json = await evaluate(request.files, new Set(request.secretFields));
      return reply(json.ok ? { kind: "json", json: json.value } : { kind: "rejected", problems: json.error });
    }
    case "locate":
      return reject(request.problems);
    default:
      return never(request);
  }
}

/** Field of a configuration whose entries are evaluated apart from each other where that is possible. */
const objectField = "hosts";
const configurationSecrets: ReadonlySet<string> = new Set(secretFieldNames(configurationParser.schema));

async function sendPlan({
  files,
  options,
  eager,
  kept,
}: Extract<DocumentWorkerRequest, { kind: "plan" }>): Promise<void> {
  const json = await evaluate(files, configurationSecrets, { field: objectField, kept: kept?.values });
  if (!json.ok)
    return reply({
      kind: "rejected",
      problems: capProblems([...json.error, ...(await furtherProblems(json.error, options))]),
    });
  enter("compile");
  const { head, objects, isValid, finish } = startCompilation(json.value, options);
  if (eager && isValid()) reply({ kind: "plan_head", head });
  const identities: string[] = [];
  const deferred: (readonly SentObject[])[] = [];
  for (const batch of batchesOf(namesOfKnown(objects(), identitiesIn(kept?.identities ?? ""), identities))) {
    if (!eager) deferred.push(batch);
    else if (isValid()) sendBatch(batch, maxBatchesInFlight.eager);
  }
  const hash = finish();
  if (!hash.ok) return reject(capProblems(hash.error));
  if (!eager) reply({ kind: "plan_head", head });
  for (const batch of deferred) sendBatch(batch, maxBatchesInFlight.deferred);
  return reply({
    kind: "plan_end",
    hash: hash.value,
    kept: { values: last?.kept, identities: identities.join("") },
    wholeReason: last?.wholeReason,
  });
}

/** Replaces objects that the receiver has by their references, and collects the identities of all. */
function* namesOfKnown(
  objects: Iterable<ObjectPlan>,
  known: ReadonlySet<string>,
  identities: string[],
): Generator<SentObject> {
  for (const object of objects) {
    const identity = identityOf(object);
    identities.push(identity);
    yield known.has(identity) ? object.ref : object;
  }
}

/** Maximum number of problems of a configuration that are located and reported; more would take seconds to send. */
const maxProblems = 1_000;

/** [PT14] Replaces the problems beyond the maximum by one that says how many there are. */
function capProblems<T extends { readonly message: string }>(problems: readonly T[]): readonly T[] {
  const next = problems[maxProblems];
  if (next === undefined) return problems;
  const message = `${problems.length - maxProblems} further problems are not listed`;
  return [...problems.slice(0, maxProblems), { ...next, message }];
}

/** Number of objects in a message: the receiver deserializes one in about 1 ms. */
const batchLength = 250;

function* batchesOf(objects: Iterable<SentObject>): Generator<readonly SentObject[]> {
  let batch: SentObject[] = [];
  for (const object of objects) {
    batch.push(object);
    if (batch.length < batchLength) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Maximum number of sent batches that the receiver has not taken over. Eager sending allows many, so that neither thread
 * waits. Deferred sending allows few, because the receiver deserializes all arrived messages without yielding.
 */
const maxBatchesInFlight = { eager: 64, deferred: 2 } as const;
let sentBatches = 0;

/** Sends a batch of objects. Blocks while too many batches are in flight. */
function sendBatch(objects: readonly SentObject[], maxInFlight: number): void {
  for (
    let received = Atomics.load(receivedBatches, 0);
    sentBatches - received >= maxInFlight;
    received = Atomics.load(receivedBatches, 0)
  )
    Atomics.wait(receivedBatches, 0, received);
  sentBatches += 1;
  reply({ kind: "objects", objects });
}

/**
 * Evaluates a document to JSON. Fails with CUE's errors and their positions.
 *
 * @param parts field whose entries may be evaluated apart from each other, and what an earlier evaluation has kept
 */
async function evaluate(
  files: readonly CueFile[],
  secretFields: ReadonlySet<string>,
  parts?: PartsRequest,
): Promise<Result<unknown, readonly LocatedProblem[]>> {
  last = undefined;
  enter("parse");
  const sources = prepareSources(files);
  if (!sources.ok) return fail([sources.error]);
  const staticData = parseStatic(files);
  if (staticData !== undefined) {
    last = { sources: sources.value, json: staticData, repairedPaths: [], isStatic: true };
    return ok(staticData);
  }
  const denied = deniedImports(files);
  if (denied.length > 0) return fail(denied);
  const [first, ...more] = files;
  const mayBeSplit = parts !== undefined && first !== undefined && more.length === 0 && evaluatorProgram === undefined;
  const inParts = mayBeSplit ? await evaluateInParts(first.text, parts, engine) : undefined;
  if (inParts?.ok) {
    const { value: json, kept } = inParts.value;
    last = { sources: sources.value, json, repairedPaths: [], isStatic: false, kept };
    return ok(json);
  }
  enter("evaluate");
  const text = await evaluateSources(sources.value);
  if (text.ok) {
    const wholeReason = inParts?.error;
    last = { sources: sources.value, json: JSON.parse(text.value), repairedPaths: [], isStatic: false, wholeReason };
    return ok(last.json);
  }
  enter("locate");
  reply({ kind: "approximate", problems: [approximateProblem(text.error, secretFields)] });
  const { problems, repaired, repairedPaths } = await explainRejection(await command(), {
    sources: sources.value,
    evaluatorError: text.error,
    isBuiltIn: evaluatorProgram === undefined,
    secretFields,
  });
  if (repaired !== undefined) last = { ...repaired, written: sources.value, repairedPaths, isStatic: false };
  return fail(problems);
}

/** Problems besides CUE's errors; empty when the document could not be repaired. */
async function furtherProblems(
  errors: readonly LocatedProblem[],
  options: PlanOptions,
): Promise<readonly LocatedProblem[]> {
  if (last === undefined) return [];
  reply({ kind: "approximate", problems: errors });
  const { repairedPaths, written = last.sources } = last;
  const compiled = compilePlan(last.json, options);
  if (compiled.ok) return [];
  const problems = capProblems(
    compiled.error.filter(({ path }) => !repairedPaths.some((each) => isPathPrefix(each, path))),
  );
  const located = await locateProblems(command, { ...last, problems });
  // A repair adds a file of made-up values, which the author does not know.
  return located.map((each, index) =>
    each.position.file < written.files.length
      ? each
      : { ...each, position: nearestPosition(written, problems[index]?.path ?? []) },
  );
}

/** Evaluates one file with the faster built-in engine. Several files need the command, which supports packages. */
async function evaluateSources(sources: CueSources): Promise<Result<string, string>> {
  const [first] = sources.files;
  if (first !== undefined && sources.files.length === 1 && evaluatorProgram === undefined)
    return (await evaluator())(first.text);
  const run = await command();
  const { code, stdout, stderr } = await run(["export", ...sources.texts.keys()], sources.texts);
  return code === 0 ? ok(stdout) : fail(stderr.trim());
}

async function reject(problems: readonly DocumentProblem[]): Promise<void> {
  if (last === undefined) throw new TypeError("no document has been evaluated");
  enter("locate");
  const { json, isStatic } = last;
  const sources = isStatic ? staticSources(last.sources, problems.flatMap(pathsOf)) : last.sources;
  reply({ kind: "approximate", problems: approximatePositions(sources, problems) });
  reply({ kind: "rejected", problems: await locateProblems(command, { sources, json, problems }) });
}

const pathsOf = ({ path, conflicts = [] }: DocumentProblem): readonly DocumentPath[] => [path, ...conflicts];
