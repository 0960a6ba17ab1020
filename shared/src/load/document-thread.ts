import { Worker } from "node:worker_threads";
import type { Clock } from "../model/clock.ts";
import type { DocumentWorkerData, DocumentWorkerReply, DocumentWorkerRequest } from "./worker-messages.ts";

/** Limits of one load. */
export type LoadLimits = {
  /** How long evaluation may take, and again how long finding the places of problems may take, ms. */
  readonly timeoutMs: number;
  /** What the engine may grow to, bytes. */
  readonly memoryBytes: number;
};

/** What became of a request: an answer, or how the thread ended. */
export type DocumentWorkerAnswer = DocumentWorkerReply | { readonly kind: "timed_out" | "crashed" };

/**
 * A thread that evaluates documents. One request at a time. After `timed_out`, `crashed` and `out_of_memory` it is
 * gone and only `close` may be called.
 */
export interface DocumentThread {
  ask(request: DocumentWorkerRequest, timeoutMs: number): Promise<DocumentWorkerAnswer>;
  /** Waits for a further reply to the last request. */
  next(timeoutMs: number): Promise<DocumentWorkerAnswer>;
  /** A slice of objects was taken in: the thread may send another one. */
  took(): void;
  close(): Promise<void>;
}

/** The file beside this one: `.ts` when the sources run, `.js` when they are built. */
const entry = new URL(`./document-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** Starts a thread; it loads its engines when they are first needed. */
export function openDocumentThread(clock: Clock, memoryBytes: number): DocumentThread {
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: DocumentWorkerData = { memoryBytes, taken };
  // No environment: nothing in it is a document's business. A deep stack, for documents may nest deeply. Room for what is
  // young: nearly all that a large document makes is in the plan at the end, and copying it early is for nothing.
  const worker = new Worker(entry, {
    workerData,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 32, maxYoungGenerationSizeMb: 96 },
  });
  worker.unref();
  const waiting: DocumentWorkerAnswer[] = [];
  let wake: (() => void) | undefined;
  const hear = (answer: DocumentWorkerAnswer): void => {
    waiting.push(answer);
    wake?.();
  };
  worker.on("message", (reply: DocumentWorkerReply) => hear(reply));
  worker.on("error", (error: NodeJS.ErrnoException) =>
    hear({ kind: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "out_of_memory" : "crashed" }),
  );
  worker.on("exit", () => hear({ kind: "crashed" }));

  async function next(timeoutMs: number): Promise<DocumentWorkerAnswer> {
    if (waiting.length === 0) {
      worker.ref();
      await new Promise<void>((resolve) => {
        const cancel = clock.after(timeoutMs, () => hear({ kind: "timed_out" }));
        wake = () => {
          cancel();
          resolve();
        };
      });
      wake = undefined;
      worker.unref();
    }
    return waiting.shift() ?? { kind: "crashed" };
  }
  return {
    ask(request, timeoutMs) {
      worker.postMessage(request);
      return next(timeoutMs);
    },
    next,
    took() {
      Atomics.add(taken, 0, 1);
      Atomics.notify(taken, 0);
    },
    close: async () => void (await worker.terminate()),
  };
}
