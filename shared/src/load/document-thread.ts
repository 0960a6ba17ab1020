import { Worker } from "node:worker_threads";
import type { Clock } from "../model/clock.ts";
import type { DocumentWorkerData, DocumentWorkerReply, DocumentWorkerRequest } from "./worker-messages.ts";

/** Limits of one load. */
export type LoadLimits = {
  /** Maximum duration of the evaluation, and again of locating problems, ms. */
  readonly timeoutMs: number;
  /** Maximum memory of a CUE engine, bytes. */
  readonly memoryBytes: number;
};

/** Result of a request: a reply, or the way in which the thread ended. */
export type DocumentWorkerAnswer = DocumentWorkerReply | { readonly kind: "timed_out" | "crashed" };

/**
 * Thread that evaluates documents, one request at a time. After `timed_out`, `crashed` or `out_of_memory` it can only be
 * closed.
 */
export interface DocumentThread {
  /** Sends a request and waits for its first reply. */
  request(request: DocumentWorkerRequest, timeoutMs: number): Promise<DocumentWorkerAnswer>;
  /** Waits for a further reply to the last request. */
  next(timeoutMs: number): Promise<DocumentWorkerAnswer>;
  /** Confirms that a batch of objects has been taken over, so that the thread may send another one. */
  confirmBatch(): void;
  close(): Promise<void>;
}

/** Worker module beside this one: `.ts` when running from source, `.js` when built. */
const workerFile = new URL(`./document-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

/** Starts a thread. It loads the CUE engines at first use. */
export function openDocumentThread(clock: Clock, memoryBytes: number): DocumentThread {
  const receivedBatches = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: DocumentWorkerData = { memoryBytes, receivedBatches };
  // The environment is empty, because a document must not read it. The stack is large, because documents may nest deeply.
  // The young generation is large, because most objects survive into the plan and copying them early is wasted.
  const worker = new Worker(workerFile, {
    workerData,
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { stackSizeMb: 32, maxYoungGenerationSizeMb: 96 },
  });
  worker.unref();
  const waiting: DocumentWorkerAnswer[] = [];
  let wake: (() => void) | undefined;
  const enqueue = (answer: DocumentWorkerAnswer): void => {
    waiting.push(answer);
    wake?.();
  };
  worker.on("message", (reply: DocumentWorkerReply) => enqueue(reply));
  worker.on("error", (error: NodeJS.ErrnoException) =>
    enqueue({ kind: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "out_of_memory" : "crashed" }),
  );
  worker.on("exit", () => enqueue({ kind: "crashed" }));

  async function next(timeoutMs: number): Promise<DocumentWorkerAnswer> {
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
    return waiting.shift() ?? { kind: "crashed" };
  }
  return {
    request(request, timeoutMs) {
      worker.postMessage(request);
      return next(timeoutMs);
    },
    next,
    confirmBatch() {
      Atomics.add(receivedBatches, 0, 1);
      Atomics.notify(receivedBatches, 0);
    },
    close: async () => void (await worker.terminate()),
  };
}
