import type { PlanHead, PlanOptions } from "../config/compile/compile-plan.ts";
import type { Schema } from "../config/parser/schema.ts";
import { secretFieldNames } from "../config/parser/secret-fields.ts";
import type { ObjectPlan, RealmPlan } from "../config/plan.ts";
import type { DocumentProblem } from "../config/problem.ts";
import { type Clock, sleep } from "../model/clock.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { CueFile } from "../platform/cue/source/source-position.ts";
import { oneAtATime } from "../platform/one-at-a-time.ts";
import { deepFreeze } from "./deep-freeze.ts";
import {
  type DocumentThread,
  type DocumentWorkerAnswer,
  type LoadLimits,
  openDocumentThread,
} from "./document-thread.ts";
import { describeFailure, toDiagnostics } from "./load-diagnostics.ts";
import { objectsOf } from "./object-ranges.ts";
import { type DocumentSource, type FileNaming, readSource } from "./read-source.ts";
import type { EvaluatorProgram, StageReport } from "./worker-messages.ts";

export const defaultLimits: LoadLimits = { timeoutMs: 40_000, memoryBytes: 3 * 1024 ** 3 };

export type LoadOptions = {
  readonly source: DocumentSource;
  /** Names of files in diagnostics; default: `given`. */
  readonly names?: FileNaming;
  /** Default: `defaultLimits`. */
  readonly limits?: LoadLimits;
  /** Installed program that evaluates the document; default: the built-in CUE. */
  readonly evaluator?: EvaluatorProgram | undefined;
  /** Receives the begin of each stage but `start`, with which a load begins. */
  readonly onStage?: ((report: StageReport) => void) | undefined;
};

/** Valid document. `files` are its source files under the names that diagnostics use. */
type LoadedDocument<T> = { readonly value: T; readonly files: readonly CueFile[] };
/** Valid plan with the warnings of its lint. */
type LoadedPlan = LoadedDocument<RealmPlan> & {
  readonly warnings: readonly Diagnostic[];
  /** Expression for which CUE had to evaluate the document as a whole, which takes longer. */
  readonly wholeReason: Diagnostic | undefined;
};
type LoadResult<T> = Result<LoadedDocument<T>, readonly Diagnostic[]>;

export type LoadPlanOptions = LoadOptions & {
  readonly options: PlanOptions;
  /**
   * Receives objects while others are compiled, which is faster but keeps the caller's thread busy: for a caller whose
   * thread is otherwise idle. Default: receives them once the plan is known to be valid.
   */
  readonly eager?: boolean | undefined;
  /** Called when the document has been sent to the loader's thread: the caller's thread is idle until objects arrive. */
  readonly onRequestSent?: (() => void) | undefined;
  /** Lints the plan on the caller's thread. Its problems become `warnings`. */
  readonly lint?: ((plan: RealmPlan) => readonly DocumentProblem[]) | undefined;
};

/** Compiles a small document from its JSON, on the caller's thread. */
type CompileDocument<T> = (json: unknown) => Result<T, readonly DocumentProblem[]>;
type DocumentOptions<T> = LoadOptions & {
  readonly compile: CompileDocument<T>;
  /** Declares the secret fields of the document, which no diagnostic quotes. */
  readonly schema?: Schema;
};

/**
 * Loads documents one at a time on a thread of its own. The thread starts at first use, and again after it exceeded its
 * time or memory limit or ended by itself. The caller's thread only receives the results, in batches of a few ms.
 */
export interface Loader {
  /** Loads a configuration, which is evaluated and compiled on the loader's thread. */
  plan(options: LoadPlanOptions): Promise<Result<LoadedPlan, readonly Diagnostic[]>>;
  /** Loads another document, which is evaluated on the loader's thread and compiled on the caller's. */
  document<T>(options: DocumentOptions<T>): Promise<LoadResult<T>>;
  /** Ends the thread. Only this releases the memory of the CUE engines. */
  close(): Promise<void>;
}

/** Loads one configuration and ends its thread. */
export const loadPlan = (
  options: LoadPlanOptions & { readonly clock: Clock },
): Promise<Result<LoadedPlan, readonly Diagnostic[]>> => withLoader(options.clock, (loader) => loader.plan(options));

/** Loads one document of another kind and ends its thread. */
export const loadDocument = <T>(options: DocumentOptions<T> & { readonly clock: Clock }): Promise<LoadResult<T>> =>
  withLoader(options.clock, (loader) => loader.document(options));

