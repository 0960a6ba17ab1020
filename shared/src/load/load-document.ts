import type { PlanHead, PlanOptions } from "../config/compile/compile-plan.ts";
import type { ObjectPlan, RealmPlan } from "../config/plan.ts";
import type { DocumentProblem } from "../config/problem.ts";
import { type Clock, sleep } from "../model/clock.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { CueFile } from "../platform/cue/source/source-position.ts";
import { formatDuration } from "../text/duration.ts";
import { deepFreeze } from "./deep-freeze.ts";
import {
  type DocumentThread,
  type DocumentWorkerAnswer,
  type LoadLimits,
  openDocumentThread,
} from "./document-thread.ts";
import { sliceReader } from "./object-slices.ts";
import { type DocumentSource, type FileNaming, readSource } from "./read-source.ts";
import type { LocatedProblem } from "./worker-messages.ts";

export const defaultLimits: LoadLimits = { timeoutMs: 40_000, memoryBytes: 3 * 1024 ** 3 };

export type LoadOptions = {
  readonly source: DocumentSource;
  /** Default: `given`. */
  readonly names?: FileNaming;
  /** Default: `defaultLimits`. */
  readonly limits?: LoadLimits;
};

/** A document that holds. `files` are what it was made of, with the names diagnostics would give them. */
export type LoadedDocument<T> = { readonly value: T; readonly files: readonly CueFile[] };
/** A plan that holds, with what its lint warned of. */
export type LoadedPlan = LoadedDocument<RealmPlan> & { readonly warnings: readonly Diagnostic[] };
export type LoadResult<T> = Result<LoadedDocument<T>, readonly Diagnostic[]>;

export type LoadPlanOptions = LoadOptions & {
  readonly options: PlanOptions;
  /**
   * For a caller whose thread has nothing else to do: it takes objects in while others are compiled. Default: the thread
   * is left alone until the plan holds.
   */
  readonly early?: EarlyTaking | undefined;
  /** Looks a plan over, on the caller's thread; what it finds becomes `warnings`. Default: nothing does. */
  readonly lint?: ((plan: RealmPlan) => readonly DocumentProblem[]) | undefined;
};

export interface EarlyTaking {
  /** The document was read and handed to the loader's thread: the caller's has nothing to do for a while. */
  asked?(): void;
}

/** Makes the value of a small document from its JSON, on the caller's thread. */
export type CompileDocument<T> = (json: unknown) => Result<T, readonly DocumentProblem[]>;

/**
 * Loads documents one after the other on a thread of its own, which it starts when it first needs one and again after
 * one ran out of time or memory. The caller's thread only takes in the results, in slices of a few ms.
 */
export interface Loader {
  /** A configuration: evaluated and compiled on the loader's thread. */
  plan(order: LoadPlanOptions): Promise<Result<LoadedPlan, readonly Diagnostic[]>>;
  /** Any other document: evaluated there, compiled here. */
  document<T>(order: LoadOptions & { readonly compile: CompileDocument<T> }): Promise<LoadResult<T>>;
  /** Ends the thread. CUE gives no memory back until then. */
  close(): Promise<void>;
}

/** Loads one configuration and ends its thread. */
export const loadPlan = (
  order: LoadPlanOptions & { readonly clock: Clock },
): Promise<Result<LoadedPlan, readonly Diagnostic[]>> => withLoader(order.clock, (loader) => loader.plan(order));

/** Loads one document of another kind and ends its thread. */
export const loadDocument = <T>(
  order: LoadOptions & { readonly compile: CompileDocument<T>; readonly clock: Clock },
): Promise<LoadResult<T>> => withLoader(order.clock, (loader) => loader.document(order));

async function withLoader<T>(clock: Clock, use: (loader: Loader) => Promise<T>): Promise<T> {
  const loader = openLoader(clock);
  try {
    return await use(loader);
  } finally {
    await loader.close();
  }
}

export function openLoader(clock: Clock): Loader {
  let thread: { readonly running: DocumentThread; readonly memoryBytes: number } | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function close(): Promise<void> {
    const { running } = thread ?? {};
    thread = undefined;
    await running?.close();
  }
  async function threadFor({ memoryBytes }: LoadLimits): Promise<DocumentThread> {
    if (thread !== undefined && thread.memoryBytes !== memoryBytes) await close();
    thread ??= { running: openDocumentThread(clock, memoryBytes), memoryBytes };
    return thread.running;
  }
  async function run<T>(
    order: LoadOptions,
    work: (visit: LoadSession) => Promise<Result<T, readonly Diagnostic[]>>,
  ): Promise<LoadResult<T>> {
    const limits = order.limits ?? defaultLimits;
    // It starts while the document is read.
    const running = await threadFor(limits);
    const read = await readSource(order.source, order.names ?? "given");
    if (!read.ok) return read;
    const visit: LoadSession = {
      files: read.value,
      limits,
      thread: running,
      nowMs: () => clock.monotonic(),
      breathe: () => sleep(clock, 0),
      deadlineMs: () => clock.monotonic() + limits.timeoutMs,
      abandon: close,
    };
    const result = await work(visit);
    return result.ok ? ok({ value: result.value, files: read.value }) : result;
  }
  /** The warnings' places are asked for in the same turn: the thread knows the document that it evaluated last. */
  async function loadAndLintPlan({
    options,
    early,
    lint,
    ...order
  }: LoadPlanOptions): Promise<Result<LoadedPlan, readonly Diagnostic[]>> {
    let warnings: readonly Diagnostic[] = [];
    const loaded = await run(order, async (visit) => {
      const received = await receivePlan(visit, options, early);
      if (received.ok && lint !== undefined) warnings = await locateWarnings(visit, lint(received.value));
      return received;
    });
    return loaded.ok ? ok({ ...loaded.value, warnings }) : loaded;
  }
  function runExclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  }
  return {
    plan: (order) => runExclusively(() => loadAndLintPlan(order)),
    document: (order) => runExclusively(() => run(order, (visit) => receiveDocument(visit, order.compile))),
    close: () => runExclusively(close),
  };
}

