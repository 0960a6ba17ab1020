import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Clock } from "../model/clock.ts";
import { ProcessGroup, sharedProcessGroup } from "../platform/cue/engine/process-group.ts";
import { compileCacheVariable } from "../platform/process/compile-cache.ts";
import { entryModule } from "../platform/process/entry-module.ts";
import { cleanUpAtExit } from "../platform/process/exit-cleanups.ts";
import type {
  DocumentWorkerData,
  DocumentWorkerMessage,
  DocumentWorkerReply,
  DocumentWorkerRequest,
  EvaluatorProgram,
  StageReport,
} from "./worker-messages.ts";

/** Limits of one load. */
export type LoadLimits = {
  /** Maximum duration of the evaluation, and again of locating problems, ms. */
  readonly timeoutMs: number;
  /** Maximum memory of a CUE engine, bytes. */
  readonly memoryBytes: number;
  /** True where `-config-timeout` and `-config-memory` set them: a diagnostic then names the flag. Default: false. */
  readonly areFlags?: boolean;
};

/** Result of a request: a reply, or the way in which the thread ended. `cause` repeats no text of the document. */
export type DocumentWorkerAnswer =
  | DocumentWorkerReply
  | { readonly kind: "timed_out" }
  | { readonly kind: "crashed"; readonly cause: string };

/**
 * Thread that evaluates documents, one request at a time. After `timed_out`, `crashed` or `out_of_memory` it can only be
 * closed.
 */
export interface DocumentThread {
  /** Sends a request and waits for its first reply. */
  request(request: DocumentWorkerRequest, timeoutMs: number): Promise<DocumentWorkerAnswer>;
  /** Waits for a further reply to the last request. */
  next(timeoutMs: number): Promise<DocumentWorkerAnswer>;
  /** Sets the receiver of reports about the stages of requests. */
  reportStages(to: ((report: StageReport) => void) | undefined): void;
  /** Lets the thread rest: no `locate` request for the last document follows. */
  rest(): void;
  /** Confirms that a batch of objects has been taken over, so that the thread may send another one. */
  confirmBatch(): void;
  close(): Promise<void>;
}

/** Name and place of an error. Its message is left out, because it may quote the document, and with it a secret. */
function describeCrash(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const place = /([^/\s(]+:\d+:\d+)\)?$/m.exec(error.stack ?? "")?.[1];
  return place === undefined ? error.name : `${error.name} at ${place}`;
}

/**
 * Starts a thread. It loads the CUE engines at first use.
 *
 * @param evaluator installed program that evaluates instead of the built-in CUE, if any
 */
export function openDocumentThread(clock: Clock, memoryBytes: number, evaluator?: EvaluatorProgram): DocumentThread {
  const receivedBatches = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const processGroup = sharedProcessGroup();
  const programGroup = new ProcessGroup(processGroup);
  const workFolder = evaluator && mkdtempSync(join(tmpdir(), "realmwatch-cue-"));
  const evaluatorProgram = evaluator && workFolder !== undefined ? { ...evaluator, workFolder } : undefined;
  const workerData: DocumentWorkerData = { memoryBytes, receivedBatches, evaluatorProgram, processGroup };
  /** Removes the files of the program, which contain the document. */
  function removeFiles(): void {
    if (workFolder !== undefined) rmSync(workFolder, { recursive: true, force: true, maxRetries: 3 });
  }
  function cleanUp(): void {
    programGroup.endNow();
    removeFiles();
  }
  const cancelCleanUp = evaluator === undefined ? () => {} : cleanUpAtExit(cleanUp);
  // The environment has no other variable, because a document must not read it. The stack is large, because documents may nest deeply.
  // The young generation is large, because most objects survive into the plan and copying them early is wasted.
  const worker = new Worker(entryModule("document-worker", import.meta.url), {
    workerData,
    env: compileCacheVariable(),
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 32, maxYoungGenerationSizeMb: 96 },
  });
  worker.unref();
  let report: ((report: StageReport) => void) | undefined;
  const next = answersOf(worker, clock, (stage) => report?.(stage));
  return {
    request(request, timeoutMs) {
      worker.postMessage(request);
      return next(timeoutMs);
    },
    next,
    reportStages(to) {
      report = to;
    },
    rest() {
      worker.postMessage({ kind: "rest" } satisfies DocumentWorkerRequest);
    },
    confirmBatch() {
      Atomics.add(receivedBatches, 0, 1);
      Atomics.notify(receivedBatches, 0);
    },
    async close() {
      // The program would outlive its thread.
      await programGroup.end();
      await worker.terminate();
      cancelCleanUp();
      removeFiles();
    },
  };
}

/** Collects the answers of a worker. Returns a function that waits for the next one, which keeps the process alive. */
function answersOf(
  worker: Worker,
  clock: Clock,
  onStage: (report: StageReport) => void,
): (timeoutMs: number) => Promise<DocumentWorkerAnswer> {
  const waiting: DocumentWorkerAnswer[] = [];
  let wake: (() => void) | undefined;
  const enqueue = (answer: DocumentWorkerAnswer): void => {
    waiting.push(answer);
    wake?.();
  };
  worker.on("message", (message: DocumentWorkerMessage) =>
    message.kind === "stage" ? onStage(message) : enqueue(message),
  );
  worker.on("error", (error: NodeJS.ErrnoException) =>
    enqueue(
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? { kind: "out_of_memory" }
        : { kind: "crashed", cause: describeCrash(error) },
    ),
  );
  worker.on("exit", (code) => enqueue({ kind: "crashed", cause: `exit code ${code}` }));

  return async (timeoutMs) => {
    if (waiting.length === 0) {
      worker.ref();
      await new Promise<void>((resolve) => {
        const cancel = clock.after(timeoutMs, () => enqueue({ kind: "timed_out" }));
        wake = () => {
          cancel();
          resolve();
        };
      });
      wake = undefined;
      worker.unref();
    }
    return waiting.shift() ?? { kind: "crashed", cause: "no answer" };
  };
}