async function withLoader<T>(clock: Clock, use: (loader: Loader) => Promise<T>): Promise<T> {
  const loader = openLoader(clock);
  try {
    return await use(loader);
  } finally {
    await loader.close();
  }
}

export function openLoader(clock: Clock): Loader {
  let current: { readonly thread: DocumentThread; readonly key: string } | undefined;
  // The thread keeps the same configuration.
  let last: LastPlan = { plan: undefined };
  const inTurn = oneAtATime();

  async function close(): Promise<void> {
    const { thread } = current ?? {};
    current = undefined;
    last = { plan: undefined };
    await thread?.close();
  }
  async function threadFor({ memoryBytes }: LoadLimits, evaluator?: EvaluatorProgram): Promise<DocumentThread> {
    const key = JSON.stringify([memoryBytes, evaluator]);
    if (current !== undefined && current.key !== key) await close();
    current ??= { thread: openDocumentThread(clock, memoryBytes, evaluator), key };
    return current.thread;
  }
  const run = <T>(options: LoadOptions, work: LoadWork<T>): Promise<LoadResult<T>> =>
    againAfterCrash((onCrash) => runOnce(options, work, onCrash));
  async function runOnce<T>(options: LoadOptions, work: LoadWork<T>, onCrash: () => void): Promise<LoadResult<T>> {
    const limits = options.limits ?? defaultLimits;
    // The thread starts while the document is read.
    const thread = await threadFor(limits, options.evaluator);
    thread.reportStages(options.onStage);
    const read = await readSource(options.source, options.names ?? "given");
    if (!read.ok) return read;
    const session: LoadSession = {
      files: read.value,
      limits,
      thread,
      last,
      nowMs: () => clock.monotonic(),
      yieldToEventLoop: () => sleep(clock, 0),
      deadlineMs: () => clock.monotonic() + limits.timeoutMs,
      endThread: close,
      onCrash,
    };
    const result = await work(session);
    return result.ok ? ok({ value: result.value, files: read.value }) : result;
  }
  async function loadAndLintPlan(options: LoadPlanOptions): Promise<Result<LoadedPlan, readonly Diagnostic[]>> {
    const loaded = await run(options, (session) => receiveLintedPlan(session, options));
    if (!loaded.ok) return loaded;
    const { files, value } = loaded.value;
    const { plan, ...about } = value;
    return ok({ value: plan, files, ...about });
  }
  const runExclusively = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(() => work().finally(() => current?.thread.rest()));
  return {
    plan: (options) => runExclusively(() => loadAndLintPlan(options)),
    document: (options) => runExclusively(() => run(options, (session) => receiveDocument(session, options))),
    close: () => runExclusively(close),
  };
}

/** [RL19] Loads again after the thread ended by itself: unless the document is the cause, a new one does not. */
async function againAfterCrash<T>(load: (onCrash: () => void) => Promise<T>): Promise<T> {
  let hasCrashed = false;
  const onCrash = (): void => {
    hasCrashed = true;
  };
  const first = await load(onCrash);
  return hasCrashed ? load(onCrash) : first;
}

/** Last plan that the thread has sent; undefined after its start. */
type LastPlan = { plan: RealmPlan | undefined };

/** One load on a running thread. */
type LoadSession = {
  readonly files: readonly CueFile[];
  readonly limits: LoadLimits;
  readonly thread: DocumentThread;
  readonly last: LastPlan;
  /** Monotonic time. */
  nowMs(): number;
  yieldToEventLoop(): Promise<void>;
  /** Monotonic time at which a step that starts now times out. */
  deadlineMs(): number;
  /** Ends a thread that cannot be used again. */
  endThread(): Promise<void>;
  /** Called when the thread ended without a result before a limit was exceeded. */
  onCrash(): void;
};

type LoadWork<T> = (session: LoadSession) => Promise<Result<T, readonly Diagnostic[]>>;

/** Maximum time for which receiving objects occupies the caller's thread without yielding, ms. */
const maxBusyMs = 8;

type ReceivedPlan = { readonly plan: RealmPlan; readonly wholeReason: Diagnostic | undefined };

