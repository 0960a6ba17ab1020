import { Worker } from "node:worker_threads";
import type { Result } from "../../../model/result.ts";
import { compileCacheVariable } from "../../process/compile-cache.ts";
import { entryModule } from "../../process/entry-module.ts";
import type { CueCommand } from "./command.ts";
import type { CueReply, CueRequest, CueWorkerData } from "./cue-messages.ts";
import { MemoryLimitReached } from "./memory-limit.ts";

type Waiting = { resolve(reply: CueReply): void; reject(error: unknown): void };

/**
 * The built-in CUE on a thread of its own, which starts at first use: only the end of a thread releases the memory of Go's
 * programs. Requests must not overlap. They fail with `MemoryLimitReached`, or with the error that ended the thread; then
 * the thread can only be closed.
 */
export class CueThread {
  readonly #memoryBytes: number;
  readonly #beganWith: CueThread | undefined;
  #residentBefore = 0;
  #worker: Worker | undefined;
  #waiting: Waiting | undefined;

  /** @param beganWith thread that shares its memory with this one, and starts before it; default: none */
  constructor(memoryBytes: number, beganWith?: CueThread) {
    this.#memoryBytes = memoryBytes;
    this.#beganWith = beganWith;
  }

  /**
   * Evaluates one document to JSON text. Fails with CUE's first error, which has no position.
   *
   * @param sharedBy number of threads that share the memory at present
   */
  async evaluate(source: string, sharedBy = 1): Promise<Result<string, string>> {
    const reply = await this.#request({ kind: "evaluate", source, sharedBy });
    if (reply.kind !== "evaluated") throw new TypeError(`unexpected ${reply.kind}`);
    return reply.result;
  }

  readonly command: CueCommand = async (args, files) => {
    const reply = await this.#request({ kind: "command", args, files });
    if (reply.kind !== "output") throw new TypeError(`unexpected ${reply.kind}`);
    return reply.output;
  };

  /** Resident memory of the process just before this thread began, bytes; at present, while it has not begun. */
  residentBefore(): number {
    return this.#worker === undefined ? process.memoryUsage.rss() : this.#residentBefore;
  }

  /** Ends the thread. The next request starts another one. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #request(request: CueRequest): Promise<CueReply> {
    this.#worker ??= this.#start();
    const reply = new Promise<CueReply>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    this.#worker.postMessage(request);
    return reply;
  }

  #start(): Worker {
    // The process may have grown since CUE last started, for example by a larger plan, which is not memory of CUE.
    this.#residentBefore = (this.#beganWith ?? this).residentBefore();
    // The environment has no other variable, because a document must not read it. The stack is large, because documents may nest deeply.
    const worker = new Worker(entryModule("cue-worker", import.meta.url), {
      workerData: {
        memoryBytes: this.#memoryBytes,
        residentBefore: this.#residentBefore,
      } satisfies CueWorkerData,
      env: compileCacheVariable(),
      stdout: true,
      stderr: true,
      resourceLimits: { stackSizeMb: 32 },
    });
    worker.on("message", (reply: CueReply) => {
      if (reply.kind === "out_of_memory") this.#waiting?.reject(new MemoryLimitReached(reply.message));
      else this.#waiting?.resolve(reply);
    });
    const fail = (error: unknown): void => {
      // A thread that was closed ends while the next one works already.
      if (this.#worker === worker) this.#waiting?.reject(error);
    };
    worker.on("error", (error: NodeJS.ErrnoException) =>
      fail(
        error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new MemoryLimitReached("the heap of CUE's thread is full") : error,
      ),
    );
    worker.on("exit", (code) => fail(new Error(`CUE's thread ended with exit code ${code}`)));
    return worker;
  }
}