type LoadSession = {
  readonly files: readonly CueFile[];
  readonly limits: LoadLimits;
  readonly thread: DocumentThread;
  /** Monotonic. */
  nowMs(): number;
  /** Lets others have the caller's thread. */
  breathe(): Promise<void>;
  /** When places have to be found, counted from now. */
  deadlineMs(): number;
  /** Ends a thread that is of no further use. */
  abandon(): Promise<void>;
};

/** The caller's thread is given back to others after so long, ms. */
const goMs = 8;

/** Takes in what the thread tells while it goes on compiling. */
async function receivePlan(
  visit: LoadSession,
  options: PlanOptions,
  early: EarlyTaking | undefined,
): Promise<Result<RealmPlan, readonly Diagnostic[]>> {
  const { thread, limits, files, nowMs } = visit;
  const untilMs = visit.deadlineMs();
  const objects = new Map<string, ObjectPlan>();
  const objectsIn = sliceReader();
  let head: PlanHead | undefined;
  let breathedMs = nowMs();
  const asking = thread.ask({ kind: "plan", files, options, early: early !== undefined }, limits.timeoutMs);
  early?.asked?.();
  let answer = await asking;
  for (; answer.kind === "begun" || answer.kind === "objects"; answer = await thread.next(untilMs - nowMs())) {
    if (answer.kind === "begun") {
      head = deepFreeze(answer.head);
      continue;
    }
    const slice = objectsIn(answer.slice);
    thread.took();
    for (const object of slice) objects.set(object.ref, object);
    if (nowMs() - breathedMs < goMs) continue;
    await visit.breathe();
    breathedMs = nowMs();
  }
  if (answer.kind !== "plan" || head === undefined) return rejectionOf(visit, answer);
  return ok(Object.freeze({ hash: answer.hash, ...head, objects: Object.freeze(objects) }));
}

async function receiveDocument<T>(
  visit: LoadSession,
  compile: CompileDocument<T>,
): Promise<Result<T, readonly Diagnostic[]>> {
  const { thread, limits, files } = visit;
  const answer = await thread.ask({ kind: "json", files }, limits.timeoutMs);
  if (answer.kind !== "json") return rejectionOf(visit, answer);
  const compiled = compile(answer.json);
  if (compiled.ok) return compiled;
  return rejectionOf(visit, await thread.ask({ kind: "locate", problems: compiled.error }, limits.timeoutMs));
}

async function locateWarnings(
  visit: LoadSession,
  problems: readonly DocumentProblem[],
): Promise<readonly Diagnostic[]> {
  if (problems.length === 0) return [];
  const answer = await visit.thread.ask({ kind: "locate", problems }, visit.limits.timeoutMs);
  return (await rejectionOf(visit, answer)).error;
}

type Refused = { readonly ok: false; readonly error: readonly Diagnostic[] };

/** The diagnostics behind whatever is not the answer hoped for. */
async function rejectionOf(
  visit: LoadSession,
  answer: DocumentWorkerAnswer,
  untilMs = visit.deadlineMs(),
): Promise<Refused> {
  switch (answer.kind) {
    case "rough": {
      const better = await visit.thread.next(Math.max(0, untilMs - visit.nowMs()));
      if (better.kind === "rough" || better.kind === "rejected") return rejectionOf(visit, better, untilMs);
      await visit.abandon();
      return fail(diagnosticsOf(answer.problems, visit.files));
    }
    case "rejected":
      return fail(diagnosticsOf(answer.problems, visit.files));
    default: {
      await visit.abandon();
      return fail([
        { message: describeFailure(answer, visit.limits), file: visit.files[0]?.name ?? "", line: 1, column: 1 },
      ]);
    }
  }
}

function describeFailure(answer: DocumentWorkerAnswer, { timeoutMs, memoryBytes }: LoadLimits): string {
  if (answer.kind === "timed_out") return `evaluation took longer than the ${formatDuration(timeoutMs)} it may take`;
  if (answer.kind === "out_of_memory")
    return `evaluation needs more than the ${Math.round(memoryBytes / 2 ** 20)} MiB of memory it may take`;
  return "evaluation ended without an answer: the document may nest too deeply";
}

/** In the order of the files and lines, each once. */
function diagnosticsOf(problems: readonly LocatedProblem[], files: readonly CueFile[]): readonly Diagnostic[] {
  const sorted = problems.toSorted(
    ({ position: a }, { position: b }) => a.file - b.file || a.line - b.line || a.column - b.column,
  );
  const seen = new Set<string>();
  return sorted.flatMap(({ message, position: { file, line, column } }) => {
    const key = JSON.stringify([message, file, line, column]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ message, file: files[file]?.name ?? "", line, column }];
  });
}
