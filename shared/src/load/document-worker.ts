import { parentPort, workerData } from "node:worker_threads";
import { compilePlan, type PlanOptions, startCompilation } from "../config/compile/compile-plan.ts";
import { secretFieldNames } from "../config/parser/secret-fields.ts";
import type { ObjectPlan } from "../config/plan.ts";
import type { DocumentProblem } from "../config/problem.ts";
import { configurationParser } from "../config/schema/configuration.ts";
import { never } from "../model/never.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { CueCommand } from "../platform/cue/engine/command.ts";
import { CueThreads } from "../platform/cue/engine/cue-threads.ts";
import { MemoryLimitReached } from "../platform/cue/engine/memory-limit.ts";
import { ProcessGroup } from "../platform/cue/engine/process-group.ts";
import { openProgramCommand } from "../platform/cue/engine/program-command.ts";
import { nearestPosition } from "../platform/cue/locate/locate.ts";
import { type CueSources, prepareSources } from "../platform/cue/source/cue-sources.ts";
import { deniedImports } from "../platform/cue/source/denied-imports.ts";
import type { CueFile } from "../platform/cue/source/source-position.ts";
import { parseStatic } from "../platform/cue/static/parse-static.ts";
import { parseStaticEntries, type StaticEntries } from "../platform/cue/static/parse-static-entries.ts";
import { staticSources } from "../platform/cue/static/static-sources.ts";
import { releaseMemory } from "../platform/process/burst-garbage.ts";
import { systemClock } from "../platform/system-clock.ts";
import type { DocumentPath } from "../text/document-path.ts";
import { BatchSender, batchesOf } from "./batch-sender.ts";
import { type EvaluatedEntries, evaluateChanges, withUnchanged } from "./evaluate-changes.ts";
import { evaluateInParts } from "./evaluate-in-parts.ts";
import { approximateProblem, explainRejection, isPathPrefix } from "./explain-rejection.ts";
import type { KeptOptions } from "./kept-configuration.ts";
import { IdentityCollector, KeptConfiguration } from "./kept-configuration.ts";
import { approximatePositions, capProblems, locateProblems } from "./locate-problems.ts";
import { rangesOfKnown, type SentObject } from "./object-ranges.ts";
import type {
  DocumentWorkerData,
  DocumentWorkerMessage,
  DocumentWorkerReply,
  DocumentWorkerRequest,
  LoadStage,
  LocatedProblem,
} from "./worker-messages.ts";

const { memoryBytes, receivedBatches, evaluatorProgram, processGroup } = workerData as DocumentWorkerData;
const port = parentPort;
if (port === null) throw new TypeError("this module is the entry of a worker thread");

const post = (message: DocumentWorkerMessage): void => port.postMessage(message);
const reply = (message: DocumentWorkerReply): void => post(message);
const enter = (stage: LoadStage, fraction?: number): void => post({ kind: "stage", stage, fraction });
/** The built-in CUE. */
const threads = new CueThreads(memoryBytes);
const cue = threads.first;
let program: CueCommand | undefined;
async function command(): Promise<CueCommand> {
  if (evaluatorProgram === undefined) return cue.command;
  program ??= openProgramCommand({ ...evaluatorProgram, memoryBytes, processGroup: new ProcessGroup(processGroup) });
  return program;
}

const evaluateAll = (documents: readonly string[]) =>
  threads.evaluateAll(documents, (fraction) => enter("evaluate", fraction));

type Evaluated = {
  readonly sources: CueSources;
  /** The document as it is written, when `sources` is a repaired one. */
  readonly written?: CueSources;
  readonly json: unknown;
  /** Paths that were repaired after CUE rejected the document. */
  readonly repairedPaths: readonly DocumentPath[];
  /** True when the document was parsed without CUE. */
  readonly isStatic: boolean;
  /** Input of the next evaluation, to leave out entries that have not changed; undefined when it cannot. */
  readonly evaluated?: EvaluatedEntries | undefined;
  /** Expression for which the document was evaluated as a whole. */
  readonly wholeReason?: LocatedProblem | undefined;
};
/** Result of the last evaluation, in which `locate` requests search. */
let last: Evaluated | undefined;

/** Time without a request after which the thread gives memory back, ms. */
const idleAfterMs = 5_000;
let cancelIdle = (): void => {};

port.on("message", (request: DocumentWorkerRequest) => {
  cancelIdle();
  if (request.kind === "rest") {
    cancelIdle = systemClock.after(idleAfterMs, () => void rest());
    return;
  }
  handle(request).catch((error: unknown) => {
    if (!(error instanceof MemoryLimitReached)) throw error;
    reply({ kind: "out_of_memory" });
  });
});

/** Gives back the memory that the next load does not need. */
async function rest(): Promise<void> {
  last = undefined;
  await cue.close();
  releaseMemory();
}

type PlanRequest = Extract<DocumentWorkerRequest, { kind: "plan" }>;

