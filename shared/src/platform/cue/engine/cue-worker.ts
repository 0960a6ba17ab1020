import { parentPort, workerData } from "node:worker_threads";
import { loadCueCommand } from "./command.ts";
import type { CueReply, CueRequest } from "./cue-messages.ts";
import { loadCueEvaluator } from "./evaluator.ts";
import { MemoryLimitReached } from "./memory-limit.ts";

const { memoryBytes } = workerData as { readonly memoryBytes: number };
const port = parentPort;
if (port === null) throw new TypeError("this module is the entry of a worker thread");

const reply = (message: CueReply): void => port.postMessage(message);
let evaluator: ReturnType<typeof loadCueEvaluator> | undefined;
let command: ReturnType<typeof loadCueCommand> | undefined;

port.on("message", (request: CueRequest) => {
  handle(request).catch(replyOutOfMemory);
});
// Go also runs from timers, where no promise rejects when its memory grows beyond the limit.
process.on("uncaughtException", replyOutOfMemory);

async function handle(request: CueRequest): Promise<void> {
  if (request.kind === "evaluate") {
    evaluator ??= loadCueEvaluator(memoryBytes);
    return reply({ kind: "evaluated", result: (await evaluator)(request.source) });
  }
  command ??= loadCueCommand(memoryBytes);
  return reply({ kind: "output", output: await (await command)(request.args, request.files) });
}

function replyOutOfMemory(error: unknown): void {
  if (!(error instanceof MemoryLimitReached)) throw error;
  reply({ kind: "out_of_memory", message: error.message });
}
