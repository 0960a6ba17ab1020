import { parentPort, workerData } from "node:worker_threads";
import { loadCueCommand } from "./command.ts";
import type { CueReply, CueRequest, CueWorkerData } from "./cue-messages.ts";
import { loadCueEvaluator } from "./evaluator.ts";
import { type MemoryLimit, MemoryLimitReached } from "./memory-limit.ts";

const { memoryBytes, residentBefore } = workerData as CueWorkerData;
const port = parentPort;
if (port === null) throw new TypeError("this module is the entry of a worker thread");

const reply = (message: CueReply): void => port.postMessage(message);
let sharedBy = 1;
const limit: MemoryLimit = { bytes: memoryBytes, residentBefore, sharedBy: () => sharedBy };
let evaluator: ReturnType<typeof loadCueEvaluator> | undefined;
let command: ReturnType<typeof loadCueCommand> | undefined;

port.on("message", (request: CueRequest) => {
  handle(request).catch(replyOutOfMemory);
});
// Go also runs from timers, where no promise rejects when its memory grows beyond the limit.
process.on("uncaughtException", replyOutOfMemory);

async function handle(request: CueRequest): Promise<void> {
  if (request.kind === "evaluate") {
    sharedBy = request.sharedBy;
    evaluator ??= loadCueEvaluator(limit);
    return reply({ kind: "evaluated", result: (await evaluator)(request.source) });
  }
  command ??= loadCueCommand(memoryBytes);
  return reply({ kind: "output", output: await (await command)(request.args, request.files) });
}

function replyOutOfMemory(error: unknown): void {
  if (!(error instanceof MemoryLimitReached)) throw error;
  reply({ kind: "out_of_memory", message: error.message });
}