/** Locates the warnings within the same load, because the thread keeps only the document that it evaluated last. */
async function receiveLintedPlan(
  session: LoadSession,
  options: LoadPlanOptions,
): Promise<Result<ReceivedPlan & Pick<LoadedPlan, "warnings">, readonly Diagnostic[]>> {
  const received = await receivePlan(session, options);
  if (!received.ok) return received;
  if (options.lint === undefined) return ok({ ...received.value, warnings: [] });
  options.onStage?.({ stage: "lint" });
  const warnings = await locateWarnings(session, options.lint(received.value.plan));
  return ok({ ...received.value, warnings });
}

/** Receives a plan in batches of objects. */
async function receivePlan(
  session: LoadSession,
  { options, eager = false, onRequestSent, lint }: LoadPlanOptions,
): Promise<Result<ReceivedPlan, readonly Diagnostic[]>> {
  const { thread, limits, files, nowMs } = session;
  const untilMs = session.deadlineMs();
  const objects = new Map<string, ObjectPlan>();
  let head: PlanHead | undefined;
  let busySinceMs = nowMs();
  // Warnings are located in the values of the whole document.
  const known = lint === undefined ? session.last.plan : undefined;
  const knownObjects = [...(known?.objects.values() ?? [])];
  const hasLast = known !== undefined;
  const firstReply = thread.request({ kind: "plan", files, options, eager, hasLast }, limits.timeoutMs);
  onRequestSent?.();
  let answer = await firstReply;
  for (; answer.kind === "plan_head" || answer.kind === "objects"; answer = await thread.next(untilMs - nowMs())) {
    if (answer.kind === "plan_head") {
      head = deepFreeze(answer.head);
      continue;
    }
    thread.confirmBatch();
    for (const sent of answer.objects) {
      for (const object of objectsOf(sent, knownObjects)) objects.set(object.ref, deepFreeze(object));
      if (nowMs() - busySinceMs < maxBusyMs) continue;
      await session.yieldToEventLoop();
      busySinceMs = nowMs();
    }
  }
  if (answer.kind !== "plan_end" || head === undefined) return rejectionOf(session, answer);
  const plan = Object.freeze({ hash: answer.hash, ...head, objects: Object.freeze(objects) });
  const [wholeReason] = toDiagnostics(answer.wholeReason === undefined ? [] : [answer.wholeReason], files);
  session.last.plan = plan;
  return ok({ plan, wholeReason });
}

async function receiveDocument<T>(
  session: LoadSession,
  { compile, schema }: DocumentOptions<T>,
): Promise<Result<T, readonly Diagnostic[]>> {
  const { thread, limits, files } = session;
  const secretFields = schema === undefined ? [] : secretFieldNames(schema);
  const answer = await thread.request({ kind: "json", files, secretFields }, limits.timeoutMs);
  if (answer.kind !== "json") return rejectionOf(session, answer);
  const compiled = compile(answer.json);
  if (compiled.ok) return compiled;
  return rejectionOf(session, await thread.request({ kind: "locate", problems: compiled.error }, limits.timeoutMs));
}

async function locateWarnings(
  session: LoadSession,
  problems: readonly DocumentProblem[],
): Promise<readonly Diagnostic[]> {
  if (problems.length === 0) return [];
  const answer = await session.thread.request({ kind: "locate", problems }, session.limits.timeoutMs);
  return (await rejectionOf(session, answer)).error;
}

type Rejection = { readonly ok: false; readonly error: readonly Diagnostic[] };

/** Diagnostics for every answer that is not a success. Waits for exact positions until the deadline. */
async function rejectionOf(
  session: LoadSession,
  answer: DocumentWorkerAnswer,
  untilMs = session.deadlineMs(),
): Promise<Rejection> {
  switch (answer.kind) {
    case "approximate": {
      const exact = await session.thread.next(Math.max(0, untilMs - session.nowMs()));
      if (exact.kind === "approximate" || exact.kind === "rejected") return rejectionOf(session, exact, untilMs);
      await session.endThread();
      return fail(toDiagnostics(answer.problems, session.files));
    }
    case "rejected":
      return fail(toDiagnostics(answer.problems, session.files));
    default: {
      if (answer.kind !== "timed_out" && answer.kind !== "out_of_memory") session.onCrash();
      await session.endThread();
      return fail([
        { message: describeFailure(answer, session.limits), file: session.files[0]?.name ?? "", line: 1, column: 1 },
      ]);
    }
  }
}