async function handle(request: Exclude<DocumentWorkerRequest, { kind: "rest" }>): Promise<void> {
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

const batches = new BatchSender(receivedBatches, (objects) => reply({ kind: "objects", objects }));

/** Last valid configuration. */
let lastValid: KeptConfiguration | undefined;

async function sendPlan(request: PlanRequest): Promise<void> {
  const { files, options, eager, hasLast } = request;
  const before = hasLast ? lastValid : undefined;
  if (before !== undefined && !eager && (await sendChangedPlan(files, options, before))) return;
  const json = await evaluate(files, configurationSecrets, objectField);
  if (!json.ok)
    return reply({
      kind: "rejected",
      problems: capProblems([...json.error, ...(await furtherProblems(json.error, options))]),
    });
  const problems = sendCompilation({ json: json.value, options, evaluated: last?.evaluated }, { eager, before });
  if (problems !== undefined) await reject(capProblems(problems));
}

/** Sends the plan of a document of which parts have changed. Returns false when it has to be loaded as a whole. */
async function sendChangedPlan(
  [file, ...more]: readonly CueFile[],
  options: PlanOptions,
  before: KeptConfiguration,
): Promise<boolean> {
  if (file === undefined || more.length > 0 || before.evaluated === undefined) return false;
  enter("parse");
  const changed = await evaluateChanges(file.text, objectField, { before: before.evaluated, evaluateAll });
  if (changed === undefined) return false;
  const json = withUnchanged(changed, objectField, (label) => before.host(label));
  if (!before.hasContext(json, options)) return false;
  last = undefined;
  return sendCompilation({ json, options, evaluated: changed.evaluated }, { eager: false, before }) === undefined;
}

type EvaluatedPlan = Pick<KeptOptions, "json" | "options" | "evaluated">;
type Sending = {
  readonly eager: boolean;
  /** Configuration whose objects the receiver has. */
  readonly before: KeptConfiguration | undefined;
};

/** Compiles a plan, sends it and keeps it. Returns the problems of a document that is not valid. */
function sendCompilation(plan: EvaluatedPlan, { eager, before }: Sending): readonly DocumentProblem[] | undefined {
  enter("compile");
  const { head, hosts, objects, isValid, finish } = startCompilation(plan.json, plan.options);
  if (eager && isValid()) reply({ kind: "plan_head", head });
  const compiled = new IdentityCollector();
  const deferred: (readonly SentObject[])[] = [];
  const indexOf = (object: ObjectPlan, identity: string) => before?.indexOf(object, identity);
  for (const batch of batchesOf(rangesOfKnown(compiled.collect(objects()), indexOf))) {
    if (!eager) deferred.push(batch);
    else if (isValid()) batches.send(batch, "eager");
  }
  const hash = finish();
  if (!hash.ok) return hash.error;
  if (!eager) reply({ kind: "plan_head", head });
  for (const batch of deferred) batches.send(batch, "deferred");
  reply({ kind: "plan_end", hash: hash.value, wholeReason: last?.wholeReason });
  lastValid = new KeptConfiguration({ ...plan, hosts, compiled });
  return undefined;
}

/**
 * Evaluates a document to JSON. Fails with CUE's errors and their positions.
 *
 * @param field field whose entries may be evaluated apart from each other, if any
 */
async function evaluate(
  files: readonly CueFile[],
  secretFields: ReadonlySet<string>,
  field?: string,
): Promise<Result<unknown, readonly LocatedProblem[]>> {
  last = undefined;
  enter("parse");
  const sources = prepareSources(files);
  if (!sources.ok) return fail([sources.error]);
  const written = { sources: sources.value, repairedPaths: [] };
  const [first, ...more] = files;
  const single = field !== undefined && more.length === 0 ? first : undefined;
  const data =
    field !== undefined && single !== undefined ? parseStaticEntries(single.text, field) : parseStaticFiles(files);
  if (data !== undefined) {
    const evaluated = data.entries && { entries: data.entries, inParts: undefined };
    last = { ...written, json: data.json, isStatic: true, evaluated };
    return ok(data.json);
  }
  const denied = deniedImports(files);
  if (denied.length > 0) return fail(denied);
  const inParts =
    field !== undefined && single !== undefined && evaluatorProgram === undefined
      ? await evaluateInParts(single.text, field, evaluateAll)
      : undefined;
  if (inParts?.ok) {
    const { value: json, evaluated } = inParts.value;
    last = { ...written, json, isStatic: false, evaluated };
    return ok(json);
  }
  enter("evaluate");
  const text = await evaluateSources(sources.value);
  if (text.ok) {
    const wholeReason = inParts?.error ?? reasonBesideExpressions(files);
    last = { ...written, json: JSON.parse(text.value), isStatic: false, wholeReason };
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

/** Reason for which a document of any content is evaluated as a whole, at its start. */
function reasonBesideExpressions({ length }: readonly CueFile[]): LocatedProblem | undefined {
  const position = { file: 0, line: 1, column: 1 };
  if (length > 1) return { message: `this is one of ${length} files`, position };
  return evaluatorProgram === undefined ? undefined : { message: "-cue-command is set", position };
}

function parseStaticFiles(files: readonly CueFile[]): StaticEntries | undefined {
  const json = parseStatic(files);
  return json === undefined ? undefined : { json, entries: undefined };
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
    return cue.evaluate(first.text);
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
